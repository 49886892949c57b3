"""Topics and a max-margin classifier, fitted together: the solver of MedSTC.

    J(β, η) = - Σ_kn a_kn ln β_kn + 1/2 |η|² + C Σ_dy max(0, ℓ - Y_dy (η_y'f_d + b_y))²

f_d = θ_d(β) / |θ_d(β)| is the code of a document *without* its label, exactly what a new document
gets; Y_dy is 1 for the class of the document and -1 for the others. The first term is the
likelihood of topics that know the classes, see `laconic.models.stc.class_topics`: it keeps topics
readable and the classifier from learning its documents by heart.

A round: codes of all documents for β; η by a linear support vector machine, exact for these codes;
dJ/dβ through the codes, by implicit differentiation (`laconic.kernels.stc_gradient`); and a step
from β towards the topics with the counts a_kn - β_kn dL/dβ_kn, L the other two terms. That is the
step of expectation maximisation with the likelihood alone, and known as extended Baum-Welch with L.
A step after which J is not lower is taken back and halved.

Scaled by the margin, η = ℓ η°, L is ℓ² times the problem of an ordinary machine with margin one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.stc_coding import Penalties
from laconic.kernels.stc_gradient import add_gradient
from laconic.models.base import Update
from laconic.models.stc.class_topics import ClassTopics
from laconic.models.stc.solver import CODE_TOL, code

LEAST_SHARE = 0.1  # of its count that a word keeps in a topic
SMALLEST_STEP = 0.02
FIRST_STEP = 0.5


class Classifier(NamedTuple):
    """A linear machine with margin one on codes of unit length."""

    coef: np.ndarray  # classes (one if there are two) x topics
    intercept: np.ndarray
    C: float

    def values(self, codes: np.ndarray) -> np.ndarray:
        return unit_rows(codes) @ self.coef.T + self.intercept

    def slack(self, codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - signs(labels, len(self.coef)) * self.values(codes))

    def loss(self, codes: np.ndarray, labels: np.ndarray) -> float:
        square = (self.coef**2).sum() + (self.intercept**2).sum()
        return float(0.5 * square + self.C * (self.slack(codes, labels) ** 2).sum())

    def pull(self, codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Derivative of the loss by the codes."""
        targets = signs(labels, len(self.coef))
        units = unit_rows(codes)
        slope = (-2 * self.C * self.slack(codes, labels) * targets) @ self.coef
        along = (units * slope).sum(axis=1, keepdims=True)
        return (slope - along * units) / lengths(codes)


def lengths(codes: np.ndarray) -> np.ndarray:
    norms = np.sqrt((codes.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.where(norms > 0, norms, 1)


def unit_rows(codes: np.ndarray) -> np.ndarray:
    """Codes of unit length; a zero code stays zero."""
    return codes / lengths(codes)


def signs(labels: np.ndarray, n_rows: int) -> np.ndarray:
    """1 for the class of a document and -1 for the others; one column if there are two classes."""
    if n_rows == 1:
        return np.where(labels == 1, 1.0, -1.0)[:, None]
    return np.where(labels[:, None] == np.arange(n_rows), 1.0, -1.0)


def train(codes: np.ndarray, labels: np.ndarray, C: float) -> Classifier:
    """The classifier that is best for these codes."""
    machine = LinearSVC(C=C, dual=False, tol=1e-3, max_iter=5000)
    machine.fit(unit_rows(codes), labels)
    return Classifier(machine.coef_, machine.intercept_, C)


@dataclass
class Codes(Stats):
    """Codes of documents, in order."""

    parts: list[np.ndarray]


@dataclass
class Gradient(Stats):
    """dL/dβ, words x topics."""

    words: np.ndarray = field(metadata=POOLED)


def collect_codes(
    params: tuple[np.ndarray, Penalties], chunk: Chunk, state: np.ndarray | None
) -> tuple[Codes, np.ndarray]:
    """Step: codes of the documents of a chunk, from those for the topics before."""
    words, penalties = params
    theta = code(chunk.load(), words, penalties, None if state is None else state.copy())[0]
    return Codes([theta]), theta


def gradient_chunk(
    params: tuple[np.ndarray, Penalties, Classifier, np.ndarray, int],
    chunk: Chunk,
    state: np.ndarray,
) -> tuple[Gradient, np.ndarray]:
    """Step: how the loss changes with the topics, through the codes of a chunk."""
    words, penalties, classifier, labels, first = params
    X = chunk.load()
    pull = classifier.pull(state, labels[chunk.start - first : chunk.stop - first])
    gradient = take(words.shape, words.dtype)
    gradient[:] = 0
    add_gradient(
        X.data.astype(words.dtype, copy=False),
        X.indices,
        X.indptr,
        words,
        state,
        pull.astype(words.dtype),
        penalties,
        CODE_TOL,
        gradient,
    )
    return Gradient(gradient), state


class Margin:
    """Topics by word and a classifier on the way to a minimum of J."""

    def __init__(
        self,
        start: ClassTopics,
        penalties: Penalties,
        labels: np.ndarray,
        C: float,
        margin: float,
        tol: float,
        engine: Engine,
        chunks: list[Chunk],
    ) -> None:
        self.words = start.words
        self.counts = start.counts
        self.penalties = penalties
        self.labels = labels
        self.C = C
        self.weight = margin * margin
        self.tol = tol
        self.engine = engine
        self.chunks = chunks
        self.step: Step = collect_codes
        self.params: Any = (start.words, penalties)
        self.local: list[Any] | None = [None] * len(chunks)
        self.objective = np.inf
        self.length = FIRST_STEP
        self.target = start.words

    def update(self, stats: Codes) -> Update:
        tried = self.params[0]
        codes = np.vstack(stats.parts)
        classifier = train(codes, self.labels, self.C)
        loss = self.weight * classifier.loss(codes, self.labels)
        objective = self._description(tried) + loss
        if not objective < self.objective:
            self.length /= 2
            self._try()
            return Update(None, self.length < SMALLEST_STEP)
        gain = self.objective - objective
        # The likelihood is of another order than what the classifier can gain.
        converged = bool(np.isfinite(gain) and gain <= self.tol * loss)
        self.objective, self.words = objective, tried
        if not converged:
            self.length = min(1.0, 1.5 * self.length)
            self._aim(classifier)
        return Update(objective, converged)

    def _description(self, words: np.ndarray) -> float:
        """Minus the log-likelihood of the topics that know the classes."""
        known = self.counts > 0
        logs = np.log(np.maximum(words[known], np.finfo(words.dtype).tiny))
        return -float((self.counts[known] * logs).sum(dtype=np.float64))

    def _aim(self, classifier: Classifier) -> None:
        """Where the next step leads."""
        params = self.words, self.penalties, classifier, self.labels, self.chunks[0].start
        gradient = self.engine.map_reduce(gradient_chunk, params, self.chunks, self.local).words
        gradient *= self.words
        gradient *= self.words.dtype.type(-self.weight)
        gradient += self.counts
        np.maximum(gradient, LEAST_SHARE * self.counts, out=gradient)
        total = gradient.sum(axis=0)  # zero for a topic that nothing uses: it stays as it is
        self.target = np.divide(gradient, total, out=self.words.copy(), where=total > 0)
        self._try()

    def _try(self) -> None:
        length = self.words.dtype.type(self.length)
        words = (1 - length) * self.words + length * self.target
        self.params = (words / words.sum(axis=0), self.penalties)
