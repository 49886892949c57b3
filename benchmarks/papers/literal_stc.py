"""Reference implementation of STC and MedSTC as in the paper and in the authors' program.

Zhu, Xing: Sparse Topical Coding, UAI 2011. One after the other, each element of a word code is set
to the larger root of its quadratic equation, but at least to 0. The document code is the
(truncated) average of the word codes. The dictionary is improved by projected gradient descent. The
loss is the Poisson loss with an offset inside the logarithm.

Where the paper and the program differ, this module follows the program, because the program
produced the figures:

- θ is averaged again after each word, not after each sweep, and word codes are kept from one outer
  iteration to the next;
- MedSTC shifts θ by (C/2)(η_y - η_ŷ)/(λ + γ|I|), without 1/D, and only if the loss-augmented
  prediction ŷ of the last iteration is wrong; the shift is applied once, before the sweeps, and
  later changes of θ are added to the value after truncation at 0;
- the SVM is min 1/2 |η|² + C Σ_d max_y [ℓ 1(y ≠ y_d) + (η_y - η_{y_d})ᵀθ_d], in which C is not
  divided by D either;
- the initialisation of the program is uniform, and topics differ only because coordinate descent
  updates them one after the other and is stopped early. This works only on a large corpus; on a
  small corpus, the program stops at once with all topics equal. In this module, the initialisation
  is random unless "uniform" is passed.

The result `stc-figure-5` has the accuracies on 20 Newsgroups with uniform initialisation.

The code is compiled and uses float64 with words in rows, so that algorithms are compared and not
programming languages. The SVM is solved by liblinear, and each dictionary step starts with the
length of the last step.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

OFFSET = 0.001  # offset inside the logarithm of the Poisson loss
LEAST_BETA = 1e-30  # entries of the dictionary below this count as zero
FEWEST_SWEEPS = 3


class Coded(NamedTuple):
    """Codes of documents, with the objective and the number of sweeps of each document."""

    theta: np.ndarray  # array of shape (n_documents, n_topics)
    objective: np.ndarray
    sweeps: np.ndarray


class Penalties(NamedTuple):
    """The penalties λ, γ and ρ of the paper."""

    doc_penalty: float
    coupling: float
    word_penalty: float


# --- coding with a given dictionary --------------------------------------------------------------


@njit(cache=True)
def _larger_root(beta, rest, tau, count, gamma):
    """Return the larger root s of (τ + 2γs)(rest + βs) = count β, computed without cancellation."""
    b = 2 * gamma * rest + beta * tau
    c = rest * tau - count * beta
    difference = 2 * gamma * rest - beta * tau
    root = np.sqrt(difference * difference + 8 * gamma * count * beta * beta)
    return -2 * c / (b + root) if b > 0 else (root - b) / (4 * gamma * beta)


@njit(cache=True)
def _code_document(counts, words, beta, s, theta, pull, hinge, options, doc_l1, tol, max_sweeps):
    """Optimise the codes of one document, starting from the word codes `s`.

    beta : float64 (n_words, n_topics); s : (n_words_here, n_topics), initial values and result;
    theta : (n_topics,), result; pull : C (η_y - η_ŷ); hinge : constant of the hinge loss. Without
    labels, `pull` and `hinge` are zero. Returns the objective and the number of sweeps.
    """
    doc_penalty, gamma, rho = options
    n, n_topics = s.shape
    means = np.empty(n)
    total = np.zeros(n_topics)
    change = np.empty(n_topics)
    for i in range(n):
        mean = OFFSET
        row = beta[words[i]]
        for k in range(n_topics):
            mean += s[i, k] * row[k]
            total[k] += s[i, k]
        means[i] = mean
    share = gamma / (doc_penalty + gamma * n)
    cut = doc_penalty / (2 * gamma)
    for k in range(n_topics):
        if doc_l1:
            theta[k] = max(0.0, (total[k] - cut) / n)
        else:
            theta[k] = max(0.0, total[k] * share + 0.5 * pull[k] * share / gamma)
    previous = np.inf
    for sweep in range(1, max_sweeps + 1):
        for i in range(n):
            row = beta[words[i]]
            mean = means[i]
            for k in range(n_topics):
                old = s[i, k]
                if row[k] > LEAST_BETA:
                    rest = mean - old * row[k]
                    tau = row[k] + rho - 2 * gamma * theta[k]
                    new = max(0.0, _larger_root(row[k], rest, tau, counts[i], gamma))
                    mean += (new - old) * row[k]
                else:
                    new = max(0.0, theta[k] - 0.5 * rho / gamma)
                s[i, k] = new
                change[k] = new - old
            means[i] = mean
            for k in range(n_topics):
                total[k] += change[k]
                if doc_l1:
                    theta[k] = max(0.0, (total[k] - cut) / n)
                else:
                    theta[k] = max(0.0, theta[k] + share * change[k])
        value = hinge
        for i in range(n):
            value += means[i] - OFFSET - counts[i] * np.log(means[i])
            for k in range(n_topics):
                value += gamma * (s[i, k] - theta[k]) ** 2 + rho * s[i, k]
        for k in range(n_topics):
            value += doc_penalty * (theta[k] if doc_l1 else theta[k] ** 2) - pull[k] * theta[k]
        if sweep >= FEWEST_SWEEPS and abs(previous - value) <= tol * abs(previous):
            return value, sweep
        previous = value
    return previous, max_sweeps


@njit(cache=True)
def _code_all(data, indices, indptr, beta, options, doc_l1, tol, max_sweeps):
    """Code all documents from uniform word codes; only document codes are stored."""
    n_documents, n_topics = len(indptr) - 1, beta.shape[1]
    theta = np.zeros((n_documents, n_topics))
    objective = np.zeros(n_documents)
    sweeps = np.zeros(n_documents, np.int64)
    room = np.empty((np.diff(indptr).max(), n_topics))
    pull = np.zeros(n_topics)
    for d in range(n_documents):
        here = slice(indptr[d], indptr[d + 1])
        n = indptr[d + 1] - indptr[d]
        if n > 0:
            s = room[:n]
            s[:] = 1.0 / n_topics
            objective[d], sweeps[d] = _code_document(
                data[here], indices[here], beta, s, theta[d], pull, 0.0, options, doc_l1, tol,
                max_sweeps,
            )  # fmt: skip
    return theta, objective, sweeps


def code_documents(
    X: sp.csr_matrix,
    beta: np.ndarray,
    doc_penalty: float,
    coupling: float,
    word_penalty: float,
    tol: float = 1e-4,
    doc_norm: str = "l2",
    max_sweeps: int = 1000,
) -> Coded:
    """Code the rows of X with the dictionary `beta` (topics x words).

    The sweeps over a document end when the relative change of its objective is at most `tol`.
    """
    options = Penalties(float(doc_penalty), float(coupling), float(word_penalty))
    columns = np.ascontiguousarray(beta.T, dtype=np.float64)
    data = X.data.astype(np.float64)
    return Coded(
        *_code_all(
            data, X.indices, X.indptr, columns, options, doc_norm == "l1", float(tol), max_sweeps
        )
    )


# --- learning ------------------------------------------------------------------------------------


@njit(cache=True)
def _code_again(data, indices, indptr, beta, s, theta, pulls, hinges, options, tol, max_sweeps):
    """Code all documents again, starting from their last word codes; return the total objective."""
    total = 0.0
    for d in range(len(indptr) - 1):
        if indptr[d + 1] > indptr[d]:
            here = slice(indptr[d], indptr[d + 1])
            value, _ = _code_document(
                data[here], indices[here], beta, s[here], theta[d], pulls[d], hinges[d], options,
                False, tol, max_sweeps,
            )  # fmt: skip
            total += value
            for k in range(beta.shape[1]):
                total += pulls[d, k] * theta[d, k]
            total -= hinges[d]
    return total


@njit(cache=True)
def _loss_and_gradient(data, indices, s, beta, gradient):
    """Return the Poisson loss of all counts, and write its gradient (words x topics)."""
    gradient[:] = 0
    loss = 0.0
    n_topics = beta.shape[1]
    for p in range(len(data)):
        row, codes, slope = beta[indices[p]], s[p], gradient[indices[p]]
        mean = OFFSET
        for k in range(n_topics):
            mean += codes[k] * row[k]
        loss += mean - data[p] * np.log(mean)
        weight = 1 - data[p] / mean
        for k in range(n_topics):
            slope[k] += weight * codes[k]
    return loss


@njit(cache=True)
def _project_rows(rows):
    """Project each row onto the simplex, in place."""
    n = rows.shape[1]
    for k in range(rows.shape[0]):
        row = rows[k]
        threshold = (row.sum() - 1) / n
        kept = n
        while True:
            total, above = 0.0, 0
            for j in range(n):
                if row[j] > threshold:
                    total += row[j]
                    above += 1
            threshold = (total - 1) / above
            if above >= kept:
                break
            kept = above
        for j in range(n):
            row[j] = max(0.0, row[j] - threshold)


def learn_dictionary(
    X: sp.csr_matrix, s: np.ndarray, beta: np.ndarray, step: float | None, max_iter: int, tol: float
) -> tuple[np.ndarray, float]:
    """Improve the dictionary `beta` (words x topics) by projected gradient descent.

    At most `max_iter` dictionaries are tried. The descent stops when a dictionary lowers the loss
    by less than the fraction `tol`. Returns the dictionary and the length of the next step.
    """
    data = X.data.astype(np.float64)
    gradient, trial_gradient = np.empty_like(beta), np.empty_like(beta)
    loss = _loss_and_gradient(data, X.indices, s, beta, gradient)
    step = step or 1 / np.linalg.norm(gradient)
    for _ in range(max_iter):
        rows = np.ascontiguousarray((beta - step * gradient).T)
        _project_rows(rows)
        trial = np.ascontiguousarray(rows.T)
        trial_loss = _loss_and_gradient(data, X.indices, s, trial, trial_gradient)
        if trial_loss > loss - 1e-4 / step * np.sum((trial - beta) ** 2):
            step /= 2
            continue
        done = loss - trial_loss < tol * abs(loss)
        beta, loss = trial, trial_loss
        gradient, trial_gradient = trial_gradient, gradient
        step *= 2
        if done:
            break
    return beta, step


def train_svm(
    theta: np.ndarray, labels: np.ndarray, n_classes: int, C: float, cost: float
) -> np.ndarray:
    """Train the multi-class SVM with margin `cost` and slack weight C; return η."""
    # liblinear solves the equivalent problem for η' = η / cost with margin 1 and weight C / cost
    svm = LinearSVC(
        C=C / cost,
        multi_class="crammer_singer",
        fit_intercept=False,
        tol=1e-3,
        max_iter=2000,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm.fit(theta, labels)
    coef = svm.coef_ if n_classes > 2 else np.vstack([-svm.coef_ / 2, svm.coef_ / 2])
    return cost * coef


def augmented_scores(
    theta: np.ndarray, labels: np.ndarray, eta: np.ndarray, cost: float
) -> np.ndarray:
    """Return the array (documents x classes) of ℓ 1(y ≠ y_d) + (η_y - η_{y_d})ᵀθ_d."""
    scores = theta @ eta.T
    rows = np.arange(len(labels))
    scores += cost - scores[rows, labels][:, np.newaxis]
    scores[rows, labels] = 0
    return scores


@dataclass
class LiteralSTC:
    """A dictionary that is learnt as in the paper and, if there are labels, a classifier."""

    beta: np.ndarray  # array of shape (n_topics, n_words)
    options: Penalties
    eta: np.ndarray | None = None  # array of shape (n_classes, n_topics)
    classes: np.ndarray | None = None
    max_sweeps: int = 20
    tol: float = 1e-4
    objective: list[float] = field(default_factory=list)
    n_iter: int = 0
    seconds: dict[str, float] = field(default_factory=dict)  # for codes, dictionary and SVM
    theta: np.ndarray | None = None  # codes of the fitted documents, which know their labels

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the document codes θ, without using labels."""
        coded = code_documents(
            X, self.beta, *self.options, tol=self.tol, max_sweeps=self.max_sweeps
        )
        return coded.theta

    def word_codes(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the code of each stored count (entries x topics), without using labels."""
        n_topics = len(self.beta)
        s = np.full((X.nnz, n_topics), 1 / n_topics)
        theta = np.zeros((X.shape[0], n_topics))
        _code_again(
            X.data.astype(np.float64), X.indices, X.indptr, np.ascontiguousarray(self.beta.T), s,
            theta, np.zeros_like(theta), np.zeros(X.shape[0]), self.options, self.tol,
            self.max_sweeps,
        )  # fmt: skip
        return s

    def predict(self, X: sp.csr_matrix) -> np.ndarray:
        if self.eta is None or self.classes is None:
            raise ValueError(
                "STC fitted without labels cannot predict; use fit_medstc with labels."
            )
        return self.classes[(self.codes(X) @ self.eta.T).argmax(axis=1)]


def fit_stc(X: sp.csr_matrix, n_topics: int, **options: object) -> LiteralSTC:
    """Fit STC without labels; the options are the same as in `fit_medstc`."""
    return fit_medstc(X, None, n_topics, **options)  # type: ignore[arg-type]


def fit_medstc(
    X: sp.csr_matrix,
    labels: np.ndarray | None,
    n_topics: int,
    *,
    C: float = 0.5,
    cost: float = 3600.0,
    doc_penalty: float = 1.0,
    coupling: float = 1.0,
    word_penalty: float = 0.01,
    max_sweeps: int = 20,
    max_iter: int = 60,
    tol: float = 1e-4,
    start: str | np.ndarray = "random",
    random_state: int = 0,
    watch: Callable[[LiteralSTC], None] | None = None,
) -> LiteralSTC:
    """Alternate codes, dictionary and SVM until the relative change of the objective is <= `tol`.

    `start` is "random", "uniform" (as in the authors' program), or a dictionary (topics x words).
    `watch` is called after each iteration with the current model.
    """
    options = Penalties(float(doc_penalty), float(coupling), float(word_penalty))
    beta = _start(start, n_topics, X.shape[1], random_state)
    model = LiteralSTC(beta.T, options, max_sweeps=max_sweeps, tol=tol)
    model.seconds = dict.fromkeys(("codes", "dictionary", "svm"), 0.0)
    data = X.data.astype(np.float64)
    s = np.full((X.nnz, n_topics), 1 / n_topics)
    theta = np.zeros((X.shape[0], n_topics))
    pulls, hinges = np.zeros_like(theta), np.zeros(X.shape[0])
    if labels is not None:
        model.classes, labels = np.unique(labels, return_inverse=True)
    previous, change, step = 1.0, np.inf, None
    while model.n_iter < max_iter and (change > tol or model.n_iter < FEWEST_SWEEPS):
        began = time.perf_counter()
        objective = _code_again(
            data, X.indices, X.indptr, beta, s, theta, pulls, hinges, options, tol, max_sweeps
        )
        coded = time.perf_counter()
        beta, step = learn_dictionary(X, s, beta, step, max_sweeps, tol)
        model.beta, model.theta = beta.T, theta
        learnt = time.perf_counter()
        if labels is not None and model.classes is not None:
            model.eta = train_svm(theta, labels, len(model.classes), C, cost)
            scores = augmented_scores(theta, labels, model.eta, cost)
            rival = scores.argmax(axis=1)
            pulls = C * (model.eta[labels] - model.eta[rival])  # zero if the rival is the label
            hinges = np.where(rival == labels, 0.0, C * cost)
            objective += 0.5 * np.sum(model.eta**2) + C * scores.max(axis=1).sum()
        ended = time.perf_counter()
        for name, took in zip(
            model.seconds, (coded - began, learnt - coded, ended - learnt), strict=True
        ):
            model.seconds[name] += took
        change = abs(1 - objective / previous)
        previous = objective
        model.objective.append(objective)
        model.n_iter += 1
        if watch is not None:
            watch(model)
    return model


def _start(start: str | np.ndarray, n_topics: int, n_words: int, random_state: int) -> np.ndarray:
    """Return the initial dictionary (words x topics)."""
    if isinstance(start, np.ndarray):
        return np.ascontiguousarray(start.T, dtype=np.float64)
    if start == "uniform":
        return np.full((n_words, n_topics), 1 / n_words)
    beta = np.random.default_rng(random_state).random((n_words, n_topics))
    return beta / beta.sum(axis=0)
