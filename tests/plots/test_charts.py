"""Tests of all charts of all models: they can be drawn, set no colours, and show any word."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import laconic
from laconic import Corpus
from laconic.evaluation.compare import Comparison, Row
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.models import MODELS
from laconic.plots import CHARTS, applicable, write_chart
from laconic.plots.files import render
from laconic.plots.style import styled, theme
from laconic.plots.topic_view import OBJECT_PROPERTIES
from tests.messages import refused

from .looking import data_in, data_of, made_by_hand

NASTY = [
    "<b>bold</b>",
    'say "hi"',
    "it's",
    "a.b[0]",
    "\\n",
    "datum.x",
    "wörter",
    "日本",
    "a\x1bb",
    "two\u2028lines",
    "🐈",
]
COLOUR_KEYS = re.compile(r"^(color|fill|stroke|background|.+Color)$")


@pytest.fixture(scope="module")
def drawn(models, corpus):
    """Draw every chart of every model, with a corpus and a word."""
    found = {}
    for name, model in models.items():
        word = str(model[-1].feature_names_in_[45])
        for chart in applicable(model, having=("corpus", "word")):
            if chart != "path":  # this chart is slow and is drawn only once, below
                found[name, chart] = CHARTS[chart].draw(model, corpus=corpus, word=word)
    found["slsa", "path"] = CHARTS["path"].draw(models["slsa"], corpus=corpus)
    groups = {f"set{n}": corpus.vocabulary[n : n + 20].tolist() for n in range(0, 60, 10)}
    grouped = laconic.pipeline("slsa", n_components=3, groups=groups).fit(corpus)
    found["slsa", "word-groups"] = CHARTS["word-groups"].draw(grouped)
    rows = [Row("slsa", 5, c_v=0.5, seconds=0.1), Row("nmf", 5, c_v=0.4, seconds=1.0)]
    found["any", "speed"] = CHARTS["speed"].draw(Comparison(rows, {}))
    return found


def test_every_chart_is_drawn_of_some_model(drawn):
    assert {chart for _, chart in drawn} == set(CHARTS)
    everywhere = {"words", "map", "matrix", "groups", "senses"}
    for name in MODELS:
        assert everywhere <= {chart for model, chart in drawn if model == name}


@pytest.fixture(scope="module")
def specs(drawn):
    return {key: picture.to_dict() for key, picture in drawn.items()}


def test_every_chart_has_a_description_and_numbers(specs):
    for key, spec in specs.items():
        assert spec["description"], key
        json.dumps(spec, allow_nan=False)


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_can_be_rendered(drawn, chart):
    """Render the first model's chart in light colours and the last model's in dark colours."""
    pictures = [picture for (_, name), picture in drawn.items() if name == chart]
    for picture, dark in ((pictures[0], False), (pictures[-1], True)):
        svg = render(picture, ".svg", dark=dark)
        assert svg.startswith(b"<svg")
        assert b"NaN" not in svg
        assert theme(dark)["background"].encode() in svg


def colours_in(part, path=()):
    """Yield the places in a chart where a colour is set."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("config", "data", "datasets", "title", "text") and not path:
                continue
            if COLOUR_KEYS.match(key) and isinstance(value, str):
                yield (*path, key, value)
            if key in ("range", "scheme") and path[-2:-1] != ("size",) and _are_colours(value):
                yield (*path, key, str(value))
            if not (key == "data" or key == "values"):
                yield from colours_in(value, (*path, key))
    elif isinstance(part, list):
        for number, value in enumerate(part):
            yield from colours_in(value, (*path, number))
    elif isinstance(part, str) and re.fullmatch(r"#[0-9a-fA-F]{3,8}", part):
        yield (*path, part)


def _are_colours(value):
    if isinstance(value, str):
        return True  # the value is the name of a colour scheme
    return isinstance(value, list) and any(isinstance(one, str) for one in value)


def test_charts_name_no_colours(specs):
    for key, spec in specs.items():
        assert spec["config"]
        plain = {name: part for name, part in spec.items() if name != "config"}
        assert list(colours_in(plain)) == [], key


