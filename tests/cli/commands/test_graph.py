"""Tests of ``laconic topics --graph``: which topics are correlated."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.cli.commands.topics import to_dot
from laconic.fitted.notes import TopicNote
from laconic.saving.notes import write_notes
from tests.cli.conftest import fitted
from tests.cli.running import Run, columns, mentions, on_a_terminal, without_escapes


@pytest.fixture(scope="session")
def correlated(posts: Path) -> Path:
    return fitted(posts, "correlated.model", "-m", "sctm", "-k", 3, "--correlated")


@pytest.fixture(scope="session")
def graph(correlated: Path) -> Path:
    """The correlated model with a known graph: edge 0-1 is positive, edge 0-2 is negative."""
    model = laconic.load(correlated)
    precision = np.eye(3)
    precision[0, 1] = precision[1, 0] = -0.3
    precision[0, 2] = precision[2, 0] = 0.1
    model[-1].topic_precision_ = precision
    return laconic.save(model, correlated.with_name("graph.model"))


def test_in_a_pipe_one_line_for_each_pair(run: Run, graph: Path) -> None:
    lines = columns(run("topics", graph, "--graph").stdout)
    table = laconic.topic_graph(laconic.load(graph))
    assert [line[:3] for line in lines] == [["0", "1", "+0.300000"], ["0", "2", "-0.100000"]]
    assert [line[3].split(", ") for line in lines] == table["words"].to_list()
    assert [line[4].split(", ") for line in lines] == table["other_words"].to_list()
    (first, _) = run("topics", graph, "--graph", "-n", 1).stdout.splitlines()
    assert "," not in first


def test_json(run: Run, graph: Path) -> None:
    facts = json.loads(run("topics", graph, "--graph", "--json").stdout)
    assert list(facts) == ["model", "edges"]
    assert pl.DataFrame(facts["edges"]).equals(laconic.topic_graph(laconic.load(graph)))


def test_on_a_terminal_a_table(graph: Path) -> None:
    out = on_a_terminal("topics", graph, "--graph", columns=100, NO_COLOR="1")
    lines = without_escapes(out)
    assert lines[1].split() == ["topic", "weight", "other", "topic"]
    assert lines[3].split()[0] == "0:"
    assert "+0.300" in lines[3]
    assert "-0.100" in lines[4]


def test_for_graphviz(run: Run, graph: Path) -> None:
    dot = run("topics", graph, "--dot").stdout
    assert dot == run("topics", graph, "--graph", "--dot").stdout
    lines = dot.splitlines()
    assert lines[0] == "graph topics {"
    assert '  0 -- 1 [label="+0.300", penwidth=4.00];' in lines
    assert '  0 -- 2 [label="-0.100", penwidth=1.67, style=dashed];' in lines
    assert sum("[label=" in line and "--" not in line for line in lines) == 3
    if shutil.which("dot"):
        done = subprocess.run(
            ["dot", "-Tsvg"], input=dot, capture_output=True, text=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stderr


def test_topics_go_by_their_names(run: Run, graph: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(graph, tmp_path / "mine.model")
    before = columns(run("topics", mine, "--graph").stdout)
    write_notes(mine, {0: TopicNote('"bread"')})
    after = columns(run("topics", mine, "--graph").stdout)
    assert [line[3] for line in after] == [f'"bread": {line[3]}' for line in before]
    assert [line[4] for line in after] == [line[4] for line in before]
    dot = run("topics", mine, "--dot").stdout
    assert '0 [label="\\"bread\\"\\n' in dot
    edge = json.loads(run("topics", mine, "--graph", "--json").stdout)["edges"][0]
    assert (edge["name"], edge["other_name"]) == ('"bread"', None)


def test_words_cannot_leave_their_label() -> None:
    edge = {"topic": 0, "other": 1, "weight": 1.0, "words": ['a"];\n', "b\\"], "other_words": [""]}
    assert '  0 [label="a\\"]; \\nb\\\\"];' in to_dot(pl.DataFrame([edge])).splitlines()


def test_a_graph_without_edges(run: Run, graph: Path) -> None:
    model = laconic.load(graph)
    model[-1].topic_precision_ = np.eye(3)
    laconic.save(model, "m")
    result = run("topics", "m", "--graph", golden=True)
    assert result.stdout == ""
    mentions(result, "laconic: ", "no edges")
    assert json.loads(run("topics", "m", "--graph", "--json").stdout)["edges"] == []
    assert run("topics", "m", "--dot").stdout == "graph topics {\n  node [shape=box];\n}\n"


def test_models_without_a_graph(run: Run, model: Path, posts: Path) -> None:
    run("fit", posts, "--text", "body", "-m", "sctm", "-k", 3, "-q", "-o", "m")
    for path in (model, Path("m")):
        for option in ("--graph", "--dot"):
            result = run("topics", path, option, status=1)
            mentions(result, f"laconic: error: {path}: ", "laconic fit -m sctm --correlated")
            assert result.stderr.count("\n") == 1
            assert result.stdout == ""


def test_a_graph_says_nothing_of_documents(run: Run, graph: Path) -> None:
    for option in ("--graph", "--dot"):
        result = run("topics", graph, option, "--documents", 2, status=2)
        mentions(result, "graph", "--documents")
    result = run("topics", graph, "--dot", "--json", status=2)
    mentions(result, "--dot", "--json", "not both")


def test_fit_says_what_it_found_and_what_to_do_with_it(run: Run, posts: Path, graph: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "sctm", "-k", 3, "-o", "m", "--force")
    result = run(*given, "--correlated")
    mentions(result, "laconic topics m --graph")
    assert "graph      " in result.stdout
    result = run(*given)
    assert "graph" not in result.stdout + result.stderr
    assert "graph       2 pairs of topics\n" in run("info", graph).stdout
    assert json.loads(run("info", graph, "--json").stdout)["edges"] == 2


def test_facts_of_the_penalty(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "sctm", "-k", 3, "-o", "m", "--force")
    facts = json.loads(run(*given, "--alpha", "0.002", "--json").stdout)
    assert (facts["alpha"], facts["topics_per_document"]) == (0.002, None)
    assert "penalty    0.002 on documents\n" in run(*given, "--alpha", "0.002").stdout
    result = run(*given, "--topics-per-document", "1.5")
    assert " on documents (for 1.5 topics each)\n" in result.stdout
