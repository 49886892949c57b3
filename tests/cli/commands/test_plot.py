"""Tests of ``laconic plot``: the list of charts, the files it writes, and errors."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import laconic
from laconic.plots import CHARTS
from tests.cli.conftest import fitted
from tests.cli.running import Run, mentions

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

START = {".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>"}


@pytest.fixture(scope="module")
def labelled(posts: Path) -> Path:
    """A saved model whose documents have labels."""
    return fitted(posts, "labelled.model", "-k", 3, "--label", "group", "--words-per-topic", 5)


def chart_in(path: str) -> dict[str, Any]:
    """Return the Vega-Lite chart in an HTML page."""
    (spec,) = re.findall(
        r'<script type="application/json"[^>]*>(.*?)</script>',
        Path(path).read_text(encoding="utf-8"),
    )
    found: dict[str, Any] = json.loads(spec)
    return found


def test_without_a_chart_it_lists_those_that_the_model_has(run: Run, model: Path) -> None:
    lines = run("plot", model).stdout.splitlines()
    listed = dict(line.split(maxsplit=1) for line in lines)
    assert listed["map"] == CHARTS["map"].about
    assert listed["path"] == f"{CHARTS['path'].about} Needs --corpus."
    assert listed["senses"].endswith("Needs --word.")
    assert not {"graph", "singular-values", "speed"} & set(listed)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("ending", START)
def test_the_ending_says_what_is_written(run: Run, model: Path, ending: str) -> None:
    result = run("plot", model, "map", "-o", f"map{ending}")
    assert Path(f"map{ending}").read_bytes().startswith(START[ending])
    mentions(result, f"Wrote map{ending} (", "B).")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == [f"map{ending}"]
    assert run("plot", model, "map", "-o", f"map{ending}", "--force", "-q").stderr == ""


def test_topics_can_be_chosen(run: Run, model: Path) -> None:
    run("plot", model, "words", "--topic", 2, "--topic", 0, "-o", "words.html")
    bars = chart_in("words.html")["data"]["values"]
    assert {bar["topic"] for bar in bars} == {0, 2}
    shown = {bar["word"] for bar in bars if bar["topic"] == 0}
    assert shown == set(laconic.topics(laconic.load(model))[0].words)


def test_light_and_dark(run: Run, model: Path) -> None:
    run("plot", model, "matrix", "-o", "light.svg")
    run("plot", model, "matrix", "--dark", "-o", "dark.svg")
    run("plot", model, "matrix", "--dark", "-o", "dark.html")
    assert 'fill="#ffffff"' in Path("light.svg").read_text(encoding="utf-8")
    assert 'fill="#1b1f23"' in Path("dark.svg").read_text(encoding="utf-8")
    assert "color-scheme: dark" in Path("dark.html").read_text(encoding="utf-8")


def test_the_seed_decides_the_map(run: Run, groups: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        run("plot", groups, "map", "--seed", seed, "-o", f"{name}.svg")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert Path("a.svg").read_bytes() != Path("c.svg").read_bytes()


def test_classes_of_the_kept_documents_and_of_others(run: Run, labelled: Path, posts: Path) -> None:
    run("plot", labelled, "groups", "-o", "kept.html")
    source = ("--corpus", posts, "--text", "body", "--label", "group")
    run("plot", labelled, "groups", *source, "-o", "read.html")
    kept, read = (chart_in(name)["data"]["values"] for name in ("kept.html", "read.html"))
    assert {cell["group"] for cell in kept} == {"pets", "ships", "bread"}
    for one, other in zip(kept, read, strict=True):
        assert (one["group"], one["topic"]) == (other["group"], other["topic"])
        assert one["share"] == pytest.approx(other["share"], abs=1e-4)
    refused = run("plot", labelled, "groups", *source[:4], "-o", "no.html", status=1)
    mentions(refused, "--label")


def test_senses_of_a_word(run: Run, coding: Path) -> None:
    run("plot", coding, "senses", "--word", "cat", "-o", "cat.html")
    bars = chart_in("cat.html")["data"]["values"]
    assert bars[0]["topic"] == laconic.senses(laconic.load(coding), "cat")["topic"][0]
    refused = run("plot", coding, "senses", "--word", "sial", "-o", "no.svg", status=1)
    mentions(refused, "'sial'", "sail")


def test_the_path_of_a_model(run: Run, model: Path, posts: Path) -> None:
    run("plot", model, "path", "--corpus", posts, "--text", "body", "-o", "path.html")
    assert chart_in("path.html")["title"]["text"] == "Sparsity path over topics_per_document"


def test_a_comparison_is_drawn_from_what_compare_printed(run: Run, posts: Path) -> None:
    models = ("--models", "plsa,nmf", "-k", "3")
    printed = run("compare", posts, "--text", "body", "--label", "group", *models, "--json")
    Path("found.json").write_text(printed.stdout)
    run("plot", "found.json", "speed", "-o", "speed.html")
    spec = json.dumps(chart_in("speed.html"))
    for row in json.loads(printed.stdout)["rows"]:
        assert f'"seconds": {row["seconds"]}' in spec


NO_COMPARISON: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "no JSON": ("{", ("c.json: ", "not a comparison", "laconic compare")),
    "other columns": ('{"rows": [{"modell": 1}], "about": {}}', ("c.json: ", "not a comparison")),
    "no rows": ('{"rows": [], "about": {}}', ("fitting time", "quality metric")),
    "no file": (None, ("c.json: ", os.strerror(errno.ENOENT))),
}


@pytest.mark.parametrize("case", NO_COMPARISON)
def test_what_is_no_comparison(run: Run, case: str) -> None:
    content, parts = NO_COMPARISON[case]
    if content is not None:
        Path("c.json").write_text(content)
    given = ("plot", "c.json", "speed", "-o", "speed.svg")
    refused = run(*given, status=1, golden=content is not None)
    mentions(refused, "laconic: error: ", *parts)
    assert len(refused.stderr.splitlines()) == 1
    assert not Path("speed.svg").exists()


REFUSED: dict[str, tuple[int, tuple[str, ...]]] = {
    "map": (2, ("-o", ".svg, .png or .pdf")),
    "pie -o p.svg": (2, ("'pie'", "words, map")),
    "senses -o s.svg": (2, ("senses", "--word")),
    "path -o s.svg": (2, ("path", "--corpus")),
    "map --word cat -o s.svg": (2, ("map", "--word", "omit")),
    "words --seed 1 -o s.svg": (2, ("words", "--seed", "omit")),
    "map --text body -o s.svg": (2, ("--text", "--corpus")),
    "words --topic -1 -o s.svg": (2, ("--topic", "'-1'", " 0 ")),
    "map -o map.bmp": (1, ("error: map.bmp: ", ".html, .svg, .png, .pdf")),
    "mpa -o map.svg": (2, ("'mpa'", "Did you mean map?")),
    "map -o no/map.svg": (1, ("error: no/map.svg: ", "does not exist")),
    "words --topic 7 -o s.svg": (1, ("topic 7", "0 to 2")),
    "graph -o s.svg": (1, ("-m sctm --correlated",)),
    "groups -o s.svg": (1, ("--label",)),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_wishes_that_are_refused(run: Run, model: Path, arguments: str) -> None:
    status, parts = REFUSED[arguments]
    mentions(run("plot", model, *arguments.split(), status=status), *parts)
    assert list(Path().iterdir()) == []


def test_a_file_that_is_there_is_kept(run: Run, model: Path) -> None:
    Path("map.svg").write_text("mine")
    refused = run("plot", model, "map", "-o", "map.svg", status=1)
    mentions(refused, "map.svg: ", "exists", "--force")
    assert Path("map.svg").read_text(encoding="utf-8") == "mine"


def test_a_model_that_is_not_there(run: Run) -> None:
    for arguments in (("no.model",), ("no.model", "map", "-o", "map.svg")):
        mentions(run("plot", *arguments, status=1), "error: no.model: ", "no such folder")
