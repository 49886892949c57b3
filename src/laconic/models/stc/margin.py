"""Solver of MedSTC, which fits topics and a max-margin classifier together by minimising

    J(β, η) = - Σ_kn a_kn ln β_kn + 1/2 |η|² + C Σ_dy max(0, ℓ - Y_dy (η_y'f_d + b_y))²

Here, f_d = θ_d(β) / |θ_d(β)| is the code of a document, scaled to unit length. The code is computed
*without* the document's label, as for a new document. Y_dy is 1 for the class of the document and
-1 for other classes. The first term is the negative log-likelihood of the class topics
(`laconic.models.stc.class_topics`). This term keeps the topics readable and prevents the classifier
from overfitting.

Each round

- computes the codes of all documents for the topics β;
- fits the weights η with a linear support vector machine, which minimises J exactly for these
  codes. If there are more than `MACHINE_DOCUMENTS` documents, the machine is fitted to a random
  sample of that size, whose errors have proportionally more weight;
- computes dJ/dβ through the codes by implicit differentiation (`laconic.kernels.stc_gradient`);
- makes a step from β towards the topics with the counts a_kn - β_kn dL/dβ_kn, where L is the sum of
  the last two terms of J. Without L, this step is the step of expectation maximisation; with L, the
  step is known as extended Baum-Welch. A step that does not lower J is undone and halved.

With η = ℓ η°, L is ℓ² times the objective of an ordinary support vector machine with weights η° and
margin one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import unit_rows
from laconic.corpus.sampling import draw_rows
from laconic.engines import Engine
from laconic.engines.base import Step, single_blas_thread
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.stc_gradient import add_gradient
from laconic.kernels.stc_workspace import Penalties
from laconic.models.passes import Update
from laconic.models.stc.class_topics import ClassTopics
from laconic.models.stc.machine import fit_machines
from laconic.models.stc.solver import CODE_TOL, code

# In the target topics, the count of a word in a topic is at least this share of the count a_kn.
MIN_SHARE = 0.1
MIN_STEP = 0.02
FIRST_STEP = 0.5
# Maximum number of documents to which the support vector machine is fitted, which limits its time
# and memory. It has few parameters (topics x classes), so it needs no more documents.
MACHINE_DOCUMENTS = 20_000


class Classifier(NamedTuple):
    """Linear support vector machine with margin one, for codes scaled to unit length."""

    coef: np.ndarray  # classes x topics; for two classes, the array has a single row
    intercept: np.ndarray
    C: float

    def values(self, codes: np.ndarray) -> np.ndarray:
        return unit_rows(codes, np.float64) @ self.coef.T + self.intercept

    def slack(self, codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - signs(labels, len(self.coef)) * self.values(codes))

    def loss(self, codes: np.ndarray, labels: np.ndarray) -> float:
        return self.loss_of(float((self.slack(codes, labels) ** 2).sum()))

    def loss_of(self, squares: float) -> float:
        """Return the loss, given the sum of the squared slack."""
        norm = (self.coef**2).sum() + (self.intercept**2).sum()
        return float(0.5 * norm + self.C * squares)

    def gradient(self, codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the derivative of the loss with respect to the codes."""
        targets = signs(labels, len(self.coef))
        units = unit_rows(codes, np.float64)
        slope = (-2 * self.C * self.slack(codes, labels) * targets) @ self.coef
        along = (units * slope).sum(axis=1, keepdims=True)
        return (slope - along * units) / row_norms(codes)


