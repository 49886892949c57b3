"""A small corpus, written in every format that laconic reads."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.io
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus

TEXTS = ["the cat sat on the mat", "", "große Katze, naïve 😺 cat", 'a "dog"; a\tdog, the dog']
LABELS = [3, 1, 3, 2]
TITLES = ["Cats", "Nothing", "Größe", "Dogs"]
IDS = ["a", "b", "c", "d"]
COUNTS = np.array([[2, 0, 1, 0], [0, 0, 0, 0], [0, 5, 0, 0], [1, 1, 0, 12]])
WORDS = ["cat", "größe", "dog", "😺"]


def write_folder(folder: Path) -> Path:
    for id_, label, text in zip(IDS, LABELS, TEXTS, strict=True):
        file = folder / "texts" / f"class-{label}" / f"{id_}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder / "texts"


def write_lines(folder: Path) -> Path:
    return _write(folder / "docs.txt", "\n".join(TEXTS) + "\n")


def write_csv(folder: Path) -> Path:
    return _separated(folder / "docs.csv", ",")


def write_tsv(folder: Path) -> Path:
    return _separated(folder / "docs.tsv", "\t")


def write_json(folder: Path) -> Path:
    return _write(folder / "docs.json", json.dumps(_records(), ensure_ascii=False, indent=2))


def write_jsonl(folder: Path) -> Path:
    lines = [json.dumps(record, ensure_ascii=False) for record in _records()]
    return _write(folder / "docs.jsonl", "\n".join(lines) + "\n")


def write_parquet(folder: Path) -> Path:
    pl.DataFrame(_records()).write_parquet(folder / "docs.parquet")
    return folder / "docs.parquet"


def write_excel(folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    records = _records()
    for row in (list(records[0]), *(list(record.values()) for record in records)):
        book.active.append(row)
    book.save(folder / "docs.xlsx")
    return folder / "docs.xlsx"


def write_matrix(folder: Path) -> Path:
    lines = [",".join(["id", *WORDS])]
    lines += [",".join(map(str, [id_, *row])) for id_, row in zip(IDS, COUNTS, strict=True)]
    return _write(folder / "matrix.csv", "\n".join(lines) + "\n")


def write_10x(folder: Path) -> Path:
    folder = folder / "filtered_feature_bc_matrix"
    folder.mkdir()
    scipy.io.mmwrite(folder / "matrix.mtx", sp.coo_matrix(COUNTS.T))
    genes = [f"ENSG{number}\t{word}\tGene Expression" for number, word in enumerate(WORDS)]
    zipped(_write(folder / "features.tsv", "\n".join(genes) + "\n"))
    _write(folder / "barcodes.tsv", "\n".join(IDS) + "\n")
    return folder


def write_h5ad(folder: Path) -> Path:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(sp.csr_matrix(COUNTS).astype(np.float32))
    data.obs_names, data.var_names = IDS, WORDS
    data.obs["group"] = LABELS
    data.layers["double"] = 2 * data.X
    data.write_h5ad(folder / "small.h5ad")
    return folder / "small.h5ad"


def write_uci(folder: Path, counts: np.ndarray = COUNTS, words: Sequence[str] = WORDS) -> Path:
    rows, columns = np.nonzero(counts)
    lines = [str(counts.shape[0]), str(counts.shape[1]), str(len(rows))]
    lines += [f"{i + 1} {j + 1} {counts[i, j]}" for i, j in zip(rows, columns, strict=True)]
    _write(folder / "vocab.small.txt", "\n".join(words) + "\n")
    return _write(folder / "docword.small.txt", "\n".join(lines) + "\n")


def write_ldac(folder: Path, counts: np.ndarray = COUNTS, words: Sequence[str] = WORDS) -> Path:
    lines = []
    for row in counts:
        pairs = [f"{j}:{row[j]}" for j in np.flatnonzero(row)]
        lines.append(" ".join([str(len(pairs)), *pairs]))
    _write(folder / "small.vocab", "\n".join(words) + "\n")
    return _write(folder / "small.ldac", "\n".join(lines) + "\n")


def write_svmlight(folder: Path, counts: np.ndarray = COUNTS, words: Sequence[str] = WORDS) -> Path:
    lines = ["# made by hand"]
    for place, row in enumerate(counts):
        pairs = [f"{j + 1}:{row[j]}" for j in np.flatnonzero(row)]
        lines.append(" ".join([str(LABELS[place % 4]), *pairs, "# a comment"]))
    _write(folder / "small.vocab.txt", "\n".join(words) + "\n")
    return _write(folder / "small.svmlight", "\n".join(lines) + "\n")


def write_matrixmarket(
    folder: Path, counts: np.ndarray = COUNTS, words: Sequence[str] = WORDS
) -> Path:
    _write(folder / "vocabulary.txt", "\n".join(words) + "\n")
    scipy.io.mmwrite(folder / "small.mtx", sp.coo_matrix(counts))
    return folder / "small.mtx"


def write_store(folder: Path) -> Path:
    return Corpus(COUNTS, WORDS, labels=LABELS).save(folder / "small.corpus")


WRITERS: dict[str, Callable[[Path], Path]] = {
    "folder": write_folder,
    "lines": write_lines,
    "csv": write_csv,
    "tsv": write_tsv,
    "json": write_json,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
    "excel": write_excel,
    "matrix": write_matrix,
    "uci": write_uci,
    "ldac": write_ldac,
    "svmlight": write_svmlight,
    "matrixmarket": write_matrixmarket,
    "10x": write_10x,
    "h5ad": write_h5ad,
    "store": write_store,
}
TABLES = ["csv", "tsv", "json", "jsonl", "parquet", "excel"]
BAGS = {
    "uci": write_uci,
    "ldac": write_ldac,
    "svmlight": write_svmlight,
    "matrixmarket": write_matrixmarket,
}
NAMED = ["matrix", "10x", "h5ad", "store"]  # counts that include the words and the documents
FOLDERS = ["folder", "10x", "store"]
FILES = [name for name in WRITERS if name not in (*FOLDERS, "h5ad")]


def zipped(path: Path) -> Path:
    """Compress a file with gzip, delete the original, and return the new path."""
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return target


def _records() -> list[dict[str, object]]:
    columns = zip(IDS, TITLES, LABELS, TEXTS, strict=True)
    return [dict(zip(("id", "title", "group", "body"), row, strict=True)) for row in columns]


def _separated(path: Path, separator: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "title", "group", "body"], delimiter=separator)
        writer.writeheader()
        writer.writerows(_records())
    return path


def _write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path
