"""Kernels that find tokens in UTF-8 bytes, replace tokens by identifiers, and count them.

A string is a *span* (start, length) of an array of symbols. For words, the symbols are bytes; for
n-grams, they are word identifiers. Identifiers number the distinct spans in order of first
occurrence. Spans are looked up in an open-addressing hash table, and always compared symbol by
symbol, so that words with equal hashes are not confused.
"""

from typing import NamedTuple

import numpy as np

from laconic.kernels.compile import kernel

SEPARATES, BELONGS, SPOILS = 0, 1, 2
"""Classes of characters.

SEPARATES: the character ends a token. BELONGS: it is part of a token. SPOILS: the run of characters
that contains it is not a token.
"""

# The 32-bit FNV-1a hash is computed in 64-bit integers. Products do not overflow, so the values are
# the same in plain Python.
_SEED = 2166136261
_PRIME = 16777619
_LOW_32_BITS = 0xFFFFFFFF
_FEWEST_SLOTS = 1024
_FREE = -1
_IDENTIFIER_BITS = 31
_BLANK = 32


class Spans(NamedTuple):
    """Spans (substrings) of one array of symbols, with their hashes."""

    symbols: np.ndarray  # uint8 (text) or int32 (word identifiers)
    starts: np.ndarray  # int64
    lengths: np.ndarray  # int64
    hashes: np.ndarray  # int64, with values below 2**32


class Table(NamedTuple):
    """Concatenated distinct spans, and the hash table to look them up.

    A slot stores a hash and an identifier in one number, and each span ends where the next span
    starts. Therefore, a look-up in a large table reads three memory locations instead of five.
    """

    symbols: np.ndarray
    offsets: np.ndarray  # int64; has one more entry than there are spans
    hashes: np.ndarray  # int64
    slots: np.ndarray  # int64; the size is a power of two, and at most half of the slots are used


@kernel
def _mix(hash_, symbol):
    return ((hash_ ^ np.int64(symbol)) * _PRIME) & _LOW_32_BITS


@kernel
def hash_spans(symbols, starts, lengths):
    """Compute the hashes of spans with the given starts and lengths, and return the Spans."""
    hashes = np.empty(starts.size, np.int64)
    for i in range(starts.size):
        hash_ = np.int64(_SEED)
        for position in range(starts[i], starts[i] + lengths[i]):
            hash_ = _mix(hash_, symbols[position])
        hashes[i] = hash_
    return Spans(symbols, starts, lengths, hashes)


