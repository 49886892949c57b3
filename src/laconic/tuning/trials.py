"""Fits to parts of the documents, judged by the documents that were left out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import encode
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import last_step, transform_before
from laconic.metrics.stability import agreement
from laconic.metrics.topics import Entries, count_entries
from laconic.models import PCP, PLSA, SparseLSA
from laconic.tuning.prediction import (
    Foretold,
    Halves,
    foretell,
    foretell_by_codes,
    halve,
    topics_of,
)

FEWEST = 20  # documents that a search needs
N_WORDS = 10  # of each topic, by which fits are compared
EACH = 2  # documents of a class that every fit must see


class Part(NamedTuple):
    """One division of the documents."""

    fitted: Corpus
    left_out: Corpus
    rows: np.ndarray  # of those left out


class Documents(NamedTuple):
    """The documents of a search, and their divisions."""

    corpus: Corpus
    parts: list[Part]
    n_all: int  # before a sample was drawn


@dataclass(frozen=True)
class Trial:
    """What fits with one setting came to."""

    foretold: Foretold
    stability: float
    zeros: float
    seconds: float
    right: np.ndarray | None = None  # of a classifier: which documents were classified rightly
    topics: tuple[Any, ...] = ()  # of each fit, on a path, where the next one starts

    @property
    def score(self) -> float:
        return max(self.foretold.share, 0.0) * self.stability

    @property
    def accuracy(self) -> float:
        return float("nan") if self.right is None else float(self.right.mean())

    @property
    def accuracy_error(self) -> float:
        if self.right is None:
            return float("nan")
        return float(self.right.std(ddof=1) / np.sqrt(len(self.right)))

    @property
    def measure(self) -> float:
        """What a setting is judged by: accuracy, or else what is foretold."""
        return self.foretold.share if self.right is None else self.accuracy

    @property
    def standard_error(self) -> float:
        return self.foretold.standard_error if self.right is None else self.accuracy_error


# --- documents -----------------------------------------------------------------------------------


def divide(
    corpus: Corpus, *, folds: int, sample: int, by_class: bool, random_state: int
) -> Documents:
    """Draw a sample, drop words that no two of its documents share, and divide the rest."""
    n_all = len(corpus)
    if corpus.counts.dtype.kind == "f":
        raise LaconicError(
            "Words are held out one by one, so counts must be whole; give a corpus of counts, not "
            "of weights."
        )
    random = np.random.default_rng([random_state, 7])
    rows = np.sort(random.choice(n_all, sample, replace=False)) if n_all > sample else None
    chosen = corpus if rows is None else corpus[rows]
    chosen = chosen[np.diff(chosen.counts.indptr) > 0]
    if by_class:
        chosen = _with_classes(chosen, folds)
    if len(chosen) < max(FEWEST, 2 * folds):
        raise LaconicError(
            f"{len(chosen):,} documents with words are too few to choose a size by; it takes "
            f"{max(FEWEST, 2 * folds)}."
        )
    chosen = _shared_words(chosen)
    splitter = StratifiedKFold if by_class else KFold
    seed = int(random.integers(2**31 - 1))
    splits = splitter(folds, shuffle=True, random_state=seed).split(
        np.zeros(len(chosen)), _numbers_of(chosen.labels) if by_class else None
    )
    parts = [Part(chosen[fitted], chosen[left], left) for fitted, left in splits]
    return Documents(chosen, parts, n_all)


def labelled(corpus: Corpus) -> Corpus:
    """The documents that have a class."""
    if corpus.labels is None:
        raise LaconicError(
            "This model learns from the class of each document, and the corpus has none; read it "
            "with label=."
        )
    known = [not (label is None or label == "" or label != label) for label in corpus.labels]
    return corpus if all(known) else corpus[np.array(known)]


def _numbers_of(labels: Any) -> np.ndarray:
    """The number of each class: scikit-learn does not take objects."""
    return np.unique(np.asarray(labels), return_inverse=True)[1]


def _with_classes(corpus: Corpus, folds: int) -> Corpus:
    """Documents of classes that are large enough to be in every part."""
    labels = np.asarray(corpus.labels)
    names, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    large = sizes >= max(folds, EACH + 1)
    if np.count_nonzero(large) < 2:
        raise LaconicError(
            f"It takes two classes of {max(folds, EACH + 1)} documents or more to choose a size; "
            f"there are {len(names)} classes, the largest of {sizes.max(initial=0)}."
        )
    return corpus[large[numbers]]


def _shared_words(corpus: Corpus) -> Corpus:
    """Without words of a single document: they cost time and can foretell nothing."""
    counts = corpus.counts
    kept = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) > 1)
    if len(kept) < 2:
        raise LaconicError("No two documents have two words in common, so there are no topics.")
    vocabulary = None if corpus.vocabulary is None else corpus.vocabulary[kept]
    return Corpus(counts[:, kept], vocabulary, labels=corpus.labels)


# --- fits ----------------------------------------------------------------------------------------


def run_trial(
    make: Callable[[], Any],
    documents: Documents,
    *,
    first: Sequence[Any] = (),
    by_codes: bool = False,
    random_state: int = 0,
) -> Trial:
    """Fit to each part and judge by what was left out of it.

    `first` are topics that the fits start from. With `by_codes` the model's own codes foretell,
    so that what they lack by being sparse is seen.
    """
    started = time.perf_counter()
    n = len(documents.corpus)
    gains, right = np.full(n, np.nan), np.zeros(n)
    topics, words, zeros = [], [], []
    for number, part in enumerate(documents.parts):
        model = _fit(make(), part.fitted, first[number] if first else None)
        halves = halve(model, part.left_out.counts, random_state)
        codes = own_codes(model, halves) if by_codes else None
        gains[part.rows[halves.kept]] = _foretell(model, halves, codes).gains
        if hasattr(model, "predict"):
            right[part.rows] = model.predict(part.left_out) == part.left_out.labels
        zeros.append(sparse_entries(model, part.left_out).zeros)
        topics.append(last_step(model).components_)
        words.append(TopicView(model).strongest_words(N_WORDS))
    return Trial(
        Foretold(gains[~np.isnan(gains)]),
        agreement(words),
        float(np.mean(zeros)),
        time.perf_counter() - started,
        right if hasattr(model, "predict") else None,
        tuple(topics) if by_codes else (),
    )


def _fit(model: Any, corpus: Corpus, first: Any) -> Any:
    estimator = last_step(model)
    estimator._nested = True  # Ctrl-C ends the search, not this fit
    if first is not None:
        estimator.set_params(init=first, n_components=first.shape[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a trial need not converge, nor fill every topic
        return model.fit(corpus)


def _foretell(model: Any, halves: Halves, codes: np.ndarray | None) -> Foretold:
    if codes is None:
        return foretell(topics_of(model), halves)
    return foretell_by_codes(codes, last_step(model).components_, halves)


def own_codes(model: Any, halves: Halves) -> np.ndarray | None:
    """Codes of the observed halves, on their scale.

    None where `foretell` is what the model does itself: Sparse LSA has no codes beside A q.
    """
    estimator = last_step(model)
    if isinstance(estimator, SparseLSA):
        return None
    weighted = model[:-1].transform(halves.counts)
    if isinstance(estimator, PCP):
        codes = np.asarray(estimator.split(weighted).background.codes, np.float64)
        return codes / np.sqrt(halves.lengths)[:, None]
    codes = estimator.transform(weighted).toarray().astype(np.float64)
    totals = codes.sum(axis=1, keepdims=True)
    return codes / np.where(totals > 0, totals, 1) * np.sqrt(halves.lengths)[:, None]


def sparse_entries(model: Any, corpus: Corpus) -> Entries:
    """Entries of what a model makes sparse: its topics, codes, or the keywords of documents."""
    estimator = last_step(model)
    if isinstance(estimator, PCP):
        keywords = estimator.keywords(transform_before(model, corpus))
        return Entries(keywords.nnz, corpus.counts.nnz)
    if isinstance(estimator, (SparseLSA, PLSA)):
        return count_entries(estimator.components_)
    return count_entries(encode(model, corpus))
