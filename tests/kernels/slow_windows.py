"""Slow versions of `laconic.kernels.windows` in plain Python that count window by window."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


def windows(tokens, size):
    """Return all windows of a document, or the whole document if it is shorter than a window."""
    if len(tokens) <= size:
        return [tokens]
    return [tokens[start : start + size] for start in range(len(tokens) - size + 1)]


def count_correctly(documents, size):
    """Count all windows, and the windows that contain each word and each pair of words.

    A window contains a word if it contains at least one token of the word.
    """
    total, counts = 0, Counter()
    for tokens in documents:
        for window in windows(tokens, size):
            total += 1
            _add(counts, set(window))
    return total, counts


def count_like_gensim(documents, size):
    """Count as gensim does: remove the leaving token's word, then add the entering token's word.

    A word with two tokens in the window is removed when the first token leaves.
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
