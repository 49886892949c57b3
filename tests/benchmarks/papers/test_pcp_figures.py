"""Tests of the figures of the PCP benchmarks: marked stories, curves, goals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import reuters
from benchmarks.harness import Run, execute
from benchmarks.papers import pcp, pcp_stories


def test_words_are_marked_whole_and_in_any_case() -> None:
    marked = pcp_stories.mark("The Yen\n  rose; yens did not, yen-dollar did.", {"yen", "did"})
    assert marked == "The [Yen] rose; yens [did] not, [yen]-dollar [did]."


def test_a_story_is_highlighted_by_words_of_its_own() -> None:
    common = "trade prices rose trade prices fell"
    bodies = [f"{common} {own}" for own in ("", "", "zinc zinc zinc zinc", "", "")]
    stories = reuters.Stories([f"STORY {n}" for n in "ABCDE"], bodies)
    (found,) = pcp_stories.highlighted(stories, ("STORY C",), 1.5)
    assert found.title == "STORY C"
    assert found.keywords[0] == "zinc"
    assert found.title_words == set()


def test_smoke_shows_two_stories() -> None:
    rows = execute(pcp_stories.pcp_stories, Run("made up", smoke=True))["rows"]
    assert sum(row["what"].startswith("keywords") for row in rows) == 2
    counts = {row["what"]: row["value"] for row in rows}
    for what, value in counts.items():
        if what.startswith("title words among"):
            assert value <= counts[what.replace("among keywords", "in the vocabulary")]


@pytest.mark.parametrize(
    ("full", "name", "text", "steps"),
    [
        (False, pcp.LONGEST, pcp.TITLED, [4, 8, 12, 16]),
        (False, pcp.LONGEST, pcp.BODY, [12]),
        (False, pcp.FIRST, pcp.BODY, []),
        (True, pcp.FIRST, pcp.BODY, list(range(1, 21))),
    ],
)
def test_points_of_the_curve(full: bool, name: str, text: str, steps: list[int]) -> None:
    assert list(pcp._steps(Run("real", full=full), name, text)) == steps


def test_what_is_rounding_is_nothing_in_a_spectrum() -> None:
    run = Run("made up")
    pcp._spectrum_rows(run, "planted", np.r_[4.0, np.full(9, 1e-12)])
    assert [(row.what, row.value) for row in run.rows] == [
        ("singular value 1, planted", 4.0),
        ("singular value 10, planted", 0.0),
    ]


def test_titles_that_fall_short_say_why() -> None:
    titled = reuters.TitledCounts(sp.csr_matrix(np.eye(2)), sp.csr_matrix((2, 2)), np.array(["a"]))
    run = Run("real")
    curve = {12: pcp.Against(t1=0.3, t2=0.6, t2_all=0.4, mass=0.05, per_document=2.0)}
    pcp._title_rows(run, "some", titled, curve, "a reason")
    t2, t2_all, mass, _ = run.rows
    assert (t2.met, t2.why, t2.peer_value) == (True, None, 0.5)
    assert (t2_all.met, t2_all.why) == (False, "a reason")
    assert mass.peer_value == 0.05
