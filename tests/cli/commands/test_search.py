"""Tests of ``laconic search``, and of the index that ``laconic fit`` saves for it."""

from __future__ import annotations

import json
import re
from pathlib import Path

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
from tests.messages import check

READ = ("--text", "body")


# ---- results ------------------------------------------------------------------------------------


def test_in_a_pipe_one_line_for_each_document(run: Run, model: Path) -> None:
    hits = laconic.search(laconic.load(model)).query("Harbours and anchors", k=3)
    lines = columns(run("search", model, "Harbours", "and anchors", "-n", 3).stdout)
    assert len(lines) == 3
    for hit, (score, lexical, background, title, id_, keywords, snippet) in zip(
        hits, lines, strict=True
    ):
        assert (title, id_, snippet) == ("About ships", hit.id, hit.snippet)
        assert float(score) == pytest.approx(hit.score, abs=1e-6)
        assert float(lexical) + float(background) == pytest.approx(hit.score, abs=2e-6)
        assert keywords.split(", ") == list(hit.keywords)
    assert len(run("search", model, "harbour").stdout.splitlines()) == 10


def test_json(run: Run, model: Path) -> None:
    facts = json.loads(run("search", model, "kitten", "-n", 2, "--json").stdout)
    assert list(facts) == ["model", "query", "like", "unknown", "hits"]
    assert (facts["query"], facts["like"], facts["unknown"]) == ("kitten", None, {})
    assert len(facts["hits"]) == 2
    hit = facts["hits"][0]
    assert list(hit) == [
        "id", "score", "lexical", "background", "title", "keywords", "snippet", "words", "related",
    ]  # fmt: skip
    assert [hit["snippet"][start:stop] for start, stop in hit["words"]].count("kitten") > 0
    assert {hit["snippet"][start:stop] for start, stop in hit["related"]} <= set(THEMES["pets"])


def test_a_query_on_standard_input(run: Run, model: Path) -> None:
    result = run("search", model, "-", input="storm, wind\nand a mast\n")
    assert {line[3] for line in columns(result.stdout)} == {"About ships"}
    assert result.stderr == ""


def test_what_is_like_a_document(run: Run, model: Path) -> None:
    lines = columns(run("search", model, "--like", "d4").stdout)
    assert len(lines) == 10
    assert {line[3] for line in lines} == {"About ships"}
    assert "d4" not in {line[4] for line in lines}
    facts = json.loads(run("search", model, "--like", "d4", "--json").stdout)
    assert (facts["query"], facts["like"]) == (None, "d4")
    taken = run("search", model, "--like", "a cat with kittens")
    assert {line[3] for line in columns(taken.stdout)} == {"About pets"}
    mentions(taken, "'a cat with kittens'", "text")


def test_among_other_documents(run: Run, model: Path) -> None:
    texts = {"x": "cat purr", "y": "oven and dough", "z": "a quokka"}
    write_lines("a.jsonl", ({"key": key, "text": text} for key, text in texts.items()))
    given = ("--corpus", "a.jsonl", "--text", "text", "--id", "key")
    assert [line[4] for line in columns(run("search", model, "bake", *given).stdout)] == ["y"]
    assert [line[4] for line in columns(run("search", model, "quokkas", *given).stdout)] == ["z"]


def test_unknown_words_are_said_and_the_others_looked_for(run: Run, model: Path) -> None:
    result = run("search", model, "xyzzy", "harbuor", "storm", golden=True)
    assert columns(result.stdout)[0][3] == "About ships"
    first, second = result.stderr.splitlines()
    check(first, "laconic: ", "'xyzzy'", golden=False)
    check(second, "laconic: ", "'harbuor'", "harbour", golden=False)
    facts = json.loads(run("search", model, "harbuor storm", "--json").stdout)
    assert facts["unknown"] == {"harbuor": ["harbour"]}


def test_on_a_terminal(model: Path) -> None:
    out = on_a_terminal("search", model, "kittens", "-n", "2", columns=80)
    lines = without_escapes(out)
    assert lines[0].split() == ["1", "About", "pets", *lines[0].split()[3:]]
    assert re.fullmatch(r" +\d+\.\d ━+  words \d+\.\d \+ topics \d+\.\d *", lines[1])
    assert "\x1b[1;36mkitten\x1b[0m" in out
    plain = on_a_terminal("search", model, "kittens", "-n", "2", columns=80, NO_COLOR="1")
    assert "\x1b[1;36m" not in plain
    assert without_escapes(plain) == lines


