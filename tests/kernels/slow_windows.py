"""Windows counted one by one, in plain Python: the twins of `laconic.kernels.windows`."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


def windows(tokens, size):
    """The windows of one document; the whole of it if it is shorter than a window."""
    if len(tokens) <= size:
        return [tokens]
    return [tokens[start : start + size] for start in range(len(tokens) - size + 1)]


def count_correctly(documents, size):
    """Windows, and windows with each word and pair: a word is in if one of its tokens is."""
    total, counts = 0, Counter()
    for tokens in documents:
        for window in windows(tokens, size):
            total += 1
            _add(counts, set(window))
    return total, counts


def count_like_gensim(documents, size):
    """gensim's rule: the word of the token that leaves goes, that of the token that enters comes.

    A word with two tokens in the window is gone when the first of them leaves.
    """
    total, counts = 0, Counter()
    for tokens in documents:
        present, edge = None, None
        for window in windows(tokens, size):
            total += 1
            if len(window) == 0:
                continue
            if present is None:
                present = set(window)
            else:
                present.discard(edge)
                present.add(window[-1])
            edge = window[0]
            _add(counts, present)
    return total, counts


def _add(counts, words):
    words = sorted(word for word in words if word is not None)
    counts.update(words)
    counts.update(combinations(words, 2))
