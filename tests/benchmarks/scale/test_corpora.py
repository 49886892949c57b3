"""Tests of the generated corpora: the same documents in every size, and a valid store."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import laconic
from benchmarks.scale import corpora

N_WORDS = 1000


@pytest.fixture(scope="module")
def tables() -> corpora.Mixture:
    return corpora.mixture(N_WORDS)


def test_documents_do_not_depend_on_the_part(tables: corpora.Mixture) -> None:
    lengths = np.array([5, 40, 20, 7])
    whole = corpora.draw_part(0, 0, lengths, tables, N_WORDS)
    part = corpora.draw_part(0, 2, lengths[2:], tables, N_WORDS)
    assert (whole[2:] != part).nnz == 0
    assert np.diff(whole.indptr).tolist() == lengths.tolist()
    assert whole.has_canonical_format
    assert whole.data.min() >= 1


def test_documents_of_another_seed_differ(tables: corpora.Mixture) -> None:
    lengths = np.full(3, 30)
    one, other = (corpora.draw_part(seed, 0, lengths, tables, N_WORDS) for seed in (0, 1))
    assert (one != other).nnz > 0


def test_a_store_written_in_parts_can_be_opened(tables: corpora.Mixture, tmp_path: Path) -> None:
    part = corpora.draw_part(0, 0, np.array([3, 9]), tables, N_WORDS)
    corpora.write_store(tmp_path / "parts", itertools.repeat(part, 3), N_WORDS)
    corpus = laconic.read(tmp_path / "parts", verify=True)
    assert corpus.shape == (6, N_WORDS)
    assert (corpus.counts[2:4] != part).nnz == 0
    assert corpus.vocabulary is not None
    assert len(set(corpus.vocabulary)) == N_WORDS


def test_texts_have_ids_titles_labels_and_80_to_100_words(tmp_path: Path) -> None:
    corpora.write_texts(tmp_path / "texts.jsonl", 3)
    lines = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["d0", "d1", "d2"]
    assert all(80 <= len(line["text"].split()) <= 100 for line in lines)
    assert all(line["label"].startswith("class") and line["title"] for line in lines)
