"""Kernels for positions of words in texts: first occurrences, neighbours, best words, phrases.

Tokens are spans of UTF-8 in order of occurrence, as returned by
`laconic.kernels.tokens.find_tokens`. The array `columns` (int32) contains the column of each token
in a matrix of counts, or -1 if the token has no column.
"""

import numpy as np

from laconic.kernels.compile import kernel

FIGURE, BEFORE_FUNCTION, JOINED = 1, 2, 4
"""Flags of a token.

FIGURE: the token is next to a number. BEFORE_FUNCTION: it is before a function word. JOINED: only
blanks or one hyphen separate it from the next token.
"""

_ZERO, _NINE = 48, 57
_HYPHEN, _APOSTROPHE, _SLASH = 45, 39, 47
_BLANK = 32


@kernel
def _gap(text, start, stop):
    """Classify the text between two tokens.

    The result is 2 if the text contains only blanks or is a single hyphen, 1 if it contains only
    blanks, hyphens, apostrophes and slashes, and 0 if it contains other punctuation.
    """
    kind = 2
    for position in range(start, stop):
        byte = text[position]
        if byte == _BLANK or 9 <= byte <= 13 or (byte == _HYPHEN and stop - start == 1):
            continue
        if byte != _HYPHEN and byte != _APOSTROPHE and byte != _SLASH:
            return 0
        kind = 1
    return kind


@kernel
def find_neighbours(text, starts, lengths, token_ends, is_function):
    """Return the flags FIGURE, BEFORE_FUNCTION and JOINED of each token (uint8).

    `is_function` contains a bool per token: whether the token is a function word. BEFORE_FUNCTION
    and JOINED require that no punctuation separates the token from the next token. For FIGURE, the
    number may be on either side.
    """
    flags = np.zeros(starts.size, np.uint8)
    first = 0
    for document in range(token_ends.size):
        for token in range(first, token_ends[document] - 1):
            gap = _gap(text, starts[token] + lengths[token], starts[token + 1])
            if gap > 0 and is_function[token + 1]:
                flags[token] |= BEFORE_FUNCTION
            if gap == 2:
                flags[token] |= JOINED
            if _ZERO <= text[starts[token]] <= _NINE:
                flags[token + 1] |= FIGURE
            if _ZERO <= text[starts[token + 1]] <= _NINE:
                flags[token] |= FIGURE
        first = token_ends[document]
    return flags


@kernel
def locate(indptr, indices, columns, token_ends, flags, n_words):
    """Locate the words of each document (row of the counts) in the document's text.

    Returns four int32 arrays with a value for each entry of the matrix: the index of the word's
    first token in the document (-1 if the text does not contain the word), the number of tokens of
    the word, how many of these tokens are next to a number, and how many are before a function
    word.
    """
    entry_of_word = np.full(n_words, -1, np.int64)
    first = np.full(indices.size, -1, np.int32)
    n_tokens = np.zeros(indices.size, np.int32)
    figures = np.zeros(indices.size, np.int32)
    before = np.zeros(indices.size, np.int32)
    start = 0
    for row in range(token_ends.size):
        for entry in range(indptr[row], indptr[row + 1]):
            entry_of_word[indices[entry]] = entry
        for token in range(start, token_ends[row]):
            entry = entry_of_word[columns[token]] if columns[token] >= 0 else -1
            if entry < 0:
                continue
            if first[entry] < 0:
                first[entry] = token - start
            n_tokens[entry] += 1
            figures[entry] += (flags[token] & FIGURE) != 0
            before[entry] += (flags[token] & BEFORE_FUNCTION) != 0
        for entry in range(indptr[row], indptr[row + 1]):
            entry_of_word[indices[entry]] = -1
        start = token_ends[row]
    return first, n_tokens, figures, before


