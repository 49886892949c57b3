"""Tests of the page of a comparison, which is self-contained and escapes all texts."""

from __future__ import annotations

import json
import re
import sys

import pytest

from laconic.evaluation.compare import Comparison, Row
from laconic.extras import require
from laconic.plots import files
from laconic.plots.comparison import comparison_page, metric_panels, speed_against_quality
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
    assert "vegaEmbed=" in text.replace(" ", "")
    markup = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", markup)
    assert len(text) < 3_000_000
    assert [path.name for path in tmp_path.iterdir()] == ["compare.html"]


def test_a_file_that_exists_is_replaced_only_if_asked(comparison, tmp_path):
    path = tmp_path / "compare.html"
    path.write_text("mine")
    with refused(str(path), "exists", "force=True"):
        comparison.save(path)
    assert path.read_text() == "mine"
    comparison.save(path, force=True)
    assert "vega" in path.read_text()


def test_texts_are_escaped(comparison):
    text = comparison_page(comparison)
    assert "&lt;/script&gt;" in text
    assert "&lt;b&gt;no&lt;/b&gt;" in text
    for spec in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text):
        assert "<" not in spec
        assert json.loads(spec)["$schema"]


def test_no_word_of_a_chart_ends_its_script(tmp_path):
    alt = pytest.importorskip("altair")
    chart = alt.Chart(alt.Data(values=[{"word": "</script><b>"}])).mark_point()
    text = write_chart(chart, tmp_path / "c.html").read_text()
    (spec,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    assert json.loads(spec)["data"]["values"] == [{"word": "</script><b>"}]


def test_the_best_is_marked(comparison):
    text = comparison_page(comparison)
    assert re.search(r'<tr><td>nmf</td><td>5</td><td class="best">0.200</td><td>0.400</td>', text)


def test_charts_hold_the_rows(comparison):
    spec = json.dumps(speed_against_quality(comparison).to_dict())
    assert '"seconds": 0.1' in spec
    assert "sctm" not in spec  # sctm was not fitted
    panels = metric_panels(comparison).to_dict()["vconcat"]
    assert sum(len(row["hconcat"]) for row in panels) == 5
    assert "Infinity" not in json.dumps(metric_panels(comparison).to_dict())


def test_without_a_measure_of_quality_there_is_no_chart_of_it():
    rows = [Row("slsa", 5, seconds=0.1), Row("nmf", 5, seconds=0.3)]
    assert "Speed against quality" not in comparison_page(Comparison(rows, ABOUT))
    assert '"type": "log"' not in json.dumps(metric_panels(Comparison(rows, ABOUT)).to_dict())


def test_a_comparison_in_which_nothing_was_fitted_is_a_table(tmp_path):
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
