"""Tests that every reader restores what was written, from any kind of source."""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import laconic
from laconic.io import BAGS as BAG_FORMATS
from laconic.io import READERS
from tests.io.written import (
    BAGS,
    COUNTS,
    FILES,
    IDS,
    LABELS,
    NAMED,
    TABLES,
    TEXTS,
    TITLES,
    WORDS,
    WRITERS,
    zipped,
)

FORMATS_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Make `data` the standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def columns_for(name: str) -> dict[str, str]:
    return {"text": "body", "label": "group"} if name in TABLES else {}


def told(name: str) -> dict[str, str]:
    """The format, if the file looks like another format."""
    return {"format": name} if name == "matrix" else {}


def assert_same(corpus: laconic.Corpus, name: str) -> None:
    """Check that the corpus is the one that was written in the format `name`."""
    if name in BAGS or name in NAMED:
        assert corpus.counts.toarray().tolist() == COUNTS.tolist()
        assert corpus.vocabulary.tolist() == WORDS
        assert corpus.texts is None
    else:
        expected = laconic.read(TEXTS if name != "folder" else [TEXTS[i] for i in (1, 3, 0, 2)])
        assert corpus.vocabulary.tolist() == expected.vocabulary.tolist()
        assert (corpus.counts != expected.counts).nnz == 0
        assert corpus.texts.tolist() == expected.texts.tolist()
    if name in TABLES:
        assert corpus.titles.tolist() == TITLES
    if name in (*TABLES, "matrix", "10x", "h5ad"):
        assert corpus.ids.tolist() == IDS
    if name in (*TABLES, "svmlight", "store"):
        assert corpus.labels.tolist() == LABELS
    assert corpus.n_empty == 1