@kernel
def choose_best(indptr, indices, scores, first, ranks, groups, n):
    """Return the n entries of each row with the highest positive scores, with the best entry first.

    Of entries with equal scores, the entry with the earlier first token (`first`, int32) is better,
    where -1 is last; then the entry whose column has the lower value in `ranks`. Of several columns
    with the same value in `groups` (int64), only the best is returned. The result contains numbers
    of entries (int64, rows x n, padded with -1).
    """
    chosen = np.full((indptr.size - 1, n), -1, np.int64)
    for row in range(indptr.size - 1):
        size = 0
        for entry in range(indptr[row], indptr[row + 1]):
            if not scores[entry] > 0:
                continue
            position = size
            while position > 0:
                other = chosen[row, position - 1]
                if not _precedes(entry, other, indices, scores, first, ranks):
                    break
                position -= 1
            rival = -1
            for other in range(size):
                if groups[indices[chosen[row, other]]] == groups[indices[entry]]:
                    rival = other
            if position >= n or (rival >= 0 and rival < position):
                continue
            last = rival if rival >= 0 else min(size, n - 1)
            for other in range(last, position, -1):
                chosen[row, other] = chosen[row, other - 1]
            chosen[row, position] = entry
            if rival < 0 and size < n:
                size += 1
    return chosen


@kernel
def _precedes(one, other, indices, scores, first, ranks):
    if scores[one] != scores[other]:
        return scores[one] > scores[other]
    if first[one] != first[other]:
        return first[other] < 0 or 0 <= first[one] < first[other]
    return ranks[indices[one]] < ranks[indices[other]]


LONGEST = 3
"""Maximum number of words in a phrase."""


@kernel
def list_pairs(columns, token_ends, flags, n_words):
    """Return the key a * n_words + b (int64) of each pair of joined words a and b.

    Keys are in order of occurrence.
    """
    keys = np.empty(columns.size, np.int64)
    size, start = 0, 0
    for document in range(token_ends.size):
        for token in range(start, token_ends[document] - 1):
            if flags[token] & JOINED and columns[token] >= 0 and columns[token + 1] >= 0:
                keys[size] = np.int64(columns[token]) * n_words + columns[token + 1]
                size += 1
        start = token_ends[document]
    return keys[:size]


