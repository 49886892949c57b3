"""``laconic similar``, and the documents that ``laconic fit`` keeps for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import laconic
from laconic.models import MODELS

from .running import THEMES, Run, documents, environment, on_a_terminal, real_run, without_escapes

READ = ("--text", "body")


def columns(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


def group_of(id_: str) -> str:
    return documents()[int(id_.removeprefix("d"))]["group"]


# ---- which documents are found ------------------------------------------------------------------


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


@pytest.mark.parametrize("name", MODELS)
def test_with_every_model(run: Run, posts: Path, name: str) -> None:
    run("fit", posts, *READ, "--label", "group", "-m", name, "-k", 3, "-q", "-o", "m")
    for id_ in ("d0", "d1", "d2"):
        nearest = [line[2] for line in columns(run("similar", "m", id_, "-n", 12).stdout)]
        assert {group_of(other) for other in nearest} == {group_of(id_)}
        assert id_ not in nearest


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


def test_a_new_text(run: Run, model: Path, tmp_path: Path) -> None:
    Path("new.txt").write_text("The kitten wants\nmilk and a nap\n")
    lines = columns(run("similar", model, "--file", "new.txt").stdout)
    assert {title for _, title, _ in lines} == {"About pets"}
    facts = json.loads(run("similar", model, "--file", "new.txt", "--json").stdout)
    assert (facts["document"], facts["file"]) == (None, "new.txt")
    done = real_run("similar", str(model), "--file", "-", input="storm, wind and a mast")
    assert {title for _, title, _ in columns(done.stdout)} == {"About ships"}
    Path("latin.txt").write_bytes("cat é".encode("latin-1"))
    lines = columns(run("similar", model, "--file", "latin.txt", "--encoding", "latin-1").stdout)
    assert {title for _, title, _ in lines} == {"About pets"}


def test_among_other_documents(run: Run, model: Path) -> None:
    Path("a.jsonl").write_text(
        "".join(
            json.dumps({"key": key, "text": text}) + "\n"
            for key, text in {"x": "cat purr", "y": "oven and dough", "z": "cat meow"}.items()
        )
    )
    given = ("--corpus", "a.jsonl", "--text", "text", "--id", "key")
    ((distance, title, id_),) = columns(run("similar", model, "x", *given).stdout)
    assert (title, id_) == ("", "z")
    assert 0 <= float(distance) < 0.2
    Path("new.txt").write_text("knead the dough")
    assert columns(run("similar", model, "--file", "new.txt", *given).stdout)[0][2] == "y"
    assert "No document has the id or title 'd4'" in run(
        "similar", model, "d4", *given, status=1
    ).stderr  # fmt: skip


def test_documents_without_ids_go_by_their_position(run: Run) -> None:
    Path("a.txt").write_text("".join(document["body"] + "\n" for document in documents()))
    run("fit", "a.txt", "-k", 3, "-q", "-o", "m")
    for distance, title, id_ in columns(run("similar", "m", 4).stdout):
        assert float(distance) >= 0
        assert title == ""
        assert group_of(id_) == "ships"


def test_on_a_terminal_a_table(run: Run, model: Path) -> None:
    lines = without_escapes(on_a_terminal("similar", str(model), "d4", "-n", "2", NO_COLOR="1"))
    assert lines[1].split() == ["distance", "title", "id"]
    assert lines[3].split()[1:3] == ["About", "ships"]
    Path("a.txt").write_text("[bold]cat\ncat [/red]\ncat\n")
    given = ("similar", str(model), "0", "--corpus", "a.txt")
    lines = [line.split() for line in without_escapes(on_a_terminal(*given, NO_COLOR="1"))]
    assert ["distance", "title", "id"] not in lines
    head = lines.index(["distance", "id"])
    assert lines[head + 2 : head + 4] == [["0.000", "1"], ["0.000", "2"]]


def test_titles_cannot_move_the_cursor(run: Run, model: Path) -> None:
    Path("a.jsonl").write_text(
        '{"id": "a", "text": "cat"}\n{"id": "b\\tb", "title": "\\u001b[31m[red]", "text": "cat"}\n'
    )
    given = ("similar", str(model), "a", "--corpus", "a.jsonl", "--text", "text")
    assert columns(run(*given).stdout) == [["0.000000", " [31m[red]", "b b"]]
    assert "\x1b[31m" not in on_a_terminal(*given, NO_COLOR="1")


def test_nothing_in_common_is_said(run: Run, model: Path) -> None:
    Path("a.txt").write_text("cat purr\n\n")
    result = run("similar", model, "0", "--corpus", "a.txt")
    assert result.stdout == ""
    assert "laconic: no other document has a topic in common with it\n" in result.stderr


# ---- what is wrong ------------------------------------------------------------------------------


def test_wrong_documents(run: Run, model: Path) -> None:
    def sentence(*given: object) -> str:
        result = run("similar", *given, status=1)
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        return result.stderr.removeprefix("laconic: error: ").rstrip()

    assert sentence(model, "D-4").startswith(
        "No document has the id or title 'D-4'; near it are 'd4'"
    )
    assert sentence(model, "about ship").endswith("'about ship'; near it are 'About ships'.")
    assert sentence(model, "zzz").endswith("'zzz'; an id is, for example, 'd0'.")
    assert sentence(model, "About pets") == (
        "20 documents have the title 'About pets'; name one by its id: d0, d3, d6, …."
    )
    Path("empty.txt").write_text("nothing that is known")
    assert sentence(model, "--file", "empty.txt") == (
        "The document has no topic in this model, so nothing is similar to it."
    )
    assert sentence(model, "--file", "gone.txt") == "gone.txt: No such file or directory"
    Path("binary").write_bytes(b"\x7fELF\x00")
    assert sentence(model, "--file", "binary") == "binary: this is binary data, not text"
    Path("latin.txt").write_bytes(b"caf\xe9")
    assert sentence(model, "--file", "latin.txt") == (
        "latin.txt: is not utf-8; give the encoding of the file with --encoding"
    )
    assert sentence(model, "--file", "latin.txt", "--encoding", "no") == (
        "--encoding='no' is not known; give one such as utf-8"
    )
    assert "there is no such folder" in sentence("gone.model", "d4")
    assert "gone.jsonl: no such file or folder" in sentence(model, "d4", "--corpus", "gone.jsonl")


def test_wrong_command_lines(run: Run, model: Path) -> None:
    one = "Error: Give a document or --file, one of them.\n"
    assert one in run("similar", model, status=2).stderr
    assert one in run("similar", model, "d4", "--file", "x", status=2).stderr
    assert "'0' is not a whole number" in run("similar", model, "d4", "-n", 0, status=2).stderr
    result = run("similar", model, "d4", "--text", "body", status=2)
    assert "--text says how to read a corpus; name one with --corpus." in result.stderr
    result = run("similar", model, "d4", "--encoding", "latin-1", status=2)
    assert "--encoding says how to read a corpus" in result.stderr


def test_a_document_without_a_topic(run: Run, posts: Path, tmp_path: Path) -> None:
    lines = [*map(json.dumps, documents()), json.dumps({"id": "none", "body": "-"})]
    Path("a.jsonl").write_text("\n".join(lines))
    run("fit", "a.jsonl", *READ, "-k", 3, "-q", "-o", "m")
    assert "none" not in run("similar", "m", "d4", "-n", 99).stdout
    result = run("similar", "m", "none", status=1)
    assert result.stderr == (
        "laconic: error: The document 'none' has no topic in this model, so nothing is similar to "
        "it.\n"
    )


# ---- what is kept -------------------------------------------------------------------------------


def test_fit_keeps_documents_and_says_what_they_take(run: Run, posts: Path) -> None:
    facts = json.loads(run("fit", posts, *READ, "-k", 3, "-o", "m", "--json").stdout)
    ours = sum(path.stat().st_size for path in Path("m").glob("documents.*"))
    assert facts["document_bytes"] == ours > 0
    assert facts["bytes"] == sum(path.stat().st_size for path in Path("m").iterdir())
    result = run("fit", posts, *READ, "-k", 3, "-o", "n", "--no-index")
    assert f" kB, {ours / 1000:.1f} kB of it for documents)\n" in result.stdout
    assert "documents   60 kept with ids and titles (" in run("info", "n").stdout
    known = json.loads(run("info", "n", "--json").stdout)
    assert (known["documents"], known["document_columns"]) == (60, ["ids", "titles"])


def test_documents_can_be_left_out(run: Run, posts: Path) -> None:
    result = run("fit", posts, *READ, "-k", 3, "-o", "m", "--no-documents")
    assert "documents)" not in result.stdout
    assert not list(Path("m").glob("documents.*"))
    assert "kept" not in run("info", "m").stdout
    result = run("similar", "m", "d4", status=1)
    assert result.stderr == (
        "laconic: error: No documents are kept with this model; give them with --corpus.\n"
    )
    lines = columns(run("similar", "m", "d4", "--corpus", posts, *READ).stdout)
    assert {group_of(id_) for _, _, id_ in lines} == {"ships"}
    result = run("topics", "m", "--documents", 2, status=1)
    assert result.stderr == (
        "laconic: error: m: no documents are kept with this model; fit it again without "
        "--no-documents\n"
    )


def test_kept_documents_are_those_of_the_transformed_corpus(
    run: Run, posts: Path, model: Path
) -> None:
    kept = run("similar", model, "d4", "-n", 60).stdout
    assert kept == run("similar", model, "d4", "-n", 60, "--corpus", posts, *READ).stdout


def test_damage_shows(run: Run, posts: Path) -> None:
    run("fit", posts, *READ, "-k", 3, "-q", "-o", "m")
    path = Path("m", "documents.codes.indices.npy")
    path.write_bytes(path.read_bytes()[:-3])
    for command in (("similar", "m", "d4"), ("info", "m"), ("topics", "m")):
        result = run(*command, status=1)
        assert result.stderr.startswith(f"laconic: error: {path}: is damaged")
        assert result.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_while_documents_are_coded_saves_the_model(tmp_path: Path, posts: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "fit", str(posts), *READ, "-k", "3", "-o", "m", "--no-index"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "coding" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "laconic: interrupted; the model is saved without its documents\n" in err
    assert "converged" in out
    assert laconic.describe(tmp_path / "m")["documents"] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


# The command line with documents that take for ever to code.
SLOW = """
import sys, time
from laconic import persistence

def for_ever(model, corpus):
    print("coding", file=sys.stderr, flush=True)
    time.sleep(60)

persistence.documents_of = for_ever

from laconic.cli.main import main
main()
"""


# ---- documents of topics ------------------------------------------------------------------------


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
        assert list(topic) == ["topic", "share", "n_words", "words", "documents"]
        expected = laconic.top_documents(fitted, topic["topic"], n=2)
        assert pl.DataFrame(topic["documents"]).equals(expected)


def test_topics_with_documents_on_a_terminal(model: Path) -> None:
    out = on_a_terminal("topics", str(model), "--documents", "2", "-n", "2", NO_COLOR="1")
    lines = without_escapes(out)
    assert lines[1].split() == ["topic", "share", "words", "documents"]
    assert out.count("About ") == 6
