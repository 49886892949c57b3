"""Cross-validated fits of one setting, judged on the held-out documents."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import dense, unit_rows
from laconic.errors import LaconicError
from laconic.fitted.documents import encode
from laconic.fitted.pipeline_steps import coding_topics, last_step, transform_before
from laconic.metrics.stability import match
from laconic.metrics.topics import Entries, count_entries
from laconic.models import PCP, PLSA, SparseLSA
from laconic.tuning.prediction import (
    Prediction,
    SplitWords,
    predict_from_codes,
    predict_held_out,
    split_words,
    topics_of,
)
from laconic.wording import plural

MIN_DOCUMENTS = 20  # minimum number of documents for a search
MIN_PER_CLASS = 2  # minimum number of training documents per class in every fit


class Fold(NamedTuple):
    """A fold: one split of the documents into training and test documents."""

    train: Corpus
    test: Corpus
    rows: np.ndarray  # row numbers of the test documents


class Documents(NamedTuple):
    """The documents of a search and their cross-validation folds."""

    corpus: Corpus
    folds: list[Fold]
    n_all: int  # number of documents before sampling


@dataclass(frozen=True)
class Trial:
    """Result of the cross-validated fits with one setting."""

    prediction: Prediction
    recurrence: float
    zeros: float
    seconds: float
    # for a classifier: whether each document was classified correctly
    right: np.ndarray | None = None
    # on a sparsity path: the topics of each fit, which initialise the fits of the next step
    topics: tuple[Any, ...] = ()

    @property
    def score(self) -> float:
        return max(self.prediction.explained, 0.0) * self.recurrence

    @property
    def accuracy(self) -> float:
        return float("nan") if self.right is None else float(self.right.mean())

    @property
    def accuracy_error(self) -> float:
        if self.right is None:
            return float("nan")
        return float(self.right.std(ddof=1) / np.sqrt(len(self.right)))

    @property
    def metric(self) -> float:
        """The accuracy if the model is a classifier, otherwise the explained share."""
        return self.prediction.explained if self.right is None else self.accuracy

    @property
    def standard_error(self) -> float:
        return self.prediction.standard_error if self.right is None else self.accuracy_error


# --- documents -----------------------------------------------------------------------------------


def divide(
    corpus: Corpus, *, folds: int, sample: int, by_class: bool, random_state: int
) -> Documents:
    """Draw a sample of documents, drop words that only one document has, and split into folds."""
    n_all = len(corpus)
    if corpus.counts.dtype.kind == "f":
        raise LaconicError(
            "The counts must be integers, because single words are held out; pass counts, not "
            "weights."
        )
    random = np.random.default_rng([random_state, 7])
    rows = np.sort(random.choice(n_all, sample, replace=False)) if n_all > sample else None
    chosen = corpus if rows is None else corpus[rows]
    chosen = chosen[np.diff(chosen.counts.indptr) > 0]
    if by_class:
        chosen = _with_classes(chosen, folds)
    if len(chosen) < max(MIN_DOCUMENTS, 2 * folds):
        raise LaconicError(
            f"Choosing a number of topics needs at least {max(MIN_DOCUMENTS, 2 * folds)} documents "
            f"with words; got {len(chosen):,}."
        )
    chosen = _shared_words(chosen)
    splitter = StratifiedKFold if by_class else KFold
    seed = int(random.integers(2**31 - 1))
    splits = splitter(folds, shuffle=True, random_state=seed).split(
        np.zeros(len(chosen)), _numbers_of(chosen.labels) if by_class else None
    )
    return Documents(
        chosen, [Fold(chosen[train], chosen[test], test) for train, test in splits], n_all
    )


def labelled(corpus: Corpus) -> Corpus:
    """Return the documents that have a label."""
    if corpus.labels is None:
        raise LaconicError(
            "This model needs the class of each document, but the corpus has no labels; set label= "
            "when reading it."
        )
    has_label = [not (label is None or label == "" or label != label) for label in corpus.labels]
    return corpus if all(has_label) else corpus[np.array(has_label)]


def _numbers_of(labels: Any) -> np.ndarray:
    """Return class numbers, because scikit-learn does not accept arrays of objects."""
    return np.unique(np.asarray(labels), return_inverse=True)[1]


def _with_classes(corpus: Corpus, folds: int) -> Corpus:
    """Return the documents whose class is large enough to be in every fold."""
    labels = np.asarray(corpus.labels)
    names, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    least = max(folds, MIN_PER_CLASS + 1)
    large = sizes >= least
    if np.count_nonzero(large) < 2:
        raise LaconicError(
            f"At least two classes with {least} documents or more are needed; the corpus has "
            f"{plural(len(names), 'class', 'classes')}, and the largest has "
            f"{plural(int(sizes.max(initial=0)), 'document')}."
        )
    return corpus[large[numbers]]


def _shared_words(corpus: Corpus) -> Corpus:
    """Drop words that occur in only one document, because they cost time and predict nothing."""
    counts = corpus.counts
    columns = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) > 1)
    if len(columns) < 2:
        raise LaconicError(
            "Fewer than two words occur in more than one document, so no topics can be fitted."
        )
    vocabulary = None if corpus.vocabulary is None else corpus.vocabulary[columns]
    return Corpus(counts[:, columns], vocabulary, labels=corpus.labels)


# --- fits ----------------------------------------------------------------------------------------


def run_trial(
    make: Callable[[], Any],
    documents: Documents,
    *,
    init: Sequence[Any] = (),
    by_codes: bool = False,
    random_state: int = 0,
) -> Trial:
    """Fit a model to the training documents of each fold and judge it on the test documents.

    `init` contains the initial topics for each fold. If `by_codes` is true, held-out words are
    predicted from the codes of the model itself, so that the loss due to sparse codes is measured.
    """
    started = time.perf_counter()
    n = len(documents.corpus)
    gains, right = np.full(n, np.nan), np.zeros(n)
    topics, zeros = [], []
    for number, fold in enumerate(documents.folds):
        model = _fit(make(), fold.train, init[number] if init else None)
        split = split_words(model, fold.test.counts, random_state)
        codes = observed_codes(model, split) if by_codes else None
        gains[fold.rows[split.rows]] = _predict(model, split, codes).gains
        if hasattr(model, "predict"):
            right[fold.rows] = model.predict(fold.test) == fold.test.labels
        zeros.append(sparse_entries(model, fold.test).zeros)
        topics.append(coding_topics(last_step(model)))
    return Trial(
        Prediction(gains[~np.isnan(gains)]),
        recurrence(topics),
        float(np.mean(zeros)),
        time.perf_counter() - started,
        right if hasattr(model, "predict") else None,
        tuple(topics) if by_codes else (),
    )


def _fit(model: Any, corpus: Corpus, init: Any) -> Any:
    estimator = last_step(model)
    estimator._nested = True  # so that Ctrl-C stops the whole search, not only this fit
    if init is not None:
        estimator.set_params(init=init, n_components=init.shape[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as warnings about early stops or empty topics
        return model.fit(corpus)


def _predict(model: Any, split: SplitWords, codes: np.ndarray | None) -> Prediction:
    if codes is None:
        return predict_held_out(topics_of(model), split)
    return predict_from_codes(codes, coding_topics(last_step(model)), split)


def observed_codes(model: Any, split: SplitWords) -> np.ndarray | None:
    """Return the codes of the observed halves, scaled in the same way as these halves.

    Return None for Sparse LSA, because `predict_held_out` already uses its codes, A q.
    """
    estimator = last_step(model)
    if isinstance(estimator, SparseLSA):
        return None
    weighted = model[:-1].transform(split.counts)
    if isinstance(estimator, PCP):
        codes = np.asarray(estimator.split(weighted).background.codes, np.float64)
        return codes / np.sqrt(split.lengths)[:, None]
    codes = estimator.transform(weighted).toarray().astype(np.float64)
    totals = codes.sum(axis=1, keepdims=True)
    return codes / np.where(totals > 0, totals, 1) * np.sqrt(split.lengths)[:, None]


def sparse_entries(model: Any, corpus: Corpus) -> Entries:
    """Count the entries of the sparse part of a model: topics, document codes or keywords."""
    estimator = last_step(model)
    if isinstance(estimator, PCP):
        keywords = estimator.keywords(transform_before(model, corpus))
        return Entries(keywords.nnz, corpus.counts.nnz)
    if isinstance(estimator, (SparseLSA, PLSA)):
        return count_entries(estimator.components_)
    return count_entries(encode(model, corpus))


# --- recurrence ----------------------------------------------------------------------------------


def recurrence(fits: Sequence[Any]) -> float:
    """Return the similarity of topics across fits to different documents; 1 if all topics recur.

    The similarity is the mean absolute cosine of topics that are matched one to one, over all pairs
    of fits; a topic without a match counts as 0. The overlap of top words, which
    `laconic.metrics.stability` measures, does not work here, because fits of two topics to real
    text nearly always find the same top words, so the smallest size would be chosen.
    """
    units = [unit_rows(dense(topics), np.float32) for topics in fits]
    return float(np.mean([_mean_cosine(*pair) for pair in combinations(units, 2)]))


def _mean_cosine(first: np.ndarray, second: np.ndarray) -> float:
    cosines = np.abs(first @ second.T)
    return float(np.minimum(match(cosines).similarity, 1).sum()) / max(cosines.shape)
