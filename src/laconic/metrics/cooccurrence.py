"""Numbers of windows (or documents) that contain a word, or both words of a pair.

Only the words of topics, and the pairs of words within a topic, are counted. Therefore, there are
only a few thousand counts, whatever the size of the vocabulary. The documents are read once, in
chunks, and the counts of the chunks are summed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import csr
from laconic.engines import make_engine
from laconic.errors import LaconicError
from laconic.kernels.windows import count_documents, count_windows
from laconic.text.positions import (
    TextReader,
    TokenReader,
    chunk_texts,
    chunk_tokens,
    settings_of,
    texts_of,
)
from laconic.wording import plural

logger = logging.getLogger(__name__)

NO_TEXT = ", which a sliding window needs; pass its text, or set window='document'."
WHOLE_DOCUMENT = 1 << 62
"""Length of a window that is longer than any document."""


class WordPairs(NamedTuple):
    """The words to count, and the pairs of words to count, stored as a symmetric CSR pattern."""

    words: tuple[str, ...]
    indptr: np.ndarray  # int64
    indices: np.ndarray  # int64
    transposed: np.ndarray  # position of the entry (b, a) for each entry (a, b)

    @classmethod
    def within(cls, topics: Iterable[Sequence[str]]) -> WordPairs:
        """Return all pairs of different words within a topic.

        Examples
        --------
        >>> WordPairs.within([["cat", "dog"], ["cat", "emu"]]).words
        ('cat', 'dog', 'emu')
        """
        topics = [list(topic) for topic in topics]
        number = {word: i for i, word in enumerate(dict.fromkeys(chain.from_iterable(topics)))}
        shape = (len(number), len(number))
        rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for topic in topics:
            members = np.array([number[word] for word in dict.fromkeys(topic)], dtype=np.int64)
            first, second = np.meshgrid(members, members)
            different = first != second
            rows.append(first[different])
            columns.append(second[different])
        at = np.concatenate(rows), np.concatenate(columns)
        pattern = sp.csr_matrix((np.ones(len(at[0])), at), shape)
        # Merge the pairs shared by two topics, because scipy 1.13 does not.
        pattern.sum_duplicates()
        entries = csr(np.arange(pattern.nnz), pattern.indices, pattern.indptr, shape)
        transposed = entries.T.tocsr()
        transposed.sort_indices()
        return cls(
            tuple(number),
            pattern.indptr.astype(np.int64),
            pattern.indices.astype(np.int64),
            transposed.data,
        )


class Cooccurrences(NamedTuple):
    """Counts of windows; `merge` adds the counts of two chunks.

    Attributes
    ----------
    n_windows : int
    occurrences : ndarray of shape (n_words,)
        Number of windows that contain each word.
    pairs : csr_matrix of shape (n_words, n_words)
        Number of windows that contain both words of each requested pair; symmetric.
    """

    n_windows: int
    occurrences: np.ndarray
    pairs: sp.csr_matrix

    def merge(self, other: Cooccurrences) -> Cooccurrences:
        pairs = self.pairs.copy()
        pairs.data += other.pairs.data  # both matrices have the same pattern
        return Cooccurrences(
            self.n_windows + other.n_windows, self.occurrences + other.occurrences, pairs
        )


class Windows(NamedTuple):
    """Counts for several windows; `merge` adds the counts of two chunks."""

    windows: list[Cooccurrences]

    def merge(self, other: Windows) -> Windows:
        pairs = zip(self.windows, other.windows, strict=True)
        return Windows([mine.merge(theirs) for mine, theirs in pairs])


def cooccurrences(
    pairs: WordPairs,
    documents: Any,
    *,
    window: int | None = None,
    compatible: bool = False,
    vocabulary: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> Cooccurrences:
    """Count words and pairs of words in one pass over the documents.

    Parameters
    ----------
    pairs : WordPairs
    documents : Corpus, iterable of list of str, or matrix of shape (n_documents, n_words)
    window : int, optional
        Length in tokens of a window that slides over the texts of a Corpus, or over lists of words.
        A document of n tokens, even an empty one, has ``max(n - window + 1, 1)`` windows. By
        default, the window is the whole document.
    compatible : bool, default=False
        Whether to count as gensim does. In gensim, when an occurrence of a word leaves the window,
        the word counts as absent until its next occurrence enters, even if another occurrence is
        still in the window.
    vocabulary : sequence of str, optional
        The word of each column, if `documents` is a matrix; "0", "1", "2", … by default.
    n_jobs : int, optional
        Number of threads; all cores by default. The number of threads does not change the counts.

    Returns
    -------
    Cooccurrences

    Examples
    --------
    >>> pairs = WordPairs.within([["cat", "dog"]])
    >>> counts = cooccurrences(pairs, [["cat", "and", "dog", "and", "cat"]], window=2)
    >>> counts.n_windows, counts.occurrences.tolist(), int(counts.pairs[0, 1])
    (4, [2, 2], 0)
    >>> counts = cooccurrences(pairs, [["cat", "and", "dog", "and", "cat"]], window=3)
    >>> counts.n_windows, counts.occurrences.tolist(), int(counts.pairs[0, 1])
    (3, [2, 3], 2)
    """
    return windowed_cooccurrences(
        pairs,
        documents,
        [window],
        compatible=compatible,
        vocabulary=vocabulary,
        n_jobs=n_jobs,
    )[0]


def windowed_cooccurrences(
    pairs: WordPairs,
    documents: Any,
    windows: Sequence[int | None],
    *,
    compatible: bool = False,
    vocabulary: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> list[Cooccurrences]:
    """Count as `cooccurrences` does for each of several windows; read the documents once.

    The texts of a corpus on disk are read part by part.
    """
    for window in windows:
        if window is not None and window < 1:
            raise LaconicError(f"window must be at least 1 token; got {window}.")
    counts_only = is_matrix(documents) or (isinstance(documents, Corpus) and set(windows) == {None})
    if not counts_only and has_tokens(documents):
        counts = _count_tokens(pairs, documents, windows, compatible, n_jobs)
        if isinstance(documents, Corpus):
            _warn_of_missing_words(pairs, documents, counts[0])
        return counts
    if any(window is not None for window in windows):
        raise LaconicError(
            "A window needs texts, but these documents have only counts; read them with their "
            "texts, or set window='document'."
        )
    corpus = as_corpus(documents, vocabulary)
    params = pairs, _numbers(pairs, corpus)
    chunks = corpus.weighted(None).chunks()
    total = _sum_over(count_chunk_documents, params, [chunks], pairs, 1, n_jobs)
    return [total.windows[0] for _ in windows]


def _count_tokens(
    pairs: WordPairs,
    documents: Any,
    windows: Sequence[int | None],
    compatible: bool,
    n_jobs: int | None,
) -> list[Cooccurrences]:
    sizes = tuple(WHOLE_DOCUMENT if window is None else int(window) for window in windows)
    reader: TextReader | TokenReader
    parts: Iterable[Sequence[Any]]
    if isinstance(documents, Corpus):
        reader, parts = TextReader(pairs.words, settings_of(documents)), _text_parts(documents)
    else:
        reader, parts = TokenReader(pairs.words), [chunk_tokens(documents)]
    params = pairs, reader, sizes, compatible
    total = _sum_over(count_chunk_windows, params, parts, pairs, len(sizes), n_jobs)
    return total.windows


def _text_parts(corpus: Corpus) -> Iterator[Sequence[Any]]:
    """Yield the chunks of texts of one part of the corpus after the other."""
    # The ids name a document without a text in the error message.
    texts = corpus.replace(titles=None, labels=None)
    for part in [texts] if corpus.path is None else texts.parts():
        yield chunk_texts(texts_of(part, NO_TEXT))


def _sum_over(
    step: Any,
    params: Any,
    parts: Iterable[Sequence[Any]],
    pairs: WordPairs,
    n_windows: int,
    n_jobs: int | None,
) -> Windows:
    """Sum the counts of several lists of chunks."""
    zeros = np.zeros(len(pairs.words), dtype=np.int64), np.zeros(len(pairs.indices), dtype=np.int64)
    total = Windows([_both_triangles(pairs, 0, *zeros) for _ in range(n_windows)])
    with make_engine("threads", n_jobs) as engine:
        for chunks in parts:
            if len(chunks):
                total = total.merge(engine.map_reduce(step, params, chunks))
    return total


def _warn_of_missing_words(pairs: WordPairs, corpus: Corpus, counts: Cooccurrences) -> None:
    """Warn if counted words are not in the texts, which may have been tokenised differently."""
    missing = [word for word, n in zip(pairs.words, counts.occurrences, strict=True) if n == 0]
    if not missing or corpus.words is None:
        return
    counted = columns_occur(corpus, corpus.words.columns(missing))
    if counted.any():
        logger.warning(
            "the texts of the corpus do not contain %s, such as %r; the texts may have been "
            "tokenised differently",
            plural(int(np.count_nonzero(counted)), "counted word"),
            missing[int(np.argmax(counted))],
        )


def columns_occur(corpus: Corpus, columns: np.ndarray) -> np.ndarray:
    """Return whether the words of `columns` occur in the documents; -1 stands for no column.

    The documents are read chunk by chunk until all of the words have occurred.
    """
    occurs = np.zeros(corpus.shape[1] + 1, dtype=bool)
    wanted = columns[columns >= 0]
    for chunk in corpus.weighted(None).chunks():
        if occurs[wanted].all():
            break
        occurs[chunk.load().indices] = True
    return occurs[columns]


def is_matrix(documents: Any) -> bool:
    """Return whether the documents are a matrix of counts."""
    return not isinstance(documents, Corpus) and (
        sp.issparse(documents) or getattr(documents, "ndim", 1) == 2
    )


def has_tokens(documents: Any) -> bool:
    """Return whether the documents have texts or tokens, so that the order of words is known."""
    if isinstance(documents, Corpus):
        return documents.has("texts")
    return not is_matrix(documents)


def as_corpus(documents: Any, vocabulary: Sequence[str] | None) -> Corpus:
    """Convert counts to a Corpus with words; by default, the words are column numbers."""
    corpus = documents if isinstance(documents, Corpus) else Corpus(documents, vocabulary)
    if corpus.words is not None:
        return corpus
    return corpus.replace(vocabulary=map(str, range(corpus.shape[1])))


def _numbers(pairs: WordPairs, corpus: Corpus) -> np.ndarray:
    """Return, for each column, the index of its word in `pairs.words`, or -1 if it is not there."""
    assert corpus.words is not None
    columns = corpus.words.columns(pairs.words)
    numbers = np.full(corpus.shape[1], -1, dtype=np.int32)
    numbers[columns[columns >= 0]] = np.flatnonzero(columns >= 0)
    return numbers


# --- steps ---------------------------------------------------------------------------------------


def count_chunk_windows(params: Any, chunk: Any, state: None) -> tuple[Windows, None]:
    """Step of the engine: count windows over the tokens of a chunk of documents."""
    pairs, reader, sizes, compatible = params
    words, positions, ends, lengths = reader(chunk.load())
    counts = []
    for size in sizes:
        n_windows, occurrences, half = count_windows(
            words, positions, ends, lengths, size, compatible,
            pairs.indptr, pairs.indices, len(pairs.words),
        )  # fmt: skip
        counts.append(_both_triangles(pairs, int(n_windows), occurrences, half))
    return Windows(counts), None


def count_chunk_documents(params: Any, chunk: Chunk, state: None) -> tuple[Windows, None]:
    """Step of the engine: count documents in a chunk of rows of a count matrix."""
    pairs, numbers = params
    X = chunk.load()
    occurrences, half = count_documents(
        X.indptr, X.indices, numbers, pairs.indptr, pairs.indices, len(pairs.words)
    )
    return Windows([_both_triangles(pairs, X.shape[0], occurrences, half)]), None


def _both_triangles(
    pairs: WordPairs, n_windows: int, occurrences: np.ndarray, half: np.ndarray
) -> Cooccurrences:
    size = (len(pairs.words), len(pairs.words))
    matrix = csr(half + half[pairs.transposed], pairs.indices, pairs.indptr, size)
    return Cooccurrences(n_windows, occurrences, matrix)
