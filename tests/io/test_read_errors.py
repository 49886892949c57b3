"""Bad input gets one sentence that says what, where, and what to do."""

from __future__ import annotations

import gzip
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.io import READERS
from tests.io.written import BAGS, WRITERS, zipped


def complaint(path: Path, **options: object) -> tuple[int | None, str]:
    """Line and sentence of the error; it names the file and survives pickling."""
    with pytest.raises(laconic.ReadError) as caught:
        laconic.read(path, **options)
    error = caught.value
    assert error.path == str(path)
    assert str(error).startswith(str(path))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "\n" not in error.problem
    return error.line, error.problem


MTX = "%%MatrixMarket matrix coordinate real general\n2 2 1\n"

BROKEN = {
    # name of file, content, line, what the sentence says
    "json": ("a.jsonl", '{"text": "a cat"}\n' * 16 + '{"text": oops}\n', 17, "broken JSON: Exp"),
    "json deep": ("a.jsonl", "[" * 100_000, 1, "broken JSON"),
    "json list line": (
        "a.jsonl",
        '{"text": "a"}\n[1]\n',
        2,
        "expected a JSON object {…}, found a list",
    ),
    "json number line": ("a.jsonl", "3\n", 1, "found a number"),
    "json list": ("a.json", '[{"text": "a"}, "b"]', None, "item 2 of the list is a string"),
    "json list broken": (
        "a.json",
        '[{"text": "a"},\n {"text": }]',
        2,
        "broken JSON: Expecting value",
    ),
    "json text is list": ("a.jsonl", '{"text": "a"}\n{"text": ["b"]}', 2, "'text' is of type list"),
    "json none": ("a.jsonl", "\n\n", None, "holds no documents"),
    "json empty list": ("a.json", "[]", None, "holds no documents"),
    "csv fields": (
        "a.csv",
        "id,text\n1,cat\n2,a,dog\n",
        3,
        "expected 2 fields as in the header, found 3",
    ),
    "csv fields after quoted newline": ("a.csv", 'id,text\n1,"a\nb"\n2\n', 4, "found 1"),
    "csv quote": (
        "a.csv",
        'id,text\n1,cat\n2,"dog\n3,emu\n',
        3,
        "a quote that opens here is never closed",
    ),
    "csv broken quote": ("a.csv", 'id,text\n1,"cat" dog\n', 2, "broken CSV: ',' expected after"),
    "csv header only": ("a.csv", "text,n\n", None, "has a header but no rows"),
    "csv no text": (
        "a.csv",
        "a,b\n1,2\n",
        None,
        "none of them holds strings; name it with text= (columns: a, b)",
    ),
    "csv two texts": (
        "a.csv",
        "a,b\nx,y\n",
        None,
        "2 of them hold strings; name it with text= (columns: a, b)",
    ),
    "csv twice": ("a.csv", "text,text\nx,y\n", 1, "the column 'text' is there 2 times"),
    "tsv fields": ("a.tsv", "id\ttext\n1,cat\n", 2, "expected 2 fields as in the header, found 1"),
    "uci header": ("docword.a.txt", "2\nx\n1\n", 2, "expected the number of words, found 'x'"),
    "uci short": ("docword.a.txt", "2\n", None, "ends before the number of words"),
    "uci entries": (
        "docword.a.txt",
        "2\n2\n3\n1 1 1\n2 2 1\n",
        3,
        "the header says 3 entries, but 2 follow",
    ),
    "uci word": (
        "docword.a.txt",
        "2\n2\n1\n1 3 1\n",
        4,
        "word 3 is out of range; the header says 2 words",
    ),
    "uci zero": ("docword.a.txt", "2\n2\n1\n1 0 1\n", 4, "word 0 is out of range"),
    "uci document": ("docword.a.txt", "2\n2\n2\n1 1 1\n3 1 1\n", 5, "document 3 is out of range"),
    "uci fields": (
        "docword.a.txt",
        "2\n2\n2\n1 1 1\n\n2 1\n",
        6,
        "expected document word count, found '2 1'",
    ),
    "uci negative": ("docword.a.txt", "2\n2\n1\n1 1 -4\n", 4, "the count -4 is not a count"),
    "ldac length": (
        "a.ldac",
        "1 0:1\n3 0:1 1:1\n",
        2,
        "the line says 3 words, but 2 id:count follow",
    ),
    "ldac head": (
        "a.ldac",
        "x 0:1\n",
        1,
        "expected the number of words in the document, found 'x'",
    ),
    "ldac pair": ("a.ldac", "1 0:1\n1 0\n", 2, "expected column:count, found '0'"),
    "ldac pairs": ("a.ldac", "1 0:1:2\n", 1, "expected column:count, found '0:1:2'"),
    "ldac below zero": ("a.ldac", "1 -1:1\n", 1, "expected column:count, found '-1:1'"),
    "ldac nan": ("a.ldac", "1 0:1\n1 0:nan\n", 2, "the count nan is not a count"),
    "ldac negative": ("a.ldac", "1 0:-2\n", 1, "the count -2 is not a count; it must be finite"),
    "ldac blank": ("a.ldac", "1 0:1\n\n1 0:1\n", 2, "found a blank line; write 0 for an empty"),
    "svm label": ("a.svm", "# first\n1 1:1\n3:1 4:1\n", 3, "expected a label first, found '3:1'"),
    "svm pair": ("a.svm", "1 1:1\n1 1:x\n", 2, "expected column:count, found '1:x'"),
    "svm infinite": ("a.svm", "1 1:inf\n", 1, "the count inf is not a count"),
    "svm comments": ("a.svm", "# nothing\n", None, "holds no documents"),
    "mtx banner": ("a.mtx", "1 1 1\n", 1, "expected a line that begins with %%MatrixMarket"),
    "mtx entry": (
        "a.mtx",
        MTX + "1 x 3\n",
        3,
        "broken Matrix Market file",
    ),
    "mtx range": (
        "a.mtx",
        MTX + "1 5 3\n",
        3,
        "broken Matrix Market file",
    ),
    "mtx negative": (
        "a.mtx",
        MTX + "1 1 -3\n",
        None,
        "negative count",
    ),
    "mtx nan": (
        "a.mtx",
        MTX + "1 1 nan\n",
        None,
        "NaN or infinite",
    ),
    "parquet": ("a.parquet", "id,text\n", None, "does not begin with PAR1"),
    "parquet cut": ("a.parquet", "PAR1 and no more", None, "is not a whole Parquet file"),
    "unknown ending": ("a.xyz", "some words\n", None, "give format= one of folder, lines, csv"),
    "binary": ("a.txt", "cat\nd\0g\n", 2, "byte 0x00 at offset 5: this is binary data"),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case: str, compressed: bool, tmp_path: Path) -> None:
    name, content, line, words = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(content.encode())
    found_line, problem = complaint(zipped(path) if compressed else path)
    assert words in problem
    assert found_line == line