def test_the_search_for_colours_finds_them():
    bad = [
        {"mark": {"type": "bar", "color": "red"}},
        {"encoding": {"color": {"scale": {"range": ["#000", "#fff"]}}}},
        {"encoding": {"color": {"scale": {"scheme": "blues"}}}},
        {"encoding": {"color": {"condition": {"value": "#0072B2"}}}},
        {"layer": [{"encoding": {"x": {"axis": {"labelColor": "black"}}}}]},
    ]
    assert all(list(colours_in(spec)) for spec in bad)


def luminance(colour):
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_drawn_stands_out_from_its_ground(dark):
    look = theme(dark)
    paper = look["background"]
    for part in ("axis", "legend", "header"):
        assert contrast(look[part]["labelColor"], paper) > 7
        assert contrast(look[part]["titleColor"], paper) > 4.5
    assert contrast(look["title"]["subtitleColor"], paper) > 4.5
    for colour in look["range"]["category"][:4]:
        assert contrast(colour, paper) > 3
    ramp = [contrast(colour, paper) for colour in look["range"]["heatmap"]]
    assert ramp == sorted(ramp)  # contrast increases along the scale


def test_both_themes_have_the_same_parts():
    def parts(tree):
        return {key: parts(value) for key, value in tree.items()} if isinstance(tree, dict) else 0

    assert parts(theme()) == parts(theme(dark=True))
    assert theme() == json.loads(json.dumps(theme()))


def test_a_chart_can_change_its_theme(drawn):
    chart = drawn["slsa", "map"]
    assert chart.to_dict()["config"] == theme()
    assert styled(chart, dark=True).to_dict()["config"] == theme(dark=True)


@pytest.fixture(scope="module")
def nasty():
    """Return a model whose words look like markup, code and control characters."""
    random = np.random.default_rng(0)
    counts = random.poisson(1.5, (40, len(NASTY)))
    corpus = Corpus(counts, NASTY, labels=[NASTY[-1 - row % 5] for row in range(40)])
    return laconic.PLSA(3).fit(corpus), corpus


@pytest.mark.parametrize("ending", [".svg", ".png", ".html"])
def test_any_word_can_be_drawn(nasty, ending, tmp_path):
    model, corpus = nasty
    names = ("words", "map", "matrix", "groups", "senses")
    # one chart is enough for PNG, which is made from the same SVG
    for name in names[:1] if ending == ".png" else names:
        chart = CHARTS[name].draw(model, corpus=corpus, word=NASTY[0])
        path = write_chart(chart, tmp_path / f"{name}{ending}")
        data = path.read_bytes()
        if ending == ".html":
            assert b"<b>bold" not in data
            (spec,) = re.findall(rb'<script type="application/json"[^>]*>(.*?)</script>', data)
            assert json.loads(spec)["title"]
            assert b"\\u2028" not in spec
        if ending == ".svg":
            assert b"<b>bold" not in data
            assert "\x1b" not in data.decode()


def test_what_cannot_be_drawn_gets_a_sentence():
    import altair as alt

    chart = alt.Chart(alt.Data(values=[{"a": 1}])).mark_bar().transform_filter("datum.a ===")
    with refused("chart cannot be drawn", golden=False):
        render(chart, ".svg")


def test_words_are_as_they_are_in_the_data(nasty):
    model, corpus = nasty
    cells = data_of(CHARTS["matrix"].draw(model), "word")
    assert {cell["word"] for cell in cells} == set(NASTY)
    assert {cell["group"] for cell in data_of(CHARTS["groups"].draw(model, corpus=corpus), "group")}


def test_long_words_and_names_are_cut_and_told_apart():
    """Without shortening, Vega would need minutes to draw them."""
    words = ["x" * 100_000 + end for end in "abc"]
    corpus = Corpus(np.random.default_rng(0).poisson(2, (30, 3)), words, labels=words * 10)
    model = laconic.PLSA(2).fit(corpus)
    keep_notes(model, {0: TopicNote("y" * 200)})
    for name in ("words", "map", "matrix", "groups", "senses"):
        chart = CHARTS[name].draw(model, corpus=corpus, word=words[0])
        assert len(json.dumps(chart.to_dict())) < 20_000
        assert render(chart, ".svg").startswith(b"<svg")
    cells = data_of(CHARTS["matrix"].draw(model), "word")
    assert {cell["word"] for cell in cells} == {"x" * 40 + f"… ({column})" for column in range(3)}
    assert {cell["name"] for cell in cells if cell["topic"] == 0} == {"y" * 40 + "… (0)"}
    groups = {
        cell["group"] for cell in data_of(CHARTS["groups"].draw(model, corpus=corpus), "group")
    }
    assert len(groups) == 3


