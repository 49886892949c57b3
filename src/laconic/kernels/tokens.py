"""Text as UTF-8 bytes → tokens → identifiers → counts.

A string is a *span* (start, length) of an array of symbols: bytes for words, word identifiers for
n-grams. Identifiers number distinct spans by their first occurrence. They are found through an
open-addressing hash table and always compared symbol by symbol: two words never become one because
their hashes agree.
"""

from typing import NamedTuple

import numpy as np

from laconic.kernels.compile import kernel

SEPARATES, BELONGS, SPOILS = 0, 1, 2
"""What a character does: ends a token, is part of it, or makes the whole run no token."""

# FNV-1a with 32 bits in 64-bit integers: no product overflows, so plain Python gives the same bits.
_SEED = 2166136261
_PRIME = 16777619
_LOW_32_BITS = 0xFFFFFFFF
_FEWEST_SLOTS = 1024
_FREE = -1
_IDENTIFIER_BITS = 31
_BLANK = 32


class Spans(NamedTuple):
    """Pieces of one array of symbols."""

    symbols: np.ndarray  # uint8 (text) or int32 (word identifiers)
    starts: np.ndarray  # int64
    lengths: np.ndarray  # int64
    hashes: np.ndarray  # int64, below 2**32


class Table(NamedTuple):
    """Distinct spans one after the other, and the hash table that finds them.

    A slot holds hash and identifier in one number, and a span ends where the next one starts, so
    that a look-up in a large table waits for three places in memory, not for five.
    """

    symbols: np.ndarray
    offsets: np.ndarray  # int64, one more than spans
    hashes: np.ndarray  # int64
    slots: np.ndarray  # int64, a power of two of them, at most half in use


@kernel
def _mix(hash_, symbol):
    return ((hash_ ^ np.int64(symbol)) * _PRIME) & _LOW_32_BITS


@kernel
def hash_spans(symbols, starts, lengths):
    """Spans of the given starts and lengths, with their hashes."""
    hashes = np.empty(starts.size, np.int64)
    for i in range(starts.size):
        hash_ = np.int64(_SEED)
        for position in range(starts[i], starts[i] + lengths[i]):
            hash_ = _mix(hash_, symbols[position])
        hashes[i] = hash_
    return Spans(symbols, starts, lengths, hashes)


@kernel
def _decode(text, position):
    """Code point and width in bytes of the UTF-8 character at a position."""
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
    """Tokens of documents: maximal runs of characters that belong, none of which spoils.

    text : uint8, the documents' UTF-8 one after the other; text_ends : int64, where each ends.
    classes : uint8 per code point (SEPARATES, BELONGS, SPOILS); shortest : fewest characters.
    Returns the Spans in order of occurrence, and where each document's tokens end (int64).
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
                if byte < 128:  # nearly always: spared the decoding and the loop over bytes
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
    """Runs of `fewest` to `most` neighbouring tokens (int32 identifiers) within each document.

    Returns the Spans of the tokens, and where each document's n-grams end (int64).
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
    """Slots, `fewest` or more, that hold 0, 1, 2, … for the given hashes."""
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
    """Identifier of each span in the table; a new one is entered, or, unless `learn`, gets -1.

    The table has n_known spans, and room for the new ones in all but its slots.
    Returns the identifiers (int32), the slots and n_known afterwards.
    """
    others, other_starts, other_lengths, other_hashes = spans
    symbols, offsets, hashes, slots = table
    found = np.empty(other_starts.size, np.int32)
    # The look-up is written out here: as a function it takes twice the time, because numba counts
    # references to every array that it passes.
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
        found[i] = entry
    return found, slots, n_known


@kernel
def intern(spans):
    """Identifier of each span (int32), and the distinct Spans."""
    n_spans = spans.starts.size
    symbols = np.empty(spans.lengths.sum(), spans.symbols.dtype)
    offsets = np.empty(n_spans + 1, np.int64)
    offsets[0] = 0
    hashes = np.empty(n_spans, np.int64)
    table = Table(symbols, offsets, hashes, make_slots(hashes[:0], n_spans // 2))
    identifiers, _, n_distinct = match(spans, table, np.int64(0), np.bool_(True))
    starts = offsets[:n_distinct].copy()
    lengths = np.empty(n_distinct, np.int64)
    for i in range(n_distinct):  # numba would parse a difference of arrays, and compile it twice
        lengths[i] = offsets[i + 1] - starts[i]
    symbols = symbols[: offsets[n_distinct]].copy()
    return identifiers, Spans(symbols, starts, lengths, hashes[:n_distinct].copy())


@kernel
def write_ngrams(ngrams, words):
    """N-grams (Spans of word identifiers) spelt out as Spans of text, words joined by a blank."""
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
    """The tokens whose identifier is kept (bool per identifier), and their documents' ends."""
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
    """Counts of each document: identifiers by first occurrence, counts, documents' ends."""
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
    """First eight bytes of each word as one number (int64): numbers sort almost as words do."""
    keys = np.empty(starts.size, np.int64)
    for i in range(starts.size):
        key = np.int64(-128)  # the first byte less 128: the order stays, and eight bytes fit
        for offset in range(8):
            if offset > 0:
                key *= 256
            if offset < ends[i] - starts[i]:
                key += np.int64(symbols[starts[i] + offset])
        keys[i] = key
    return keys
