"""Tests that bad input is refused with the problem, its position and a remedy."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.io import READERS
from tests.io.written import BAGS, FOLDERS, WRITERS, zipped
from tests.messages import refused


def complaint(path: Path, *parts: str, golden: bool = True, **options: object) -> int | None:
    """Check the message about a file by its parts; return the line number that it names.

    The message starts with the name of the file, has one line, and survives pickling.
    """
    with refused(*parts, kind=laconic.ReadError, golden=golden) as caught:
        laconic.read(path, **options)
    error = caught.value
    assert isinstance(error, laconic.ReadError)
    assert error.path == str(path)
    assert str(error).startswith(str(path))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "\n" not in error.problem
    return error.line


MTX = "%%MatrixMarket matrix coordinate real general\n2 2 1\n"

BROKEN: dict[str, tuple[str, str, int | None, tuple[str, ...]]] = {
    # file name, content, line number, parts of the message
    "json": ("a.jsonl", '{"text": "a cat"}\n' * 16 + '{"text": oops}\n', 17, ("JSON",)),
    "json deep": ("a.jsonl", "[" * 100_000, 1, ("JSON",)),
    "json list line": ("a.jsonl", '{"text": "a"}\n[1]\n', 2, ("object", "found a list")),
    "json number line": ("a.jsonl", "3\n", 1, ("object", "found a number")),
    "json list": ("a.json", '[{"text": "a"}, "b"]', None, ("item 2", "string")),
    "json list broken": ("a.json", '[{"text": "a"},\n {"text": }]', 2, ("JSON",)),
    "json text is list": (
        "a.jsonl",
        '{"text": "a"}\n{"text": ["b"]}',
        2,
        ("'text'", "type list"),
    ),
    "json none": ("a.jsonl", "\n\n", None, ("no documents",)),
    "json empty list": ("a.json", "[]", None, ("no documents",)),
    "csv fields": ("a.csv", "id,text\n1,cat\n2,a,dog\n", 3, ("expected 2", "found 3")),
    "csv fields after quoted newline": ("a.csv", 'id,text\n1,"a\nb"\n2\n', 4, ("found 1",)),
    "csv quote": ("a.csv", 'id,text\n1,cat\n2,"dog\n3,emu\n', 3, ("quote", "never closed")),
    "csv broken quote": ("a.csv", 'id,text\n1,"cat" dog\n', 2, ("invalid CSV", "','")),
    "csv header only": ("a.csv", "text,n\n", None, ("header", "no rows")),
    "csv no text": ("a.csv", "a,b\n1,2\n", None, ("no column contains strings", "text=", "a, b")),
    "csv two texts": ("a.csv", "a,b\nx,y\n", None, ("2 columns", "text=", "a, b")),
    "csv twice": ("a.csv", "text,text\nx,y\n", 1, ("'text'", "2 columns")),
    "tsv fields": ("a.tsv", "id\ttext\n1,cat\n", 2, ("expected 2", "found 1")),
    "uci header": ("docword.a.txt", "2\nx\n1\n", 2, ("number of words", "'x'")),
    "uci short": ("docword.a.txt", "2\n", None, ("ends before", "number of words")),
    "uci entries": (
        "docword.a.txt",
        "2\n2\n3\n1 1 1\n2 2 1\n",
        3,
        ("header", "3 entries", " 2 "),
    ),
    "uci word": ("docword.a.txt", "2\n2\n1\n1 3 1\n", 4, ("word 3", "header", "2 words")),
    "uci zero": ("docword.a.txt", "2\n2\n1\n1 0 1\n", 4, ("word 0", "out of range")),
    "uci document": (
        "docword.a.txt",
        "2\n2\n2\n1 1 1\n3 1 1\n",
        5,
        ("document 3", "out of range"),
    ),
    "uci fields": (
        "docword.a.txt",
        "2\n2\n2\n1 1 1\n\n2 1\n",
        6,
        ("document, word, count", "'2 1'"),
    ),
    "uci negative": ("docword.a.txt", "2\n2\n1\n1 1 -4\n", 4, ("count -4",)),
    "ldac length": ("a.ldac", "1 0:1\n3 0:1 1:1\n", 2, ("states that 3", "id:count", " has 2")),
    "ldac head": ("a.ldac", "x 0:1\n", 1, ("number of id:count", "'x'")),
    "ldac pair": ("a.ldac", "1 0:1\n1 0\n", 2, ("column:count", "'0'")),
    "ldac pairs": ("a.ldac", "1 0:1:2\n", 1, ("column:count", "'0:1:2'")),
    "ldac below zero": ("a.ldac", "1 -1:1\n", 1, ("column:count", "'-1:1'")),
    "ldac nan": ("a.ldac", "1 0:1\n1 0:nan\n", 2, ("count nan",)),
    "ldac negative": ("a.ldac", "1 0:-2\n", 1, ("count -2", "finite")),
    "ldac blank": ("a.ldac", "1 0:1\n\n1 0:1\n", 2, ("blank", "write 0")),
    "svm label": ("a.svm", "# first\n1 1:1\n3:1 4:1\n", 3, ("label", "'3:1'")),
    "svm pair": ("a.svm", "1 1:1\n1 1:x\n", 2, ("column:count", "'1:x'")),
    "svm infinite": ("a.svm", "1 1:inf\n", 1, ("count inf",)),
    "svm comments": ("a.svm", "# nothing\n", None, ("no documents",)),
    "mtx banner": ("a.mtx", "1 1 1\n", 1, ("%%MatrixMarket",)),
    "mtx entry": ("a.mtx", MTX + "1 x 3\n", 3, ("invalid Matrix Market",)),
    "mtx range": ("a.mtx", MTX + "1 5 3\n", 3, ("invalid Matrix Market",)),
    "mtx negative": ("a.mtx", MTX + "1 1 -3\n", None, ("negative",)),
    "mtx nan": ("a.mtx", MTX + "1 1 nan\n", None, ("NaN or infinite",)),
    "parquet": ("a.parquet", "id,text\n", None, ("PAR1",)),
    "parquet cut": ("a.parquet", "PAR1 and no more", None, ("damaged Parquet file",)),
    "unknown ending": ("a.xyz", "some words\n", None, ("'.xyz'", "format=", "folder, lines, csv")),
    "binary": ("a.txt", "cat\nd\0g\n", 2, ("0x00", "offset 5", "binary")),
}
ELSEWHERE = {  # Python, SciPy or Polars wrote a part of these messages
    "json", "json deep", "json list broken", "csv broken quote", "mtx entry", "mtx range",
    "parquet cut",
}  # fmt: skip


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case: str, compressed: bool, tmp_path: Path) -> None:
    name, content, line, parts = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(content.encode())
    path = zipped(path) if compressed else path
    assert complaint(path, *parts, golden=case not in ELSEWHERE and not compressed) == line


@pytest.mark.parametrize("name", [n for n in READERS if n not in (*FOLDERS, "h5ad", "excel")])
def test_empty_file(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    path.write_bytes(b"")
    told = {"format": name} if name == "matrix" else {}
    other = {"parquet": "PAR1", **dict.fromkeys(("json", "jsonl", "svmlight"), "no documents")}
    assert complaint(path, other.get(name, "empty"), **told) is None


@pytest.mark.parametrize("name", ["lines", "csv", "tsv", "jsonl", "uci", "ldac", "svmlight"])
def test_bytes_that_are_not_utf8(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    data = path.read_bytes()
    place = data.index(b"\n") + 3
    path.write_bytes(data[:place] + b"\xe9" + data[place:])
    line = complaint(path, "byte 0xe9", f"offset {place} ", "UTF-8", 'encoding="latin-1"')
    assert line == 2 + data[data.index(b"\n") + 1 : place].count(b"\n")


def test_bytes_that_are_not_utf8_far_into_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.io.source.BLOCK", 5)
    path = tmp_path / "docs.txt"
    path.write_bytes("größe\n".encode() * 9 + b"na\xefve\n")
    assert complaint(path, "byte 0xef", "offset 74 ") == 10
    path.write_bytes("größe\n".encode() * 9 + "ß".encode()[:1])
    assert complaint(path, "offset 72 ") == 10


def test_bad_byte_in_a_folder_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("cat")
    (tmp_path / "b.txt").write_bytes(b"dog\n\xff")
    with refused("b.txt, line 2: ", "byte 0xff", "offset 4", kind=laconic.ReadError):
        laconic.read(tmp_path)


def test_utf16_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_bytes("cat\n".encode("utf-16-le"))
    complaint(path, 'encoding="utf-16"')
    with refused("encoding='utf-9'", "'utf-8'"):
        laconic.read(path, encoding="utf-9")


@pytest.mark.parametrize("name", ["lines", "jsonl", "uci", "matrixmarket", "parquet"])
def test_truncated_gzip(name: str, tmp_path: Path) -> None:
    path = zipped(WRITERS[name](tmp_path))
    path.write_bytes(path.read_bytes()[:-12])
    complaint(path, "gzip", "incomplete")


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt.gz"
    data = bytearray(gzip.compress(b"cat\n" * 1000))
    data[-6] ^= 0xFF
    path.write_bytes(data)
    complaint(path, "gzip", "damaged", golden=False)


def test_missing_file(tmp_path: Path) -> None:
    WRITERS["jsonl"](tmp_path)
    complaint(tmp_path / "dosc.jsonl", "no such file", "docs.jsonl?")
    complaint(tmp_path / "zebra.csv", "no such file")
    complaint(tmp_path / "nowhere" / "docs.csv", "no folder", str(tmp_path / "nowhere"))
    for text in ("the cat\nthe dog", "a cat " * 100, "the cat sat on the mat"):
        with refused("name of a file", "list of strings", kind=laconic.ReadError):
            laconic.read(text)
    with refused("no such file", kind=laconic.ReadError, golden=False):
        laconic.read("a\0b")


def test_folder_without_text(tmp_path: Path) -> None:
    complaint(tmp_path, "no text files", ".txt, ", "empty")
    for name in ("a.png", "b.png", "c.pdf"):
        (tmp_path / name).write_bytes(b"\0")
    complaint(tmp_path, "no text files", "3 other files", ".png (2), .pdf (1)")


def test_folder_of_the_wrong_kind(tmp_path: Path) -> None:
    complaint(tmp_path, "is a folder", "format=", format="csv")
    complaint(tmp_path, "not a saved corpus", format="store")
    complaint(WRITERS["lines"](tmp_path), "not a folder", format="folder")
    (tmp_path / "model.json").write_text("{}")
    complaint(tmp_path, "saved model", "laconic.load")


@pytest.mark.parametrize("name", ["csv", "tsv", "json", "parquet"])
def test_column_that_is_not_there(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    complaint(path, "no column 'boddy'", "id, title, group, body", "'body'?", text="boddy")
    complaint(path, "no column 'x'", text="body", label="x")


def test_key_that_no_line_has(tmp_path: Path) -> None:
    path = WRITERS["jsonl"](tmp_path)
    for options in ({"text": "boddy"}, {"text": "body", "label": "boddy"}):
        complaint(path, "no key 'boddy'", "id, title, group, body", **options)


def test_label_that_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "cat", "y": 1}\n{"text": "dog", "y": [1, 2]}\n')
    assert complaint(path, "label", "'y'", "type list", label="y") == 2


@pytest.mark.parametrize("name", BAGS)
def test_vocabulary_that_does_not_fit(name: str, tmp_path: Path) -> None:
    path = BAGS[name](tmp_path)
    complaint(path, "4 columns", "given vocabulary", "3 words", vocabulary=["cat", "dog", "emu"])


def test_vocabulary_file_that_does_not_fit(tmp_path: Path) -> None:
    path = BAGS["uci"](tmp_path)
    (tmp_path / "vocab.small.txt").write_text("cat\ndog\n")
    complaint(path, "4 columns", "vocab.small.txt has 2 words")
    (tmp_path / "vocab.small.txt").write_text("cat\n\ndog\nemu\n")
    with refused("vocab.small.txt, line 2: ", "blank", kind=laconic.ReadError):
        laconic.read(path)
    (tmp_path / "vocab.small.txt").write_text("cat\ncat\ndog\nemu\n")
    complaint(path, "'cat'", "twice")


def test_words_in_rows(tmp_path: Path) -> None:
    counts = np.ones((3, 2), dtype=int)
    path = BAGS["matrixmarket"](tmp_path, counts, ["cat", "dog", "emu"])
    complaint(path, "2 columns", "3 words", "transpose")


def test_useless_vocabularies(tmp_path: Path) -> None:
    for vocabulary, part in (
        (laconic.Vectorizer(), "not fitted"),
        (3, "got int"),
        (["cat", 3], "got 3"),
        (laconic.read(np.eye(2)), "no words"),
        (tmp_path, "is a folder"),
        (tmp_path / "missing.txt", "no such file"),
    ):
        with refused(part):
            laconic.read(["cat"], vocabulary=vocabulary)


def by_spaces(text: str) -> list[str]:
    return text.split()


def test_tokenizer_known_by_name_only(tmp_path: Path) -> None:
    store = laconic.read(["a b"], tokenizer=by_spaces).save(tmp_path / "a.corpus")
    with refused("by_spaces", "tokenizer="):
        laconic.read(["a"], vocabulary=store)
    again = laconic.read(["b b"], vocabulary=store, tokenizer=by_spaces)
    assert again[0].words == {"b": 2}


def test_options_that_do_not_apply(tmp_path: Path) -> None:
    lines, bag, folder = (WRITERS[name](tmp_path) for name in ("lines", "uci", "folder"))
    complaint(lines, "label='y'", "column", "lines", label="y")
    complaint(folder, "text='y'", "column", "folder", text="y")
    complaint(bag, "text='y'", "column", "bag of words", text="y")
    complaint(bag, "min_df=", "bag of words", min_df=2)
    complaint(WRITERS["store"](tmp_path), "min_df=", "saved corpus", min_df=2)
    for data, options, parts in (
        (["cat"], {"text": "y"}, ("text='y'", "list of documents")),
        (np.eye(2), {"min_df": 2}, ("min_df=", "matrix")),
        (["cat"], {"format": "csv"}, ("format='csv'", "files")),
        (lines, {"format": "cvs"}, ("format='cvs'", "folder, lines, csv")),
    ):
        with refused(*parts):
            laconic.read(data, **options)
    with refused("'lable'", "label?", kind=TypeError):
        laconic.read(lines, lable="y")


NO_DOCUMENTS: dict[str, tuple[object, tuple[str, ...]]] = {
    "nothing": ([], ("no documents",)),
    "a number in a list": (["cat", 3], ("document 1", "type int", "string")),
    "bytes in a list": ([b"cat"], ("document 0", "type bytes")),
    "a dict": ({"text": "cat"}, ("got dict",)),
    "bytes": (b"cat", ("got bytes",)),
    "a number": (3, ("got int",)),
    "NaN": (np.array([[1.0, np.nan]]), ("NaN",)),
}


@pytest.mark.parametrize("case", NO_DOCUMENTS)
def test_data_in_memory_that_holds_no_documents(case: str) -> None:
    data, parts = NO_DOCUMENTS[case]
    with refused(*parts):
        laconic.read(data)
