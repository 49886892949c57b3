"""Tests of ``laconic convert``: a converted corpus is read back without changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from laconic.cli.commands.convert import FORMATS
from laconic.io import READERS
from laconic.io.write import ENDINGS, STORE, WRITERS, format_by_name
from tests.cli.running import Run, documents, mentions

NAMES = {
    "store": "posts.corpus",
    "matrixmarket": "posts.mtx",
    "svmlight": "posts.svm",
    "ldac": "posts.ldac",
    "uci": "docword.posts.txt",
}


def corpus_with_gaps() -> laconic.Corpus:
    """Return a corpus with unused words, empty documents and fractional counts."""
    counts = [[0, 0, 0, 0], [0, 2, 1.5, 0], [0, 1, 0.1, 0], [0, 0, 0, 0]]
    return laconic.Corpus(counts, ["aa", "new york", "cc", "größe"], labels=["x", "y", "x", "z"])


def test_every_format_that_can_be_written_can_be_chosen() -> None:
    assert [STORE, *WRITERS] == list(FORMATS)


@pytest.mark.parametrize("zipped", ["", ".gz"])
@pytest.mark.parametrize("format", [STORE, *WRITERS])
def test_round_trips(run: Run, format: str, zipped: str) -> None:
    corpus = corpus_with_gaps()
    corpus.save("in")
    name = NAMES[format] + (zipped if format != STORE else "")
    assert format_by_name(name) == format
    result = run("convert", "in", "-o", name)
    mentions(result, f"Wrote {name} (")
    back = laconic.read(name)
    assert (back.counts != corpus.counts).nnz == 0
    assert back.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert not list(Path().glob(".*"))


def test_every_format_has_a_reader_and_a_name() -> None:
    assert {STORE, *WRITERS} <= set(READERS)
    assert {STORE, *WRITERS} == {*ENDINGS.values(), "uci"} == set(NAMES)


def test_a_store_keeps_everything(run: Run, posts: Path) -> None:
    columns = ("--text", "body", "--label", "group")
    result = run("convert", posts, *columns)
    mentions(result, "Wrote posts.corpus (", "laconic fit posts.corpus")
    corpus = laconic.read("posts.corpus")
    assert corpus.texts.tolist() == [document["body"] for document in documents()]
    assert corpus.labels.tolist() == [document["group"] for document in documents()]
    assert corpus.vectorizer["min_df"] == 2
    run("convert", posts, "-o", "small.corpus", *columns, "--no-texts")
    assert laconic.read("small.corpus").texts is None


def test_labels_of_svmlight(run: Run, posts: Path) -> None:
    columns = ("--text", "body", "--label", "group")
    result = run("convert", posts, "-o", "posts.svm", *columns)
    mentions(result, "Wrote posts.svm (", "Wrote posts.vocab (", "Wrote posts.labels (")
    assert Path("posts.labels").read_text(encoding="utf-8").split() == ["bread", "pets", "ships"]
    assert laconic.read("posts.svm").labels.tolist()[:4] == [1, 2, 0, 1]
    mentions(result, "svmlight", "ids, titles", "--to store")


def test_json(run: Run, posts: Path) -> None:
    facts = json.loads(run("convert", posts, "-o", "posts.mtx", "--text", "body", "--json").stdout)
    assert list(facts) == [
        "format", "documents", "empty_documents", "words", "nonzeros", "files", "left_out",
    ]  # fmt: skip
    assert facts["files"] == ["posts.mtx", "posts.vocab"]
    assert facts["left_out"] == ["ids", "titles"]


def test_nothing_is_replaced_without_force(run: Run, posts: Path) -> None:
    for taken in ("posts.mtx", "posts.vocab"):
        Path(taken).write_text("precious")
        result = run("convert", posts, "-o", "posts.mtx", "--text", "body", status=1)
        mentions(result, f"laconic: error: {taken}: ", "exists", "--force")
        assert result.stderr.count("\n") == 1
        assert Path(taken).read_text(encoding="utf-8") == "precious"
        Path(taken).unlink()
    run("convert", posts, "-o", "posts.mtx", "--text", "body")
    run("convert", posts, "-o", "posts.mtx", "--text", "body", "--force")


def test_names_that_tell_no_format(run: Run, posts: Path) -> None:
    result = run("convert", posts, "-o", "posts.xlsx", "--text", "body", status=2)
    mentions(result, "'posts.xlsx'", ".corpus, .mtx")
    run("convert", posts, "-o", "posts.xlsx", "--text", "body", "--to", "uci")
    assert laconic.read("posts.xlsx", format="uci").shape == (60, 30)


def test_a_word_that_fits_no_line_is_refused(run: Run) -> None:
    laconic.Corpus([[1, 1]], ["a\nb", "c"]).save("in")
    result = run("convert", "in", "-o", "out.mtx", status=1)
    mentions(result, "out.vocab: ", r"'a\nb'", "line")
    assert not Path("out.mtx").exists()
