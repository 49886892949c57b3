"""Tests of the chart of a search for the number of topics, and of its files."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from html import escape

import polars as pl
import pytest

from laconic import tune
from laconic.datasets import make_topics
from laconic.plots.labels import width_of
from laconic.plots.tuning import WIDTH, ends_of_sizes, legible, position
from tests.messages import refused

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def corpus():
    return make_topics(90, 120, 3, words_per_topic=12, random_state=4)[0]


@pytest.fixture(scope="module")
def tuning(corpus):
    return tune(corpus, "slsa", n_components=[2, 3, 5], folds=2, refit=False)


def values_in(spec):
    """Return all data rows of a chart from any place in its JSON."""
    found = []
    if isinstance(spec, dict):
        found += spec.get("values", []) if isinstance(spec.get("values"), list) else []
        for part in spec.values():
            found += values_in(part)
    elif isinstance(spec, list):
        for part in spec:
            found += values_in(part)
    return [value for value in found if isinstance(value, dict)]


def test_every_size_and_every_setting_is_drawn(tuning):
    shown = values_in(tuning.chart().to_dict())
    assert {value["topics"] for value in shown if "topics" in value} == {2, 3, 5}
    assert {v["topics"] for v in shown if "topics" in v and v["chosen"]} == {tuning.n_components}
    settings = {value["setting"] for value in shown if "setting" in value}
    assert settings == set(tuning.path["value"])
    assert len({v["setting"] for v in shown if "setting" in v and v["chosen"]}) == 1


def test_a_classifier_has_its_accuracy_drawn(corpus):
    found = tune(corpus, "medstc", n_components=[2, 3], folds=2, refit=False, sparsity=False)
    assert "accuracy" in json.dumps(found.chart().to_dict())
    assert "setting" not in json.dumps(found.chart().to_dict())


@pytest.mark.parametrize(
    ("name", "begins"), [("c.svg", b"<svg"), ("c.png", b"\x89PNG"), ("c.pdf", b"%PDF")]
)
def test_files(tuning, tmp_path, name, begins):
    path = tuning.plot(tmp_path / name)
    assert path.read_bytes().startswith(begins)


def test_another_ending_is_refused(tuning, tmp_path):
    with refused("curve.bmp", ".svg", ".png", ".html"):
        tuning.plot(tmp_path / "curve.bmp")


def test_a_page_contains_the_reasons_and_the_table(tuning, tmp_path):
    page = tuning.plot(tmp_path / "c.html").read_text(encoding="utf-8")
    for sentence in tuning.why:
        assert escape(sentence) in page
    assert "← highest score" in page
    assert "<script" not in page
    tables = [re.findall(r"<tr.*?</tr>", table) for table in re.findall("<tbody>.*?</tbody>", page)]
    numbers = [[re.sub("<[^>]*>", "|", row).split("|") for row in table] for table in tables]
    assert [len(table) for table in tables] == [len(tuning.curve), len(tuning.path)]
    for row, shown in zip(tuning.curve.iter_rows(named=True), numbers[0], strict=True):
        expected = [
            str(row["n_components"]),
            f"{row['explained']:.2%}",
            f"{row['standard_error']:.2%}",
            f"{row['recurrence']:.2f}",
            f"{row['explained'] * row['recurrence']:.2%}",
            f"{row['zeros']:.1%}",
        ]
        assert [text for text in shown if text in expected] == expected
    for row, shown in zip(tuning.path.iter_rows(named=True), numbers[1], strict=True):
        assert {row["value"], f"{row['zeros']:.1%}", f"{row['metric']:.2%}"} <= set(shown)


def texts_of(picture):
    """Return the texts of an SVG with their positions, as `text: x`."""
    return [text for text in re.findall(r">([^<>]+)</text>", picture) if text.strip()]


def test_the_page_has_a_chart_for_each_metric_in_both_themes(tuning, tmp_path):
    page = tuning.plot(tmp_path / "c.html").read_text(encoding="utf-8")
    for kind in ("day", "night"):
        assert page.count(f'<div class="{kind}"><svg') == 4
    first = page[page.index("<svg") : page.index("</svg>")]
    assert {"2", "3", "5"} <= set(texts_of(first))  # only the numbers tried are on the axis


@pytest.mark.parametrize("sizes", [[2, 3, 5], [5, 10, 20, 50, 100], list(range(2, 60)), [7]])
def test_numbers_on_the_axis_do_not_touch(sizes):
    ends = ends_of_sizes(sizes)
    assert ends[0] < min(sizes) <= max(sizes) < ends[1]
    found = legible(sizes, ends)
    assert set(found) <= set(sizes)
    assert found[0] == min(sizes)
    centres = [position(size, ends) * WIDTH for size in found]
    for one, two in itertools.pairwise(zip(found, centres, strict=True)):
        room = (width_of(f"{one[0]:,}") + width_of(f"{two[0]:,}")) / 2
        assert two[1] - one[1] > room


def test_axes_do_not_extend_below_zero(tuning):
    """The standard error of the first row is larger than its value."""
    curve = tuning.curve.with_columns(standard_error=pl.Series([0.5, 0.01, 0.01]))
    spec = replace(tuning, curve=curve).chart().to_dict()
    assert '"domain": [-' not in json.dumps(spec["concat"][0])


def test_a_knee_is_called_a_knee(tuning):
    best = max(tuning.curve["n_components"])
    scores = [0.1 * size for size in tuning.curve["n_components"]]
    rising = tuning.curve.with_columns(pl.Series("score", scores))
    knee = replace(tuning, rule="knee", n_components=3, curve=rising)
    lines = {line.split()[0]: line for line in str(knee).splitlines()[3:6]}
    assert lines["3"].endswith("← knee of the explained share")
    assert lines[str(best)].endswith("  highest score")
    assert not lines["2"].endswith("score")
    shown = json.dumps(knee.chart().to_dict())
    assert "the choice: knee of the explained share" in shown
    assert '{"value": "knee"}' in shown