@kernel
def _decode(text, position):
    """Return the code point and the width in bytes of the UTF-8 character at a position."""
    first = np.int64(text[position])
    if first < 0x80:
        return first, 1
    second = np.int64(text[position + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second, 2
    third = np.int64(text[position + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third, 3
    fourth = np.int64(text[position + 3]) & 0x3F
    return (first & 0x07) << 18 | second << 12 | third << 6 | fourth, 4


@kernel
def find_tokens(text, text_ends, classes, shortest):
    """Find the tokens of documents, which are runs of BELONGS characters.

    Runs are separated by SEPARATES characters. A run that contains a SPOILS character is dropped.

    text : uint8
        The concatenated UTF-8 bytes of the documents.
    text_ends : int64
        The end of each document in `text`.
    classes : uint8
        The class of each code point: SEPARATES, BELONGS or SPOILS.
    shortest : int
        The minimum number of characters in a token.

    Returns the tokens as Spans in order of occurrence, and the end of each document's tokens
    (int64).
    """
    capacity = (text.size + text_ends.size) // (shortest + 1) + 1
    starts = np.empty(capacity, np.int64)
    lengths = np.empty(capacity, np.int64)
    hashes = np.empty(capacity, np.int64)
    token_ends = np.empty(text_ends.size, np.int64)
    n_tokens, position = 0, np.int64(0)
    for document in range(text_ends.size):
        end = text_ends[document]
        while position < end:
            start, length, kinds, width = position, 0, 0, 1
            hash_ = np.int64(_SEED)
            while position < end:
                byte = text[position]
                if byte < 128:  # ASCII characters, which are common, need no decoding.
                    width = 1
                    kind = classes[byte]
                    if kind == SEPARATES:
                        break
                    hash_ = _mix(hash_, byte)
                else:
                    code, width = _decode(text, position)
                    kind = classes[code]
                    if kind == SEPARATES:
                        break
                    for offset in range(width):
                        hash_ = _mix(hash_, text[position + offset])
                kinds |= kind
                length += 1
                position += width
            if length >= shortest and kinds == BELONGS:
                starts[n_tokens] = start
                lengths[n_tokens] = position - start
                hashes[n_tokens] = hash_
                n_tokens += 1
            if position < end:
                position += width
        token_ends[document] = n_tokens
    spans = Spans(text, starts[:n_tokens], lengths[:n_tokens], hashes[:n_tokens])
    return spans, token_ends


@kernel
def find_ngrams(tokens, token_ends, fewest, most):
    """Find the n-grams of `fewest` to `most` tokens (int32 identifiers) within each document.

    Returns the n-grams as Spans of `tokens`, and the end of each document's n-grams (int64).
    """
    capacity = tokens.size * (most - fewest + 1)
    starts = np.empty(capacity, np.int64)
    lengths = np.empty(capacity, np.int64)
    hashes = np.empty(capacity, np.int64)
    ngram_ends = np.empty_like(token_ends)
    n_ngrams, start = 0, 0
    for document in range(token_ends.size):
        end = token_ends[document]
        for first in range(start, end):
            hash_ = np.int64(_SEED)
            for length in range(1, min(most, end - first) + 1):
                hash_ = _mix(hash_, tokens[first + length - 1])
                if length >= fewest:
                    starts[n_ngrams] = first
                    lengths[n_ngrams] = length
                    hashes[n_ngrams] = hash_
                    n_ngrams += 1
        start = end
        ngram_ends[document] = n_ngrams
    spans = Spans(tokens, starts[:n_ngrams], lengths[:n_ngrams], hashes[:n_ngrams])
    return spans, ngram_ends


@kernel
def make_slots(hashes, fewest):
    """Build at least `fewest` slots that map the given hashes to the identifiers 0, 1, 2, …"""
    size = _FEWEST_SLOTS
    while size < max(fewest, 2 * hashes.size):
        size *= 2
    slots = np.empty(size, np.int64)
    slots[:] = _FREE
    for i in range(hashes.size):
        slot = hashes[i] & (size - 1)
        while slots[slot] != _FREE:
            slot = (slot + 1) & (size - 1)
        slots[slot] = hashes[i] << _IDENTIFIER_BITS | i
    return slots


@kernel
def match(spans, table, n_known, learn):
    """Look up the identifier of each span in a table.

    If `learn` is true, unknown spans are added to the table; otherwise their identifier is -1. The
    table contains n_known spans. Its arrays must have room for the new spans, except the slots,
    which are replaced by a larger array if necessary. Returns the identifiers (int32), the slots
    and the new n_known.
    """
    others, other_starts, other_lengths, other_hashes = spans
    symbols, offsets, hashes, slots = table
    identifiers = np.empty(other_starts.size, np.int32)
    # The look-up is written inside the loop. A separate function for the look-up would take twice
    # as long, because numba counts references to every array that is passed.
    for i in range(other_starts.size):
        other, length, hash_ = other_starts[i], other_lengths[i], other_hashes[i]
        slot = hash_ & (slots.size - 1)
        entry = -1
        while slots[slot] != _FREE:
            if slots[slot] >> _IDENTIFIER_BITS == hash_:
                candidate = slots[slot] & ((1 << _IDENTIFIER_BITS) - 1)
                start = offsets[candidate]
                if offsets[candidate + 1] - start == length:
                    offset = 0
                    while offset < length and symbols[start + offset] == others[other + offset]:
                        offset += 1
                    if offset == length:
                        entry = candidate
                        break
            slot = (slot + 1) & (slots.size - 1)
        if entry < 0 and learn:
            entry = n_known
            slots[slot] = hash_ << _IDENTIFIER_BITS | entry
            hashes[entry] = hash_
            start = offsets[entry]
            for offset in range(length):
                symbols[start + offset] = others[other + offset]
            offsets[entry + 1] = start + length
            n_known += 1
            if 2 * n_known > slots.size:
                slots = make_slots(hashes[:n_known], 2 * slots.size)
        identifiers[i] = entry
    return identifiers, slots, n_known


@kernel
def intern(spans):
    """Return the identifier of each span (int32), and the distinct spans as Spans."""
    n_spans = spans.starts.size
    symbols = np.empty(spans.lengths.sum(), spans.symbols.dtype)
    offsets = np.empty(n_spans + 1, np.int64)
    offsets[0] = 0
    hashes = np.empty(n_spans, np.int64)
    table = Table(symbols, offsets, hashes, make_slots(hashes[:0], n_spans // 2))
    identifiers, _, n_distinct = match(spans, table, np.int64(0), np.bool_(True))
    starts = offsets[:n_distinct].copy()
    lengths = np.empty(n_distinct, np.int64)
    for i in range(n_distinct):  # A difference of arrays would take longer to compile.
        lengths[i] = offsets[i + 1] - starts[i]
    symbols = symbols[: offsets[n_distinct]].copy()
    return identifiers, Spans(symbols, starts, lengths, hashes[:n_distinct].copy())


@kernel
def write_ngrams(ngrams, words):
    """Return n-grams (Spans of word identifiers) as Spans of text, with blanks between words."""
    starts = np.empty_like(ngrams.starts)
    lengths = np.empty_like(ngrams.starts)
    size = 0
    for i in range(starts.size):
        starts[i] = size
        lengths[i] = ngrams.lengths[i] - 1
        for j in range(ngrams.starts[i], ngrams.starts[i] + ngrams.lengths[i]):
            lengths[i] += words.lengths[ngrams.symbols[j]]
        size += lengths[i]
    text = np.empty(size, np.uint8)
    for i in range(starts.size):
        position = starts[i]
        for j in range(ngrams.starts[i], ngrams.starts[i] + ngrams.lengths[i]):
            if j > ngrams.starts[i]:
                text[position] = _BLANK
                position += 1
            word = ngrams.symbols[j]
            for offset in range(words.lengths[word]):
                text[position] = words.symbols[words.starts[word] + offset]
                position += 1
    return hash_spans(text, starts, lengths)


@kernel
def keep_tokens(tokens, token_ends, kept):
    """Remove tokens whose identifier is not kept; `kept` contains a bool per identifier.

    Returns the remaining tokens, and the end of each document in this array.
    """
    remaining = np.empty_like(tokens)
    ends = np.empty_like(token_ends)
    n_remaining, start = 0, 0
    for document in range(token_ends.size):
        for i in range(start, token_ends[document]):
            if kept[tokens[i]]:
                remaining[n_remaining] = tokens[i]
                n_remaining += 1
        start = token_ends[document]
        ends[document] = n_remaining
    return remaining[:n_remaining], ends


@kernel
def count_tokens(tokens, token_ends, n_distinct):
    """Count how often each token occurs in each document.

    Returns the distinct identifiers of each document in order of first occurrence, their counts,
    and the end of each document in these arrays.
    """
    seen = np.zeros(n_distinct, np.int32)
    identifiers = np.empty_like(tokens)
    counts = np.empty_like(tokens)
    ends = np.empty_like(token_ends)
    size, start = 0, 0
    for document in range(token_ends.size):
        first = size
        for i in range(start, token_ends[document]):
            if seen[tokens[i]] == 0:
                identifiers[size] = tokens[i]
                size += 1
            seen[tokens[i]] += 1
        for i in range(first, size):
            counts[i] = seen[identifiers[i]]
            seen[identifiers[i]] = 0
        start = token_ends[document]
        ends[document] = size
    return identifiers[:size].copy(), counts[:size].copy(), ends


@kernel
def prefixes(symbols, starts, ends):
    """Return the first eight bytes of each word as one int64 number.

    Sorting these numbers sorts the words, except for words that are equal in the first eight bytes.
    """
    keys = np.empty(starts.size, np.int64)
    for i in range(starts.size):
        key = np.int64(-128)  # Subtract 128 from the first byte, so that int64 keeps the order.
        for offset in range(8):
            if offset > 0:
                key *= 256
            if offset < ends[i] - starts[i]:
                key += np.int64(symbols[starts[i] + offset])
        keys[i] = key
    return keys
