"""Tests of the page of a comparison, which is self-contained and escapes all texts."""

from __future__ import annotations

import itertools
import json
import re
import sys

import pytest

from laconic.evaluation.compare import Comparison, Row
from laconic.evaluation.repeats import interval
from laconic.extras import require
from laconic.plots import files
from laconic.plots.comparison import speed_against_quality, ticks
from laconic.plots.comparison_page import Axis, aligned, comparison_page
from laconic.plots.files import ending_of, write_chart
from tests.messages import refused

ABOUT = {
    "documents": 10,
    "words": 20,
    "fitted_to": 8,
    "unseen": 2,
    "classes": 2,
    "window": "texts",
    "words_of_a_topic": 10,
    "random_state": 0,
    "n_jobs": None,
    "interrupted": False,
}


@pytest.fixture
def comparison():
    rows = [
        Row("slsa", 5, npmi=0.1, c_v=0.5, accuracy=0.5, seconds=0.1, words=[["cat", "</script>"]]),
        Row("nmf", 5, npmi=0.2, c_v=0.4, accuracy=0.6, seconds=1.0, perplexity=float("inf")),
        Row("sctm", 5, error="<b>no</b>"),
    ]
    return Comparison(rows, ABOUT)


def test_the_page_needs_nothing_from_elsewhere(comparison, tmp_path):
    path = comparison.save(tmp_path / "compare.html")
    text = path.read_text()
    assert "<script" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text)
    assert len(text) < 200_000
    assert [path.name for path in tmp_path.iterdir()] == ["compare.html"]


def test_a_file_that_exists_is_replaced_only_if_asked(comparison, tmp_path):
    path = tmp_path / "compare.html"
    path.write_text("mine")
    with refused(str(path), "exists", "force=True"):
        comparison.save(path)
    assert path.read_text() == "mine"
    comparison.save(path, force=True)
    assert "<h1>Topic models compared</h1>" in path.read_text()


def test_texts_are_escaped(comparison):
    text = comparison_page(comparison)
    assert "&lt;/script&gt;" in text
    assert "&lt;b&gt;no&lt;/b&gt;" in text
    assert "</script>" not in text
    assert "<b>no</b>" not in text


