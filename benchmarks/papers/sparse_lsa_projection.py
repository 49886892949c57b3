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

from benchmarks.data import TwoGroups, two_groups
from benchmarks.harness import Run, race, threads
from benchmarks.papers.literal_sparse_coding import lasso, turn
from benchmarks.papers.sparse_lsa_accuracy import (
    ALPHA,
    CODING,
    LARGEST,
    NO_SPAMS,
    PAPER,
    PENALTIES,
    Labelled,
    best_coded,
    coded_by_penalty,
    has_spams,
    sparse_name,
)
from laconic import SparseLSA
from laconic.kernels.projection import project_dense
from laconic.models.sparse_lsa.coding import words_topics

MEGABYTE = 2**20
N_DOCUMENTS = 1000
N_CODED = 50  # number of documents for sparse coding, which takes a thousand times as long
CHOSEN = f"{CODING}, λ by cross-validation"
SPAMS = f"{CODING}, SPAMS"
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
    CODING: Printed(1711.1, 132.68, 86.94),
}


class WordBases(NamedTuple):
    """Bases of sparse coding as words, their Gram matrix, and λ chosen by cross-validation."""

    rows: np.ndarray  # array of shape (n_topics, n_words)
    gram: np.ndarray
    penalty: float


def slsa_projection(run: Run) -> None:
    """Table 3: time to project one document, storage of A and density of codes, D = 1000."""
    data = two_groups(run)
    X = data.X
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
    if not has_spams():
        run.note(NO_SPAMS)
    with threads(1):
        models = {
            sparse_name(positive): SparseLSA(
                n_topics, alpha=ALPHA, positive=positive, n_jobs=1, random_state=run.seed
            ).fit(X)
            for positive in (False, True)
        }
        svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed).fit(X)
        times = _times(run, models, svd, documents)
        bases = chosen_bases(run, data, n_topics)
        times |= _coding_times(bases, [dense for _, dense in documents[:N_CODED]])
    run.note(
        f"Sparse coding is as in slsa-over-dimension; λ = {bases.penalty:g} from {PENALTIES} is "
        "chosen by cross-validation. The time is that of the product of the bases and a dense "
        "document and of a lasso from zero, by coordinate descent or by LARS (SPAMS); the Gram "
        f"matrix is given. It is the mean over {min(N_CODED, len(rows))} documents."
    )
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


def chosen_bases(run: Run, data: TwoGroups, n_topics: int) -> WordBases:
    """Learn the bases of sparse coding with λ chosen by cross-validation."""
    turned = turn(data.X)
    by = Labelled(data.labels, data.splits)
    best = best_coded(coded_by_penalty(run, turned, by, n_topics))
    return WordBases(best.bases.rows @ turned.directions.T, best.bases.gram, best.penalty)


def _coding_times(bases: WordBases, documents: Sequence[np.ndarray]) -> dict[str, float]:
    """Return the milliseconds per document, without the time to compute the Gram matrix."""
    solvers = {CODING: lambda x: lasso(bases.gram, (bases.rows @ x)[np.newaxis], bases.penalty)}
    if has_spams():
        solvers[SPAMS] = _spams_coder(bases)
    times = {}
    for name, solve in solvers.items():
        solve(documents[0])  # compiled

        def go(solve: Callable[[np.ndarray], Any] = solve) -> None:
            for document in documents:
                solve(document)

        times[name] = 1000 * race({name: go}, 1)[name].seconds / len(documents)
    return times


def _spams_coder(bases: WordBases) -> Callable[[np.ndarray], sp.csc_matrix]:
    import spams

    gram = np.asfortranarray(bases.gram)
    options = {"lambda1": bases.penalty, "mode": 2, "numThreads": 1}

    def code(document: np.ndarray) -> sp.csc_matrix:
        products = np.asfortranarray((bases.rows @ document)[:, np.newaxis])
        return spams.lasso(
            np.asfortranarray(document[:, np.newaxis]), Q=gram, q=products, **options
        )

    return code


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
    run: Run, models: dict[str, SparseLSA], X: sp.csr_matrix, bases: WordBases
) -> None:
    codes = {name: model.transform(X) for name, model in models.items()}
    products = np.ascontiguousarray(X @ bases.rows.T)
    codes[CHOSEN] = sp.csr_matrix(lasso(bases.gram, products, bases.penalty))
    for name, coded in codes.items():
        lengths = 100 * np.diff(coded.indptr) / coded.shape[1]
        run.row(
            f"density of projected documents, {name}",
            np.mean(lengths),
            "%",
            peer=PAPER,
            peer_value=PRINTED[CODING if name == CHOSEN else name].density,
            tolerance=0.02,
            why=f"± {np.std(lengths):.2f} over the documents",
        )
