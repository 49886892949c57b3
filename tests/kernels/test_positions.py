"""Tests of the kernels of `laconic.keywords`, compared with slow and simple versions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels import positions
from laconic.keyphrases.evidence import Tokenizer, find_occurrences
from laconic.text.vectorizer import Vectorizer

SETTINGS = Vectorizer(stop_words=["of", "the"]).get_params()
WORDS = ["cat", "dog", "emu"]
FIGURE, FUNCTION, JOINED = positions.FIGURE, positions.BEFORE_FUNCTION, positions.JOINED


def flags_of(text: str) -> list[int]:
    return Tokenizer(WORDS, SETTINGS)([text]).flags.tolist()


def test_what_stands_beside_a_word() -> None:
    assert flags_of("cat dog") == [JOINED, 0]
    assert flags_of("cat, dog. emu") == [0, 0, 0]
    assert flags_of("cat-dog\n emu") == [JOINED, JOINED, 0]
    assert flags_of("cat the dog") == [FUNCTION | JOINED, JOINED, 0]
    assert flags_of("cat, the dog") == [0, JOINED, 0]
    assert flags_of("dog's of") == [0, FUNCTION | JOINED, 0]
    assert flags_of("7 cat, dog (12)") == [JOINED, FIGURE, FIGURE, 0]


def test_a_text_does_not_see_the_next_one() -> None:
    tokens = Tokenizer(WORDS, SETTINGS)(["the cat", "", "12 the dog"])
    assert tokens.ends.tolist() == [2, 2, 5]
    assert tokens.columns.tolist() == [-1, 0, -1, -1, 1]
    assert tokens.flags.tolist() == [JOINED, 0, FUNCTION | JOINED, FIGURE | JOINED, 0]


def test_words_of_any_script() -> None:
    tokens = Tokenizer(["ärger", "über"], SETTINGS)(["Ärger — über 3 ärger"])
    assert tokens.columns.tolist() == [0, 1, -1, 0]
    assert tokens.flags.tolist() == [0, FIGURE | JOINED, JOINED, FIGURE]


texts_of_letters = st.lists(st.lists(st.sampled_from("abcd"), max_size=12), min_size=1, max_size=6)


@given(texts_of_letters)
def test_places_are_those_of_a_loop(texts: list[list[str]]) -> None:
    tokens = Tokenizer("abc", SETTINGS)([" ".join(text) for text in texts])
    counts = [[text.count(letter) for letter in "abc"] for text in texts]
    X = sp.csr_matrix(counts)
    places = find_occurrences(X, tokens)
    expected = [text.index(letter) for text in texts for letter in "abc" if letter in text]
    assert places.first.tolist() == expected


def test_a_counted_word_that_is_not_in_the_text() -> None:
    tokens = Tokenizer(WORDS, SETTINGS)(["cat"])
    places = find_occurrences(sp.csr_matrix([[1, 2, 0]]), tokens)
    assert places.first.tolist() == [0, -1]
    assert places.figures.tolist() == [0, 0]


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 1.5, 2.0]), min_size=6, max_size=6), min_size=1),
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
    st.lists(st.integers(-1, 3), min_size=6, max_size=6),
    st.integers(1, 7),
)
def test_the_best_are_those_of_a_sort(
    rows: list[list[float]], groups: list[int], first: list[int], n: int
) -> None:
    scores = np.array(rows).ravel()
    indices = np.tile(np.arange(6, dtype=np.int32), len(rows))
    indptr = np.arange(0, 6 * len(rows) + 1, 6)
    places = np.tile(np.array(first, np.int32), len(rows))
    ranks, kinds = np.arange(6)[::-1].copy(), np.array(groups)
    chosen = positions.choose_best(indptr, indices, scores, places, ranks, kinds, n)
    for row, values in enumerate(rows):
        order = sorted(
            (j for j in range(6) if values[j] > 0),
            key=lambda j: (-values[j], first[j] if first[j] >= 0 else 9, ranks[j]),
        )
        best: list[int] = []
        for j in order:
            if groups[j] not in [groups[k] for k in best]:
                best.append(j)
        found = [entry - 6 * row for entry in chosen[row].tolist() if entry >= 0]
        assert found == best[:n]


@given(texts_of_letters)
def test_pairs_are_those_of_a_loop(texts: list[list[str]]) -> None:
    tokens = Tokenizer("abc", SETTINGS)([" ".join(text) for text in texts])
    keys = positions.list_pairs(tokens.columns, tokens.ends, tokens.flags, 3)
    expected = [
        3 * "abc".index(one) + "abc".index(other)
        for text in texts
        for one, other in pairwise(text)
        if "d" not in (one, other)
    ]
    assert keys.tolist() == expected


@given(st.lists(st.integers(0, 50), unique=True), st.integers(0, 50))
def test_find_key(keys: list[int], key: int) -> None:
    place = positions.find_key(np.array(sorted(keys), np.int64), key)
    assert place == (sorted(keys).index(key) if key in keys else -1)


@given(texts_of_letters, st.integers(1, 4))
def test_phrases_stand_in_the_text_as_often_as_said(texts: list[list[str]], n: int) -> None:
    tokens = Tokenizer("abcd", SETTINGS)([" ".join(text) for text in texts])
    X = sp.csr_matrix([[text.count(letter) for letter in "abcd"] for text in texts])
    places = find_occurrences(X, tokens)
    every = np.full((len(texts), 4), -1, np.int64)
    for row in range(len(texts)):
        every[row, : X.indptr[row + 1] - X.indptr[row]] = range(X.indptr[row], X.indptr[row + 1])
    heads, words, times, first = positions.join_words(
        every, X.indices, X.data, places.first, *tokens, np.zeros(0, np.int64), 4, n
    )
    for row, text in enumerate(texts):
        spelt = "".join(text)
        for k in range(n):
            if heads[row, k] < 0:
                continue
            phrase = "".join("abcd"[j] for j in words[row, k] if j >= 0)
            starts = [i for i in range(len(spelt)) if spelt.startswith(phrase, i)]
            assert "abcd"[X.indices[heads[row, k]]] in phrase
            assert first[row, k] == starts[0]
            assert times[row, k] == len(starts)
            assert len(phrase) == 1 or times[row, k] >= 2
        counted = Counter(tuple(map(int, line)) for line in words[row] if line[0] >= 0)
        assert not counted or max(counted.values()) == 1