def test_no_word_of_a_chart_ends_its_script(tmp_path):
    alt = pytest.importorskip("altair")
    chart = alt.Chart(alt.Data(values=[{"word": "</script><b>"}])).mark_point()
    text = write_chart(chart, tmp_path / "c.html").read_text()
    (spec,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    assert json.loads(spec)["data"]["values"] == [{"word": "</script><b>"}]


def test_the_best_is_marked(comparison):
    text = comparison_page(comparison)
    assert re.search(
        r'<th scope="row">NPMI</th><td class="number">0.100</td><td class="number best">0.200</td>',
        text,
    )


def test_charts_hold_the_rows(comparison):
    spec = json.dumps(speed_against_quality(comparison).to_dict())
    assert '"seconds": 0.1' in spec
    assert "sctm" not in spec  # sctm was not fitted


def cards(page):
    """Map the heading of each card to a list of (model, position of the dot, value)."""
    found = {}
    for card in re.findall(r'<figure class="metric">.*?</figure>', page, flags=re.DOTALL):
        name = re.search("<h3>(.*?)</h3>", card)[1]
        lines = re.findall(
            r'class="name">(\w+).*?class="dot [\w -]+" style="left:([\d.]+)%".*?"number">([^<]+)',
            card,
        )
        found[name] = [(model, float(left) / 100, value) for model, left, value in lines]
    return found


def test_every_metric_is_a_card_with_a_dot_for_each_model(comparison):
    found = cards(comparison_page(comparison))
    assert set(found) == {"NPMI", "C_v", "accuracy", "seconds to fit"}  # an infinite value has none
    assert [(model, value) for model, _, value in found["NPMI"]] == [
        ("slsa", "0.100"),
        ("nmf", "0.200"),
    ]
    (_, low, _), (_, high, _) = found["NPMI"]
    assert (low, high) == pytest.approx((0.06 / 1.12, 1.06 / 1.12), abs=1e-3)


def test_positions_on_a_logarithmic_axis():
    axis = Axis(0.1, 10.0, True, str)
    assert axis.at(1.0) == pytest.approx(0.5)
    assert axis.ticks == [0.1, 1.0, 10.0]
    assert 0 < axis.at(0.1) < axis.at(10.0) < 1
    alone = Axis(3.0, 3.0, False, str)
    assert alone.at(3.0) == pytest.approx(0.5)


@pytest.mark.parametrize("low", [-0.3, 0.0, 1e-4, 0.9, 1234.0])
@pytest.mark.parametrize("length", [1e-3, 0.17, 1.0, 90.0])
def test_ticks_are_few_round_and_on_the_axis(low, length):
    found = ticks(low, low + length)
    assert 2 <= len(found) <= 6
    assert all(low - 1e-9 <= tick <= low + length + 1e-9 for tick in found)
    steps = {round((two - one) / length, 6) for one, two in itertools.pairwise(found)}
    assert len(steps) == 1


def test_intervals_are_drawn_and_winners_marked():
    runs = {"slsa": [0.10, 0.11, 0.12], "nmf": [0.30, 0.31, 0.33]}
    rows = [
        Row(name, 5, npmi=sum(values) / 3, runs={"npmi": values}) for name, values in runs.items()
    ]
    comparison = Comparison(rows, {**ABOUT, "repeats": 3})
    page = comparison_page(comparison)
    assert page.count('class="range"') == 2
    low, high = interval(rows[1], "npmi", comparison.about)
    assert f"{low:.3f} to {high:.3f}" in page
    assert re.findall(r'class="name">(\w+)<span class="wins"', page) == ["nmf"]
    assert "nmf has the highest NPMI (0.313, next slsa 0.110)." in page


def test_one_number_of_topics_needs_no_legend(comparison):
    page = comparison_page(comparison)
    assert "5 topics</p>" not in page
    more = [*comparison.rows, Row("slsa", 9, npmi=0.3, seconds=0.2)]
    assert "9 topics</p>" in comparison_page(Comparison(more, ABOUT))


def test_topics_are_aligned_with_those_of_the_first_model():
    first = [["cat", "purr"], ["dog", "bark"], ["emu"]]
    second = [["bark", "dog"], ["purr", "cat"]]
    assert aligned([first, second]) == [[0, 1], [1, 0], [2, None]]
    rows = [Row("slsa", 3, npmi=0.1, words=first), Row("nmf", 2, npmi=0.2, words=second)]
    assert aligned([first, [["zoo"]]]) == [[0, None], [1, None], [2, None]]
    rows[1].n_components = 3
    page = comparison_page(Comparison(rows, ABOUT))
    assert page.index("Topics side by side") < page.index("<h2>Metrics</h2>")
    assert "<dt>nmf</dt><dd><b>purr</b>, <b>cat</b></dd>" in page
    assert "no similar topic" in page


def test_without_a_measure_of_quality_there_is_no_chart_of_it():
    rows = [Row("slsa", 5, seconds=0.1), Row("nmf", 5, seconds=0.3)]
    assert "Speed against quality" not in comparison_page(Comparison(rows, ABOUT))


def test_a_comparison_in_which_nothing_was_fitted_says_why():
    page = comparison_page(Comparison([Row("slsa", 5, error="no words")], ABOUT))
    assert "no words" in page


@pytest.mark.parametrize("ending", files.ENDINGS)
def test_charts_as_files(comparison, tmp_path, ending):
    path = write_chart(speed_against_quality(comparison), tmp_path / f"chart{ending}")
    start = path.read_bytes()[:200]
    signatures = {
        ".html": b"<!DOCTYPE html>",
        ".svg": b"<svg",
        ".png": b"\x89PNG",
        ".pdf": b"%PDF",
    }
    assert signatures[ending] in start
    assert [path.name for path in tmp_path.iterdir()] == [f"chart{ending}"]


def test_another_ending_is_refused():
    with refused("chart.bmp", ".html", ".svg", ".png", ".pdf"):
        ending_of("chart.bmp")


def test_a_place_that_cannot_be_written(comparison, tmp_path):
    with refused("chart.svg", "No such file", golden=False):
        write_chart(speed_against_quality(comparison), tmp_path / "no" / "chart.svg")


def test_without_altair_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)  # simulate a missing package
    with refused("pip install 'laconic[web]'"):
        require("altair")