def row_norms(codes: np.ndarray) -> np.ndarray:
    """Return the norm of each code as a column vector, with 1 in place of a zero norm."""
    norms = np.sqrt((codes.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.where(norms > 0, norms, 1)


def signs(labels: np.ndarray, n_rows: int) -> np.ndarray:
    """Return an array of documents x classes: 1 for the class of a document, otherwise -1.

    If there are two classes, the array has a single column.
    """
    if n_rows == 1:
        return np.where(labels == 1, 1.0, -1.0)[:, None]
    return np.where(labels[:, None] == np.arange(n_rows), 1.0, -1.0)


def train(codes: np.ndarray, labels: np.ndarray, C: float, run: RunTasks = run_here) -> Classifier:
    """Fit a linear support vector machine to codes and labels; `run` runs the tasks."""
    n_classes = len(np.unique(labels))
    units = unit_rows(codes, np.float64)
    constant = np.ones((len(units), 1))
    with single_blas_thread():  # The result must not depend on the number of threads.
        weights = fit_machines(
            np.hstack([units, constant]),
            signs(labels, 1 if n_classes == 2 else n_classes),
            C,
            run=run,
        )
    return Classifier(weights[:, :-1], weights[:, -1], C)


class Machine:
    """Fits a linear support vector machine to the codes of all documents, or of a sample.

    The sample depends only on the seed and on the labels. It contains at least two documents of
    every class.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        The class number of each document.
    C : float
        Weight of the errors of all documents.
    seed : int
    """

    def __init__(self, labels: np.ndarray, C: float, seed: int) -> None:
        self.rows = _sample(labels, seed)  # rows of the sample, in ascending order
        self.labels = labels[self.rows]
        self.C = C
        self.weight = len(labels) / max(len(self.rows), 1)  # documents per document of the sample

    @property
    def is_sampled(self) -> bool:
        return self.weight > 1

    def train(self, codes: np.ndarray, run: RunTasks = run_here) -> Classifier:
        """Fit the machine, given the codes of `rows`; `run` runs the tasks."""
        return train(codes, self.labels, self.weight * self.C, run)._replace(C=self.C)


def _sample(labels: np.ndarray, seed: int) -> np.ndarray:
    """Draw `MACHINE_DOCUMENTS` rows, and add rows of classes with fewer than two of them."""
    rows = draw_rows(seed, len(labels), MACHINE_DOCUMENTS)
    if len(rows) == len(labels):
        return rows
    n_drawn = np.bincount(labels[rows], minlength=labels.max() + 1)
    by_class = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels, np.flatnonzero(n_drawn < 2), sorter=by_class)
    # Every class has at least two documents.
    return np.unique(np.concatenate([rows, by_class[first], by_class[first + 1]]))


@dataclass
class Codes(Stats):
    """Codes of the sampled documents, as one array per chunk, in the order of the chunks."""

    parts: list[np.ndarray]

    @property
    def all(self) -> np.ndarray:
        return np.vstack(self.parts)


@dataclass
class Slack(Stats):
    """Sum of the squared slack of documents and classes."""

    squares: float


@dataclass
class Gradient(Stats):
    """The derivative dL/dβ (words x topics)."""

    words: np.ndarray = field(metadata=POOLED)


class CodeParams(NamedTuple):
    """Parameters of `collect_codes`."""

    words: np.ndarray  # topics (words x topics)
    penalties: Penalties
    rows: np.ndarray | None  # rows whose codes are collected, in ascending order; None for all


def collect_codes(
    params: CodeParams, chunk: Chunk, state: np.ndarray | None
) -> tuple[Codes, np.ndarray]:
    """Engine step: compute the document codes of a chunk, starting from the previous codes."""
    words, penalties, rows = params
    theta = code(chunk.load(), words, penalties, None if state is None else state.copy())[0]
    return Codes([theta if rows is None else theta[_rows_within(rows, chunk)]]), theta


def collect_sample(params: CodeParams, chunk: Chunk, state: None) -> tuple[Codes, None]:
    """Engine step: compute only the codes of the given rows, starting from zero."""
    words, penalties, rows = params
    assert rows is not None
    return Codes([code(chunk.load()[_rows_within(rows, chunk)], words, penalties)[0]]), None


def _rows_within(rows: np.ndarray, chunk: Chunk) -> np.ndarray:
    """Return those of the rows that are in the chunk, counted from the start of the chunk."""
    first, last = np.searchsorted(rows, (chunk.start, chunk.stop))
    return rows[first:last] - chunk.start


def sum_slack(
    params: tuple[Classifier, np.ndarray, int], chunk: Chunk, state: np.ndarray
) -> tuple[Slack, np.ndarray]:
    """Engine step: sum the squared slack of the documents of a chunk, whose codes are the state."""
    classifier, labels, first_row = params
    chunk_labels = labels[chunk.start - first_row : chunk.stop - first_row]
    return Slack(float((classifier.slack(state, chunk_labels) ** 2).sum())), state


def gradient_chunk(
    params: tuple[np.ndarray, Penalties, Classifier, np.ndarray, int],
    chunk: Chunk,
    state: np.ndarray,
) -> tuple[Gradient, np.ndarray]:
    """Engine step: compute the derivative of the loss of a chunk with respect to the topics.

    The loss depends on the topics through the document codes.
    """
    words, penalties, classifier, labels, first_row = params
    X = chunk.load()
    chunk_labels = labels[chunk.start - first_row : chunk.stop - first_row]
    code_gradient = classifier.gradient(state, chunk_labels)
    gradient = take(words.shape, words.dtype)
    gradient[:] = 0
    add_gradient(
        X.data.astype(words.dtype, copy=False),
        X.indices,
        X.indptr,
        words,
        state,
        code_gradient.astype(words.dtype),
        penalties,
        CODE_TOL,
        gradient,
    )
    return Gradient(gradient), state


def sampled_rows(machine: Machine, chunks: list[Chunk]) -> np.ndarray | None:
    """Return the rows of the machine's documents in the corpus, or None if it uses all of them."""
    return machine.rows + chunks[0].start if machine.is_sampled else None


class Margin:
    """Solver that minimises the objective J of MedSTC; topics are stored as words x topics."""

    SAVED = (Penalties, CodeParams)

    def __init__(
        self,
        start: ClassTopics,
        penalties: Penalties,
        labels: np.ndarray,
        machine: Machine,
        margin: float,
        tol: float,
        engine: Engine,
        chunks: list[Chunk],
    ) -> None:
        self.words = start.words
        self.counts = start.counts
        self.penalties = penalties
        self.labels = labels
        self.machine = machine
        self.weight = margin * margin
        self.tol = tol
        self.engine = engine
        self.chunks = chunks
        self.step: Step = collect_codes
        self.params = CodeParams(start.words, penalties, sampled_rows(machine, chunks))
        self.local: list[Any] | None = [None] * len(chunks)
        self.objective = np.inf
        self.step_size = FIRST_STEP
        self.target = start.words

    def update(self, stats: Codes) -> Update:
        proposed = self.params.words
        codes = stats.all
        classifier = self.machine.train(codes, self.engine.run_tasks)
        loss = self.weight * self._loss(classifier, codes)
        objective = self._negative_log_likelihood(proposed) + loss
        if not objective < self.objective:
            self.step_size /= 2
            self._propose()
            return Update(None, self.step_size < MIN_STEP)
        gain = self.objective - objective
        # The gain is compared with the loss only, because the likelihood is of a different order of
        # magnitude.
        converged = bool(np.isfinite(gain) and gain <= self.tol * loss)
        self.objective, self.words = objective, proposed
        if not converged:
            self.step_size = min(1.0, 1.5 * self.step_size)
            self._set_target(classifier)
        return Update(objective, converged)

    def _loss(self, classifier: Classifier, codes: np.ndarray) -> float:
        """Return the loss of all documents; `codes` are the codes of the machine's documents."""
        if not self.machine.is_sampled:
            return classifier.loss(codes, self.labels)
        params = classifier, self.labels, self.chunks[0].start
        slack: Slack = self.engine.map_reduce(sum_slack, params, self.chunks, self.local)
        return classifier.loss_of(slack.squares)

    def _negative_log_likelihood(self, words: np.ndarray) -> float:
        """Return the negative log-likelihood of the class topics' counts."""
        tiny = np.finfo(words.dtype).tiny

        def of_rows(rows: slice) -> float:
            logs = np.log(np.maximum(words[rows], tiny))
            logs *= self.counts[rows]
            return float(logs.sum(dtype=np.float64))

        return -sum(self._map_blocks(of_rows))

    def _set_target(self, classifier: Classifier) -> None:
        """Compute the target topics, towards which the next steps move, and propose a step."""
        params = self.words, self.penalties, classifier, self.labels, self.chunks[0].start
        gradient = self.engine.map_reduce(gradient_chunk, params, self.chunks, self.local).words
        factor, least = self.words.dtype.type(-self.weight), self.words.dtype.type(MIN_SHARE)

        def to_counts(rows: slice) -> np.ndarray:
            block, counts = gradient[rows], self.counts[rows]
            block *= self.words[rows]
            block *= factor
            block += counts
            np.maximum(block, least * counts, out=block)
            return block.sum(axis=0, dtype=np.float64)

        total = sum(self._map_blocks(to_counts)).astype(self.words.dtype)
        is_used = total > 0  # If the total of a topic is zero, the topic does not change.
        divisors = np.where(is_used, total, 1)

        def normalize(rows: slice) -> None:
            np.divide(gradient[rows], divisors, out=gradient[rows])
            if not is_used.all():
                gradient[rows] = np.where(is_used, gradient[rows], self.words[rows])

        self._map_blocks(normalize)
        self.target = gradient
        self._propose()

    def _propose(self) -> None:
        """Set `params` to the topics after a step of the current size."""
        step_size = self.words.dtype.type(self.step_size)
        words = np.empty_like(self.words)

        def move(rows: slice) -> np.ndarray:
            words[rows] = (1 - step_size) * self.words[rows] + step_size * self.target[rows]
            return words[rows].sum(axis=0, dtype=np.float64)

        total = sum(self._map_blocks(move)).astype(words.dtype)

        def normalize(rows: slice) -> None:
            np.divide(words[rows], total, out=words[rows])

        self._map_blocks(normalize)
        self.params = self.params._replace(words=words)

    def _map_blocks(self, function: Callable[[slice], Any]) -> list[Any]:
        """Call a function for blocks of words, in the workers."""
        return self.engine.run_tasks(function, row_blocks(*self.words.shape))
