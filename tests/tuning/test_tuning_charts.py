"""Tests of the chart of a search for the number of topics, and of its files."""

from __future__ import annotations

import json

import pytest

from laconic import tune
from laconic.datasets import make_topics
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


@pytest.mark.parametrize(("name", "begins"), [("c.svg", b"<svg"), ("c.png", b"\x89PNG")])
def test_files(tuning, tmp_path, name, begins):
    path = tuning.plot(tmp_path / name)
    assert path.read_bytes().startswith(begins)


def test_another_ending_is_refused(tuning, tmp_path):
    with refused("curve.pdf", ".svg", ".png", ".html"):
        tuning.plot(tmp_path / "curve.pdf")
