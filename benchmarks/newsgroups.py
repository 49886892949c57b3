"""20 Newsgroups as used in the papers: word counts, split by date into training and test half.

Each line of the files ``20newsgroups-matlab`` has the numbers of a document and a word, and a
count. English stop words, single letters and words that do not occur in the training half are
omitted.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from benchmarks.data import data_file
from benchmarks.harness import Run
from laconic.datasets import make_topics
from laconic.text.stop_words import stop_words

FOLDER = "20newsgroups-matlab"
VALIDATION_SHARE = 0.2
VALIDATION_SEED = 0  # fixed, so that all benchmarks and seeds have the same validation part


@dataclass(frozen=True)
class Halves:
    """Counts and labels of the training half and the test half.

    ``is_validation`` is a mask of the rows of the training half that are used for validation.
    """

    train: sp.csr_matrix  # float32 counts with shape (n_documents, n_words)
    test: sp.csr_matrix
    train_labels: np.ndarray  # class numbers 0, 1, ...
    test_labels: np.ndarray
    classes: np.ndarray  # name of each class
    vocabulary: np.ndarray
    is_validation: np.ndarray


def newsgroup_halves(run: Run) -> Halves:
    return _made_up_halves(run.seed) if run.smoke else real_halves()


@cache
def real_halves() -> Halves:
    """Read both halves from disk; raise `MissingDataError` if files are missing."""
    words = np.array(_lines("vocabulary.txt.gz"))
    train, test = (_counts(f"{half}.data.gz", len(words)) for half in ("train", "test"))
    train_labels, test_labels = (
        np.array(_lines(f"{half}.label.gz"), dtype=np.int64) - 1 for half in ("train", "test")
    )
    kept = _content_words(words) & (train.getnnz(axis=0) > 0)
    classes = np.array([line.split()[0] for line in _lines("class.map.gz")])
    return Halves(
        train[:, kept],
        test[:, kept],
        train_labels,
        test_labels,
        classes,
        words[kept],
        _validation_part(train_labels),
    )


def _lines(name: str) -> list[str]:
    with gzip.open(data_file(f"{FOLDER}/{name}"), "rt", encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def _counts(name: str, n_words: int) -> sp.csr_matrix:
    columns = pl.read_csv(
        data_file(f"{FOLDER}/{name}"),
        separator=" ",
        has_header=False,
        new_columns=["document", "word", "count"],
    )
    document, word, count = (columns[column].to_numpy() for column in columns.columns)
    shape = (int(document.max()), n_words)
    return sp.csr_matrix((count.astype(np.float32), (document - 1, word - 1)), shape=shape)


def _content_words(words: np.ndarray) -> np.ndarray:
    dropped = stop_words("english")
    return np.array([len(word) > 1 and word not in dropped for word in words])


def _validation_part(labels: np.ndarray) -> np.ndarray:
    rows = np.arange(len(labels))
    _, chosen = train_test_split(
        rows, test_size=VALIDATION_SHARE, stratify=labels, random_state=VALIDATION_SEED
    )
    return np.isin(rows, chosen)


@cache
def _made_up_halves(seed: int) -> Halves:
    corpus, _ = make_topics(
        300, 200, 5, topics_per_document=1, document_length=40, random_state=seed
    )
    is_train = np.arange(corpus.shape[0]) % 3 > 0
    train, test = (corpus.counts[rows].astype(np.float32) for rows in (is_train, ~is_train))
    kept = train.getnnz(axis=0) > 0
    classes, labels = np.unique(corpus.labels, return_inverse=True)
    return Halves(
        train[:, kept],
        test[:, kept],
        labels[is_train],
        labels[~is_train],
        np.array([f"topic {name}" for name in classes]),
        corpus.vocabulary[kept],
        _validation_part(labels[is_train]),
    )
