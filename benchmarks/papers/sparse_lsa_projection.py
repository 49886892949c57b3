"""Table 3 of the Sparse LSA paper (SDM 2011): time to project documents, storage and density.

The paper measured the time of MATLAB: a sparse product for Sparse LSA, a dense product for LSA, and
a lasso for sparse coding. It states the storage of MATLAB in float64, in units of 2^20 bytes. Our
storage is computed in the same way where it is compared with the paper; the storage of laconic
(float32) has separate rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

from benchmarks.data import two_groups
from benchmarks.harness import Run, race, threads
from benchmarks.papers.sparse_lsa_accuracy import (
    ALPHA,
    LARGEST,
    NO_SPAMS,
    PAPER,
    has_spams,
    learn_bases,
    sparse_name,
    turn,
)
from laconic import SparseLSA
from laconic.kernels.projection import project_dense
from laconic.models.sparse_lsa.coding import words_topics

MEGABYTE = 2**20
CODING_PENALTY = 0.01
N_DOCUMENTS = 1000
N_CODED = 50  # number of documents for sparse coding, which takes a thousand times as long
OLD_MACHINE = "another machine and another language, so only ratios are comparable"

Document = tuple[sp.csr_matrix, np.ndarray]  # a document in sparse and in dense form
Coder = Callable[[Document], Any]


class Printed(NamedTuple):
    """A row of table 3 (a)."""

    milliseconds: float
    megabytes: float
    density: float  # density of projected documents in %


PRINTED = {
    "Sparse LSA": Printed(0.25, 0.6314, 35.81),
    "Sparse LSA, non-negative": Printed(0.22, 0.6041, 35.44),
    "LSA": Printed(31.6, 132.68, 100),
    "sparse coding": Printed(1711.1, 132.68, 86.94),
}


def slsa_projection(run: Run) -> None:
    """Table 3: time to project one document, storage of A and density of codes, D = 1000."""
    X = two_groups(run).X
    n_topics = 20 if run.smoke else LARGEST
    drawn = np.random.default_rng(run.seed).permutation(X.shape[0])
    rows = drawn[: 10 if run.smoke else N_DOCUMENTS]
    documents = [(X[[row]], X[[row]].toarray().ravel()) for row in rows]
    run.note(
        f"D = {n_topics}, λ = {ALPHA}; {len(rows):,} documents drawn at random are projected one "
        "after the other on one thread in float32. LSA as in the paper is the dense product with a "
        "dense document; LSA with a sparse document reads only the columns of the words in the "
        "document. Storage as in MATLAB is 16 bytes for each non-zero and 8 bytes for each column "
        "of a sparse matrix, and 8 bytes for each number of a dense matrix."
    )
    with threads(1):
        models = {
            sparse_name(positive): SparseLSA(
                n_topics, alpha=ALPHA, positive=positive, n_jobs=1, random_state=run.seed
            ).fit(X)
            for positive in (False, True)
        }
        svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed).fit(X)
        times = _times(run, models, svd, documents)
        bases = _bases(run, X, n_topics)
        if bases is not None:
            times["sparse coding"] = _coding_time(bases, [dense for _, dense in documents])
    _time_rows(run, times)
    _storage_rows(run, models, X.shape[1])
    _density_rows(run, models, X[rows], bases)


def _times(
    run: Run, models: dict[str, SparseLSA], svd: TruncatedSVD, documents: Sequence[Document]
) -> dict[str, float]:
    coders = {name: _sparse_coder(model) for name, model in models.items()}
    by_topic = np.ascontiguousarray(svd.components_, dtype=np.float32)
    by_word = np.ascontiguousarray(by_topic.T)
    coders["LSA"] = lambda document: by_topic @ document[1]
    coders["LSA, sparse documents"] = lambda document: (
        document[0].data @ by_word[document[0].indices]
    )

    def over_all(code: Coder) -> Callable[[], None]:
        def go() -> None:
            for document in documents:
                code(document)

        return go

    timed = race({name: over_all(code) for name, code in coders.items()}, run.repeats)
    return {name: 1000 * best.seconds / len(documents) for name, best in timed.items()}


def _sparse_coder(model: SparseLSA) -> Coder:
    words = words_topics(model)

    def code(document: Document) -> np.ndarray:
        x = document[0]
        out = np.empty((1, words.shape[1]), np.float32)
        project_dense(x.data, x.indices, x.indptr, words.data, words.indices, words.indptr, out)
        return out

    code((sp.csr_matrix((1, words.shape[0]), dtype=np.float32), np.empty(0)))  # compiled
    return code


def _bases(run: Run, X: sp.csr_matrix, n_topics: int) -> np.ndarray | None:
    """Learn the bases of sparse coding (words x topics)."""
    if not has_spams():
        run.note(NO_SPAMS)
        return None
    turned = turn(X)
    found = turned.directions @ learn_bases(run, turned.documents, n_topics, CODING_PENALTY)
    return np.asfortranarray(found, dtype=np.float32)


def _lasso(bases: np.ndarray, gram: np.ndarray, documents: np.ndarray) -> sp.csc_matrix:
    import spams

    options = {"lambda1": CODING_PENALTY, "mode": 2, "numThreads": 1}
    return spams.lasso(documents, Q=gram, q=np.asfortranarray(bases.T @ documents), **options)


def _coding_time(bases: np.ndarray, documents: Sequence[np.ndarray]) -> float:
    """Return the milliseconds per document, without the time to compute the Gram matrix."""
    gram = np.asfortranarray(bases.T @ bases)
    columns = [np.asfortranarray(dense[:, np.newaxis]) for dense in documents[:N_CODED]]

    def go() -> None:
        for column in columns:
            _lasso(bases, gram, column)

    return 1000 * race({"lasso": go}, 1)["lasso"].seconds / len(columns)


# --- rows ----------------------------------------------------------------------------------------


def _time_rows(run: Run, times: dict[str, float]) -> None:
    for name, milliseconds in times.items():
        printed = PRINTED.get(name)
        run.row(
            f"projection of a document, {name}",
            milliseconds,
            "ms",
            peer=PAPER if printed else None,
            peer_value=printed.milliseconds if printed else None,
            why=OLD_MACHINE if printed else None,
        )
    for name in times:
        if name != "Sparse LSA":
            printed = PRINTED.get(name)
            run.row(
                f"projection, how much longer than Sparse LSA, {name}",
                times[name] / times["Sparse LSA"],
                "x",
                peer=PAPER if printed else None,
                peer_value=printed.milliseconds / PRINTED["Sparse LSA"].milliseconds
                if printed
                else None,
                tolerance=None,
            )


def matlab_megabytes(A: sp.csr_matrix) -> float:
    """Return the storage of A (topics x words) as a sparse matrix of MATLAB, which is by column."""
    return float((16 * A.nnz + 8 * (A.shape[1] + 1)) / MEGABYTE)


def _storage_rows(run: Run, models: dict[str, SparseLSA], n_words: int) -> None:
    for name, model in models.items():
        A = model.components_
        run.row(
            f"storage of A as in MATLAB, {name}",
            matlab_megabytes(A),
            "MiB",
            peer=PAPER,
            peer_value=PRINTED[name].megabytes,
            tolerance=0.02,
        )
        kept = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
        run.row(f"storage of A as laconic keeps it, {name}", kept / MEGABYTE, "MiB")
    n_topics = models["Sparse LSA"].n_components
    run.row(
        "storage of A as in MATLAB, LSA",
        8 * n_topics * n_words / MEGABYTE,
        "MiB",
        peer=PAPER,
        peer_value=PRINTED["LSA"].megabytes,
    )


def _density_rows(
    run: Run, models: dict[str, SparseLSA], X: sp.csr_matrix, bases: np.ndarray | None
) -> None:
    codes = {name: model.transform(X) for name, model in models.items()}
    if bases is not None:
        documents = np.asfortranarray(X.T.toarray(), dtype=np.float32)
        gram = np.asfortranarray(bases.T @ bases)
        codes["sparse coding"] = sp.csr_matrix(_lasso(bases, gram, documents).T)
    for name, coded in codes.items():
        run.row(
            f"density of projected documents, {name}",
            100 * coded.nnz / np.prod(coded.shape),
            "%",
            peer=PAPER,
            peer_value=PRINTED[name].density,
            tolerance=0.02,
        )
