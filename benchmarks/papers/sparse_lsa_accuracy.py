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
from benchmarks.papers.literal_sparse_coding import (
    STEPS,
    Bases,
    Turned,
    learn_bases,
    sparse_codes,
    turn,
)
from benchmarks.papers.topicmodels_lda import Stops, TopicmodelsLDA
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
PAPER_C_GRID = np.logspace(-4, 4, 9)  # candidates of the paper, for codes as they are
MOST_STEPS = 100_000  # maximum number of steps of LIBSVM; it is slow for few dimensions and large C
N_FOLDS = 5
CODING = "sparse coding"
PENALTIES = (0.01, 0.003, 0.001, 0.0003, 0.0001)  # candidates for λ of sparse coding
LDA_STOPS = Stops(sweep_tol=1e-6, max_sweeps=20, em_tol=1e-4, max_steps=100)
SPAMS_PENALTIES = (0.01, 0.05)
SPAMS_STEPS = 60
NO_SPAMS = "spams is not installed and is left out; install laconic[bench]."

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


def judge(codes: Any, by: Labelled, *, as_printed: bool = False) -> Accuracy:
    """Return the accuracy of an SVM on codes, as in the paper.

    All codes are scaled by one number, so that values of C are comparable. If `as_printed` is set,
    codes are not scaled, and C is chosen from the candidates of the paper.
    """
    products = codes @ codes.T
    kernel = products.toarray() if sp.issparse(products) else np.asarray(products)
    kernel = kernel.astype(np.float64)
    if not as_printed:
        kernel /= np.mean(np.diag(kernel))
    test, validation = [], []
    for train, held_out in by.splits:
        machine = SVC(kernel="precomputed", max_iter=MOST_STEPS)
        search = GridSearchCV(machine, {"C": PAPER_C_GRID if as_printed else C_GRID}, cv=N_FOLDS)
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
    """Figure 2: accuracy of an SVM on codes of several methods, with 10 to 1000 dimensions."""
    data = two_groups(run)
    by = Labelled(data.labels, data.splits)
    steps = _steps(run)
    run.note(
        f"The authors' matrix and splits; λ = {ALPHA}. As in the paper, projections are learned "
        f"from all documents. The linear SVM is LIBSVM with C from {C_GRID[0]:g} to "
        f"{C_GRID[-1]:g} on codes with a mean squared norm of one; rows with the paper's C have C "
        f"from {PAPER_C_GRID[0]:g} to {PAPER_C_GRID[-1]:g} on codes as they are. LIBSVM stops "
        f"after {MOST_STEPS:,} steps. The paper prints no numbers for figure 2; its numbers at D = "
        "1000 are from table 3."
    )
    run.note(
        f"Sparse coding follows the program of Lee et al., which the paper used: {steps} steps "
        "from random bases, with all documents in one batch and bases of norm 1 or less. After so "
        "many steps, the objective still falls slowly, codes become sparser, and accuracies "
        f"change. λ from {PENALTIES} has the best cross-validation accuracy on the training parts "
        "of the five splits. SPAMS minimises the same objective "
        f"({SPAMS_STEPS} steps of online dictionary learning from documents as bases, λ from "
        f"{SPAMS_PENALTIES})."
    )
    run.note(
        "LDA needs counts, which the matrix does not have, so it is fitted to the posts of the "
        "same two groups, with five random splits of the same sizes; its codes are the expected "
        "mixtures. Variational LDA has the settings of LDA-C (α is 50 / D and then estimated, at "
        f"most {LDA_STOPS.max_sweeps} iterations for a document, {LDA_STOPS.max_steps} EM steps)."
    )
    if not has_spams():
        run.note(NO_SPAMS)
    counts, posts = _posts(run, data.splits)
    turned = turn(data.X)
    with threads(1):
        for n_topics in (4, 6) if run.smoke else SIZES:
            _projection_rows(run, data.X, by, n_topics)
            _coding_rows(run, turned, by, n_topics)
            _lda_rows(run, counts, posts, n_topics)


def _projection_rows(run: Run, X: sp.csr_matrix, by: Labelled, n_topics: int) -> None:
    svd = TruncatedSVD(n_topics, n_iter=5, random_state=run.seed)
    codes = {"LSA": svd.fit_transform(X)}
    for positive in (False, True):
        model = SparseLSA(
            n_topics, alpha=ALPHA, positive=positive, n_jobs=1, random_state=run.seed
        ).fit(X)
        codes[sparse_name(positive)] = model.transform(X)
    for name, coded in codes.items():
        _accuracy_row(run, name, n_topics, judge(coded, by))
        _printed_row(run, name, n_topics, coded, by)


def sparse_name(positive: bool) -> str:
    return "Sparse LSA, non-negative" if positive else "Sparse LSA"


def _accuracy_row(run: Run, name: str, n_topics: int, found: Accuracy, also: str = "") -> None:
    printed = PAPER_ACCURACY.get(name) if n_topics == LARGEST else None
    run.row(
        f"accuracy, D={n_topics}, {name}",
        found.test,
        "%",
        peer=PAPER if printed else None,
        peer_value=printed,
        tolerance=None if name == "LDA" else 0.01,
        why=spread_of(found) + also,
    )


