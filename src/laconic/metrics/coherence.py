"""Do the words of a topic belong together? Judged by where they occur in documents.

With P(w) the share of windows (or documents) that have a word, P(v, w) of those that have both:

=======  ===========================================================================  ===========
measure  value of a topic                                                             window
=======  ===========================================================================  ===========
npmi     mean over pairs of ln[P(v, w) / (P(v) P(w))] / -ln P(v, w)                   10 tokens
c_v      a word's NPMI with every word of the topic is a vector; mean over words of   110 tokens
         the cosine of a word's vector and the sum of all vectors
uci      mean over pairs of ln[P(v, w) / (P(v) P(w))]                                 10 tokens
umass    mean over pairs of ln[P(v, w) / P(v)], v the stronger word                   document
=======  ===========================================================================  ===========

As in Röder, Both and Hinneburg (2015) and in gensim, ε = 1e-12 is added to P(v, w), so a pair that
never occurs together has a value: a bad one, but less so for rare words, of whom it surprises less.

Where that is not enough, a value is *defined*, so that no topic is NaN:

==========================================  =======================================================
a word that is never seen                   its pairs have the worst NPMI, -1; in c_v it has a
                                            vector of zeros, whose cosine is 0; in uci and umass it
                                            is taken as seen in one window
words that are in every window              NPMI 1, as of all words that only occur together
a topic of one word, or of none             0: nothing speaks for it; in umass, where 0 is the
                                            best, ln ε
a word that a topic names twice             counts once
==========================================  =======================================================

``compatible=True`` gives the values of gensim wherever gensim gives one: its count of windows (see
`laconic.metrics.cooccurrence`), words that are never seen dropped from the topic, words named twice
taken twice, and -1 for words that are in every window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.metrics.cooccurrence import (
    WHOLE_DOCUMENT,
    Cooccurrences,
    WordPairs,
    cooccurrences,
    has_tokens,
)

EPSILON = 1e-12

WINDOWS: dict[str, int | None] = {"npmi": 10, "c_v": 110, "uci": 10, "umass": None}
"""The usual window of each measure, None for whole documents."""


def coherence(
    topics: Sequence[Sequence[str]],
    corpus: Any,
    measure: str = "npmi",
    *,
    window: int | str | None = "auto",
    n_words: int | None = None,
    compatible: bool = False,
    vocabulary: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """How well the words of each topic belong together.

    Parameters
    ----------
    topics : sequence of sequence of str
        The strongest words of each topic, strongest first; words only, without signs.
    corpus : Corpus, iterable of list of str, or matrix of shape (n_documents, n_words)
        Where the words are looked for. A window slides over the texts of a Corpus, or over lists of
        words, *all* words of them; counts alone are judged by document.
    measure : {"npmi", "c_v", "uci", "umass"}, default="npmi"
        See the table at the top of this module.
    window : int, "document", None or "auto", default="auto"
        Tokens of the window; "document" or None for whole documents. "auto" is the usual window of
        the measure where the order of words is known, and else whole documents.
    n_words : int, optional
        Judge only so many words of each topic; all by default.
    compatible : bool, default=False
        Give the values of gensim.
    vocabulary : sequence of str, optional
        The words of the columns of a matrix; by default they are "0", "1", "2", ….
    n_jobs : int, optional
        Threads; all cores by default. The values are the same.

    Returns
    -------
    ndarray of shape (n_topics,)
        Finite. NPMI is from -1 to 1, c_v hardly ever below 0 and at most 1, the others are
        logarithms.

    Examples
    --------
    >>> texts = [["cat", "purr"], ["cat", "purr"], ["dog", "bark"], ["dog", "bark"]]
    >>> coherence([["cat", "purr"], ["cat", "bark"]], texts).round(2).tolist()
    [1.0, -0.95]
    """
    if measure not in MEASURES:
        known = ", ".join(map(repr, MEASURES))
        raise LaconicError(f"measure must be one of {known}; got {measure!r}.")
    lists = [_words(topic, number, n_words) for number, topic in enumerate(topics)]
    pairs = WordPairs.within(lists)
    counts = cooccurrences(
        pairs,
        corpus,
        window=_window(window, measure, corpus),
        compatible=compatible,
        vocabulary=vocabulary,
        n_jobs=n_jobs,
    )
    number = {word: i for i, word in enumerate(pairs.words)}
    value = MEASURES[measure]
    rows = [[number[word] for word in words] for words in lists]
    return np.array([value(_topic_counts(row, counts, compatible)) for row in rows], dtype=float)


def _words(topic: Sequence[str], number: int, n_words: int | None) -> list[str]:
    if isinstance(topic, str):
        raise LaconicError(f"Topic {number} is a str; give a list of its words.")
    if n_words is not None and n_words < 1:
        raise LaconicError(f"n_words must be 1 or more; got {n_words}.")
    return [str(word) for word in topic][:n_words]


def _window(window: int | str | None, measure: str, corpus: Any) -> int | None:
    if window == "auto":
        usual = WINDOWS[measure]
        return usual if usual is not None and has_tokens(corpus) else None
    if window is None or window == "document":
        return None
    if isinstance(window, (int, np.integer)) and not isinstance(window, bool) and window >= 1:
        return min(int(window), WHOLE_DOCUMENT)
    raise LaconicError(
        f"window must be a number of tokens of 1 or more, 'document' or 'auto'; got {window!r}."
    )


# --- one topic -----------------------------------------------------------------------------------


class TopicCounts(NamedTuple):
    """Counts of the words of one topic, in their order."""

    n_windows: int
    alone: np.ndarray  # windows with each word
    joint: np.ndarray  # windows with both of two words; of a word and itself those with the word
    times: np.ndarray  # how often the topic names each word
    compatible: bool

    @property
    def seen(self) -> np.ndarray:
        """Which pairs are of words that occur at all."""
        return np.outer(self.alone > 0, self.alone > 0)

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """P(w), of a word never seen as if it were once; and P(v, w) + ε."""
        n = max(self.n_windows, 1)
        return np.maximum(self.alone, 1) / n, self.joint / n + EPSILON


def _topic_counts(words: list[int], counts: Cooccurrences, compatible: bool) -> TopicCounts:
    if compatible:
        words = [word for word in words if counts.occurrences[word] > 0]
    else:
        words = list(dict.fromkeys(words))
    row = np.array(words, dtype=np.int64)
    same = row[:, None] == row
    alone = counts.occurrences[row]
    joint = counts.pairs[row][:, row].toarray() if len(row) else np.zeros((0, 0))
    joint[same] = np.broadcast_to(alone, same.shape)[same]
    return TopicCounts(counts.n_windows, alone, joint, same.sum(axis=0), compatible)


def pair_npmi(topic: TopicCounts) -> np.ndarray:
    """NPMI of all pairs of words of a topic, and of each word with itself."""
    alone, joint = topic.shares()
    values = np.log(joint / np.outer(alone, alone)) / -np.log(joint)
    if not topic.compatible:
        values[topic.joint == topic.n_windows] = 1
        values[~topic.seen] = -1
        values = np.clip(values, -1, 1)
    return values


def _npmi(topic: TopicCounts) -> float:
    return _mean_below_diagonal(pair_npmi(topic), 0.0)


def _uci(topic: TopicCounts) -> float:
    alone, joint = topic.shares()
    return _mean_below_diagonal(np.log(joint / np.outer(alone, alone)), 0.0)


def _umass(topic: TopicCounts) -> float:
    alone, joint = topic.shares()
    return _mean_below_diagonal(np.log(joint / alone), float(np.log(EPSILON)))


def _mean_below_diagonal(values: np.ndarray, otherwise: float) -> float:
    """Mean over pairs, the column is the stronger word; `otherwise` if there is none."""
    pairs = values[np.tril_indices(len(values), -1)]
    return float(pairs.mean()) if pairs.size else otherwise


def _c_v(topic: TopicCounts) -> float:
    if len(topic.times) < (1 if topic.compatible else 2):
        return 0.0
    # A word named twice is one coordinate of twice the size: two of √2 have the same products.
    vectors = np.where(topic.seen, pair_npmi(topic), 0) * np.sqrt(topic.times)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    cosines = np.divide(vectors @ whole, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    return float(cosines.mean())


MEASURES: dict[str, Callable[[TopicCounts], float]] = {
    "npmi": _npmi,
    "c_v": _c_v,
    "uci": _uci,
    "umass": _umass,
}
