"""Tests of the search for the best documents, compared with the scores of all documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.retrieval.blending import blend, deviation
from laconic.retrieval.codes import Codes
from laconic.retrieval.ranking import rank

N_TOPICS = 6


def random_codes(draw: np.random.Generator, n_documents: int, signed: bool) -> sp.csr_matrix:
    codes = draw.random((n_documents, N_TOPICS)) - 0.5 * signed
    codes[draw.random(codes.shape) < 0.5] = 0
    return sp.csr_matrix(codes.astype(np.float32))


def random_scores(draw: np.random.Generator, n_documents: int, share: float) -> np.ndarray:
    scores = draw.exponential(size=n_documents).round(2).astype(np.float32)  # some are equal
    return scores * (draw.random(n_documents) < share)


@given(
    seed=st.integers(0, 2**32 - 1),
    weight=st.sampled_from([0.0, 0.01, 0.3, 2.0]),
    share=st.sampled_from([0.0, 0.01, 0.2, 1.0]),
    signed=st.booleans(),
    leave_out=st.booleans(),
    n=st.integers(1, 40),
)
def test_the_best_documents_are_those_of_all_scores(seed, weight, share, signed, leave_out, n):
    draw = np.random.default_rng(seed)
    n_documents = int(draw.integers(1, 4000))
    codes = Codes.of(random_codes(draw, n_documents, signed))
    lexical = random_scores(draw, n_documents, share)
    code = draw.random(N_TOPICS) - 0.5 * signed
    row = int(draw.integers(n_documents)) if leave_out else None
    cosines = codes.cosines(code)
    words = lexical.copy()
    if row is not None:
        words[row] = cosines[row] = 0
    expected = blend(words, cosines, weight, n)
    found = rank(lexical, codes, code, weight, n, row)
    sums, wanted = found.lexical + found.background, expected.lexical + expected.background
    np.testing.assert_allclose(sums, wanted, rtol=1e-5, atol=1e-6)
    # Documents may change places only if their sums are equal up to rounding.
    assert len(set(found.rows.tolist())) == len(expected.rows)
    of_all = words / deviation(words) + weight * cosines / deviation(cosines)
    np.testing.assert_allclose(sums, of_all[found.rows], rtol=1e-5, atol=1e-6)


def test_few_cosines_are_computed(monkeypatch):
    draw = np.random.default_rng(0)
    codes, lexical = Codes.of(random_codes(draw, 20_000, False)), random_scores(draw, 20_000, 0.5)
    code = draw.random(N_TOPICS)
    expected = rank(lexical, codes, code, 0.01, 50)
    monkeypatch.setattr(codes, "cosines", None)  # All cosines are not needed,
    asked = []
    cosines_of = codes.cosines_of
    monkeypatch.setattr(
        codes, "cosines_of", lambda rows, code: asked.append(rows) or cosines_of(rows, code)
    )
    assert rank(lexical, codes, code, 0.01, 50).rows.tolist() == expected.rows.tolist()
    assert sum(map(len, asked)) < 500
    with pytest.raises(TypeError):  # unless the topics decide, or few documents have the words.
        rank(lexical, codes, code, 10.0, 50)
    with pytest.raises(TypeError):
        rank(lexical * (np.arange(20_000) < 60), codes, code, 0.01, 50)


@given(st.integers(0, 2**32 - 1), st.integers(30, 90), st.booleans())
def test_deviation_of_cosines(seed, n_documents, signed):
    draw = np.random.default_rng(seed)
    codes = Codes.of(random_codes(draw, n_documents, signed))
    code = draw.random(N_TOPICS) - 0.5 * signed
    cosines = codes.cosines(code)
    row = int(draw.integers(n_documents))
    for leave_out in (None, row):
        if leave_out is not None:
            cosines[leave_out] = 0
        found = codes.deviation(code, leave_out)
        assert found == pytest.approx(float(cosines.std(dtype=np.float64)), rel=1e-5)


def test_equal_cosines_have_no_deviation():
    codes = Codes.of(sp.csr_matrix(np.ones((90, 3), dtype=np.float32)))
    assert codes.moments is not None
    assert codes.deviation(np.ones(3)) is None
    assert codes.deviation(np.zeros(3)) is codes.deviation(np.zeros(0)) is None


def test_moments_do_not_depend_on_blocks(monkeypatch):
    codes = random_codes(np.random.default_rng(0), 50, True)
    whole = Codes.of(codes).moments
    monkeypatch.setattr("laconic.fitted.code_rows.ENTRIES", 7)
    np.testing.assert_array_equal(Codes.of(codes).moments, whole)
    lengths = sp.linalg.norm(codes, axis=1)
    unit = codes.toarray() / np.where(lengths > 0, lengths, 1)[:, None]
    assert whole.dtype == np.float64
    np.testing.assert_allclose(whole[0], unit.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(whole[1:], unit.T @ unit / 50, atol=1e-6)


def test_codes_of_many_topics_have_no_moments(monkeypatch):
    monkeypatch.setattr("laconic.retrieval.codes.MANY", 2)
    draw = np.random.default_rng(0)
    codes, lexical = Codes.of(random_codes(draw, 20_000, False)), random_scores(draw, 20_000, 0.5)
    code: Any = draw.random(N_TOPICS)
    assert codes.moments is None
    assert codes.deviation(code) is None
    expected = blend(lexical, codes.cosines(code), 0.01, 50)
    assert rank(lexical, codes, code, 0.01, 50).rows.tolist() == expected.rows.tolist()


def test_few_codes_of_many_topics_have_no_moments():
    """They would take more space than the codes."""
    assert Codes.of(sp.csr_matrix(np.eye(5, 6, dtype=np.float32))).moments is None
