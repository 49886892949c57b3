"""Tests of ``laconic similar``, and of the documents that ``laconic fit`` saves for it."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest

import laconic
from tests.cli.running import (
    THEMES,
    Result,
    Run,
    columns,
    documents,
    mentions,
    on_a_terminal,
    without_escapes,
    write_lines,
)

READ = ("--text", "body")


def group_of(id_: str) -> str:
    return documents()[int(id_.removeprefix("d"))]["group"]


# ---- results ------------------------------------------------------------------------------------


def test_in_a_pipe_one_line_for_each_document(run: Run, model: Path) -> None:
    table = laconic.similar(laconic.load(model), "d4", n=3)
    lines = columns(run("similar", model, "d4", "-n", 3).stdout)
    assert [[title, id_] for _, title, id_ in lines] == table.select(
        "title", "id"
    ).to_numpy().tolist()
    assert [float(distance) for distance, _, _ in lines] == pytest.approx(
        table["distance"].to_list(), abs=1e-6
    )
    assert len(run("similar", model, "d4").stdout.splitlines()) == 10
    assert {title for _, title, _ in lines} == {"About ships"}


def test_json(run: Run, model: Path) -> None:
    facts = json.loads(run("similar", model, "d4", "--json", "-n", 2).stdout)
    assert list(facts) == ["model", "document", "file", "similar"]
    assert (facts["model"], facts["document"], facts["file"]) == (str(model), "d4", None)
    assert [list(row) for row in facts["similar"]] == [["document", "id", "title", "distance"]] * 2


def test_titles_that_are_unique_name_a_document(run: Run, posts: Path) -> None:
    run("fit", posts, *READ, "--title", "id", "--id", "body", "-k", 3, "-q", "-o", "m")
    by_title = run("similar", "m", "d4").stdout
    assert by_title == run("similar", "m", documents()[4]["body"]).stdout
    assert columns(by_title)[0][1].startswith("d")


def test_a_new_text(run: Run, model: Path) -> None:
    Path("new.txt").write_text("The kitten wants\nmilk and a nap\n")
    lines = columns(run("similar", model, "--file", "new.txt").stdout)
    assert {title for _, title, _ in lines} == {"About pets"}
    facts = json.loads(run("similar", model, "--file", "new.txt", "--json").stdout)
    assert (facts["document"], facts["file"]) == (None, "new.txt")
    lines = columns(run("similar", model, "--file", "-", input="storm, wind and a mast").stdout)
    assert {title for _, title, _ in lines} == {"About ships"}
    Path("latin.txt").write_bytes("cat é".encode("latin-1"))
    lines = columns(run("similar", model, "--file", "latin.txt", "--encoding", "latin-1").stdout)
    assert {title for _, title, _ in lines} == {"About pets"}


def test_among_other_documents(run: Run, model: Path) -> None:
    texts = {"x": "cat purr", "y": "oven and dough", "z": "cat meow"}
    write_lines("a.jsonl", ({"key": key, "text": text} for key, text in texts.items()))
    given = ("--corpus", "a.jsonl", "--text", "text", "--id", "key")
    ((distance, title, id_),) = columns(run("similar", model, "x", *given).stdout)
    assert (title, id_) == ("", "z")
    assert 0 <= float(distance) < 0.2
    Path("new.txt").write_text("knead the dough")
    assert columns(run("similar", model, "--file", "new.txt", *given).stdout)[0][2] == "y"
    mentions(run("similar", model, "d4", *given, status=1), "'d4'", "id or title")


def test_documents_without_ids_go_by_their_position(run: Run) -> None:
    Path("a.txt").write_text("".join(document["body"] + "\n" for document in documents()))
    run("fit", "a.txt", "-k", 3, "-q", "-o", "m")
    for distance, title, id_ in columns(run("similar", "m", 4).stdout):
        assert float(distance) >= 0
        assert title == ""
        assert group_of(id_) == "ships"


def test_on_a_terminal_a_table(run: Run, model: Path) -> None:
    lines = without_escapes(on_a_terminal("similar", model, "d4", "-n", 2, NO_COLOR="1"))
    assert lines[1].split() == ["distance", "title", "id"]
    assert lines[3].split()[1:3] == ["About", "ships"]
    Path("a.txt").write_text("[bold]cat\ncat [/red]\ncat\n")
    given = ("similar", model, "0", "--corpus", "a.txt")
    lines = [line.split() for line in without_escapes(on_a_terminal(*given, NO_COLOR="1"))]
    assert ["distance", "title", "id"] not in lines
    head = lines.index(["distance", "id"])
    assert lines[head + 2 : head + 4] == [["0.000", "1"], ["0.000", "2"]]


def test_titles_cannot_move_the_cursor(run: Run, model: Path) -> None:
    Path("a.jsonl").write_text(
        '{"id": "a", "text": "cat"}\n{"id": "b\\tb", "title": "\\u001b[31m[red]", "text": "cat"}\n'
    )
    given = ("similar", model, "a", "--corpus", "a.jsonl", "--text", "text")
    assert columns(run(*given).stdout) == [["0.000000", " [31m[red]", "b b"]]
    assert "\x1b[31m" not in on_a_terminal(*given, NO_COLOR="1")


def test_nothing_in_common_is_said(run: Run, model: Path) -> None:
    Path("a.txt").write_text("cat purr\n\n")
    result = run("similar", model, "0", "--corpus", "a.txt")
    assert result.stdout == ""
    mentions(result, "laconic: no other document", "topic")


# ---- errors -------------------------------------------------------------------------------------


def test_wrong_documents(run: Run, model: Path) -> None:
    def sentence(*given: object, golden: bool = True) -> Result:
        result = run("similar", *given, status=1, golden=golden)
        assert result.stdout == ""
        assert result.stderr.startswith("laconic: error: ")
        assert result.stderr.count("\n") == 1
        return result

    mentions(sentence(model, "D-4"), "id or title", "'D-4'", "'d4'")
    mentions(sentence(model, "about ship"), "'about ship'", "'About ships'")
    mentions(sentence(model, "zzz"), "'zzz'", "'d0'")
    mentions(sentence(model, "About pets"), "20 documents", "'About pets'", "id", "d0, d3, d6, …")
    Path("empty.txt").write_text("nothing that is known")
    mentions(sentence(model, "--file", "empty.txt"), "no topic")
    gone = sentence(model, "--file", "gone.txt", golden=False)
    mentions(gone, "error: gone.txt: ", os.strerror(errno.ENOENT))
    Path("binary").write_bytes(b"\x7fELF\x00")
    mentions(sentence(model, "--file", "binary"), "error: binary: ", "binary data")
    Path("latin.txt").write_bytes(b"caf\xe9")
    mentions(sentence(model, "--file", "latin.txt"), "error: latin.txt: ", "utf-8", "--encoding")
    unknown = sentence(model, "--file", "latin.txt", "--encoding", "no")
    mentions(unknown, "--encoding no", "utf-8")
    mentions(sentence("gone.model", "d4"), "error: gone.model: ", "no such folder")
    gone = sentence(model, "d4", "--corpus", "gone.jsonl")
    mentions(gone, "error: gone.jsonl: ", "no such file")


def test_wrong_command_lines(run: Run, model: Path) -> None:
    mentions(run("similar", model, status=2), "document", "--file")
    mentions(run("similar", model, "d4", "--file", "x", status=2), "document", "--file", "either")
    mentions(run("similar", model, "d4", "-n", 0, status=2), "-n", "'0'", " 1 ")
    for option, value in {"--text": "body", "--encoding": "latin-1"}.items():
        result = run("similar", model, "d4", option, value, status=2)
        mentions(result, f"Error: {option} ", "--corpus")


def test_a_document_without_a_topic(run: Run) -> None:
    write_lines("a.jsonl", [*documents(), {"id": "none", "body": "-"}])
    run("fit", "a.jsonl", *READ, "-k", 3, "-q", "-o", "m")
    assert "none" not in run("similar", "m", "d4", "-n", 99).stdout
    result = run("similar", "m", "none", status=1)
    mentions(result, "laconic: error: ", "'none'", "no topic")


# ---- saved documents ----------------------------------------------------------------------------


def test_fit_keeps_documents_and_says_what_they_take(run: Run, posts: Path) -> None:
    facts = json.loads(run("fit", posts, *READ, "-k", 3, "-o", "m", "--json").stdout)
    ours = sum(path.stat().st_size for path in Path("m").glob("documents.*"))
    assert facts["document_bytes"] == ours > 0
    assert facts["bytes"] == sum(path.stat().st_size for path in Path("m").iterdir())
    result = run("fit", posts, *READ, "-k", 3, "-o", "n", "--no-index")
    assert f" kB, {ours / 1000:.1f} kB of it for documents\n" in result.stdout
    assert "documents   60 saved with ids and titles (" in run("info", "n").stdout
    known = json.loads(run("info", "n", "--json").stdout)
    assert (known["documents"], known["document_columns"]) == (60, ["ids", "titles"])


def test_documents_can_be_left_out(run: Run, posts: Path) -> None:
    result = run("fit", posts, *READ, "-k", 3, "-o", "m", "--no-documents")
    assert "documents)" not in result.stdout
    assert not list(Path("m").glob("documents.*"))
    assert "kept" not in run("info", "m").stdout
    result = run("similar", "m", "d4", status=1)
    mentions(result, "laconic: error: ", "No documents", "--corpus")
    lines = columns(run("similar", "m", "d4", "--corpus", posts, *READ).stdout)
    assert {group_of(id_) for _, _, id_ in lines} == {"ships"}
    result = run("topics", "m", "--documents", 2, status=1)
    mentions(result, "laconic: error: m: ", "no documents", "--no-documents")


def test_kept_documents_are_those_of_the_transformed_corpus(
    run: Run, posts: Path, model: Path
) -> None:
    kept = run("similar", model, "d4", "-n", 60).stdout
    assert kept == run("similar", model, "d4", "-n", 60, "--corpus", posts, *READ).stdout


def test_damage_shows(run: Run, model: Path) -> None:
    shutil.copytree(model, "m")
    path = Path("m", "documents.codes.indices.npy")
    path.write_bytes(path.read_bytes()[:-3])
    for command in (("similar", "m", "d4"), ("info", "m"), ("topics", "m")):
        result = run(*command, status=1, golden=False)
        mentions(result, f"laconic: error: {path}: ", "damaged")
        assert result.stderr.count("\n") == 1


def test_ctrl_c_while_documents_are_coded_saves_the_model(
    run: Run, posts: Path, interrupting_engine: str
) -> None:
    given = ("fit", posts, *READ, "-m", "plsa", "-k", 3, "-o", "m", "--no-index")
    result = run(*given, "--engine", interrupting_engine)
    mentions(result, "laconic: interrupted", "saved without its documents")
    assert "converged" in result.stdout
    assert laconic.describe("m")["documents"] == 0
    assert [path.name for path in Path().iterdir()] == ["m"]


# ---- top documents of topics --------------------------------------------------------------------


def test_topics_with_documents(run: Run, model: Path) -> None:
    plain = columns(run("topics", model).stdout)
    lines = columns(run("topics", model, "--documents", 2).stdout)
    assert [line[:3] for line in lines] == plain
    for line in lines:
        theme = next(name for name in THEMES if line[2].split(", ")[0] in THEMES[name])
        assert line[3:] == [f"About {theme}"] * 2


def test_topics_with_documents_as_json(run: Run, model: Path) -> None:
    facts = json.loads(run("topics", model, "--documents", 2, "-n", 4, "--json").stdout)
    fitted = laconic.load(model)
    for topic in facts["topics"]:
        assert {"topic", "share", "n_words", "words", "support", "weak", "documents"} <= set(topic)
        expected = laconic.top_documents(fitted, topic["topic"], n=2)
        assert pl.DataFrame(topic["documents"]).equals(expected)


def test_topics_with_documents_on_a_terminal(model: Path) -> None:
    out = on_a_terminal("topics", model, "--documents", 2, "-n", 2, NO_COLOR="1")
    lines = without_escapes(out)
    assert lines[1].split() == ["topic", "share", "words", "documents"]
    assert out.count("About ") == 6
