"""Counts of words and of pairs of words in sliding windows over documents.

Only the positions of the words of interest are passed. The set of words in the window changes only
when a word enters or leaves, so the cost grows with the number of words, not of windows. When
a word leaves, it is paired with each of its *partners* (the words it is counted with) in the
window; the number of windows that contained both words is the difference of two positions.

Pairs are a CSR pattern (indptr, indices) of words x partners, which contains each pair twice. A
kernel adds to one of the two entries, so the caller must add the matrix and its transpose.
"""

import numpy as np

from laconic.kernels.compile import kernel

_ABSENT = -1


@kernel
def _close(word, start, now, since, indptr, indices, occurrences, pairs):
    """Count a word that was in all windows from `start` to `now` - 1, and its pairs."""
    occurrences[word] += now - start
    for entry in range(indptr[word], indptr[word + 1]):
        other = since[indices[entry]]
        if other != _ABSENT:
            pairs[entry] += now - max(start, other)


@kernel
def count_windows(words, places, ends, lengths, size, compatible, indptr, indices, n_words):
    """Count windows, windows with each word, and windows with each pair.

    words : int32, the words of interest of all documents in order; places : int64, the token
    position of each word in its document, never decreasing within a document; ends : int64, the end
    of each document in `words`; lengths : int64, number of tokens of each document.
    size : number of tokens of a window. A document of n tokens has max(n - size + 1, 1) windows.
    compatible : whether to count as gensim does: when one token of a word leaves the window,
    the word counts as absent until its next token enters, even if another token is still in the
    window.
    Returns n_windows, occurrences (int64 per word) and pairs (int64 per entry of the pattern).
    """
    occurrences = np.zeros(n_words, np.int64)
    pairs = np.zeros(indices.size, np.int64)
    since = np.full(n_words, _ABSENT, np.int64)  # first window of the current stay of a word
    tokens = np.zeros(n_words, np.int64)  # number of occurrences of a word in the window
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
    """Count documents with each word and with each pair, from the rows of a canonical CSR matrix.

    numbers : int32 per column, the index of its word among the words of interest, or -1.
    Returns occurrences (int64 per word) and pairs (int64 per entry of the pattern).
    """
    occurrences = np.zeros(n_words, np.int64)
    pairs = np.zeros(indices.size, np.int64)
    seen = np.full(n_words, _ABSENT, np.int64)  # the last document that contains a word
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
    """Select the words of interest (numbers >= 0) from all tokens.

    Returns the word and its position in the document for each selected token, and the end of each
    document.
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
