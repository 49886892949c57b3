"""Tests with input that nobody wrote by hand: mutated, absurd or made to fill the memory."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import laconic
from fuzz.mutation import mutated
from fuzz.targets import BY_NAME, FOUND, SEEDS, TARGETS
from laconic.errors import LaconicError, ReadError
from laconic.io import source, workbooks
from tests.messages import refused

SLOW = ("h5ad", "model", "excel")
QUICK = settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("name", [target.name for target in TARGETS if target.name not in SLOW])
@QUICK
@given(number=st.integers(0, 2**32 - 1))
def test_mutated_files_are_read_or_refused(name: str, number: int, tmp_path: Path) -> None:
    target = BY_NAME[name]
    data = mutated(target.seeds(), target.dictionary, random.Random(number))
    target.run(data, target.prepare(tmp_path))


@pytest.mark.parametrize("name", ["lines", "csv", "jsonl", "uci", "ldac", "svmlight", "gmt"])
@QUICK
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode()))
def test_any_bytes_are_read_or_refused(name: str, data: bytes, tmp_path: Path) -> None:
    target = BY_NAME[name]
    target.run(data, target.prepare(tmp_path))


@QUICK
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=[]), max_size=30), min_size=1))
def test_any_text_is_counted_or_refused(texts: list[str]) -> None:
    try:
        corpus = laconic.read(texts, stop_words=None, n_jobs=1)
    except LaconicError:
        return
    assert len(corpus) == len(texts)


@pytest.mark.parametrize(
    "path", sorted(FOUND.rglob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_inputs_that_once_failed(path: Path, tmp_path: Path) -> None:
    if path.parent.name in ("h5ad", "excel"):
        pytest.importorskip({"h5ad": "anndata", "excel": "fastexcel"}[path.parent.name])
    target = BY_NAME[path.parent.name]
    target.run(path.read_bytes(), target.prepare(tmp_path))


MARKET = "%%MatrixMarket matrix coordinate real general\n"
HUGE = 10**17
ABSURD = {
    "mtx rows": ("a.mtx", f"{MARKET}{HUGE} 2 1\n1 1 1\n", ("rows", "2,147,483,647")),
    "mtx empty rows": ("a.mtx", f"{MARKET}2000000000 2 1\n1 1 1\n", ("rows", "1 entries")),
    "mtx entries": ("a.mtx", f"{MARKET}2 2 {HUGE}\n1 1 1\n", ("entries", "bytes")),
    "mtx array": ("a.mtx", MARKET.replace("coordinate", "array") + "99999 99999\n1\n", ("bytes",)),
    "mtx size": ("a.mtx", f"{MARKET}-1 2 1\n1 1 1\n", ("'-1 2 1'",)),
    "mtx digits": ("a.mtx", f"{MARKET}{'9' * 10**5} 2 1\n1 1 1\n", ("expected 3 numbers",)),
    "uci documents": ("docword.a.txt", f"{HUGE}\n2\n1\n1 1 1\n", ("documents", "at most")),
    "uci words": ("docword.a.txt", "2\n2000000000\n1\n1 1 1\n", ("words", "1 entries")),
    "uci digits": ("docword.a.txt", f"{'9' * 10**5}\n2\n1\n1 1 1\n", ("number of documents",)),
    "svmlight column": ("a.svm", f"0 {HUGE}:1\n", ("column", "2,147,483,647")),
    "svmlight digits": ("a.svm", f"0 {'9' * 10**5}:1\n", ("expected column:count",)),
    "ldac column": ("a.ldac", f"1 {HUGE}:1\n", ("column", "2,147,483,647")),
    "deep json": ("a.json", "[" * 10**6, ("invalid JSON",)),
    "deep jsonl": ("a.jsonl", '{"text":' + "[" * 10**6 + "\n", ("invalid JSON",)),
    "json digits": ("a.jsonl", '{"text": "a cat", "id": ' + "9" * 10**5 + "}\n", ("invalid JSON",)),
    "nul": ("a.csv", "text\na\0cat\n", ("0x00",)),
}


@pytest.mark.parametrize("case", ABSURD)
def test_absurd_headers_and_numbers_are_refused(case: str, tmp_path: Path) -> None:
    name, content, parts = ABSURD[case]
    (tmp_path / name).write_text(content)
    with refused(name, *parts, kind=ReadError, golden=False):
        laconic.read(tmp_path / name)


# ---- Small files with large contents ----


@pytest.mark.parametrize("name", ["a.txt.gz", "a.csv.gz", "a.jsonl.gz", "a.mtx.gz", "a.json.gz"])
def test_gzipped_data_that_expands_without_end_is_refused(name: str, tmp_path: Path) -> None:
    start = {"a.csv.gz": b"text\n", "a.mtx.gz": MARKET.encode(), "a.json.gz": b"["}.get(name, b"")
    line = (b"     " if "json" in name else b"word ") * 20_000 + b"\n"
    (tmp_path / name).write_bytes(gzip.compress(start + line * 80))
    with refused(name, "expands more than 200-fold", "unzip it first", kind=ReadError):
        laconic.read(tmp_path / name)


def test_gzipped_data_that_must_be_in_memory_has_a_limit(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(source, "WHOLE", 1000)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(["a cat"] * 1000).encode()))
    with refused("a.json.gz", "not gzipped", kind=ReadError, golden=False):
        laconic.read(path)


def test_a_line_without_end_is_refused_in_time(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(source, "LONGEST_LINE", 20 << 20)
    (tmp_path / "a.txt").write_bytes(b"first\n" + b"word " * (6 << 20))
    with refused("a.txt, line 2", "split it into lines", kind=ReadError, golden=False):
        laconic.read(tmp_path / "a.txt")


def test_lines_longer_than_a_block_are_read(tmp_path: Path) -> None:
    text = "word " * 500_000
    (tmp_path / "a.txt").write_text(f"{text}\r\n\n{text}x")
    lines = list(source.Source(tmp_path / "a.txt").lines())
    assert lines == [text, "", f"{text}x"]


def changed_sheet(path: Path, old: bytes, new: bytes) -> None:
    """Write the workbook of the seeds with another sheet."""
    [seed] = (SEEDS / "excel").iterdir()
    target = io.BytesIO()
    with zipfile.ZipFile(seed) as book, zipfile.ZipFile(target, "w") as changed:
        for name in book.namelist():
            data = book.read(name)
            assert "sheet1" not in name or old in data
            changed.writestr(name, data.replace(old, new) if "sheet1" in name else data)
    path.write_bytes(target.getvalue())


@pytest.mark.parametrize("cell", ["A0", "A99999999999", "AAAAAAAAA1", "1A", "A" * 1000])
def test_cells_that_cannot_exist_are_refused(cell: str, tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    changed_sheet(tmp_path / "a.xlsx", b'r="B2"', f'r="{cell}"'.encode())
    with refused("a.xlsx: is damaged", "sheet1", kind=ReadError, golden=False):
        laconic.read(tmp_path / "a.xlsx")


def test_a_sheet_with_too_many_cells_is_refused(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("fastexcel")
    changed_sheet(tmp_path / "a.xlsx", b'r="B2"', b'r="XFD1048576"')
    with refused("16,384 columns", "save the sheet as CSV", kind=ReadError, golden=False):
        laconic.read(tmp_path / "a.xlsx")
    monkeypatch.setattr(workbooks, "MOST_BYTES", 1000)
    changed_sheet(tmp_path / "a.xlsx", b"Cats", b"Dogs")
    with refused("GB", "save the sheet as CSV", kind=ReadError, golden=False):
        laconic.read(tmp_path / "a.xlsx")


def test_a_small_parquet_file_with_many_rows_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": pl.repeat("a cat", 3_000_000, eager=True)})
    frame.write_parquet(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 30_000
    with refused("a.parquet", "3,000,000 rows", kind=ReadError, golden=False):
        laconic.read(tmp_path / "a.parquet")


def test_counts_near_the_largest_integer_stay_positive() -> None:
    counts = laconic.Corpus(np.array([[2.0**31, 1.0]], dtype=np.float32)).counts
    assert counts.toarray().tolist() == [[2.0**31, 1.0]]
