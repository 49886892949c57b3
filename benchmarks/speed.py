"""Speed and size of Sparse LSA, word counting and the command line, compared with peers.

All libraries get the same float32 CSR matrix and the same number of threads.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

import laconic
from benchmarks.data import VECTORIZER, newsgroups, two_groups
from benchmarks.harness import (
    Run,
    Timed,
    at_most,
    faster,
    race,
    smaller,
    thread_counts,
    threads,
)
from laconic import SparseLSA, Vectorizer
from laconic.kernels.projection import project_dense, project_sparse
from laconic.models.sparse_lsa.coding import words_topics
from laconic.text.defaults import EVERY_WORD

PAPER_ALPHA = 0.05

# --- fitting -------------------------------------------------------------------------------------

FIT_SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "tol=1e-5": {"tol": 1e-5},
    "alpha=0.05": {"alpha": PAPER_ALPHA},
    "alpha=0.05, tol=1e-5": {"alpha": PAPER_ALPHA, "tol": 1e-5},
}
NMF_SAMPLE = 6  # number of iterations of NMF from which the time of a long fit is estimated


def slsa_fit(run: Run) -> None:
    """Fit time of SparseLSA, including initialisation, of TruncatedSVD(n_iter=5) and of NMF."""
    X = newsgroups(run).weighted()
    run.note(f"Balanced tf-idf, {X.shape[0]:,} documents x {X.shape[1]:,} words, {X.dtype}.")
    for n_threads in thread_counts():
        with threads(n_threads):
            iterations = None
            for n_topics in (5, 10) if run.smoke else (100, 500):
                iterations = _fit_once(run, X, n_topics, n_threads, iterations)


def _fit_once(
    run: Run, X: sp.csr_matrix, n_topics: int, n_threads: int, nmf_iterations: int | None
) -> int:
    """Add all rows for a number of topics, and return the number of iterations of NMF."""
    where = f"D={n_topics}, {n_threads} thread{'s' if n_threads > 1 else ''}"

    def sparse_lsa(options: dict[str, Any]) -> Callable[[], SparseLSA]:
        return lambda: SparseLSA(n_topics, n_jobs=n_threads, random_state=run.seed, **options).fit(
            X
        )

    svd = "TruncatedSVD(n_iter=5)"
    timed = race(
        {name: sparse_lsa(options) for name, options in FIT_SETTINGS.items()}
        | {svd: lambda: TruncatedSVD(n_topics, n_iter=5, random_state=run.seed).fit(X)},
        run.repeats,
    )
    nmf, seconds, iterations = _fit_nmf(run, X, n_topics, nmf_iterations)
    for name in FIT_SETTINGS:
        model = timed[name].result
        density = 100 * model.components_.nnz / np.prod(model.components_.shape)
        what = f"fit, {where}, {name} ({model.n_iter_} passes, {density:.2g} % non-zero)"
        took = timed[name].seconds
        run.row(what, took, "s", peer=svd, peer_value=timed[svd].seconds, goal=at_most(1.0))
        run.row(what, took, "s", peer=nmf, peer_value=seconds, goal=faster(15))
    return iterations


def _fit_nmf(
    run: Run, X: sp.csr_matrix, n_topics: int, known_iterations: int | None
) -> tuple[str, float, int]:
    """Return name, seconds and number of iterations of a fit by NMF.

    The first number of topics is always fitted in full. For other numbers of topics, the time is
    estimated from a few iterations, unless `run.full` is set.
    """

    def fit(**options: Any) -> Timed:
        nmf = NMF(n_topics, init="nndsvd", random_state=run.seed, **options)
        return race({"nmf": lambda: nmf.fit(X)}, 1)["nmf"]

    if known_iterations is None or run.full:
        whole = fit()
        n_iter = whole.result.n_iter_
        return f"NMF(init='nndsvd'), {n_iter} iterations", whole.seconds, n_iter
    start, sample = fit(max_iter=1).seconds, fit(max_iter=NMF_SAMPLE).seconds
    each = (sample - start) / (NMF_SAMPLE - 1)
    name = (
        f"NMF(init='nndsvd'), estimated from {NMF_SAMPLE} iterations for {known_iterations}, "
        "as many as with fewer topics"
    )
    return name, start + each * (known_iterations - 1), known_iterations


# --- coding one document -------------------------------------------------------------------------


class OneDocument(NamedTuple):
    """A document in sparse and dense form, prepared before timing."""

    sparse: sp.csr_matrix
    dense: np.ndarray


def slsa_transform(run: Run) -> None:
    """Time to code one document, and many documents at once, with a fitted projection."""
    data = two_groups(run)
    n_topics = 20 if run.smoke else 1000
    model = SparseLSA(n_topics, alpha=PAPER_ALPHA, random_state=run.seed).fit(data.X)
    svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed).fit(data.X)
    rows = data.splits[0][1]
    documents = [
        OneDocument(data.X[[row]], data.X[[row]].toarray().ravel())
        for row in (rows[:10] if run.smoke else rows)
    ]
    density = 100 * model.components_.nnz / np.prod(model.components_.shape)
    run.note(
        f"{len(documents)} documents of {np.mean([x.nnz for x, _ in documents]):.0f} words on "
        f"average are coded one by one; {model.components_.shape[0]} topics with {density:.2g} % "
        "non-zero weights; float32, one thread."
    )
    with threads(1):
        micro = _time_each(run, _coders(model, svd), documents)
    ours_dense, ours_sparse = "kernel, codes as an array", "kernel, codes as CSR"
    dense_lsa = "dense LSA, sparse document (numpy)"
    scipy_product = "the same A through scipy's product"
    rows_to_show = (
        (ours_dense, dense_lsa, faster(6)),
        (ours_sparse, dense_lsa, None),
        (ours_dense, scipy_product, None),
        (ours_sparse, scipy_product, faster(10)),
        (ours_dense, "dense LSA, dense document (numpy)", None),
        ("SparseLSA.transform", "TruncatedSVD.transform", None),
    )
    for ours, peer, goal in rows_to_show:
        run.row(ours, micro[ours], "µs", peer=peer, peer_value=micro[peer], goal=goal)
    _batch_rows(run, model, svd, data.X[rows])


def _batch_rows(run: Run, model: SparseLSA, svd: TruncatedSVD, X: sp.csr_matrix) -> None:
    """Add rows for coding all documents at once."""
    by_word = np.ascontiguousarray(svd.components_.T, dtype=np.float32)
    dense = copy(model).set_params(sparse_output=False, n_jobs=1)
    as_csr = copy(model).set_params(n_jobs=1)
    peer = "dense LSA, sparse documents (scipy)"
    with threads(1):
        timed = race(
            {
                "codes as CSR": lambda: as_csr.transform(X),
                "codes as an array": lambda: dense.transform(X),
                peer: lambda: X @ by_word,
            },
            run.repeats,
        )
    for name in ("codes as CSR", "codes as an array"):
        run.row(
            f"SparseLSA.transform of {X.shape[0]} documents at once, {name}",
            1e3 * timed[name].seconds,
            "ms",
            peer=peer,
            peer_value=1e3 * timed[peer].seconds,
            goal=faster(6),
        )


def _coders(model: SparseLSA, svd: TruncatedSVD) -> dict[str, Callable[[OneDocument], Any]]:
    """Return functions that code one document, each with the fastest matrix layout."""
    W = words_topics(model)
    n_topics = W.shape[1]
    by_word = np.ascontiguousarray(svd.components_.T, dtype=np.float32)
    by_topic = np.ascontiguousarray(svd.components_, dtype=np.float32)

    def kernel_dense(document: OneDocument) -> np.ndarray:
        x = document.sparse
        out = np.empty((1, n_topics), np.float32)
        project_dense(x.data, x.indices, x.indptr, W.data, W.indices, W.indptr, out)
        return out

    def kernel_sparse(document: OneDocument) -> tuple[np.ndarray, np.ndarray]:
        x = document.sparse
        data, indices, _ = project_sparse(
            x.data, x.indices, x.indptr, W.data, W.indices, W.indptr, n_topics
        )
        return data, indices

    return {
        "kernel, codes as an array": kernel_dense,
        "kernel, codes as CSR": kernel_sparse,
        "dense LSA, sparse document (numpy)": lambda d: d.sparse.data @ by_word[d.sparse.indices],
        "the same A through scipy's product": lambda d: d.sparse @ W,
        "dense LSA, dense document (numpy)": lambda d: by_topic @ d.dense,
        "SparseLSA.transform": lambda d: model.transform(d.sparse),
        "TruncatedSVD.transform": lambda d: svd.transform(d.sparse),
    }


def _time_each(
    run: Run,
    coders: dict[str, Callable[[OneDocument], Any]],
    documents: Sequence[OneDocument],
) -> dict[str, float]:
    """Return the microseconds per document, best of several rounds over all documents."""

    def over_all(code: Callable[[OneDocument], Any]) -> Callable[[], None]:
        def go() -> None:
            for document in documents:
                code(document)

        code(documents[0])
        return go

    timed = race({name: over_all(code) for name, code in coders.items()}, run.repeats)
    return {name: 1e6 * best.seconds / len(documents) for name, best in timed.items()}


def slsa_bytes(run: Run) -> None:
    """Size of the saved projection, compared with dense LSA."""
    X = two_groups(run).X
    n_topics = 20 if run.smoke else 1000
    model = SparseLSA(n_topics, alpha=PAPER_ALPHA, random_state=run.seed).fit(X)
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder, "saved.model")
        laconic.save(model, saved)
        files = sorted(saved.rglob("*components_*.npy"))
        if not files:
            raise AssertionError("The saved model has no files whose names contain components_.")
        ours = sum(file.stat().st_size for file in files)
        dense = {}
        for dtype in ("float32", "float64"):
            file = Path(folder, f"{dtype}.npy")
            np.save(file, np.zeros((n_topics, X.shape[1]), dtype))
            dense[dtype] = file.stat().st_size
    run.note(f"Saved in {len(files)} files: {', '.join(file.name for file in files)}.")
    what = f"saved components_, D={n_topics}, alpha={PAPER_ALPHA}"
    for dtype, size in dense.items():
        goal = smaller(100) if dtype == "float32" else None
        run.row(what, ours, "bytes", peer=f"dense LSA, {dtype}", peer_value=size, goal=goal)


# --- counting words ------------------------------------------------------------------------------


def text_counts(run: Run) -> None:
    """Time to count the words of texts, compared with CountVectorizer (always one thread)."""
    texts = newsgroups(run).texts
    run.note(
        f"{len(texts):,} posts with headers, {sum(map(len, texts)) / 1e6:.1f} million characters; "
        "counts and vocabularies of both sides were checked to be equal."
    )
    for name, settings in {
        "every word": EVERY_WORD,
        "stop words, min_df, max_df": VECTORIZER,
    }.items():
        ours = {n: Vectorizer(**settings, n_jobs=n) for n in thread_counts()}
        peer = CountVectorizer(**settings)
        timed = race(
            {"peer": lambda peer=peer: peer.fit_transform(texts)}
            | {
                str(n): lambda vectorizer=vectorizer: vectorizer.fit_transform(texts)
                for n, vectorizer in ours.items()
            },
            run.repeats,
        )
        for n, vectorizer in ours.items():
            _check_equal(timed[str(n)].result.counts, timed["peer"].result, vectorizer, peer)
            run.row(
                f"counts, {name}, {n} thread{'s' if n > 1 else ''}",
                timed[str(n)].seconds,
                "s",
                peer="CountVectorizer",
                peer_value=timed["peer"].seconds,
                goal=faster(3),
            )


def _check_equal(
    ours: sp.csr_matrix, theirs: sp.csr_matrix, vectorizer: Vectorizer, peer: CountVectorizer
) -> None:
    words, their_words = vectorizer.get_feature_names_out(), peer.get_feature_names_out()
    if list(words) != list(their_words) or (ours != theirs).nnz:
        raise AssertionError("Vectorizer and CountVectorizer gave different counts.")


# --- starting ------------------------------------------------------------------------------------

BARE_CLICK = """
import click

@click.group()
def main():
    'A program that does nothing.'

@main.command()
@click.argument('file')
def show(file):
    'Show a file.'

main()
"""


def cli_help(run: Run) -> None:
    """Start-up time of ``laconic --help``, compared with an empty click program."""
    commands = {
        "laconic --help": "from laconic.cli.main import main; main()",
        "a bare click program": BARE_CLICK,
    }
    best = dict.fromkeys(commands, np.inf)
    for _ in range(2 if run.smoke else 10):
        for name, code in commands.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, "--help"], check=True, capture_output=True)
            best[name] = min(best[name], time.perf_counter() - start)
    run.row(
        "laconic --help",
        best["laconic --help"],
        "s",
        peer="a bare click program",
        peer_value=best["a bare click program"],
        goal=at_most(1.5),
    )
