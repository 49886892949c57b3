"""Tests of the kernels that split and count words, compared with plain Python strings."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.kernels import tokens as kernels
from laconic.text.counting import as_spans, encode, make_table, run_classes

# Few letters, so that words repeat. They take one to four bytes in UTF-8; two letters have no case,
# and one is a combining mark.
LETTERS = "ab1_ -'äßİж中\u0301𝔸😀"
texts = st.lists(st.text(LETTERS, max_size=30), max_size=6)
words = st.lists(st.text(LETTERS, max_size=4), max_size=40)


def strings(spans):
    """Return the spans as Python strings."""
    pairs = zip(spans.starts.tolist(), spans.lengths.tolist(), strict=True)
    letters = spans.symbols.tobytes()
    return [letters[start : start + length].decode() for start, length in pairs]


def per_document(items, ends):
    """Split the items into one list for each document."""
    return [list(part) for part in np.split(np.asarray(items, dtype=object), ends)[: len(ends)]]


@given(texts, st.sampled_from([r"\w+", r"\b\w\w+\b", r"[a-c]+", r"\b[a-zäж]{2,}\b", r"[^ ]{3,}"]))
@settings(deadline=None, max_examples=60)
def test_find_tokens_is_findall(documents, pattern):
    spans, ends = kernels.find_tokens(*encode(documents), *run_classes(pattern))
    expected = [re.findall(pattern, document) for document in documents]
    assert per_document(strings(spans), ends) == expected


@given(words)
@settings(deadline=None, max_examples=60)
def test_intern_numbers_distinct_words_by_first_occurrence(given_words):
    numbers = {}
    expected = [numbers.setdefault(word, len(numbers)) for word in given_words]
    identifiers, distinct = kernels.intern(as_spans(given_words))
    assert identifiers.tolist() == expected
    assert strings(distinct) == list(numbers)
    assert distinct.hashes.tolist() == as_spans(numbers).hashes.tolist()


@given(words, words)
@settings(deadline=None, max_examples=60)
def test_match_finds_known_words_only(known, given_words):
    known = sorted(set(known))
    found, _, n_known = kernels.match(as_spans(given_words), make_table(known), len(known), False)
    assert n_known == len(known)
    assert found.tolist() == [known.index(word) if word in known else -1 for word in given_words]


def test_equal_hashes_do_not_make_words_equal():
    spans = as_spans(["cat", "dog", "cat", "do"])
    spans.hashes[:] = 7
    identifiers, distinct = kernels.intern(spans)
    assert identifiers.tolist() == [0, 1, 0, 2]
    assert strings(distinct) == ["cat", "dog", "do"]


def test_the_table_grows_beyond_its_first_slots():
    many = [str(n) for n in range(1500)]
    identifiers, distinct = kernels.intern(as_spans(many + many))
    assert identifiers.tolist() == [*range(1500), *range(1500)]
    assert strings(distinct) == many
    slots = make_table(many).slots
    assert len(slots) >= 2 * len(many)
    assert len(slots) & (len(slots) - 1) == 0


@given(
    st.lists(st.lists(st.sampled_from(["a", "bc", "ä", "a b"]), max_size=7), max_size=4),
    st.integers(1, 3),
    st.integers(0, 2),
)
@settings(deadline=None, max_examples=60)
def test_ngrams_are_joined_neighbours(documents, fewest, extra):
    most = fewest + extra
    tokens, distinct = kernels.intern(as_spans([word for words in documents for word in words]))
    ends = np.cumsum([len(words) for words in documents], dtype=np.int64)
    spans, ngram_ends = kernels.find_ngrams(tokens, ends, fewest, most)
    spelt = strings(kernels.write_ngrams(spans, distinct))
    expected = [
        Counter(
            " ".join(words[i : i + n])
            for n in range(fewest, most + 1)
            for i in range(len(words) - n + 1)
        )
        for words in documents
    ]
    assert [Counter(ngrams) for ngrams in per_document(spelt, ngram_ends)] == expected


@given(st.lists(st.lists(st.integers(0, 5), max_size=12), max_size=5))
@settings(deadline=None, max_examples=60)
def test_keep_and_count_tokens(documents):
    tokens = np.array([token for document in documents for token in document], dtype=np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    tokens, ends = kernels.keep_tokens(tokens, ends, np.arange(6) % 2 == 0)
    identifiers, counts, ends = kernels.count_tokens(tokens, ends, 6)
    starts = [0, *ends[:-1]]
    counted = [
        list(zip(identifiers[start:end].tolist(), counts[start:end].tolist(), strict=True))
        for start, end in zip(starts, ends, strict=False)
    ]
    kept = [[token for token in document if token % 2 == 0] for document in documents]
    assert counted == [list(Counter(document).items()) for document in kept]


@given(st.lists(st.text(LETTERS + "\0\U0010ffff", max_size=10), min_size=1, max_size=30))
@settings(deadline=None, max_examples=60)
def test_prefixes_never_contradict_the_order_of_words(given_words):
    spans = as_spans(given_words)
    keys = kernels.prefixes(spans.symbols, spans.starts, spans.starts + spans.lengths)
    ranked = [keys[given_words.index(word)] for word in sorted(given_words)]
    assert ranked == sorted(ranked)


@pytest.mark.parametrize("code_point", [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xFFFF, 0x10FFFF])
def test_every_width_of_character(code_point):
    character = chr(code_point)
    classes = np.zeros(0x110000, dtype=np.uint8)
    classes[code_point] = kernels.BELONGS
    spans, ends = kernels.find_tokens(*encode([f"é{character}{character}é"]), classes, 2)
    assert spans.symbols[spans.starts[0] :][: spans.lengths[0]].tobytes() == (
        (character * 2).encode("utf-8", "surrogatepass")
    )
    assert ends.tolist() == [1]