@pytest.mark.parametrize("name", [n for n in READERS if n not in ("folder", "store")])
def test_empty_file(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    path.write_bytes(b"")
    line, problem = complaint(path)
    assert line is None
    assert re.search("empty|no documents|PAR1", problem)


@pytest.mark.parametrize("name", ["lines", "csv", "tsv", "jsonl", "uci", "ldac", "svmlight"])
def test_bytes_that_are_not_utf8(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    data = path.read_bytes()
    place = data.index(b"\n") + 3
    path.write_bytes(data[:place] + b"\xe9" + data[place:])
    line, problem = complaint(path)
    assert line == 2 + data[data.index(b"\n") + 1 : place].count(b"\n")
    assert problem.startswith(f"byte 0xe9 at offset {place} is not UTF-8")
    assert 'encoding="latin-1"' in problem


def test_bytes_that_are_not_utf8_far_into_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.io.source.BLOCK", 5)
    path = tmp_path / "docs.txt"
    path.write_bytes("größe\n".encode() * 9 + b"na\xefve\n")
    assert complaint(path)[0] == 10
    assert "byte 0xef at offset 74 " in complaint(path)[1]
    path.write_bytes("größe\n".encode() * 9 + "ß".encode()[:1])
    assert complaint(path) == (10, complaint(path)[1])
    assert "at offset 72 " in complaint(path)[1]


def test_bad_byte_in_a_folder_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("cat")
    (tmp_path / "b.txt").write_bytes(b"dog\n\xff")
    with pytest.raises(laconic.ReadError, match=r"b\.txt, line 2: byte 0xff at offset 4"):
        laconic.read(tmp_path)


def test_utf16_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_bytes("cat\n".encode("utf-16-le"))
    assert 'encoding="utf-16"' in complaint(path)[1]
    with pytest.raises(laconic.LaconicError, match="encoding='utf-9' is not known"):
        laconic.read(path, encoding="utf-9")


@pytest.mark.parametrize("name", ["lines", "jsonl", "uci", "matrixmarket", "parquet"])
def test_truncated_gzip(name: str, tmp_path: Path) -> None:
    path = zipped(WRITERS[name](tmp_path))
    path.write_bytes(path.read_bytes()[:-12])
    assert "the gzip data ends too early" in complaint(path)[1]


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt.gz"
    data = bytearray(gzip.compress(b"cat\n" * 1000))
    data[-6] ^= 0xFF
    path.write_bytes(data)
    assert "the gzip data is damaged" in complaint(path)[1]


def test_missing_file(tmp_path: Path) -> None:
    WRITERS["jsonl"](tmp_path)
    assert complaint(tmp_path / "dosc.jsonl")[1] == (
        "no such file or folder; did you mean docs.jsonl?"
    )
    assert complaint(tmp_path / "zebra.csv")[1] == "no such file or folder; check the path"
    assert "no folder" in complaint(tmp_path / "nowhere" / "docs.csv")[1]
    for text in ("the cat\nthe dog", "a cat " * 100):
        with pytest.raises(laconic.ReadError, match="give documents as a list of strings"):
            laconic.read(text)
    with pytest.raises(laconic.ReadError, match="no such file"):
        laconic.read("a\0b")


def test_folder_without_text(tmp_path: Path) -> None:
    assert complaint(tmp_path)[1].endswith("found: it is empty")
    for name in ("a.png", "b.png", "c.pdf"):
        (tmp_path / name).write_bytes(b"\0")
    assert "holds no text files" in complaint(tmp_path)[1]
    assert complaint(tmp_path)[1].endswith("3 other files: .png (2), .pdf (1)")


def test_folder_of_the_wrong_kind(tmp_path: Path) -> None:
    assert "is a folder, not a file" in complaint(tmp_path, format="csv")[1]
    assert "is not a saved corpus" in complaint(tmp_path, format="store")[1]
    assert "is not a folder" in complaint(WRITERS["lines"](tmp_path), format="folder")[1]
    (tmp_path / "model.json").write_text("{}")
    assert "is a saved model; open it with laconic.load" in complaint(tmp_path)[1]


@pytest.mark.parametrize("name", ["csv", "tsv", "json", "parquet"])
def test_column_that_is_not_there(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    assert complaint(path, text="boddy")[1] == (
        "there is no column 'boddy'; the columns are: id, title, group, body; did you mean 'body'?"
    )
    assert "no column 'x'" in complaint(path, text="body", label="x")[1]


def test_key_that_no_line_has(tmp_path: Path) -> None:
    path = WRITERS["jsonl"](tmp_path)
    for options in ({"text": "boddy"}, {"text": "body", "label": "boddy"}):
        assert complaint(path, **options)[1].startswith(
            "there is no key 'boddy'; the keys are: id, title, group, body"
        )


def test_label_that_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "cat", "y": 1}\n{"text": "dog", "y": [1, 2]}\n')
    assert complaint(path, label="y") == (
        2,
        "the label in 'y' is of type list; a label is a string or a number",
    )


@pytest.mark.parametrize("name", BAGS)
def test_vocabulary_that_does_not_fit(name: str, tmp_path: Path) -> None:
    problem = complaint(BAGS[name](tmp_path), vocabulary=["cat", "dog", "emu"])[1]
    assert "has 4 columns, but the given vocabulary has 3 words" in problem


def test_vocabulary_file_that_does_not_fit(tmp_path: Path) -> None:
    path = BAGS["uci"](tmp_path)
    (tmp_path / "vocab.small.txt").write_text("cat\ndog\n")
    problem = complaint(path)[1]
    assert "has 4 columns" in problem
    assert "vocab.small.txt has 2 words" in problem
    (tmp_path / "vocab.small.txt").write_text("cat\n\ndog\nemu\n")
    with pytest.raises(laconic.ReadError, match=r"vocab\.small\.txt, line 2: is blank"):
        laconic.read(path)
    (tmp_path / "vocab.small.txt").write_text("cat\ncat\ndog\nemu\n")
    assert "'cat' stands twice" in complaint(path)[1]


def test_words_in_rows(tmp_path: Path) -> None:
    counts = np.ones((3, 2), dtype=int)
    path = BAGS["matrixmarket"](tmp_path, counts, ["cat", "dog", "emu"])
    assert "its rows would fit, so transpose it" in complaint(path)[1]


def test_useless_vocabularies(tmp_path: Path) -> None:
    for vocabulary, words in (
        (laconic.Vectorizer(), "Vectorizer that is not fitted"),
        (3, "got int"),
        (["cat", 3], "got 3 among them"),
        (laconic.read(np.eye(2)), "columns without names"),
        (tmp_path, "is a folder"),
        (tmp_path / "missing.txt", "no such file"),
    ):
        with pytest.raises(laconic.LaconicError, match=words):
            laconic.read(["cat"], vocabulary=vocabulary)


def by_spaces(text: str) -> list[str]:
    return text.split()


def test_tokenizer_known_by_name_only(tmp_path: Path) -> None:
    store = laconic.read(["a b"], tokenizer=by_spaces).save(tmp_path / "a.corpus")
    with pytest.raises(laconic.LaconicError, match="give the function with tokenizer="):
        laconic.read(["a"], vocabulary=store)
    again = laconic.read(["b b"], vocabulary=store, tokenizer=by_spaces)
    assert again[0].words == {"b": 2}


def test_options_that_do_not_apply(tmp_path: Path) -> None:
    lines, bag, folder = (WRITERS[name](tmp_path) for name in ("lines", "uci", "folder"))
    assert (
        "label='y' names a column, but a file of lines has none" in complaint(lines, label="y")[1]
    )
    assert "a folder of text files has none" in complaint(folder, text="y")[1]
    assert "a bag of words has none" in complaint(bag, text="y")[1]
    assert "min_df= says how to count words in text" in complaint(bag, min_df=2)[1]
    assert "a saved corpus are counted" in complaint(WRITERS["store"](tmp_path), min_df=2)[1]
    for data, options, words in (
        (["cat"], {"text": "y"}, "a list of strings has none"),
        (np.eye(2), {"min_df": 2}, "a matrix holds counts already"),
        (["cat"], {"format": "csv"}, "format='csv' is for files"),
        (lines, {"format": "cvs"}, "format='cvs' is not known; give one of folder, lines, csv"),
    ):
        with pytest.raises(laconic.LaconicError, match=words):
            laconic.read(data, **options)
    with pytest.raises(TypeError, match=r"'lable'; did you mean label\?"):
        laconic.read(lines, lable="y")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "there are no documents to read"),
        (["cat", 3], "document 1 is of type int; give strings"),
        ([b"cat"], "document 0 is of type bytes"),
        ({"text": "cat"}, "got dict"),
        (b"cat", "got bytes"),
        (3, "got int"),
        (np.array([[1.0, np.nan]]), "NaN"),
    ],
)
def test_data_in_memory_that_holds_no_documents(data: object, words: str) -> None:
    with pytest.raises(laconic.LaconicError, match=words):
        laconic.read(data)