def test_texts_cannot_move_the_cursor(run: Run, model: Path) -> None:
    Path("a.jsonl").write_text(
        '{"id": "a\\tb", "title": "\\u001b[31m[red]", "text": "a [bold]cat\\u001b[2J\\tpurr"}\n'
    )
    given = ("search", model, "cat", "--corpus", "a.jsonl", "--text", "text")
    ((*_, title, id_, _, snippet),) = columns(run(*given).stdout)
    assert (title, id_, snippet) == (" [31m[red]", "a b", "a [bold]cat [2J purr")
    shown = on_a_terminal(*given, NO_COLOR="1")
    assert "\x1b[2J" not in shown
    assert "a [bold]cat [2J purr" in " ".join(without_escapes(shown)[-3].split())


# ---- errors -------------------------------------------------------------------------------------


def test_wrong_queries(run: Run, model: Path) -> None:
    def sentence(*given: object) -> Result:
        result = run("search", model, *given, status=1)
        assert result.stdout == ""
        assert result.stderr.startswith("laconic: error: ")
        assert result.stderr.count("\n") == 1
        return result

    mentions(sentence(""), "empty", "at least one word")
    mentions(sentence("..."), "'...'", "at least one word")
    mentions(sentence("harbuor"), "'harbuor'", "'harbour'")
    mentions(sentence("to be or not to be"), "stop words")
    mentions(sentence("--like", "d99"), "'d99'", "'d9'")


def test_wrong_options(run: Run, model: Path) -> None:
    mentions(run("search", model, status=2), "query", "--like")
    mentions(run("search", model, "a", "--like", "b", status=2), "query", "--like")
    mentions(run("search", model, "cat", "-n", 0, status=2), "-n", "'0'")
    mentions(run("search", model, "a", "--text", "b", status=2), "--text", "--corpus")
    mentions(run("search", "nowhere", "cat", status=1), "error: nowhere: ", "no such folder")


# ---- the index that laconic fit saves -----------------------------------------------------------


def test_fit_keeps_an_index_where_there_are_texts(run: Run, posts: Path) -> None:
    facts = json.loads(run("fit", posts, *READ, "-k", 3, "-q", "-o", "m", "--json").stdout)
    assert facts["index_bytes"] == laconic.describe("m")["index_bytes"] > 0
    shown = run("info", "m").stdout
    assert f"{laconic.describe('m')['index_words']} english word stems and the texts (" in shown
    result = run("fit", posts, *READ, "-k", 3, "-o", "n")
    mentions(result, "laconic search n ")
    assert "for search\n" in result.stdout


def test_fit_without_one(run: Run, posts: Path) -> None:
    for option in ("--no-index", "--no-documents"):
        given = ("fit", posts, *READ, "-k", 3, "-q", "-o", "m", "--force", option)
        facts = json.loads(run(*given, "--json").stdout)
        assert facts["index_bytes"] == 0
        assert not list(Path("m").glob("index.*"))
        assert "search" not in run("info", "m").stdout
        mentions(run("search", "m", "cat", status=1), "index", "--corpus")
    both = run("fit", posts, *READ, "-o", "x", "--index", "--no-documents", status=2)
    mentions(both, "--index", "--no-documents")


def test_bags_of_words_have_one_only_if_asked_for(run: Run, posts: Path) -> None:
    run("convert", posts, "-o", "bag.corpus", *READ, "--no-texts")
    facts = json.loads(run("fit", "bag.corpus", "-k", 3, "-q", "-o", "m", "--json").stdout)
    assert facts["index_bytes"] == 0
    given = ("fit", "bag.corpus", "-k", 3, "-q", "-o", "n", "--index", "--json")
    assert json.loads(run(*given).stdout)["index_bytes"] > 0
    ((*_, keywords, snippet), *_) = columns(run("search", "n", "kittens").stdout)
    assert (snippet, keywords != "") == ("", True)
    assert documents()[0]["title"] == "About pets"


def test_ctrl_c_while_the_index_is_made_saves_the_model(
    run: Run, posts: Path, interrupting_engine: str
) -> None:
    given = ("fit", posts, *READ, "-m", "plsa", "-k", 3, "-o", "m")
    result = run(*given, "--engine", interrupting_engine)
    mentions(result, "laconic: interrupted", "saved without its documents")
    assert "converged" in result.stdout
    assert laconic.describe("m")["index_bytes"] == 0
    assert [path.name for path in Path().iterdir()] == ["m"]
