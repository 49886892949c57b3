"""Tests of ``laconic evaluate --per-topic``."""

from __future__ import annotations

from pathlib import Path

import pytest

import laconic
from tests.cli.conftest import fitted
from tests.cli.running import Run, columns, mentions


@pytest.fixture(scope="module")
def model(posts: Path) -> Path:
    return fitted(posts, "stability.model", "-m", "plsa", "-k", 3)


def test_the_stability_of_each_topic_is_printed_and_saved_if_asked(run: Run, model: Path) -> None:
    lines = columns(run("evaluate", model, "--per-topic").stdout)
    assert len(lines) == 3
    assert "stability" not in laconic.topics(laconic.load(model)).frame.columns
    assert columns(run("evaluate", model, "--per-topic", "--save").stdout) == lines
    frame = laconic.topics(laconic.load(model)).frame
    assert [f"{value:.3f}" for value in frame["stability"]] == [line[1] for line in lines]


def test_options_that_do_not_fit_are_refused(run: Run, model: Path) -> None:
    mentions(run("evaluate", model, "--save", status=2), "--save", "--per-topic")
    mentions(
        run("evaluate", model, "--per-topic", "--metrics", "npmi", status=2),
        "--per-topic",
        "--metrics",
    )
