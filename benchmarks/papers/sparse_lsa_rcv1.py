"""RCV1 in the Sparse LSA paper (SDM 2011), tables 2 (b) and 3 (b), figures 2 (b) and 3 (b).

The paper's RCV1 file with 15,564 documents, 7,413 words and 53 classes is not available. Here are
1,500 real vectors of RCV1 (tf-idf of unit length) in two classes. Documents are of the same kind as
the paper's, but there are fewer of them, and the task is easier. λ depends on the square root of
the number of documents, so two values are used: the paper's 0.05, and 0.05 times the square root of
the ratio of the numbers of documents.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_files
from sklearn.decomposition import TruncatedSVD

from benchmarks.data import data_file, two_groups
from benchmarks.harness import Run, threads
from benchmarks.papers import literal_lsa
from benchmarks.papers.sparse_lsa_accuracy import (
    ALPHA,
    SIZES,
    Labelled,
    judge,
    random_splits,
    sparse_name,
    spread_of,
)
from benchmarks.papers.sparse_lsa_reuters import PAPER_DENSITY, PAPER_DOCUMENTS, RCV1, scaled_alpha
from laconic import LaconicError, SparseLSA

FILES = ("rcv1/rcv1_small.dat.svmlight.gz", "rcv1/rcv1_small_test.data.svmlight.gz")
LEAST = 2  # minimum number of documents of a word
N_SPLITS = 5
LITERAL_SIZES = (10, 50, 100)
JUDGED_SIZES = (10, 100, 1000)
PATH = (0.5, 0.2, 0.1)  # values of λ in figure 3 (b) besides the two of the other rows
FEWER = "1,500 documents in two classes instead of 15,564 in 53"


def slsa_rcv1(run: Run) -> None:
    """Tables 2 (b), 3 (b), figures 2 (b), 3 (b): 1,500 real documents of RCV1."""
    X, by = _vectors(run)
    scaled = scaled_alpha(X.shape[0])
    run.note(
        f"{X.shape[0]:,} documents, {X.shape[1]:,} words in at least {LEAST} documents, two "
        f"classes. λ = {ALPHA} as in the paper, and {scaled:.3g} = {ALPHA} √({X.shape[0]:,} / "
        f"{PAPER_DOCUMENTS:,}). As in the paper, projections are learned from all documents; the "
        f"linear SVM is LIBSVM, its C is chosen by 5-fold cross-validation, and there are "
        f"{N_SPLITS} random splits of 2 : 1. ± is the standard deviation over the splits."
    )
    with threads(1):
        for n_topics in (4, 6) if run.smoke else SIZES:
            if run.smoke or n_topics in JUDGED_SIZES:
                _lsa_row(run, X, by, n_topics)
            for positive in (False, True):
                for alpha in (ALPHA, scaled):
                    _rows(run, X, by, (n_topics, positive, alpha))
        n_topics = 6 if run.smoke else JUDGED_SIZES[-1]
        for positive in (False, True):
            for alpha in (0.2,) if run.smoke else PATH:
                _effective_rows(run, X, by, (n_topics, positive, alpha))


def _lsa_row(run: Run, X: sp.csr_matrix, by: Labelled, n_topics: int) -> None:
    svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed)
    found = judge(svd.fit_transform(X), by)
    what = f"accuracy, D={n_topics}, LSA"
    run.row(what, found.test, "%", tolerance=0.01, why=spread_of(found))


def _rows(run: Run, X: sp.csr_matrix, by: Labelled, setting: tuple[int, bool, float]) -> None:
    n_topics, positive, alpha = setting
    where = f"D={n_topics}, {'non-negative' if positive else 'l1'}, λ={alpha:.3g}"
    printed: dict[str, Any] = {
        "peer": RCV1,
        "peer_value": PAPER_DENSITY[positive].get(n_topics),
        "why": FEWER,
        "tolerance": 0.02,
    }
    if run.smoke or n_topics in LITERAL_SIZES:
        (literal,) = literal_lsa.follow_path(X, n_topics, [alpha], positive=positive)
        run.row(f"density of A, {where}, the authors' program", _density(literal.A), "%", **printed)
    model = _fit(run, X, setting)
    run.row(f"density of A, {where}", _density(model.components_), "%", **printed)
    if run.smoke or n_topics in JUDGED_SIZES:
        codes = model.transform(X)
        found = judge(codes, by)
        what = f"accuracy, D={n_topics}, {sparse_name(positive)}, λ={alpha:.3g}"
        run.row(what, found.test, "%", tolerance=0.01, why=spread_of(found))
        run.row(f"density of projected documents, {where}", _density(codes), "%", tolerance=0.02)


def _effective_rows(
    run: Run, X: sp.csr_matrix, by: Labelled, setting: tuple[int, bool, float]
) -> None:
    """Add the accuracy for one λ, compared with LSA of the same effective dimension."""
    n_topics, positive, alpha = setting
    name = f"D={n_topics}, λ={alpha:g}, {sparse_name(positive)}"
    try:
        model = _fit(run, X, setting)
    except LaconicError as error:
        run.note(f"{name}: {error}")
        return
    dimension = model.components_.nnz / X.shape[1]
    same = int(np.ceil(dimension))
    found = judge(model.transform(X), by)
    svd = TruncatedSVD(same, n_iter=5, random_state=run.seed)
    run.row(f"effective dimension, {name}", dimension, "", tolerance=0.02)
    run.row(
        f"accuracy, {name}",
        found.test,
        "%",
        peer=f"LSA, D={same}",
        peer_value=judge(svd.fit_transform(X), by).test,
        tolerance=0.01,
        why=spread_of(found),
    )


def _fit(run: Run, X: sp.csr_matrix, setting: tuple[int, bool, float]) -> SparseLSA:
    n_topics, positive, alpha = setting
    model = SparseLSA(n_topics, alpha=alpha, positive=positive, n_jobs=1, random_state=run.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warnings about empty topics
        return model.fit(X)


def _density(A: sp.csr_matrix) -> float:
    return float(100 * A.nnz / np.prod(A.shape))


# --- documents -----------------------------------------------------------------------------------


def _vectors(run: Run) -> tuple[sp.csr_matrix, Labelled]:
    if run.smoke:
        data = two_groups(run)
        return data.X, Labelled(data.labels, data.splits)
    return _rcv1(run.seed)


@cache
def _rcv1(seed: int) -> tuple[sp.csr_matrix, Labelled]:
    first, first_labels, second, second_labels = load_svmlight_files(
        [str(data_file(name)) for name in FILES], dtype=np.float32
    )
    X = sp.vstack([first, second]).tocsc()
    X = sp.csr_matrix(X[:, np.diff(X.indptr) >= LEAST])
    n_train = round(2 / 3 * X.shape[0])
    like = [(np.empty(n_train), np.empty(X.shape[0] - n_train))] * N_SPLITS
    labels = np.concatenate([first_labels, second_labels])
    return X, Labelled(labels, random_splits(X.shape[0], like, seed))
