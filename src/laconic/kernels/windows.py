"""Count words and pairs of words in sliding windows over documents.

Only the positions of the words of interest are passed. The set of words in the window changes only
when a word enters or leaves, so the running time grows with the number of words, not with the
number of windows. The *partners* of a word are the words with which it is counted. When a word
leaves the window, it is paired with each partner that is in the window. The number of windows that
contained both words is the difference of two positions.

The pairs to count are passed as a CSR pattern (indptr, indices) of words x partners, which contains
each pair twice. A kernel adds to only one of the two entries, so the caller must add the matrix and
its transpose.
"""

import numpy as np

from laconic.kernels.compile import kernel

_ABSENT = -1


@kernel
def _close(word, start, now, since, indptr, indices, occurrences, pairs):
    """Count the windows, from `start` to `now` - 1, that contained a word, and count its pairs."""
    occurrences[word] += now - start
    for entry in range(indptr[word], indptr[word + 1]):
        other = since[indices[entry]]
        if other != _ABSENT:
            pairs[entry] += now - max(start, other)


@kernel
def count_windows(words, places, ends, lengths, size, compatible, indptr, indices, n_words):
    """Count all windows, the windows that contain each word, and the windows with each pair.

    words : int32
        The words of interest of all documents, in order of occurrence.
    places : int64
        The token position of each of these words in its document. Positions never decrease within a
        document.
    ends : int64
        The end of each document in `words`.
    lengths : int64
        The number of tokens of each document.
    size : int
        The number of tokens in a window. A document of n tokens has max(n - size + 1, 1) windows.
    compatible : bool
        Whether to count as gensim does. In gensim, a word counts as absent as soon as one of its
        tokens leaves the window, even if another token is still in the window, until its next token
        enters.

    Returns n_windows, occurrences (int64 per word) and pairs (int64 per entry of the pattern).
    """
    occurrences = np.zeros(n_words, np.int64)
    pairs = np.zeros(indices.size, np.int64)
    since = np.full(
        n_words, _ABSENT, np.int64
    )  # first of the latest windows that contain each word
    tokens = np.zeros(n_words, np.int64)  # number of occurrences of each word in the window
    n_windows, first = np.int64(0), 0
    for document in range(ends.size):
        last, length = ends[document], lengths[document]
        n_here = max(length - size + 1, 1)
        leaving = first
        for entering in range(first, last):
            now = max(places[entering] - size + 1, 0)
            while places[leaving] < now:
                # A token at position p is only in windows that begin at or before p.
                word, gone = words[leaving], places[leaving] + 1
                tokens[word] -= 1
                if since[word] != _ABSENT and (compatible or tokens[word] == 0):
                    start = since[word]
                    since[word] = _ABSENT
                    _close(word, start, gone, since, indptr, indices, occurrences, pairs)
                leaving += 1
            word = words[entering]
            tokens[word] += 1
            if since[word] == _ABSENT:
                since[word] = now
        for entry in range(leaving, last):
            word, gone = words[entry], min(places[entry] + 1, n_here)
            tokens[word] -= 1
            if since[word] != _ABSENT and (compatible or tokens[word] == 0):
                start = since[word]
                since[word] = _ABSENT
                _close(word, start, gone, since, indptr, indices, occurrences, pairs)
        n_windows += n_here
        first = last
    return n_windows, occurrences, pairs


@kernel
def count_documents(doc_indptr, doc_indices, numbers, indptr, indices, n_words):
    """Count the documents that contain each word, and the documents that contain each pair.

    The documents are the rows of a canonical CSR matrix. `numbers` contains an int32 per column:
    the index of the column's word among the words of interest, or -1. Returns occurrences (int64
    per word) and pairs (int64 per entry of the pattern).
    """
    occurrences = np.zeros(n_words, np.int64)
    pairs = np.zeros(indices.size, np.int64)
    seen = np.full(n_words, _ABSENT, np.int64)  # last document so far that contains each word
    for row in range(doc_indptr.size - 1):
        for position in range(doc_indptr[row], doc_indptr[row + 1]):
            word = numbers[doc_indices[position]]
            if word < 0:
                continue
            seen[word] = row
            occurrences[word] += 1
            for entry in range(indptr[word], indptr[word + 1]):
                if seen[indices[entry]] == row:
                    pairs[entry] += 1
    return occurrences, pairs


@kernel
def pick_places(numbers, ends):
    """Select the tokens that are words of interest, for which `numbers` is at least 0.

    Returns the word of each selected token, its position in the document, and the end of each
    document in these arrays.
    """
    size = 0
    for token in range(numbers.size):
        size += numbers[token] >= 0
    words = np.empty(size, np.int32)
    places = np.empty(size, np.int64)
    word_ends = np.empty(ends.size, np.int64)
    size, first = 0, 0
    for document in range(ends.size):
        for token in range(first, ends[document]):
            if numbers[token] >= 0:
                words[size] = numbers[token]
                places[size] = token - first
                size += 1
        first = ends[document]
        word_ends[document] = size
    return words, places, word_ends
