"""Split the documents of a comparison into training and test documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.metrics.sources import source_numbers

MIN_CLASS_SIZE = 10
"""Minimum number of documents per class; documents of smaller classes count as unlabelled."""


@dataclass
class Documents:
    """Training and test documents of a comparison, and their classes."""

    all: Corpus
    train: Corpus
    test: Corpus
    classes: np.ndarray | None  # class of each document in `all`; "" if unlabelled
    source: np.ndarray | None  # number of the source of each document in `all`
    train_rows: np.ndarray
    test_rows: np.ndarray


def split_documents(corpus: Corpus, test_size: float, seed: int, source: Any = None) -> Documents:
    """Check and split the documents of a comparison."""
    if not isinstance(corpus, Corpus):
        raise LaconicError(
            f"compare needs a Corpus; got {type(corpus).__name__}. Create one with laconic.read."
        )
    if corpus.vocabulary is None:
        raise LaconicError(
            "compare needs a corpus with words; set vocabulary= when creating the corpus."
        )
    if not 0 < test_size < 1:
        raise LaconicError(f"test_size must be a share between 0 and 1; got {test_size}.")
    n_test = round(test_size * len(corpus))
    if not 1 <= n_test <= len(corpus) - 2:
        raise LaconicError(
            f"{len(corpus)} documents are too few to compare models: test_size={test_size} must "
            "give at least one test document and two training documents."
        )
    order = np.random.default_rng(seed).permutation(len(corpus))
    test_rows, train_rows = np.sort(order[:n_test]), np.sort(order[n_test:])
    train = corpus[train_rows]
    return Documents(
        corpus,
        train,
        _only_words_of(train, corpus[test_rows]),
        _classes(corpus.labels),
        None if source is None else source_numbers(source, len(corpus)),
        train_rows,
        test_rows,
    )


def _only_words_of(train: Corpus, test: Corpus) -> Corpus:
    """Drop the words of test documents that no training document contains."""
    in_train = np.zeros(train.shape[1], dtype=bool)
    in_train[train.counts.indices] = True
    counts = sp.csr_matrix(test.counts, copy=True)
    counts.data = counts.data * in_train[counts.indices]
    return Corpus(counts, test.vocabulary)


def _classes(labels: Any) -> np.ndarray | None:
    """Return the class of each document, "" if rare, or None if fewer than two classes remain."""
    if labels is None:
        return None
    labels = np.array(["" if x is None or x != x else str(x) for x in labels], object)
    names, sizes = np.unique(labels.astype(str), return_counts=True)
    rare = set(names[sizes < MIN_CLASS_SIZE])
    classes = np.array(["" if label in rare else label for label in labels], object)
    return classes if len(set(classes) - {""}) > 1 else None


def with_classes(corpus: Corpus, classes: np.ndarray) -> Corpus:
    """Return the documents whose class has two or more documents, to fit a classifier."""
    names, sizes = np.unique(classes.astype(str), return_counts=True)
    usable = np.isin(classes.astype(str), names[(sizes > 1) & (names != "")])
    rows = np.flatnonzero(usable)
    counts = corpus.counts[rows]
    return Corpus(counts, corpus.vocabulary, labels=classes[rows].astype(str))