@kernel
def find_key(keys, key):
    """Return the index of `key` in the sorted array `keys`, or -1 if it is not in the array."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.size and keys[low] == key else -1


@kernel
def _occurs_at(phrase, length, columns, flags, token, stop):
    """Return whether the first `length` words of a phrase occur at `token` in the text."""
    if token + length > stop:
        return False
    for offset in range(length):
        if columns[token + offset] != phrase[offset]:
            return False
        if offset < length - 1 and not flags[token + offset] & JOINED:
            return False
    return True


@kernel
def _best_neighbour(phrase, length, columns, flags, start, stop, side, pair_keys, is_free, n_words):
    """Return the word that occurs most often beside a phrase, and the number of these occurrences.

    If `side` is 1, words after the phrase are considered; if it is -1, words before the phrase. The
    returned word must be free, and it must occur beside the phrase at least twice or form a pair in
    `pair_keys` with the adjacent word of the phrase.
    """
    best, most = -1, 0
    for token in range(start, stop):
        if columns[token] != phrase[0]:  # Skip the slow call, in which numba counts references.
            continue
        word = _word_beside(phrase, length, columns, flags, token, start, stop, side)
        if word < 0 or not is_free[word]:
            continue
        times = 1  # Counting from the first occurrence on counts all occurrences of a word.
        for other in range(token + 1, stop):
            if columns[other] != phrase[0]:
                continue
            beside = _word_beside(phrase, length, columns, flags, other, start, stop, side)
            times += beside == word
        if times <= most:
            continue
        if times < 2:
            one = phrase[length - 1] if side > 0 else word
            other = word if side > 0 else phrase[0]
            if find_key(pair_keys, np.int64(one) * n_words + other) < 0:
                continue
        best, most = word, times
    return best, most


@kernel
def _word_beside(phrase, length, columns, flags, token, start, stop, side):
    """Return the word that is joined to one side of a phrase that begins at a token.

    The result is -1 if the phrase does not begin at the token or no word is joined to it.
    """
    if not _occurs_at(phrase, length, columns, flags, token, stop):
        return -1
    neighbour = token + length if side > 0 else token - 1
    link = token + length - 1 if side > 0 else token - 1
    if neighbour < start or neighbour >= stop or not flags[link] & JOINED:
        return -1
    return columns[neighbour]


@kernel
def _grow(phrase, n_times, columns, flags, start, stop, pair_keys, is_free, n_words):
    """Extend a phrase, initially one word, as long as the longer phrase occurs often enough.

    The longer phrase must occur at least half as often as the shorter phrase. `n_times` is the
    number of occurrences of the initial word. `is_free` contains a bool per column: whether the
    word of the column may still become part of a phrase. Returns the number of words and the number
    of occurrences of the final phrase.
    """
    length = np.int64(1)
    while length < LONGEST:
        after, times_after = _best_neighbour(
            phrase, length, columns, flags, start, stop, np.int64(1), pair_keys, is_free, n_words
        )
        before, times_before = _best_neighbour(
            phrase, length, columns, flags, start, stop, np.int64(-1), pair_keys, is_free, n_words
        )
        times = max(times_after, times_before)
        if times == 0 or 2 * times < n_times:
            break
        if times_after >= times_before:
            phrase[length] = after
        else:
            for position in range(length, 0, -1):
                phrase[position] = phrase[position - 1]
            phrase[0] = before
        length, n_times = length + 1, times
    return length, n_times


@kernel
def join_words(
    chosen, indices, counts, first_tokens, columns, token_ends, flags, pair_keys, n_words, n
):
    """Replace words by the phrases in which they mostly occur.

    `chosen` contains the words of each document as entries of the counts, with the best word first
    (int64, rows x any number, padded with -1). `first_tokens` contains the index of the first token
    of each entry (int32). `columns` contains the column of each token, and -1 for words that may
    not be part of a phrase. `pair_keys` contains the sorted keys of pairs that are phrases even if
    they occur once; other phrases must occur at least twice.

    A phrase replaces its best word if it covers at least half of the occurrences of that word. Each
    other word of the phrase is dropped if the phrase covers at least half of the occurrences of
    that word.

    Returns four arrays with n phrases per row: the entry of the best word (int64, -1 as padding),
    the words of the phrase (int32, rows x n x LONGEST, padded with -1), the number of occurrences
    of the phrase, and the index of its first token (int32).
    """
    n_rows = chosen.shape[0]
    heads = np.full((n_rows, n), -1, np.int64)
    words = np.full((n_rows, n, LONGEST), -1, np.int32)
    times = np.zeros((n_rows, n), counts.dtype)
    first = np.full((n_rows, n), -1, np.int32)
    is_free = np.ones(n_words, np.bool_)
    in_row = np.zeros(n_words, np.int32)
    phrase = np.empty(LONGEST, np.int32)
    start = np.int64(0)
    for row in range(n_rows):
        stop, size = token_ends[row], 0
        for token in range(start, stop):
            if columns[token] >= 0:
                in_row[columns[token]] += 1
        for rank in range(chosen.shape[1]):
            entry = chosen[row, rank]
            if entry < 0 or size == n:
                break
            word = indices[entry]
            if not is_free[word]:
                continue
            phrase[0] = word
            length, n_times = 1, in_row[word]
            if n_times > 0:
                length, n_times = _grow(
                    phrase, n_times, columns, flags, start, stop, pair_keys, is_free, n_words
                )
            heads[row, size] = entry
            times[row, size] = n_times if length > 1 else counts[entry]
            for position in range(length):
                words[row, size, position] = phrase[position]
                if 2 * n_times >= in_row[phrase[position]]:
                    is_free[phrase[position]] = False
            is_free[word] = False
            first[row, size] = first_tokens[entry]
            for token in range(start, stop if length > 1 else start):
                if columns[token] != phrase[0]:
                    continue
                if _occurs_at(phrase, length, columns, flags, token, stop):
                    first[row, size] = token - start
                    break
            size += 1
        for token in range(start, stop):
            if columns[token] >= 0:
                in_row[columns[token]] = 0
                is_free[columns[token]] = True
        for rank in range(chosen.shape[1]):
            if chosen[row, rank] >= 0:
                is_free[indices[chosen[row, rank]]] = True
        start = stop
    return heads, words, times, first
