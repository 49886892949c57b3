"""Tests of files as people have them: delimiters, encodings, sheets, folders and several files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import logging
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.io
import scipy.sparse as sp

import laconic
from laconic.io.separated import detect_delimiter
from tests.io.test_read_errors import complaint
from tests.io.written import WRITERS, zipped
from tests.messages import refused, warned

TEXTS = ["a cat, a dog; an emu", 'the "big" cat | dog', "line\nbreak\tand tab", "", "emu"]
GROUPS = ["pets", "pets", "other", "other", "birds"]


def separated(separator: str, header: tuple[str, str] = ("group", "body")) -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator)
    writer.writerow(header)
    writer.writerows(zip(GROUPS, TEXTS, strict=True))
    return file.getvalue()


# --- delimiters ---


@pytest.mark.parametrize("name", ["docs.csv", "docs.tsv", "docs.psv"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_delimiter_is_detected(separator: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(separated(separator), newline="")
    corpus = laconic.read(path, text="body", label="group")
    assert corpus.texts.tolist() == TEXTS
    assert corpus.labels.tolist() == GROUPS


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_comma_in_the_name_of_a_column(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text(separated(separator, ("group, short", "body")), newline="")
    assert laconic.read(path, text="body", label="group, short").labels.tolist() == GROUPS


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["text", "a cat, a dog"], ","),
        (["a;b,c", "1;x", "2;y, z"], ";"),
        (["a,b", '1,"x;y|z"', '2,"x;y"'], ","),
        (["a;b", '1;"x,', 'y"', "2;z"], ";"),
        (["id\ttext, long", "1\ta cat, a dog, an emu", "2\temu"], "\t"),
        (["a,b;c,d", "1,2;3,4"], ","),
    ],
)
def test_delimiter_of_some_lines(lines: list[str], expected: str) -> None:
    assert detect_delimiter([f"{line}\n" for line in lines]) == expected


def test_the_last_row_of_the_inspected_lines_may_be_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.io.separated.SNIFFED", 40)
    path = tmp_path / "docs.csv"
    path.write_text('n;text, long\n1;"a cat"\n2;"first, of\nall, dogs, and, emus"\n')
    assert len(laconic.read(path)) == 2


@pytest.mark.parametrize("delimiter", ["#", "tab", "\\t", "\t"])
def test_the_delimiter_may_be_set(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "docs.dat"
    separator = "#" if delimiter == "#" else "\t"
    path.write_text(separated(separator), newline="")
    assert laconic.read(path, text="body", delimiter=delimiter).texts.tolist() == TEXTS


def test_delimiters_that_do_not_apply(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("text,n\ncat,1\n")
    with refused("delimiter='::'", "one character", "'tab'"):
        laconic.read(path, delimiter="::")
    complaint(
        WRITERS["jsonl"](tmp_path), "delimiter=", "CSV", "jsonl", delimiter=";", format="jsonl"
    )


def test_fields_that_do_not_fit_name_the_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("text\ta\ncat\t1\ndog\n")
    assert complaint(path, "expected 2 fields", "(tab)", "delimiter=") == 3


# --- encodings ---


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["lines", "csv", "json", "jsonl"])
def test_byte_order_marks(name: str, encoding: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    expected = laconic.read(path, text=None if name == "lines" else "body")
    text = path.read_bytes().decode()
    marked = encoding in ("utf-16", "utf-32")
    path.write_bytes((text if marked else "\ufeff" + text).encode(encoding))
    for file in (path, zipped(path)):
        if file.exists():
            corpus = laconic.read(file, text=None if name == "lines" else "body")
            assert corpus.texts.tolist() == expected.texts.tolist()


# --- columns ---


def test_names_of_several_text_columns(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text('"a,b",a,b\nx1,y1,z1\nx2,y2,z2\n')
    assert laconic.read(path, text="a,b").texts.tolist() == ["x1", "x2"]
    assert laconic.read(path, text="a, b").texts.tolist() == ["y1\nz1", "y2\nz2"]
    assert laconic.read(path, text=["b", "a"]).texts.tolist() == ["z1\ny1", "z2\ny2"]
    complaint(path, "no column 'c'", text="a,c")


def test_a_first_line_that_does_not_name_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    document = "the cat sat on the mat and the dog ran away from the cat " * 20
    path.write_text(f"{document},pets\n" * 5)
    complaint(path, "2 columns contain strings", "does the first line name the columns?")
    complaint(path, "no column 'body'", "does the first line name the columns?", text="body")
    path.write_text(f"3,{document}\n" * 5)
    assert complaint(path, "does the first line name the columns?", "add a line") == 1
    assert len(laconic.read(path, text=document)) == 4


def test_messages_do_not_list_thousands_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column{number}" for number in range(3000)]
    path.write_text(",".join(names) + "\n" + ",".join(["a b"] * 3000) + "\n")
    with refused("3000 columns contain strings", "column9 and 2,990 more") as caught:
        laconic.read(path)
    assert len(str(caught.value)) < 400
    with refused("no column 'body'", "and 2,990 more") as caught:
        laconic.read(path, text="body")
    assert len(str(caught.value)) < 400


def test_ids_as_text(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("id,body\n" + "".join(f"post-{n},the cat sat\n" for n in range(30)))
    with warned('"id"', "occurs only once", "text="):
        laconic.read(path, text="id")
    laconic.read(path, text="body")


# --- JSON ---

RECORDS = [{"body": "a cat", "n": 1}, {"body": "a dog", "n": 2}]


@pytest.mark.parametrize(
    "value",
    [
        RECORDS,
        {"posts": RECORDS},
        {"meta": {"source": "here"}, "tags": ["x"], "posts": RECORDS},
        {"body": ["a cat", "a dog"], "n": [1, 2]},
        {"body": {"0": "a cat", "1": "a dog"}, "n": {"0": 1, "1": 2}},
        ["a cat", "a dog"],
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_tables_in_json(value: object, indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "docs.json"
    path.write_text(json.dumps(value, indent=indent))
    assert laconic.read(path).texts.tolist() == ["a cat", "a dog"]


def test_one_document_in_json(tmp_path: Path) -> None:
    path = tmp_path / "docs.json"
    for indent in (None, 2):
        path.write_text(json.dumps({"text": "a cat", "tags": "pets"}, indent=indent))
        assert laconic.read(path, text="text").texts.tolist() == ["a cat"]


def test_a_list_inside_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text(json.dumps({"posts": RECORDS}))
    assert laconic.read(path).texts.tolist() == ["a cat", "a dog"]


def test_json_that_may_hold_several_tables(tmp_path: Path) -> None:
    path = tmp_path / "docs.json"
    path.write_text(json.dumps({"posts": RECORDS, "users": RECORDS}, indent=1))
    complaint(path, "2 of its keys", "posts, users")
    path.write_text(json.dumps({"data": {"posts": RECORDS}, "n": 3}, indent=1))
    complaint(path, "one object", "inside 'data'")


# --- Excel ---


def workbook(path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "Posts"
    for row in (["body", "year"], ["a cat", 1999], ["a dog", None]):
        book.active.append(row)
    counts = book.create_sheet("Counts")
    for row in (["id", "cat", "dog"], ["x", 1, 0], ["y", 2, 3]):
        counts.append(row)
    book.save(path)
    return path


def test_sheets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = workbook(tmp_path / "docs.xlsx")
    with caplog.at_level(logging.INFO, "laconic"):
        corpus = laconic.read(path, label="year")
    assert f"{path}: read sheet 'Posts', not 'Counts'" in caplog.messages
    assert corpus.texts.tolist() == ["a cat", "a dog"]
    assert corpus.labels.tolist() == ["1999", ""]
    for sheet in ("Counts", 2, "2"):
        counts = laconic.read(path, sheet=sheet, format="matrix")
        assert counts.ids.tolist() == ["x", "y"]
        assert counts[1].words == {"cat": 2, "dog": 3}
    complaint(path, "no sheet 'Notes'", "Posts, Counts", sheet="Notes")
    path.write_bytes(b"not a workbook")
    complaint(path, "cannot be read as an Excel file", golden=False)


def test_excel_without_fastexcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docs.xlsx"
    path.write_bytes(b"")
    monkeypatch.setattr("laconic.io.excel.find_spec", lambda name: None)
    complaint(path, "fastexcel", "laconic[excel]", "CSV")


def test_h5ad_without_anndata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"")
    monkeypatch.setattr("laconic.io.expression.find_spec", lambda name: None)
    complaint(path, "anndata", "laconic[anndata]")


# --- several files ---


def parts(folder: Path, ending: str = ".csv") -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = []
    for number in range(3):
        frame = pl.DataFrame({"n": [number, 7], "body": [f"cat{number} emu", "dog"]})
        path = folder / f"part-{number}{ending}"
        if ending == ".csv":
            frame.write_csv(path)
        elif ending == ".jsonl":
            frame.write_ndjson(path)
        else:
            frame.write_parquet(path)
        paths.append(path)
    return paths


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_several_files(ending: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    paths = parts(tmp_path / "logs", ending)
    expected = ["cat0 emu", "dog", "cat1 emu", "dog", "cat2 emu", "dog"]
    (tmp_path / "logs" / "README.md").write_text("about these files")
    for source in (paths, str(tmp_path / "logs" / f"part-*{ending}"), tmp_path / "logs"):
        with caplog.at_level(logging.INFO, "laconic"):
            corpus = laconic.read(source, label="n")
        assert corpus.texts.tolist() == expected
        assert corpus.labels.tolist() == [0, 7, 1, 7, 2, 7]
        assert "3 files: 6 documents" in caplog.messages


def test_files_of_different_formats(tmp_path: Path) -> None:
    first, *_ = parts(tmp_path, ".csv")
    second, *_ = parts(tmp_path, ".jsonl")
    lines = tmp_path / "docs.txt"
    lines.write_text("one\ntwo\n")
    assert laconic.read([first, second], text="body").texts.tolist() == ["cat0 emu", "dog"] * 2
    assert laconic.read([lines, lines]).texts.tolist() == ["one", "two"] * 2


def test_the_text_is_in_the_same_column_of_all_files(tmp_path: Path) -> None:
    first, second, *_ = parts(tmp_path)
    second.write_text("n,text\n1,emu\n")
    with refused(f"{second.name}: ", "no column 'body'", kind=laconic.ReadError):
        laconic.read([first, second])


def test_files_that_cannot_be_read_together(tmp_path: Path) -> None:
    first, *_ = parts(tmp_path)
    bag = WRITERS["matrixmarket"](tmp_path)
    with refused(bag.name, "matrixmarket", "alone", kind=laconic.ReadError):
        laconic.read([first, bag])
    with refused("nothing-*.csv", "no file matches", kind=laconic.ReadError):
        laconic.read(str(tmp_path / "nothing-*.csv"))
    with refused("no such file", kind=laconic.ReadError):
        laconic.read([first, tmp_path / "missing.csv"])


def test_folder_of_tables_of_several_formats(tmp_path: Path) -> None:
    parts(tmp_path, ".csv")
    parts(tmp_path, ".parquet")
    complaint(tmp_path, ".csv (3), .parquet (3)", "pattern", "*.csv")


def test_texts_in_a_folder_come_before_tables(tmp_path: Path) -> None:
    parts(tmp_path)
    (tmp_path / "a.txt").write_text("a text")
    assert laconic.read(tmp_path).texts.tolist() == ["a text"]


def test_a_file_whose_name_is_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "docs[1].txt"
    path.write_text("cat\n")
    assert laconic.read(str(path)).texts.tolist() == ["cat"]


@pytest.mark.parametrize("url", ["https://example.com/docs.csv", "s3://bucket/docs.csv"])
def test_addresses(url: str) -> None:
    with refused(url, "download it first", kind=laconic.ReadError):
        laconic.read(url)


# --- tables of numbers ---


def expression(path: Path, header: str | None = None, separator: str = "\t") -> np.ndarray:
    values = np.random.default_rng(0).poisson(2, (6, 30))
    header = separator.join([header or "sample", *(f"GENE{gene}" for gene in range(30))])
    lines = [separator.join([f"S{row}", *map(str, line)]) for row, line in enumerate(values)]
    path.write_text("\n".join([header, *lines]) + "\n")
    return values


@pytest.mark.parametrize("name", ["expr.tsv", "expr.csv", "expr.parquet"])
def test_a_table_of_numbers_is_not_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    values = expression(tmp_path / "expr.tsv")
    if name != "expr.tsv":
        frame = pl.read_csv(tmp_path / "expr.tsv", separator="\t")
        frame.write_csv(path) if name == "expr.csv" else frame.write_parquet(path)
    complaint(path, "30 columns of numbers", "format='matrix'", "--transpose", "text=")
    corpus = laconic.read(path, format="matrix")
    assert corpus.ids.tolist() == [f"S{row}" for row in range(6)]
    assert corpus.vocabulary.tolist() == [f"GENE{gene}" for gene in range(30)]
    assert corpus.counts.toarray().tolist() == values.tolist()


def test_a_table_with_a_text_and_many_numbers(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    names = [f"q{number}" for number in range(20)]
    row = ",".join("3" for _ in names)
    path.write_text(f"who,{','.join(names)},comment\nann,{row},very nice cat\nbob,{row},a dog\n")
    assert laconic.read(path, id="who").texts.tolist() == ["very nice cat", "a dog"]


def test_genes_in_rows(tmp_path: Path) -> None:
    path = tmp_path / "expr.tsv"
    values = expression(path, "gene")
    corpus = laconic.read(path, format="matrix", transpose=True)
    assert corpus.vocabulary.tolist() == [f"S{row}" for row in range(6)]
    assert corpus.ids.tolist() == [f"GENE{gene}" for gene in range(30)]
    assert corpus.counts.toarray().tolist() == values.T.tolist()


@pytest.mark.parametrize("first", ["", '""\t'])
def test_names_of_rows_as_r_writes_them(first: str, tmp_path: Path) -> None:
    path = tmp_path / "expr.tsv"
    path.write_text(f'{first}"cat"\t"dog"\n"1"\t1\t0\n"2"\t2.5\t3\n')
    corpus = laconic.read(path, format="matrix")
    assert corpus.ids.tolist() == ["1", "2"]
    assert corpus.vocabulary.tolist() == ["cat", "dog"]
    assert corpus.counts.toarray().tolist() == [[1, 0], [2.5, 3]]


def test_genes_that_occur_twice(tmp_path: Path) -> None:
    path = tmp_path / "expr.csv"
    path.write_text("id,TP53,MYC,TP53\na,1,2,3\n")
    corpus = laconic.read(path, format="matrix")
    assert corpus.vocabulary.tolist() == ["TP53", "MYC", "TP53-1"]


def test_values_that_are_not_counts(tmp_path: Path) -> None:
    path = tmp_path / "expr.csv"
    for value, part in (("NA", "missing"), ("", "missing"), ("-1", "negative")):
        path.write_text(f"id,cat,dog\na,1,2\nb,{value},3\n")
        complaint(path, part, "'b'", "'cat'", format="matrix")
    path.write_text("id,cat,dog\na,1,2\nb,few,3\nc,1,1\n")
    complaint(path, "only numbers", "'cat'", "'few'", format="matrix")
    path.write_text("id,cat,dog\na,1\n")
    assert complaint(path, "expected 3 fields", "found 2", format="matrix") == 2
    path.write_text("id,cat,dog\n")
    complaint(path, "no rows", format="matrix")
    path.write_text("id,kind\na,x\n")
    complaint(path, "no column contains numbers", format="matrix")
    path.write_text("gene,cat\n,1\nb,2\n")
    complaint(path, "row 1 has no name", "id=", format="matrix", transpose=True, id="gene")


def test_matrix_market_on_its_side(tmp_path: Path) -> None:
    counts = np.array([[1, 0], [2, 3], [0, 4]])
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_matrix(counts))
    (tmp_path / "a.vocab").write_text("cat\ndog\nemu\n")
    complaint(tmp_path / "a.mtx", "3 rows", "--transpose")
    corpus = laconic.read(tmp_path / "a.mtx", transpose=True)
    assert corpus[1].words == {"dog": 3, "emu": 4}
    complaint(WRITERS["uci"](tmp_path), "transpose=", "uci", transpose=True)


# --- 10x Genomics ---


def ten_x(folder: Path, prefix: str, features: str, lines: list[str]) -> np.ndarray:
    counts = np.array([[1, 0, 2], [0, 3, 0], [4, 0, 0], [0, 0, 5]])  # genes x cells
    scipy.io.mmwrite(folder / f"{prefix}matrix.mtx", sp.coo_matrix(counts))
    zipped(folder / f"{prefix}matrix.mtx")
    data = ("\n".join(lines) + "\n").encode()
    (folder / f"{prefix}{features}").write_bytes(
        gzip.compress(data) if features.endswith(".gz") else data
    )
    (folder / f"{prefix}barcodes.tsv").write_text("AAA-1\nCCC-1\nGGG-1\n")
    return counts


@pytest.mark.parametrize("prefix", ["", "GSM42_"])
def test_10x_folders(prefix: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kinds = ["Gene Expression", "Gene Expression", "Gene Expression", "Antibody Capture"]
    symbols = ["TP53", "MYC", "TP53", "CD3"]
    lines = [f"E{n}\t{s}\t{kind}" for n, (s, kind) in enumerate(zip(symbols, kinds, strict=True))]
    counts = ten_x(tmp_path, prefix, "features.tsv.gz", lines)
    with caplog.at_level(logging.INFO, "laconic"):
        corpus = laconic.read(tmp_path)
    assert corpus.ids.tolist() == ["AAA-1", "CCC-1", "GGG-1"]
    assert corpus.vocabulary.tolist() == ["TP53", "MYC", "TP53-1"]
    assert corpus.counts.toarray().tolist() == counts[:3].T.tolist()
    assert any("1 features that are not genes" in line for line in caplog.messages)


def test_10x_folders_of_older_versions(tmp_path: Path) -> None:
    counts = ten_x(tmp_path, "", "genes.tsv", ["E0\tTP53", "E1\tMYC", "E2\tA", "E3\tB"])
    corpus = laconic.read(str(tmp_path), vocabulary=["MYC", "B"])
    assert corpus.counts.toarray().tolist() == counts[[1, 3]].T.tolist()


def test_10x_folders_that_do_not_fit(tmp_path: Path) -> None:
    complaint(tmp_path, "matrix.mtx", format="10x")
    ten_x(tmp_path, "", "genes.tsv", ["E0\tTP53"])
    with refused("genes.tsv", "1 features", "4 rows", kind=laconic.ReadError):
        laconic.read(tmp_path)
    complaint(tmp_path, "label='kind'", "no columns", label="kind")
