"""Figures 2 and 3 of the Sparse LSA paper (SDM 2011): accuracy of a classifier on codes.

The protocol is as in the paper: a projection is learned from all documents, the projected documents
are split 2 : 1, and a linear SVM is fitted to the training part. C is chosen by 5-fold
cross-validation on the training part. The paper does not print the numbers of the curves, so our
results are compared with the accuracies at D = 1000 in its table 3.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.data import VECTORIZER, newsgroups, two_groups
from benchmarks.harness import Run, threads
from benchmarks.papers.comparison import SklearnLDA, TomotopyLDA, has_tomotopy
from laconic import LaconicError, SparseLSA, Vectorizer

PAPER = "the paper"
ALPHA = 0.05
SIZES = (10, 50, 100, 500, 1000)
LARGEST = SIZES[-1]
PAPER_ACCURACY = {  # table 3 (a): accuracy in % at D = 1000
    "Sparse LSA": 93.01,
    "Sparse LSA, non-negative": 93.00,
    "LSA": 93.89,
    "sparse coding": 90.54,
}
C_GRID = np.logspace(-2, 3, 6)  # candidates for C if codes have a mean squared norm of one
MOST_STEPS = 100_000  # maximum number of steps of LIBSVM; it is slow for few dimensions and large C
N_FOLDS = 5
CODING_PENALTIES = (0.01, 0.05)
CODING_STEPS = 60
NO_SPAMS = "spams is not installed, and sparse coding is left out; install laconic[bench]."

Splits = Sequence[tuple[np.ndarray, np.ndarray]]


class Labelled(NamedTuple):
    """Classes of the documents, and splits into training and test rows."""

    labels: np.ndarray
    splits: Splits


class Accuracy(NamedTuple):
    """Accuracies in %, averaged over the splits."""

    test: float
    spread: float  # standard deviation of the test accuracy over the splits
    validation: float  # cross-validation accuracy on the training parts, used to choose settings


def judge(codes: Any, by: Labelled) -> Accuracy:
    """Return the accuracy of an SVM on codes, as in the paper.

    All codes are scaled by one number, so that values of C are comparable.
    """
    products = codes @ codes.T
    kernel = products.toarray() if sp.issparse(products) else np.asarray(products)
    kernel = kernel.astype(np.float64) / np.mean(np.diag(kernel))
    test, validation = [], []
    for train, held_out in by.splits:
        machine = SVC(kernel="precomputed", max_iter=MOST_STEPS)
        search = GridSearchCV(machine, {"C": C_GRID}, cv=N_FOLDS)
        search.fit(kernel[np.ix_(train, train)], by.labels[train])
        validation.append(search.best_score_)
        test.append(search.score(kernel[np.ix_(held_out, train)], by.labels[held_out]))
    return Accuracy(100 * np.mean(test), 100 * np.std(test), 100 * np.mean(validation))


def spread_of(found: Accuracy) -> str:
    """Describe the standard deviation over the splits for the notes of a row."""
    return f"± {found.spread:.2f} over the splits"


def random_splits(n_documents: int, like: Splits, seed: int) -> Splits:
    """Draw random splits with the sizes of `like`."""
    random = np.random.default_rng(seed)
    orders = [random.permutation(n_documents) for _ in like]
    return [
        (order[: len(train)], order[len(train) :])
        for order, (train, _) in zip(orders, like, strict=True)
    ]


# --- figure 2: accuracy over the number of dimensions --------------------------------------------


def slsa_over_dimension(run: Run) -> None:
    """Figure 2: accuracy of an SVM on codes of five methods, with 10 to 1000 dimensions."""
    data = two_groups(run)
    by = Labelled(data.labels, data.splits)
    run.note(
        f"The authors' matrix and splits; λ = {ALPHA}. As in the paper, projections are learned "
        f"from all documents. The linear SVM is LIBSVM with C from {C_GRID[0]:g} to "
        f"{C_GRID[-1]:g}. Sparse coding is by SPAMS ({CODING_STEPS} steps of online dictionary "
        f"learning); its λ from {CODING_PENALTIES} is chosen by cross-validation on the training "
        "parts. LDA needs counts, which the matrix does not have, so it is fitted to the posts of "
        "the same two groups, with five random splits of the same sizes. The paper prints no "
        "numbers for figure 2; its numbers at D = 1000 are from table 3."
    )
    if not has_spams():
        run.note(NO_SPAMS)
    counts, posts = _posts(run, data.splits)
    with threads(1):
        for n_topics in (4, 6) if run.smoke else SIZES:
            for name, found in over_methods(run, data.X, by, counts, posts, n_topics):
                _accuracy_row(run, f"accuracy, D={n_topics}, {name}", name, n_topics, found)


def over_methods(
    run: Run, X: sp.csr_matrix, by: Labelled, counts: sp.csr_matrix, posts: Labelled, n_topics: int
) -> list[tuple[str, Accuracy]]:
    """Return the accuracy of each method for one number of dimensions."""
    svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed)
    found = [("LSA", judge(svd.fit_transform(X), by))]
    for positive in (False, True):
        model = SparseLSA(
            n_topics, alpha=ALPHA, positive=positive, n_jobs=1, random_state=run.seed
        ).fit(X)
        found.append((sparse_name(positive), judge(model.transform(X), by)))
    if has_spams():
        turned = turn(X).documents
        coded = [judge(sparse_codes(run, turned, n_topics, each), by) for each in _penalties(run)]
        found.append(("sparse coding", max(coded, key=lambda one: one.validation)))
    lda = _lda(run, n_topics).fit(counts)
    return [*found, ("LDA", judge(lda.codes(counts), posts))]


def sparse_name(positive: bool) -> str:
    return "Sparse LSA, non-negative" if positive else "Sparse LSA"


def _accuracy_row(run: Run, what: str, name: str, n_topics: int, found: Accuracy) -> None:
    printed = PAPER_ACCURACY.get(name) if n_topics == LARGEST else None
    run.row(
        what,
        found.test,
        "%",
        peer=PAPER if printed else None,
        peer_value=printed,
        tolerance=None if name == "LDA" else 0.01,
        why=spread_of(found),
    )


def _posts(run: Run, like: Splits) -> tuple[sp.csr_matrix, Labelled]:
    """Return the counts of the posts of the two groups, with classes and splits."""
    posts = newsgroups(run)
    two = np.unique(posts.labels)[:2]
    two = two if run.smoke else np.array(["alt.atheism", "talk.religion.misc"])
    chosen = np.flatnonzero(np.isin(posts.labels, two))
    options = VECTORIZER | {"min_df": 1}
    counts = Vectorizer(**options, n_jobs=1).fit_transform([posts.bodies[n] for n in chosen]).counts
    share = len(like[0][0]) / sum(map(len, like[0]))
    size = round(share * len(chosen))
    sized = [(np.empty(size), None)] * len(like)
    return counts, Labelled(posts.labels[chosen], random_splits(len(chosen), sized, run.seed))


def _lda(run: Run, n_topics: int) -> Any:
    if has_tomotopy():
        return TomotopyLDA(n_topics, run.seed, 10 if run.smoke else 200)
    return SklearnLDA(n_topics, run.seed, "batch", 2 if run.smoke else 20)


# --- sparse coding -------------------------------------------------------------------------------


def has_spams() -> bool:
    return find_spec("spams") is not None


def _penalties(run: Run) -> tuple[float, ...]:
    return CODING_PENALTIES[:1] if run.smoke else CODING_PENALTIES


class Turned(NamedTuple):
    """Documents as coordinates in their own span, and the map from coordinates to words.

    Rotations preserve least squares and norms, and bases that start in the span of the documents
    never leave it. Therefore, sparse coding needs only as many coordinates as there are documents.
    """

    documents: np.ndarray  # array of shape (n_coordinates, n_documents)
    directions: np.ndarray  # array of shape (n_words, n_coordinates)


def turn(X: sp.csr_matrix) -> Turned:
    values, vectors = np.linalg.eigh((X @ X.T).toarray().astype(np.float64))
    kept = values > 1e-9 * values[-1]
    lengths, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return Turned(
        np.asfortranarray((vectors * lengths).T, dtype=np.float32),
        np.asarray(X.T @ (vectors / lengths), dtype=np.float32),
    )


def learn_bases(run: Run, documents: np.ndarray, n_topics: int, penalty: float) -> np.ndarray:
    """Learn the bases of sparse coding, eq. (4.20), by online dictionary learning."""
    import spams

    drawn = np.random.default_rng(run.seed).permutation(documents.shape[1])[:n_topics]
    start = documents[:, drawn] / np.maximum(np.linalg.norm(documents[:, drawn], axis=0), 1e-12)
    return spams.trainDL(
        documents, D=np.asfortranarray(start), lambda1=penalty, mode=2, verbose=False,
        iter=5 if run.smoke else CODING_STEPS, batchsize=256, numThreads=1,
    )  # fmt: skip


def sparse_codes(run: Run, documents: np.ndarray, n_topics: int, penalty: float) -> sp.csr_matrix:
    """Compute the codes of sparse coding, eq. (4.21): a lasso for each document."""
    import spams

    bases = learn_bases(run, documents, n_topics, penalty)
    return sp.csr_matrix(spams.lasso(documents, D=bases, lambda1=penalty, mode=2, numThreads=1).T)


# --- figure 3: accuracy over the effective dimension ---------------------------------------------

PATH = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.0)


def slsa_effective_dimension(run: Run) -> None:
    """Figure 3: accuracy of Sparse LSA with 1000 topics by effective dimension."""
    data = two_groups(run)
    by = Labelled(data.labels, data.splits)
    n_topics = 8 if run.smoke else LARGEST
    run.note(
        f"D = {n_topics}, λ from {PATH[0]} to 0, as in the paper. The effective dimension is the "
        "number of non-zeros of A divided by the number of words. For LSA, it is the number of "
        "dimensions, so Sparse LSA is compared with LSA whose number of dimensions is the "
        "effective dimension, rounded up. The paper prints no numbers for figure 3."
    )

    @cache
    def lsa(n_dimensions: int) -> float:
        svd = TruncatedSVD(min(n_dimensions, n_topics), n_iter=5, random_state=run.seed)
        return judge(svd.fit_transform(data.X), by).test

    with threads(1):
        for positive in (False, True):
            for alpha in (0.3, 0.05) if run.smoke else PATH:
                _effective_rows(run, data.X, by, lsa, (n_topics, positive, alpha))


def _effective_rows(
    run: Run,
    X: sp.csr_matrix,
    by: Labelled,
    lsa: Callable[[int], float],
    setting: tuple[int, bool, float],
) -> None:
    n_topics, positive, alpha = setting
    name = f"λ={alpha:g}, {sparse_name(positive)}"
    model = SparseLSA(n_topics, alpha=alpha, positive=positive, n_jobs=1, random_state=run.seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a note reports empty topics
            model.fit(X)
    except LaconicError as error:
        run.note(f"{name}: {error}")
        return
    if model.components_.shape[0] < n_topics:
        run.note(f"{name}: {model.components_.shape[0]} of {n_topics} topics keep a word.")
    dimension = model.components_.nnz / X.shape[1]
    found = judge(model.transform(X), by)
    run.row(f"effective dimension, {name}", dimension, "", tolerance=0.02)
    same = int(np.ceil(dimension))
    run.row(
        f"accuracy, {name}",
        found.test,
        "%",
        peer=f"LSA, D={same}",
        peer_value=lsa(same),
        tolerance=0.01,
        why=spread_of(found),
    )
