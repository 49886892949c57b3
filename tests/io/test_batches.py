"""Tests of reading in batches: all documents, spread or in order, with the same words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic import Corpus
from laconic.io import read_batches
from laconic.io.batches import STRIPS, spread_rows
from tests.messages import refused

COUNT_ALL = {"stop_words": None, "min_df": 1, "max_df": 1.0}


def write_texts(path: Path, n: int) -> Path:
    texts = [f"word{number % 7} more{number % 3}" for number in range(n)]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    counts = np.eye(500, 30, dtype=int) + np.arange(500)[:, None] % 2
    return Corpus(counts, [f"w{number}" for number in range(30)]).save(tmp_path / "posts.corpus")


@pytest.mark.parametrize(("n_rows", "n_batches"), [(1, 1), (7, 3), (1000, 4), (997, 2), (130, 2)])
def test_every_row_is_in_one_batch(n_rows: int, n_batches: int) -> None:
    batches = [spread_rows(n_rows, n_batches, number) for number in range(n_batches)]
    assert sorted(np.concatenate(batches).tolist()) == list(range(n_rows))


def test_a_batch_comes_from_all_over_the_corpus() -> None:
    rows = spread_rows(100_000, 10, 3)
    assert np.count_nonzero(np.diff(rows) > 1) >= STRIPS - 1
    shares = np.histogram(rows, bins=10, range=(0, 100_000))[0] / len(rows)
    assert shares.min() > 0.08


def test_batches_of_a_store_are_its_documents_in_an_order_of_the_seed(store: Path) -> None:
    corpus = laconic.read(store)
    ids = []
    for batch in read_batches(store, 120, random_state=1):
        assert batch.path is None
        assert batch.ids is not None
        rows = batch.ids.astype(int)
        assert (batch.counts != corpus.counts[rows]).nnz == 0
        ids.append(rows.tolist())
    assert sorted(row for rows in ids for row in rows) == list(range(500))
    again = [batch.ids.astype(int).tolist() for batch in read_batches(corpus, 120, random_state=1)]
    other = [batch.ids.astype(int).tolist() for batch in read_batches(store, 120, random_state=2)]
    assert ids == again
    assert ids != other
    assert sorted(ids) == sorted(other)


def test_texts_are_read_in_order_and_only_as_far_as_needed(tmp_path: Path) -> None:
    path = write_texts(tmp_path / "posts.jsonl", 250)
    with path.open("a") as file:
        file.write("not JSON\n")
    batches = read_batches(path, 110, **COUNT_ALL)
    assert [len(next(batches)), len(next(batches))] == [110, 110]
    with refused("posts.jsonl", "line 251"):
        next(batches)


def test_the_first_batch_determines_the_words(tmp_path: Path) -> None:
    path = write_texts(tmp_path / "posts.jsonl", 20)
    first, second, last = read_batches(path, 8, **COUNT_ALL)
    assert first.vocabulary is not None
    assert first.vocabulary.tolist() == second.vocabulary.tolist()
    assert (len(first), len(second), len(last)) == (8, 8, 4)
    whole = laconic.read(path, **COUNT_ALL)
    np.testing.assert_array_equal(second.counts.toarray(), whole.counts[8:16].toarray())
    short, *others = read_batches(path, 2, **COUNT_ALL)
    assert all(batch.shape[1] == short.shape[1] == 4 for batch in others)
    named = read_batches(path, 2, vocabulary=["word6", "more0"])
    assert all(batch.vocabulary.tolist() == ["word6", "more0"] for batch in named)


def test_several_files_and_bags_of_words(tmp_path: Path) -> None:
    paths = [write_texts(tmp_path / f"{number}.jsonl", 5) for number in range(2)]
    assert [len(batch) for batch in read_batches(paths, 4, **COUNT_ALL)] == [4, 4, 2]
    bag = tmp_path / "bag.svm"
    bag.write_text("0 1:2 3:1\n0 2:1\n0 1:1\n")
    assert sum(len(batch) for batch in read_batches(bag, 2)) == 3


def test_what_cannot_be_read_in_batches_is_refused(tmp_path: Path) -> None:
    with refused("n_documents=0"):
        read_batches(["one"], 0)
    with refused("nothing.jsonl"):
        list(read_batches(tmp_path / "nothing.jsonl"))
    (tmp_path / "empty.jsonl").write_text("")
    with refused("empty.jsonl"):
        list(read_batches(tmp_path / "empty.jsonl"))
