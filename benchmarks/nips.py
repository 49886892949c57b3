"""Papers of the NIPS conference: word counts from the UCI repository, and counts with titles.

The SCTM paper omits words that occur at most 25 times, which leaves 6,727 words. The UCI counts
have no titles; they are found by comparing the counts with another file, of volumes 0 to 12, that
has titles (`matched_nips`).
"""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

import laconic
from benchmarks.data import data_file
from benchmarks.harness import Run
from laconic import Corpus
from laconic.datasets import make_topics

COUNTS = "nips/uci-nips-1500x7605.docword.txt.gz"
TITLED = "nips/nips12-knowceans.zip"
MORE_THAN = 25  # words with more occurrences than this are kept
N_WORDS = 6727  # number of words that the paper keeps
N_TEST = 150  # number of test documents, which are the last documents of the file
N_VALIDATION = 150
UNTITLED = "?"
# A title is used if the papers of both files are each other's nearest, their cosine is at least
# CERTAIN, and no other title is nearer than APART below it.
CERTAIN, APART = 0.8, 0.1


@dataclass(frozen=True)
class Papers:
    """Counts (documents x words), divided into training, validation and test parts."""

    counts: sp.csr_matrix  # float32
    vocabulary: np.ndarray
    is_validation: np.ndarray
    is_test: np.ndarray

    @property
    def is_train(self) -> np.ndarray:
        return ~(self.is_validation | self.is_test)

    def part(self, chosen: np.ndarray) -> sp.csr_matrix:
        """Return the chosen documents, without words that no training document contains."""
        known = self.counts[self.is_train].getnnz(axis=0) > 0
        return without_words(self.counts[chosen], known)


def without_words(X: sp.csr_matrix, known: np.ndarray) -> sp.csr_matrix:
    """Set the columns to zero for which the mask `known` is false."""
    kept = sp.csr_matrix(X @ sp.diags(known.astype(X.dtype)))
    kept.eliminate_zeros()
    return kept


def nips(run: Run) -> Papers:
    """Return 1,500 papers without titles; in a smoke run, synthetic documents."""
    return _made_up_papers(run.seed) if run.smoke else _papers()


def titled_nips(run: Run) -> Corpus:
    """Return 1,740 papers with titles; in a smoke run, synthetic documents.

    The words are selected as in `nips`.
    """
    return _made_up_titles(run.seed) if run.smoke else _titled()


def all_titled_nips(run: Run) -> Corpus:
    """Return the papers of `titled_nips` with all 13,649 words, or synthetic documents."""
    return _made_up_titles(run.seed) if run.smoke else _all_titled()


def matched_nips(run: Run) -> Corpus:
    """Return the papers of `nips` with the titles that could be found, or synthetic documents."""
    return _made_up_titles(run.seed) if run.smoke else _matched()


def folds(n_documents: int, n_folds: int, seed: int) -> list[np.ndarray]:
    """Return a mask of the documents of each fold."""
    fold = np.random.default_rng(seed).permutation(n_documents) % n_folds
    return [fold == number for number in range(n_folds)]


@cache
def _papers() -> Papers:
    corpus = _frequent(laconic.read(data_file(COUNTS)))
    if corpus.shape[1] != N_WORDS:
        raise ValueError(
            f"{COUNTS} has {corpus.shape[1]:,} words with more than {MORE_THAN} occurrences, but "
            f"the paper has {N_WORDS:,}; check that it is the right file."
        )
    n_train = len(corpus) - N_TEST
    return _with_parts(corpus, n_train, N_VALIDATION)


@cache
def _matched() -> Corpus:
    counted, titled = laconic.read(data_file(COUNTS)), _all_titled()
    _, ours, theirs = np.intersect1d(counted.vocabulary, titled.vocabulary, return_indices=True)
    rows = match(counted.counts[:, ours], titled.counts[:, theirs])
    titles = [UNTITLED if row < 0 else str(titled.titles[row]) for row in rows]
    return _frequent(Corpus(counted.counts, counted.vocabulary, titles=titles))


def match(first: sp.csr_matrix, second: sp.csr_matrix) -> np.ndarray:
    """Return for each row of `first` the same document in `second`, or -1 if it is uncertain."""
    cosines = (
        normalize(first.astype(np.float64)) @ normalize(second.astype(np.float64)).T
    ).toarray()
    best = cosines.argmax(axis=1)
    next_best, highest = np.partition(cosines, -2, axis=1)[:, -2:].T
    is_mutual = cosines.argmax(axis=0)[best] == np.arange(len(best))
    is_certain = is_mutual & (highest >= CERTAIN) & (highest - next_best >= APART)
    return np.where(is_certain, best, -1)


def _frequent(corpus: Corpus) -> Corpus:
    totals = np.asarray(corpus.counts.sum(axis=0)).ravel()
    kept = totals > MORE_THAN
    return Corpus(corpus.counts[:, kept], corpus.vocabulary[kept], titles=corpus.titles)


def _with_parts(corpus: Corpus, n_train: int, n_validation: int) -> Papers:
    """Use the last documents for tests and a random sample for validation, with a fixed seed."""
    documents = np.arange(len(corpus))
    chosen = np.random.default_rng(0).choice(n_train, n_validation, replace=False)
    return Papers(
        corpus.counts.astype(np.float32),
        corpus.vocabulary,
        np.isin(documents, chosen),
        documents >= n_train,
    )


@cache
def _titled() -> Corpus:
    return _frequent(_all_titled())


@cache
def _all_titled() -> Corpus:
    with zipfile.ZipFile(data_file(TITLED)) as packed, tempfile.TemporaryDirectory() as folder:
        lines = {
            name: packed.read(f"corpus-example/nips.{name}").decode("latin-1").splitlines()
            for name in ("vocab", "docs")
        }
        file = Path(folder, "nips.ldac")
        file.write_bytes(packed.read("corpus-example/nips.corpus"))
        counts = laconic.read(file, format="ldac").counts
    # the format of a line is "word = column = occurrences documents"
    columns = {int(line.split(" = ")[1]): line.split(" = ")[0] for line in lines["vocab"]}
    words = np.array([columns[column] for column in range(counts.shape[1])])
    titles = [title.rstrip(", ") for title in lines["docs"][: counts.shape[0]]]
    return Corpus(counts, words, titles=titles)


@cache
def _made_up_papers(seed: int) -> Papers:
    corpus, _ = make_topics(200, 160, 6, document_length=80, overlap=0.2, random_state=seed)
    return _with_parts(corpus, 160, 40)


@cache
def _made_up_titles(seed: int) -> Corpus:
    corpus, planted = make_topics(120, 160, 6, document_length=80, random_state=seed)
    titles = [f"Paper {n} on topic {k}" for n, k in enumerate(planted.codes.argmax(axis=1))]
    return Corpus(corpus.counts, corpus.vocabulary, titles=titles)
