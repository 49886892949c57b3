"""Topic coherence: co-occurrence of the top words of a topic in documents.

P(w) is the share of windows (or documents) that contain the word w, and P(v, w) is the share that
contain both v and w. The measures are:

=======  ===========================================================================  ===========
measure  value of a topic                                                             window
=======  ===========================================================================  ===========
npmi     mean over pairs of ln[P(v, w) / (P(v) P(w))] / -ln P(v, w)                   10 tokens
c_v      a word's NPMI with every word of the topic is a vector; mean over words of   110 tokens
         the cosine of a word's vector and the sum of all vectors
uci      mean over pairs of ln[P(v, w) / (P(v) P(w))]                                 10 tokens
umass    mean over pairs of ln[P(v, w) / P(v)], v the stronger word                   document
=======  ===========================================================================  ===========

As in Röder, Both and Hinneburg (2015) and in gensim, ε = 1e-12 is added to P(v, w), so that a pair
that never co-occurs has a finite value. This value is low, but not as low for rare words as for
frequent words, because rare words are less likely to co-occur by chance.

Special cases are defined so that the value of a topic is never NaN:

==========================================  =======================================================
a word that never occurs                    its pairs have the worst NPMI, -1; in c_v it has a
                                            vector of zeros, whose cosine is 0; in uci and umass it
                                            counts as occurring in one window
words that occur in every window            their NPMI is 1, as for any two words that always occur
                                            together
a topic with fewer than two words           its value is 0, but ln ε in umass, where 0 is the best
a word repeated in a topic                  it counts once
==========================================  =======================================================

With ``compatible=True``, values are the same as in gensim, except where gensim returns no value.
Windows are counted as in gensim (see `laconic.metrics.cooccurrence`), words that never occur are
dropped from the topic, repeated words count repeatedly, and words that occur in every window have
NPMI -1.
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
    has_tokens,
    windowed_cooccurrences,
)

EPSILON = 1e-12

WINDOWS: dict[str, int | None] = {"npmi": 10, "c_v": 110, "uci": 10, "umass": None}
"""Default window length of each measure, in tokens; None means whole documents."""


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
    """Return the coherence of each topic.

    Parameters
    ----------
    topics : sequence of sequence of str
        The top words of each topic, strongest first, without signs.
    corpus : Corpus, iterable of list of str, or matrix of shape (n_documents, n_words)
        Documents in which co-occurrences are counted. If it is a Corpus with texts or lists of
        words, a window slides over *all* words of each document. If it is a matrix of counts,
        co-occurrences are counted by document.
    measure : {"npmi", "c_v", "uci", "umass"}, default="npmi"
        See the table at the top of this module.
    window : int, "document", None or "auto", default="auto"
        Length of the window in tokens; "document" or None means whole documents. "auto" uses the
        default window of the measure if the order of the words is known, else whole documents.
    n_words : int, optional
        Maximum number of words per topic; all by default.
    compatible : bool, default=False
        Whether to return the same values as gensim.
    vocabulary : sequence of str, optional
        The word of each column, if `corpus` is a matrix; "0", "1", "2", … by default.
    n_jobs : int, optional
        Number of threads; all cores by default. The number of threads does not change the values.

    Returns
    -------
    ndarray of shape (n_topics,)
        All values are finite. NPMI is between -1 and 1; c_v is at most 1 and rarely below 0; uci
        and umass are mean logarithms.

    Examples
    --------
    >>> texts = [["cat", "purr"], ["cat", "purr"], ["dog", "bark"], ["dog", "bark"]]
    >>> coherence([["cat", "purr"], ["cat", "bark"]], texts).round(2).tolist()
    [1.0, -0.95]
    """
    return coherences(
        topics,
        corpus,
        [measure],
        window=window,
        n_words=n_words,
        compatible=compatible,
        vocabulary=vocabulary,
        n_jobs=n_jobs,
    )[measure]


def coherences(
    topics: Sequence[Sequence[str]],
    corpus: Any,
    measures: Sequence[str],
    *,
    window: int | str | None = "auto",
    n_words: int | None = None,
    compatible: bool = False,
    vocabulary: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> dict[str, np.ndarray]:
    """Return several measures of `coherence`; the documents are read once."""
    for measure in measures:
        if measure not in MEASURES:
            allowed = ", ".join(map(repr, MEASURES))
            raise LaconicError(f"measure must be one of {allowed}; got {measure!r}.")
    lists = [_words(topic, number, n_words) for number, topic in enumerate(topics)]
    pairs = WordPairs.within(lists)
    counts = windowed_cooccurrences(
        pairs,
        corpus,
        [_window(window, measure, corpus) for measure in measures],
        compatible=compatible,
        vocabulary=vocabulary,
        n_jobs=n_jobs,
    )
    number = {word: i for i, word in enumerate(pairs.words)}
    rows = [[number[word] for word in words] for words in lists]
    return {
        measure: np.array(
            [MEASURES[measure](_topic_counts(row, counted, compatible)) for row in rows],
            dtype=float,
        )
        for measure, counted in zip(measures, counts, strict=True)
    }


def _words(topic: Sequence[str], number: int, n_words: int | None) -> list[str]:
    if isinstance(topic, str):
        raise LaconicError(f"Topic {number} is a str; pass the words of the topic as a list.")
    if n_words is not None and n_words < 1:
        raise LaconicError(f"n_words must be at least 1; got {n_words}.")
    return [str(word) for word in topic][:n_words]


def _window(window: int | str | None, measure: str, corpus: Any) -> int | None:
    if window == "auto":
        default = WINDOWS[measure]
        return default if default is not None and has_tokens(corpus) else None
    if window is None or window == "document":
        return None
    if isinstance(window, (int, np.integer)) and not isinstance(window, bool) and window >= 1:
        return min(int(window), WHOLE_DOCUMENT)
    raise LaconicError(
        f"window must be 'document', 'auto' or a positive number of tokens; got {window!r}."
    )


# --- one topic -----------------------------------------------------------------------------------


class TopicCounts(NamedTuple):
    """Numbers of windows that contain the words of one topic, in the order of the words."""

    n_windows: int
    alone: np.ndarray  # number of windows that contain each word
    joint: np.ndarray  # number of windows that contain both words; the diagonal is `alone`
    repeats: np.ndarray  # number of times that each word occurs in the topic
    compatible: bool

    @property
    def occur(self) -> np.ndarray:
        """Boolean matrix: whether both words of a pair occur in the corpus."""
        return np.outer(self.alone > 0, self.alone > 0)

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return P(w), with at least one window per word, and P(v, w) + ε."""
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
    """Return the NPMI of all pairs of words of a topic, and of each word with itself."""
    alone, joint = topic.shares()
    values = np.log(joint / np.outer(alone, alone)) / -np.log(joint)
    if not topic.compatible:
        values[topic.joint == topic.n_windows] = 1
        values[~topic.occur] = -1
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


def _mean_below_diagonal(values: np.ndarray, default: float) -> float:
    """Return the mean over pairs (row: weaker word, column: stronger word), or `default`."""
    pairs = values[np.tril_indices(len(values), -1)]
    return float(pairs.mean()) if pairs.size else default


def _c_v(topic: TopicCounts) -> float:
    if len(topic.repeats) < (1 if topic.compatible else 2):
        return 0.0
    # For a word repeated n times, gensim has one coordinate multiplied by n. Here there are n
    # coordinates multiplied by √n, which give the same inner products.
    vectors = np.where(topic.occur, pair_npmi(topic), 0) * np.sqrt(topic.repeats)
    total = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    cosines = np.divide(vectors @ total, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    return float(cosines.mean())


MEASURES: dict[str, Callable[[TopicCounts], float]] = {
    "npmi": _npmi,
    "c_v": _c_v,
    "uci": _uci,
    "umass": _umass,
}
