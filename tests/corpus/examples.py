"""A small corpus, and a check that two corpora are equal."""

from __future__ import annotations

import numpy as np

from laconic import Corpus

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0], [1, 1, 1]])
WORDS = ["cat", "dog", "emu"]


def make(**extra):
    return Corpus(COUNTS, WORDS, **extra)


def full():
    return make(
        ids=["a", "b", "c", "d"],
        titles=["A", None, "C", "D"],
        labels=[1, 0, 1, 0],
        texts=["cat cat emu", "", "dog dog dog", "cat dog emu"],
        vectorizer={"lowercase": True, "ngram_range": [1, 1]},
    )


def assert_equal(one, other):
    assert one.shape == other.shape
    assert one.counts.dtype == other.counts.dtype
    assert np.array_equal(one.counts.toarray(), other.counts.toarray())
    assert (one.vocabulary is None) == (other.vocabulary is None)
    if one.vocabulary is not None:
        assert one.vocabulary.tolist() == other.vocabulary.tolist()
    for name in ("ids", "titles", "labels", "texts"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.tolist() == theirs.tolist()
            assert mine.dtype.kind == theirs.dtype.kind
    assert one.vectorizer == other.vectorizer