def _printed_row(run: Run, name: str, n_topics: int, codes: Any, by: Labelled) -> None:
    if n_topics == LARGEST or run.smoke:
        found = judge(codes, by, as_printed=True)
        run.row(
            f"accuracy, D={n_topics}, {name}, the paper's C",
            found.test,
            "%",
            peer=PAPER,
            peer_value=PAPER_ACCURACY[name],
            tolerance=0.01,
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


def _lda_rows(run: Run, counts: sp.csr_matrix, posts: Labelled, n_topics: int) -> None:
    sampled = _lda(run, n_topics).fit(counts)
    _accuracy_row(run, "LDA", n_topics, judge(sampled.codes(counts), posts))
    stops = LDA_STOPS._replace(max_steps=3) if run.smoke else LDA_STOPS
    model = TopicmodelsLDA(n_topics, 50 / n_topics, run.seed, stops, estimate_alpha=True)
    model.fit(counts)
    _accuracy_row(
        run,
        "LDA, variational",
        n_topics,
        judge(model.mixtures(counts), posts),
        f"; {len(model.bounds)} EM steps, α = {model.alpha:.2g}",
    )


def _lda(run: Run, n_topics: int) -> Any:
    if has_tomotopy():
        return TomotopyLDA(n_topics, run.seed, 10 if run.smoke else 200)
    return SklearnLDA(n_topics, run.seed, "batch", 2 if run.smoke else 20)


# --- sparse coding -------------------------------------------------------------------------------


class Coded(NamedTuple):
    """Sparse coding with one λ: bases, codes of all documents, and their accuracy."""

    penalty: float
    bases: Bases
    codes: sp.csr_matrix
    accuracy: Accuracy

    @property
    def density(self) -> float:
        return 100 * float(self.codes.nnz / np.prod(self.codes.shape))


def _steps(run: Run) -> int:
    return 5 if run.smoke else STEPS


def coded_by_penalty(run: Run, turned: Turned, by: Labelled, n_topics: int) -> list[Coded]:
    """Learn the bases of sparse coding and code the documents with each candidate for λ."""
    found = []
    for penalty in PENALTIES[:2] if run.smoke else PENALTIES:
        bases = learn_bases(turned, n_topics, penalty, steps=_steps(run), seed=run.seed)
        codes = sp.csr_matrix(sparse_codes(bases, turned.documents, penalty))
        found.append(Coded(penalty, bases, codes, judge(codes, by)))
    return found


def best_coded(found: Sequence[Coded]) -> Coded:
    """Choose λ by the cross-validation accuracy on the training parts."""
    return max(found, key=lambda one: one.accuracy.validation)


def _coding_rows(run: Run, turned: Turned, by: Labelled, n_topics: int) -> None:
    found = coded_by_penalty(run, turned, by, n_topics)
    best = best_coded(found)
    also = f"; λ = {best.penalty:g}, {best.density:.3g} % of the codes are not zero"
    _accuracy_row(run, CODING, n_topics, best.accuracy, also)
    if n_topics == LARGEST or run.smoke:
        _printed_row(run, CODING, n_topics, best.codes, by)
        run.row(f"λ of sparse coding by cross-validation, D={n_topics}", best.penalty, "")
        for one in found:
            name = f"D={n_topics}, {CODING}, λ={one.penalty:g}"
            why = spread_of(one.accuracy)
            run.row(f"accuracy, {name}", one.accuracy.test, "%", tolerance=0.01, why=why)
            run.row(
                f"accuracy in cross-validation, {name}",
                one.accuracy.validation,
                "%",
                tolerance=0.01,
            )
            run.row(f"density of codes, {name}", one.density, "%", tolerance=0.02)
    if has_spams():
        _spams_row(run, turned.documents, by, n_topics)


def has_spams() -> bool:
    return find_spec("spams") is not None


def _spams_row(run: Run, documents: np.ndarray, by: Labelled, n_topics: int) -> None:
    penalties = SPAMS_PENALTIES[:1] if run.smoke else SPAMS_PENALTIES
    codes = {each: spams_codes(run, documents, n_topics, each) for each in penalties}
    judged = {each: judge(coded, by) for each, coded in codes.items()}
    best = max(judged, key=lambda each: judged[each].validation)
    density = 100 * codes[best].nnz / np.prod(codes[best].shape)
    also = f"; λ = {best:g}, {density:.3g} % of the codes are not zero"
    _accuracy_row(run, f"{CODING}, SPAMS", n_topics, judged[best], also)


def spams_codes(run: Run, documents: np.ndarray, n_topics: int, penalty: float) -> sp.csr_matrix:
    """Compute codes of eq. (4.20) by online dictionary learning."""
    import spams

    drawn = np.random.default_rng(run.seed).permutation(len(documents))[:n_topics]
    columns = np.asfortranarray(documents.T)
    start = columns[:, drawn] / np.maximum(np.linalg.norm(columns[:, drawn], axis=0), 1e-12)
    bases = spams.trainDL(
        columns, D=np.asfortranarray(start), lambda1=penalty, mode=2, verbose=False,
        iter=5 if run.smoke else SPAMS_STEPS, batchsize=256, numThreads=1,
    )  # fmt: skip
    return sp.csr_matrix(spams.lasso(columns, D=bases, lambda1=penalty, mode=2, numThreads=1).T)


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