def test_every_reader_is_tested_and_documented() -> None:
    assert list(WRITERS) == list(READERS)
    page = FORMATS_PAGE.read_text(encoding="utf-8")
    assert [name for name in READERS if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", READERS)
def test_round_trip(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = WRITERS[name](tmp_path)
    with caplog.at_level(logging.INFO, "laconic"):
        corpus = laconic.read(path, **columns_for(name), **told(name))
    assert_same(corpus, name)
    empties = [line for line in caplog.messages if "empty" in line]
    assert empties == [f"{path}: 1 of 4 documents are empty"]
    assert_same(laconic.read(str(path), format=name, **columns_for(name)), name)


@pytest.mark.parametrize("name", READERS)
def test_every_format_is_known_as_text_or_as_counts(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    options = {**columns_for(name), "format": name, "min_df": 1}
    if name in BAG_FORMATS:
        with pytest.raises(laconic.ReadError, match="min_df="):
            laconic.read(path, **options)
    else:
        assert_same(laconic.read(path, **options), name)


@pytest.mark.parametrize("name", FILES)
def test_round_trip_gzipped(name: str, tmp_path: Path) -> None:
    path = zipped(WRITERS[name](tmp_path))
    assert_same(laconic.read(path, **columns_for(name), **told(name)), name)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_round_trip_from_standard_input(
    name: str, compressed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = WRITERS[name](tmp_path)
    path = zipped(path) if compressed else path
    feed(monkeypatch, path.read_bytes())
    options: dict[str, object] = {"vocabulary": WORDS} if name in BAGS else columns_for(name)
    assert_same(laconic.read("-", format=name, **options), name)
    assert not sys.stdin.closed


def test_standard_input_is_lines_unless_it_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"cat dog\n\ndog\n")
    assert len(laconic.read("-")) == 3
    feed(monkeypatch, b"1 10:30\n2 11:45\n")
    assert laconic.read("-").texts.tolist() == ["1 10:30", "2 11:45"]
    feed(monkeypatch, b'{"text": "cat dog"}\n{"text": "dog"}\n')
    assert laconic.read("-").texts.tolist() == ["cat dog", "dog"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", FILES)
def test_round_trip_through_a_pipe(name: str, tmp_path: Path) -> None:
    data = WRITERS[name](tmp_path).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    options: dict[str, object] = {"vocabulary": WORDS} if name in BAGS else columns_for(name)
    detected = name in ("lines", "jsonl", "parquet", "matrixmarket")
    corpus = laconic.read(pipe, format=None if detected else name, **options)
    writer.join()
    assert_same(corpus, name)


@pytest.mark.parametrize("name", ["lines", "csv", "jsonl"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings(name: str, encoding: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    text = path.read_bytes().decode().replace("😺", "")
    path.write_bytes(text.encode(encoding))
    corpus = laconic.read(path, encoding=encoding, **columns_for(name))
    assert "große" in corpus.vocabulary
    assert len(corpus) == 4


@pytest.mark.parametrize("name", ["folder", "lines", "csv", "tsv", "json", "jsonl"])
def test_byte_order_mark_and_crlf(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    for file in [path] if path.is_file() else path.rglob("*.txt"):
        data = file.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        file.write_bytes(b"\xef\xbb\xbf" + data)
    assert_same(laconic.read(path, **columns_for(name)), name)


def test_blocks_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # blocks of 7 bytes cut through characters and CRLF
    monkeypatch.setattr("laconic.io.source.BLOCK", 7)
    path = tmp_path / "docs.txt"
    lines = ["größe 😺 naïve", "", "ein zweites ☃ Dokument", "x" * 30]
    path.write_bytes("\r\n".join(lines).encode())
    assert laconic.read(path).texts.tolist() == lines


def test_trailing_newline_is_no_document_but_blank_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text("cat\n\ndog\n\n")
    assert laconic.read(path).texts.tolist() == ["cat", "", "dog", ""]
    path.write_text("cat\ndog")
    assert len(laconic.read(path)) == 2


# --- folders ---


def test_folder_ids_order_and_labels(tmp_path: Path) -> None:
    corpus = laconic.read(WRITERS["folder"](tmp_path))
    assert corpus.ids.tolist() == [
        "class-1/b.txt",
        "class-2/d.txt",
        "class-3/a.txt",
        "class-3/c.txt",
    ]
    assert corpus.labels.tolist() == ["class-1", "class-2", "class-3", "class-3"]


def test_folder_without_class_folders_has_no_labels(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "49960").write_text("cat")
    (tmp_path / "b.txt").write_text("dog")
    (tmp_path / "c.txt.gz").write_bytes(zipped(_file(tmp_path, "emu")).read_bytes())
    (tmp_path / "picture.png").write_bytes(b"\0")
    (tmp_path / ".hidden").write_bytes(b"\0")
    with caplog.at_level(logging.INFO, "laconic"):
        corpus = laconic.read(tmp_path)
    assert corpus.ids.tolist() == ["b.txt", "c.txt.gz", "file.txt.gz", "sub/49960"]
    assert corpus.texts.tolist() == ["dog", "emu", "emu", "cat"]
    assert corpus.labels is None
    assert f"{tmp_path}: not read as text: 1 other file: .png (1)" in caplog.messages


def _file(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text)
    return path


# --- tables ---


def test_text_column_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("year,stars,review\n1999,3.5,good cat\n2001,,bad dog\n")
    assert laconic.read(path).texts.tolist() == ["good cat", "bad dog"]
    path.write_text("author,Body\nAnn,good cat\nBob,bad dog\n")
    assert laconic.read(path).texts.tolist() == ["good cat", "bad dog"]
    path.write_text("id,title\n1,good cat\n2,bad dog\n")
    corpus = laconic.read(path)
    assert corpus.texts.tolist() == ["good cat", "bad dog"]
    assert corpus.ids.tolist() == ["1", "2"]
    assert corpus.titles is None


def test_several_text_columns_are_joined(tmp_path: Path) -> None:
    corpus = laconic.read(WRITERS["jsonl"](tmp_path), text=["title", "body"])
    assert corpus.texts[0] == f"{TITLES[0]}\n{TEXTS[0]}"
    assert corpus.texts[1] == TITLES[1]


def test_semicolons_and_quotes_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text('id;text\n1;"a cat; and\na ""dog"""\n2;emu\n')
    assert laconic.read(path).texts.tolist() == ['a cat; and\na "dog"', "emu"]


def test_a_field_may_be_as_long_as_a_book(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("text,n\n" + "cat " * 100_000 + ",1\n")
    assert laconic.read(path).counts.toarray().tolist() == [[100_000]]


def test_blank_lines_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("text\ncat\n\ndog\n")
    assert laconic.read(path).texts.tolist() == ["cat", "", "dog"]
    path.write_text("text,n\ncat,1\n\ndog,2\n\n")
    assert laconic.read(path).texts.tolist() == ["cat", "dog"]


def test_null_and_absent_values(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text(
        '{"id": 7, "text": "cat", "label": "a"}\n\n{"text": null, "label": null}\n{"text": 12}\n'
    )
    corpus = laconic.read(path, label="label")
    assert corpus.texts.tolist() == ["cat", "", "12"]
    assert corpus.labels.tolist() == ["a", "", ""]
    assert corpus.ids.tolist() == ["7", "1", "2"]


def test_a_key_may_come_late(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"text": "cat"}\n' * 150 + '{"text": "cat", "topic": 1}\n')
    assert laconic.read(path, label="topic").labels[-1] == "1"


def test_json_lines_in_a_json_file(tmp_path: Path) -> None:
    path = WRITERS["jsonl"](tmp_path).rename(tmp_path / "docs.json")
    assert_same(laconic.read(path, **columns_for("jsonl")), "jsonl")


def test_half_characters_in_json_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"text": "cat \\ud83d dog"}\n')
    assert laconic.read(path).texts.tolist() == ["cat \ufffd dog"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1,2", [1, 2]),
        ("-1,1", [-1, 1]),
        ("007,2", ["007", "2"]),
        ("1,", ["1", ""]),
        ("1.5,2", ["1.5", "2"]),
    ],
)
def test_labels_of_csv(written: str, expected: list[object], tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    first, second = written.split(",")
    path.write_text(f"text,y\ncat,{first}\ndog,{second}\n")
    assert laconic.read(path, text="text", label="y").labels.tolist() == expected


def test_parquet_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.io.parquet.SLICE", 3)
    path = tmp_path / "docs.parquet"
    texts = [f"cat dog{i} emu" for i in range(10)]
    pl.DataFrame({"text": texts, "unused": [[i] for i in range(10)]}).write_parquet(path)
    assert laconic.read(path).texts.tolist() == texts


def test_texts_are_left_out_when_not_wanted(tmp_path: Path) -> None:
    corpus = laconic.read(WRITERS["lines"](tmp_path), keep_texts=False)
    assert corpus.texts is None
    assert corpus.shape == laconic.read(TEXTS).shape


# --- data in memory ---

IN_MEMORY = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "object array": np.array(TEXTS, dtype=object),
    "str array": np.array(TEXTS),
    "pandas series": pd.Series(TEXTS),
    "polars series": pl.Series(TEXTS),
}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_strings_in_memory(name: str) -> None:
    corpus = laconic.read(IN_MEMORY[name])
    assert corpus.texts.tolist() == TEXTS
    assert all(type(text) is str for text in corpus.texts)
    assert corpus[0].words == {"cat": 1, "mat": 1, "on": 1, "sat": 1, "the": 2}


def test_generator_and_nulls() -> None:
    assert laconic.read(text for text in TEXTS).texts.tolist() == TEXTS
    assert laconic.read(["cat", None, float("nan")]).texts.tolist() == ["cat", "", ""]
    assert laconic.read(pd.Series(["cat", pd.NA])).texts.tolist() == ["cat", ""]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_frames(library: type) -> None:
    frame = library({"body": [*TEXTS, None], "group": [*LABELS, 1], "title": [*TITLES, "Last"]})
    corpus = laconic.read(frame, text="body", label="group")
    assert corpus.texts.tolist() == [*TEXTS, ""]
    assert corpus.labels.tolist() == [*LABELS, 1]
    assert corpus.labels.dtype.kind == "i"
    assert corpus.titles.tolist() == [*TITLES, "Last"]


def test_matrices_and_a_corpus() -> None:
    for counts in (COUNTS, sp.csr_matrix(COUNTS), sp.coo_array(COUNTS)):
        assert laconic.read(counts).vocabulary is None
        assert laconic.read(counts, vocabulary=WORDS).vocabulary.tolist() == WORDS
    corpus = laconic.read(COUNTS, vocabulary=WORDS)
    assert laconic.read(corpus) is corpus
    assert laconic.read(corpus, vocabulary=WORDS[::-1]).counts.toarray()[3].tolist() == [
        12,
        0,
        1,
        1,
    ]


# --- vocabulary ---


def test_text_counted_over_the_words_and_settings_of_a_corpus() -> None:
    fitted = laconic.read(["Cat Dog", "dog EMU"], lowercase=False)
    again = laconic.read(["EMU EMU emu Dog newt"], vocabulary=fitted)
    assert again.vocabulary.tolist() == fitted.vocabulary.tolist()
    assert again[0].words == {"Dog": 1, "EMU": 2}
    lower = laconic.read(["EMU dog"], vocabulary=fitted, lowercase=True)
    assert lower[0].words == {"dog": 1}


def test_text_counted_over_a_vectorizer_and_lists(tmp_path: Path) -> None:
    vectorizer = laconic.Vectorizer(lowercase=False).fit(["Cat dog"])
    file = tmp_path / "words.txt"
    file.write_text("dog\ncat\n")
    assert laconic.read(["Cat cat dog"], vocabulary=vectorizer)[0].words == {"Cat": 1, "dog": 1}
    assert laconic.read(["Cat cat dog"], vocabulary=["dog", "cat"])[0].words == {"dog": 1, "cat": 2}
    assert laconic.read(["dog"], vocabulary={"dog": 1, "cat": 0}).vocabulary.tolist() == [
        "cat",
        "dog",
    ]
    assert laconic.read(["Cat dog"], vocabulary=file).vocabulary.tolist() == ["dog", "cat"]


class Fitted:
    """The part of an estimator that the reader uses."""

    def __init__(self, **learned: object) -> None:
        self.__dict__.update(learned)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {}


def test_words_of_a_model_and_of_a_pipeline() -> None:
    model = Fitted(feature_names_in_=np.array(["dog", "cat"], dtype=object), n_features_in_=2)
    assert laconic.read(["cat cat"], vocabulary=model).counts.toarray().tolist() == [[0, 2]]
    text = Fitted(vocabulary_=np.array(["Dog"], dtype=object), settings_={"lowercase": False})
    pipeline = Fitted(steps=[("text", text), ("model", model)])
    assert laconic.read(["Dog dog"], vocabulary=pipeline)[0].words == {"Dog": 1}


@pytest.mark.parametrize("name", BAGS)
def test_bag_is_matched_by_word_to_what_was_fitted(name: str, tmp_path: Path) -> None:
    fitted = laconic.read(np.eye(3), vocabulary=["😺", "newt", "cat"])
    corpus = laconic.read(BAGS[name](tmp_path), vocabulary=fitted)
    assert corpus.counts.toarray().tolist() == [[0, 0, 2], [0, 0, 0], [0, 0, 0], [12, 0, 1]]


@pytest.mark.parametrize("name", BAGS)
def test_bag_without_words(name: str, tmp_path: Path) -> None:
    path = BAGS[name](tmp_path)
    for file in tmp_path.glob("*vocab*"):
        file.unlink()
    corpus = laconic.read(path)
    assert corpus.vocabulary is None
    assert (corpus.counts.toarray() == COUNTS).all()
    assert laconic.read(path, vocabulary=WORDS[::-1]).vocabulary.tolist() == WORDS[::-1]


def test_width_of_an_unnamed_corpus_carries_over(tmp_path: Path) -> None:
    path = tmp_path / "test.svmlight"
    path.write_text("1 2:1\n")
    train = laconic.read(np.eye(5))
    assert laconic.read(path).shape == (1, 2)
    assert laconic.read(path, vocabulary=train).shape == (1, 5)
    assert laconic.read(path, vocabulary=Fitted(n_features_in_=7)).shape == (1, 7)


@pytest.mark.parametrize(
    "name", ["vocab.nips.txt", "docword.nips.vocab", "vocab.txt.gz", "vocabulary.txt"]
)
def test_names_of_vocabulary_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / "docword.nips.txt"
    path.write_text("1\n2\n1\n1 2 3\n")
    (tmp_path / name).write_text("cat\ndog\n\n")
    assert laconic.read(path)[0].words == {"dog": 3}


# --- bags of words ---

small_counts = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.sampled_from([0, 0, 1, 2, 300]))
)


@pytest.mark.parametrize("name", BAGS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(counts=small_counts)
def test_any_matrix_goes_round(name: str, counts: np.ndarray, tmp_path: Path) -> None:
    words = [f"w{j}" for j in range(counts.shape[1])]
    corpus = laconic.read(BAGS[name](tmp_path, counts, words))
    assert (corpus.counts.toarray() == counts).all()
    assert corpus.vocabulary.tolist() == words


@pytest.mark.parametrize("module", ["ldac", "svmlight", "uci"])
def test_batches_join(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"laconic.io.{module}.BATCH", 1)
    assert_same(laconic.read(BAGS[module](tmp_path)), module)


def test_fractions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.svmlight"
    path.write_text("1 1:0.5 3:2\n-1 2:1e-2\n")
    corpus = laconic.read(path)
    np.testing.assert_allclose(corpus.counts.toarray(), [[0.5, 0, 2], [0, 0.01, 0]], rtol=1e-6)
    assert corpus.labels.tolist() == [1, -1]


def test_svmlight_details(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.svm"
    with caplog.at_level(logging.INFO, "laconic"):
        path.write_text("+1 qid:3 0:1\t2:3 # id 5\n\n# nothing\n2.0\n")
        corpus = laconic.read(path)
    assert corpus.counts.toarray().tolist() == [[1, 0, 3], [0, 0, 0]]
    assert corpus.labels.tolist() == [1, 2]
    assert f"{path}: columns are numbered from 0" in caplog.messages
    path.write_text("spam 1:1\nham 1:2\n")
    assert laconic.read(path).labels.tolist() == ["spam", "ham"]
    path.write_text("0.5 1:1\n2 1:2\n")
    assert laconic.read(path).labels.tolist() == [0.5, 2.0]


def test_uci_with_uneven_spaces(tmp_path: Path) -> None:
    path = tmp_path / "docword.txt"
    path.write_text("2\n2\n2\n1  2\t3 \n\n 2 1 1\n")
    assert laconic.read(path).counts.toarray().tolist() == [[0, 3], [1, 0]]


# --- detection of the format ---


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"text": "cat"}\n{"text": "dog"}', "jsonl"),
        ("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 3\n", "matrixmarket"),
        ("1\n2\n1\n1 2 3\n", "uci"),
        ("2 0:1 4:2\n0\n1 3:1\n", "ldac"),
        ("# comment\n1 1:1 4:2\n-1 3:1 # comment\n2\n", "svmlight"),
    ],
)
def test_content_tells_the_format(content: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.dat"
    path.write_text(content)
    found = laconic.read(path)
    assert (found.counts != laconic.read(path, format=expected).counts).nnz == 0


def test_the_content_wins_over_a_missing_or_false_gz(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt.gz"
    path.write_text("cat\ndog\n")
    assert len(laconic.read(path)) == 2
