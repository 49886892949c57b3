"""Tests of the sums over documents, which are collected block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted import document_sums
from laconic.fitted.document_sums import block_totals, sum_documents, top_of_topic
from laconic.fitted.documents import Documents
from laconic.fitted.groups import group_documents
from laconic.fitted.support import support_over
from laconic.metrics import effective_documents


def make_codes(share: float, signed: bool = False, n: int = 400, k: int = 6) -> sp.csr_matrix:
    draw = np.random.default_rng(3)
    table = draw.gamma(0.5, size=(n, k)) * (draw.random((n, k)) < share)
    table[7] = 0  # a document without topics
    table[20:30] = table[19]  # equally strong documents
    if signed:
        table *= draw.choice([-1, 1], size=(n, k))
    return sp.csr_matrix(table, dtype=np.float32)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_sums, "ROWS", 64)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_sums_are_those_of_all_codes_at_once(share: float, signed: bool) -> None:
    codes = make_codes(share, signed)
    sums = sum_documents(Documents(codes))
    assert sums.n_weights == codes.nnz
    assert sums.n_documents.tolist() == (codes > 0).sum(axis=0).A1.tolist()
    np.testing.assert_allclose(sums.support, effective_documents(codes), rtol=1e-12)
    np.testing.assert_allclose(support_over(Documents(codes)), sums.support, rtol=1e-12)
    shares = codes.toarray() / np.maximum(block_totals(codes), 1e-300)[:, None]
    np.testing.assert_allclose(sums.correlations, np.corrcoef(shares.T), atol=1e-6)


@pytest.mark.parametrize("n", [1, 5, 40, 1_000])
def test_the_top_documents_are_the_strongest_then_the_first(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_sums, "TOP", n)
    codes = make_codes(0.6)
    documents, totals = Documents(codes), block_totals(codes)
    sums = sum_documents(documents)
    for topic in range(codes.shape[1]):
        weights = codes[:, [topic]].toarray().ravel().astype(float)
        strengths = weights * (weights / np.where(totals > 0, totals, 1))
        order = np.lexsort((np.arange(len(weights)), -strengths))
        expected = order[strengths[order] > 0][:n].tolist()
        assert sums.top[topic].rows.tolist() == expected
        assert top_of_topic(documents, topic, n).rows.tolist() == expected
    assert len(top_of_topic(documents, 2).rows) == sums.n_documents[2]


def test_only_one_block_and_the_top_documents_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(Documents):
        largest = 0

        def block(self, start: int, stop: int) -> Any:
            Watched.largest = max(Watched.largest, stop - start)
            return super().block(start, stop)

    held = []
    add = document_sums._Top.add
    monkeypatch.setattr(
        document_sums._Top, "add", lambda self, *args: (add(self, *args), held.append(self._size))
    )
    monkeypatch.setattr(document_sums, "TOP", 10)
    codes = make_codes(0.6, n=4_000)
    documents = Watched(codes)
    documents.labels = None
    sum_documents(documents)
    assert Watched.largest == 64
    assert max(held) <= 2 * 10 * 6


def test_many_topics_are_correlated_over_evenly_spaced_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = make_codes(0.6)
    monkeypatch.setattr(document_sums, "LEAST", 100)
    monkeypatch.setattr(document_sums, "OPERATIONS", 1)
    found = sum_documents(Documents(codes)).correlations
    monkeypatch.undo()
    np.testing.assert_array_equal(found, sum_documents(Documents(codes[::4])).correlations)


def test_no_documents_and_damaged_codes() -> None:
    sums = sum_documents(Documents(sp.csr_matrix((0, 3), dtype=np.float32)))
    assert sums.n_documents.tolist() == [0, 0, 0]
    assert [len(top.rows) for top in sums.top] == [0, 0, 0]
    with pytest.raises(LaconicError, match="finite"):
        sum_documents(Documents(sp.csr_matrix([[np.inf, 1.0]], dtype=np.float32)))


def test_shares_of_groups_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from laconic.fitted.documents import Names

    documents = Documents(make_codes(0.3), labels=Names.of(["a", "b", "", "c"] * 100))
    groups = group_documents(documents)
    assert groups is not None
    blocks = groups.shares(documents)
    monkeypatch.setattr(document_sums, "ROWS", 1_000)
    np.testing.assert_allclose(blocks, groups.shares(documents), rtol=1e-12)