def test_words_that_every_object_of_javascript_has_are_words():
    """Vega would find JavaScript functions for these words and leave the chart empty."""
    words = sorted(OBJECT_PROPERTIES)
    counts = np.random.default_rng(0).poisson(2, (36, len(words)))
    corpus = Corpus(counts, words, labels=words * 3)
    model = laconic.PLSA(2).fit(corpus)
    keep_notes(model, {0: TopicNote("constructor")})
    for name in ("words", "map", "matrix", "groups", "senses"):
        for topics in (None, [0]):
            chart = CHARTS[name].draw(model, corpus=corpus, word="valueOf", topics=topics)
            assert b">constructor" in render(chart, ".svg"), name


def test_data_points_know_their_topic(specs):
    for (name, chart), spec in specs.items():
        if chart in ("words", "map", "matrix", "groups", "graph", "senses"):
            topics = {row["topic"] for row in data_in(spec, "topic")}
            assert topics, (name, chart)
            assert all(isinstance(topic, int) for topic in topics)


def test_what_a_model_has(models, corpus):
    assert applicable(models["sctm"]) == [
        "words", "map", "matrix", "groups", "convergence", "graph", "tree",
    ]  # fmt: skip
    assert "graph" not in applicable(models["plsa"])
    assert "singular-values" in applicable(models["pcp"], having=["corpus"])
    assert "singular-values" not in applicable(models["slsa"], having=["corpus"])
    assert applicable(made_by_hand(np.zeros((2, 3)))) == ["map", "convergence", "tree"]
    fresh = laconic.PLSA(2).fit(corpus)
    assert "groups" not in applicable(fresh)
    assert "groups" in applicable(fresh, having=["corpus"])


def test_each_chart_says_what_it_shows_and_takes():
    for name, kind in CHARTS.items():
        assert re.fullmatch(r"[A-Z].*\.", kind.about), name
        assert set(kind.needs) <= {"corpus", "word", "comparison"}
        assert set(kind.takes) <= {"corpus", "topics", "random_state", "width", "letters"}


@pytest.mark.parametrize(
    ("name", "needed"), [("path", "corpus="), ("singular-values", "corpus="), ("senses", "word=")]
)
def test_what_is_needed_is_asked_for(models, name, needed):
    with refused(needed):
        CHARTS[name].draw(models["pcp"])


def test_groups_are_of_one_topic_or_of_all(models):
    with refused("one topic", "all"):
        CHARTS["groups"].draw(models["plsa"], topics=[0, 1])


def test_public_names_are_there():
    for name in laconic.plots.__all__:
        assert getattr(laconic.plots, name) is not None
    assert set(laconic.plots.__all__) <= set(dir(laconic.plots))
    with refused("'pie'", kind=AttributeError):
        _ = laconic.plots.pie


def test_what_exists_is_replaced_only_if_told(tmp_path):
    chart = laconic.plots.topic_words(laconic.PLSA(2).fit([[3, 1, 0], [0, 1, 3], [2, 2, 0]]))
    path = tmp_path / "words.svg"
    path.write_text("mine")
    with refused("words.svg", "exists", "force=True"):
        write_chart(chart, path)
    assert path.read_text() == "mine"
    write_chart(chart, path, force=True)
    assert path.read_text().startswith("<svg")


def test_what_is_no_chart_or_no_number_gets_a_sentence(tmp_path):
    model = laconic.PLSA(2).fit([[3, 1, 0], [0, 1, 3], [2, 2, 0]])
    with refused("chart", "a.svg", "got NoneType"):
        write_chart(None, tmp_path / "a.svg")
    for draw in (laconic.plots.topic_words, laconic.plots.topic_word_matrix):
        with refused("n_words", "integer", "got 1.5"):
            draw(model, n_words=1.5)
    with refused("random_state", "integer", "got 'x'"):
        laconic.plots.topic_map(model, random_state="x")
    for draw in (laconic.plots.topic_map, laconic.plots.topic_words, laconic.plots.convergence):
        for width in (0, "300", True):
            with refused("width", f"got {width!r}"):
                draw(model, width=width)
