"""Tests of ``laconic transform``: it writes the same codes in every format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import laconic
from tests.cli.running import Run, documents, mentions


@pytest.fixture
def codes(model: Path) -> np.ndarray:
    texts = [document["body"] for document in documents()]
    return laconic.load(model).transform(texts).toarray()


def matrix(table: pl.DataFrame, shape: tuple[int, int]) -> np.ndarray:
    """Convert the table to a matrix whose rows are in the order of the ids."""
    assert table.columns == ["id", "topic", "weight"]
    rows = [int(name.removeprefix("d")) for name in table["id"].cast(pl.String)]
    dense = np.zeros(shape, np.float32)
    dense[rows, table["topic"].to_list()] = table["weight"].to_numpy()
    return dense


def test_tables(run: Run, model: Path, posts: Path, codes: np.ndarray) -> None:
    for name in ("codes.csv", "codes.parquet", "CODES.CSV.GZ"):
        result = run("transform", model, posts, "--text", "body", "-o", name)
        mentions(result, f"Wrote {name} (")
    assert np.array_equal(matrix(pl.read_parquet("codes.parquet"), codes.shape), codes)
    assert np.allclose(matrix(pl.read_csv("codes.csv"), codes.shape), codes)
    with gzip.open("CODES.CSV.GZ") as zipped:
        assert zipped.read() == Path("codes.csv").read_bytes()
    assert not list(Path().glob(".*"))


def test_npz(run: Run, model: Path, posts: Path, codes: np.ndarray) -> None:
    run("transform", model, posts, "--text", "body", "-o", "codes.npz")
    assert np.array_equal(sp.load_npz("codes.npz").toarray(), codes)
    assert np.load("codes.npz")["ids"].tolist() == [f"d{i}" for i in range(60)]


def test_top_keeps_the_strongest(run: Run, model: Path) -> None:
    Path("a.txt").write_text("cat cat cat sail\n\nflour cat sail sail\n")
    everything = run("transform", model, "a.txt").stdout.splitlines()
    assert everything[0] == "id,topic,weight"
    top = run("transform", model, "a.txt", "--top", 1)
    firsts = {}
    for line in everything[1:]:
        firsts.setdefault(line.split(",")[0], line)
    assert top.stdout.splitlines()[1:] == list(firsts.values())
    assert set(firsts) == {"0", "2"}
    mentions(top, "laconic: 1 of 3 documents", "no topic")
    run("transform", model, "a.txt", "--top", 1, "-o", "top.npz")
    assert sp.load_npz("top.npz").getnnz(axis=1).tolist() == [1, 0, 1]


def test_counts_are_matched_by_word(run: Run, model: Path, posts: Path, codes: np.ndarray) -> None:
    run("convert", posts, "-o", "posts.mtx", "--text", "body", "--max-features", 28)
    run("transform", model, "posts.mtx", "-o", "codes.parquet")
    ids = pl.read_parquet("codes.parquet")["id"]
    assert ids.dtype == pl.Int64
    run("convert", posts, "-o", "posts.corpus", "--text", "body")
    run("transform", model, "posts.corpus", "-o", "same.parquet")
    assert np.array_equal(matrix(pl.read_parquet("same.parquet"), codes.shape), codes)


def test_no_document_with_a_topic(run: Run, model: Path) -> None:
    Path("a.txt").write_text("zebra\nquagga\n")
    run("transform", model, "a.txt", "-o", "codes.parquet")
    assert pl.read_parquet("codes.parquet").shape == (0, 3)
    assert run("transform", model, "a.txt").stdout == "id,topic,weight\n"


def test_raw_text_from_standard_input(run: Run, model: Path) -> None:
    done = run("transform", model, "-", input="the cat and her kitten\n")
    assert done.stdout.startswith("id,topic,weight\n0,")
    assert done.stderr == ""


def test_json(run: Run, model: Path, posts: Path) -> None:
    arguments = ("transform", model, posts, "--text", "body", "--json")
    facts = json.loads(run(*arguments, "-o", "c.csv").stdout)
    assert list(facts) == ["documents", "topics", "nonzeros", "documents_without_topic", "output"]
    mentions(run(*arguments, status=2), "--json", "-o FILE")


def test_an_output_that_exists_is_refused_before_the_work(run: Run, model: Path) -> None:
    Path("codes.csv").write_text("precious")
    result = run("transform", model, "no such input", "-o", "codes.csv", status=1)
    mentions(result, "laconic: error: codes.csv: ", "exists", "--force")
    assert result.stderr.count("\n") == 1
    assert Path("codes.csv").read_text(encoding="utf-8") == "precious"
    Path("a.txt").write_text("cat\n")
    run("transform", model, "a.txt", "-o", "codes.csv", "--force")
    assert Path("codes.csv").read_text(encoding="utf-8").startswith("id,topic,weight\n0,")


def test_outputs_that_cannot_be(run: Run, model: Path) -> None:
    Path("folder.csv").mkdir()
    cases = {
        "codes.xlsx": (2, "'codes.xlsx'", ".csv, .csv.gz, .parquet, .npz"),
        "folder.csv": (1, "error: folder.csv: ", "folder"),
        "no/codes.csv": (1, "error: no/codes.csv: ", "does not exist"),
    }
    for name, (status, *parts) in cases.items():
        result = run("transform", model, "a.txt", "-o", name, "--force", status=status)
        mentions(result, *parts)


def test_a_failure_leaves_no_file(run: Run, model: Path) -> None:
    Path("codes.csv").write_text("precious")
    result = run("transform", model, "gone.txt", "-o", "codes.csv", "--force", status=1)
    mentions(result, "error: gone.txt: ", "no such file")
    assert [path.name for path in Path().iterdir()] == ["codes.csv"]
    assert Path("codes.csv").read_text(encoding="utf-8") == "precious"
