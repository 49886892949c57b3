"""Words where they stand in a text: first places, neighbours, and the best few of a document.

Tokens are spans of UTF-8 in order of occurrence, as `laconic.kernels.tokens.find_tokens` gives
them; `columns` (int32) is the column of each in a matrix of counts, -1 for a token that has none.
"""

import numpy as np

from laconic.kernels.compile import kernel

FIGURE, BEFORE_FUNCTION, JOINED = 1, 2, 4
"""What stands beside a token: a number, next a function word, next a word of the same phrase."""

_ZERO, _NINE = 48, 57
_HYPHEN, _APOSTROPHE, _SLASH = 45, 39, 47
_BLANK = 32


@kernel
def _gap(text, start, stop):
    """0: punctuation; 1: blanks, hyphens, apostrophes, slashes; 2: blanks or one hyphen only."""
    kind = 2
    for place in range(start, stop):
        byte = text[place]
        if byte == _BLANK or 9 <= byte <= 13 or (byte == _HYPHEN and stop - start == 1):
            continue
        if byte != _HYPHEN and byte != _APOSTROPHE and byte != _SLASH:
            return 0
        kind = 1
    return kind


@kernel
def find_neighbours(text, starts, lengths, token_ends, is_function):
    """FIGURE, BEFORE_FUNCTION and JOINED of each token (uint8).

    is_function : bool per token. No punctuation stands before the function word or the next word of
    a phrase; a number may stand on either side.
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
    """Where the words of each row of counts stand in its text.

    Returns for each entry of the matrix (int32): the index of the word's first token in its
    document, -1 if it has none; and how many of its tokens there are, stand beside a number, and
    stand before a function word.
    """
    places = np.full(n_words, -1, np.int64)
    first = np.full(indices.size, -1, np.int32)
    found = np.zeros(indices.size, np.int32)
    figures = np.zeros(indices.size, np.int32)
    before = np.zeros(indices.size, np.int32)
    start = 0
    for row in range(token_ends.size):
        for entry in range(indptr[row], indptr[row + 1]):
            places[indices[entry]] = entry
        for token in range(start, token_ends[row]):
            entry = places[columns[token]] if columns[token] >= 0 else -1
            if entry < 0:
                continue
            if first[entry] < 0:
                first[entry] = token - start
            found[entry] += 1
            figures[entry] += (flags[token] & FIGURE) != 0
            before[entry] += (flags[token] & BEFORE_FUNCTION) != 0
        for entry in range(indptr[row], indptr[row + 1]):
            places[indices[entry]] = -1
        start = token_ends[row]
    return first, found, figures, before


@kernel
def choose_best(indptr, indices, scores, first, ranks, groups, n):
    """The n entries of each row with the highest scores above zero, best first.

    Equal scores: the earlier token (`first`, int32, -1 comes last), then the lower `ranks` of the
    column. Of columns of one group (int64) only the best is taken.
    Returns the entries (int64, rows x n, -1 where there are no more).
    """
    chosen = np.full((indptr.size - 1, n), -1, np.int64)
    for row in range(indptr.size - 1):
        size = 0
        for entry in range(indptr[row], indptr[row + 1]):
            if not scores[entry] > 0:
                continue
            place = size
            while place > 0:
                other = chosen[row, place - 1]
                if not _precedes(entry, other, indices, scores, first, ranks):
                    break
                place -= 1
            rival = -1
            for other in range(size):
                if groups[indices[chosen[row, other]]] == groups[indices[entry]]:
                    rival = other
            if place >= n or (rival >= 0 and rival < place):
                continue
            last = rival if rival >= 0 else min(size, n - 1)
            for other in range(last, place, -1):
                chosen[row, other] = chosen[row, other - 1]
            chosen[row, place] = entry
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
"""Most words of a phrase."""


@kernel
def list_pairs(columns, token_ends, flags, n_words):
    """Keys a * n_words + b (int64) of all neighbours (a, b) in one phrase, by occurrence."""
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
    """Where a key stands among sorted ones, or -1."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.size and keys[low] == key else -1


@kernel
def _stands(phrase, length, columns, flags, token, stop):
    """Whether the first `length` words of a phrase begin at a token."""
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
    """The word that most often stands after (side 1) or before (-1) a phrase, and how often.

    Only words that are free count and that do so twice, or are a known pair with their neighbour.
    """
    best, most = -1, 0
    for token in range(start, stop):
        if columns[token] != phrase[0]:  # a call takes longer, as numba counts references to arrays
            continue
        word = _word_beside(phrase, length, columns, flags, token, start, stop, side)
        if word < 0 or not is_free[word]:
            continue
        times = 1  # places before this one were counted with the first of their kind
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
    """The word that belongs to a phrase that begins at a token, on one side of it, or -1."""
    if not _stands(phrase, length, columns, flags, token, stop):
        return -1
    place = token + length if side > 0 else token - 1
    link = token + length - 1 if side > 0 else token - 1
    if place < start or place >= stop or not flags[link] & JOINED:
        return -1
    return columns[place]


@kernel
def _grow(phrase, n_found, columns, flags, start, stop, pair_keys, is_free, n_words):
    """Lengthen a phrase of one word as long as half of its places are the longer one's.

    is_free : bool per column, whether a word may still join. Returns length and number of places.
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
        if times == 0 or 2 * times < n_found:
            break
        if times_after >= times_before:
            phrase[length] = after
        else:
            for place in range(length, 0, -1):
                phrase[place] = phrase[place - 1]
            phrase[0] = before
        length, n_found = length + 1, times
    return length, n_found


@kernel
def join_words(chosen, indices, counts, places, columns, token_ends, flags, pair_keys, n_words, n):
    """Phrases in place of the words that they explain.

    chosen : entries of the counts (int64, rows x any, -1 for none), the words of each document,
    best first. places : first token of each entry (int32). columns : -1 also for a word that may
    not be part of a phrase. pair_keys : sorted keys of pairs that are phrases even where they stand
    once; other phrases stand at least twice. A phrase takes the place of its best word when it is
    half of that word's places; its other words go where it is half of theirs.
    Returns, rows x n: the entry of the best word (int64, -1 for none), its words (int32, x LONGEST,
    -1 after the last), how often it stands in the text, and its first token (int32).
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
            length, found = 1, in_row[word]
            if found > 0:
                length, found = _grow(
                    phrase, found, columns, flags, start, stop, pair_keys, is_free, n_words
                )
            heads[row, size] = entry
            times[row, size] = found if length > 1 else counts[entry]
            for place in range(length):
                words[row, size, place] = phrase[place]
                if 2 * found >= in_row[phrase[place]]:
                    is_free[phrase[place]] = False
            is_free[word] = False
            first[row, size] = places[entry]
            for token in range(start, stop if length > 1 else start):
                if columns[token] != phrase[0]:
                    continue
                if _stands(phrase, length, columns, flags, token, stop):
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
