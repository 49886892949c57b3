"""Data of the benchmarks: real data from a folder, or tiny synthetic data for a smoke run."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from benchmarks.harness import ROOT, Run
from laconic import Corpus, Vectorizer, Weighting
from laconic.datasets import make_topics

VARIABLE = "LACONIC_DATA"
NEWSGROUPS = "20newsgroups-bydate.jsonl.gz"
AUTHORS = "20ng-atheism-vs-religion-sparselsa.mat"

VECTORIZER = {
    "stop_words": "english",
    "min_df": 5,
    "max_df": 0.5,
    "token_pattern": r"(?u)\b[a-z][a-z]+\b",
}
"""Settings for counting the words of 20 Newsgroups in all benchmarks that fit a model to them."""


FROM = re.compile(r"^From:[ \t]*(.*)$", re.MULTILINE)
ADDRESS = re.compile(r"[^\s<>()\"]+@[^\s<>()\"]+")


class MissingDataError(Exception):
    """A data file is missing; the message states in which folder it should be."""


def data_file(name: str) -> Path:
    folder = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "data")
    if not (folder / name).is_file():
        raise MissingDataError(
            f"The file {name} is not in {folder}; set {VARIABLE} to the folder that contains it, "
            "or add --smoke to run on synthetic data."
        )
    return folder / name


@dataclass(frozen=True)
class Posts:
    """Posts of 20 Newsgroups."""

    texts: list[str]  # complete posts with headers
    bodies: list[str]  # text after the first blank line, without headers
    labels: np.ndarray
    is_train: np.ndarray  # mask of the training half, which has the earlier dates

    @property
    def authors(self) -> list[str]:
        """Address in the From: header of each post, or "" if it has no such header."""
        return [_author(text.partition("\n\n")[0]) for text in self.texts]

    def counted(self, n_jobs: int | None = None) -> Corpus:
        return Vectorizer(**VECTORIZER, n_jobs=n_jobs).fit_transform(self.bodies)

    def weighted(self) -> sp.csr_matrix:
        """Return the counts weighted by balanced tf-idf, in float32."""
        counts = self.counted().counts
        return Weighting("tfidf-balanced", dtype="float32").fit_transform(counts)


@dataclass(frozen=True)
class TwoGroups:
    """Matrix of the Sparse LSA authors: tf-idf of documents of two classes, unit-length rows."""

    X: sp.csr_matrix
    labels: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]  # pairs of training rows and test rows


def newsgroups(run: Run) -> Posts:
    return _made_up_posts(run.seed) if run.smoke else _newsgroups()


def two_groups(run: Run) -> TwoGroups:
    return _made_up_groups(run.seed) if run.smoke else _two_groups()


@cache
def _newsgroups() -> Posts:
    with gzip.open(data_file(NEWSGROUPS), "rt", encoding="utf-8") as lines:
        posts = [json.loads(line) for line in lines]
    texts = [post["text"] for post in posts]
    return Posts(
        texts,
        [text.partition("\n\n")[2] for text in texts],
        np.array([post["label"] for post in posts]),
        np.array([post["split"] == "train" for post in posts]),
    )


@cache
def _two_groups() -> TwoGroups:
    file = scipy.io.loadmat(data_file(AUTHORS))
    splits = [
        (train.ravel().astype(int) - 1, test.ravel().astype(int) - 1)
        for train, test in zip(file["tr_idx"].ravel(), file["te_idx"].ravel(), strict=True)
    ]
    X = sp.csr_matrix(file["data"], dtype=np.float32)
    X.sort_indices()
    return TwoGroups(X, file["label"].ravel(), splits)


def _author(headers: str) -> str:
    found = FROM.search(headers)
    line = found[1].strip().lower() if found else ""
    address = ADDRESS.search(line)
    return address[0] if address else line


def _made_up_posts(seed: int) -> Posts:
    corpus, planted = make_topics(300, 200, 5, document_length=40, random_state=seed)
    names = np.array([_spell(word) for word in range(corpus.shape[1])])
    bodies = [
        " ".join(np.repeat(names[row.indices], row.data)) for row in corpus.counts.astype(int)
    ]
    texts = [
        f"From: Author <author{number % 40}@example.com>\nSubject: {number}\n\n{body}"
        for number, body in enumerate(bodies)
    ]
    labels = planted.codes.argmax(axis=1)
    return Posts(texts, bodies, labels, np.arange(len(texts)) % 3 > 0)


def _spell(number: int) -> str:
    """Return a word that encodes a number in letters."""
    return "w" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")


def _made_up_groups(seed: int) -> TwoGroups:
    corpus, planted = make_topics(120, 300, 6, document_length=50, random_state=seed)
    X = Weighting("tfidf", dtype="float32").fit_transform(corpus.counts)
    labels = np.where(planted.codes.argmax(axis=1) < 3, 1, -1)
    rows = np.random.default_rng(seed).permutation(len(labels))
    return TwoGroups(X, labels, [(rows[:80], rows[80:]), (rows[40:], rows[:40])])
