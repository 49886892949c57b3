"""Tests of the map: similar topics are close, areas show shares, results are reproducible."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from laconic.fitted.notes import TopicNote, keep_notes
from laconic.fitted.similar_topics import topic_likeness
from laconic.fitted.topic_groups import GROUPS, group_topics
from laconic.identity import group_hues, ungrouped_hue
from laconic.plots import layout, topic_map
from laconic.plots.labels import SIZE, fit_labels, width_of
from laconic.plots.layout import GAP, SMALLEST, Field, place, push_apart, radii_of
from laconic.plots.map import FIELDS, LARGE, written
from laconic.plots.style import PADDING, SUBTITLE, theme

from .looking import data_of, made_by_hand, subtitle_of


def families(n_topics, n_families=8, random_state=0):
    """Draw topics in families; topics of the same family share words."""
    random = np.random.default_rng(random_state)
    weights = np.zeros((n_topics, 30 * n_families))
    for topic in range(n_topics):
        family = topic % n_families
        own = 30 * family + random.choice(30, 12, replace=False)
        weights[topic, own] = random.random(12)
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(chart):
    circles = sorted(data_of(chart, "area", "topic"), key=lambda circle: circle["topic"])
    centres = np.array([[circle["x"], circle["y"]] for circle in circles])
    return circles, centres, np.sqrt([circle["area"] / np.pi for circle in circles])


def test_neighbours_on_the_map_are_alike():
    model = made_by_hand(families(80))
    _, centres, _ = drawn(topic_map(model))
    likeness = topic_likeness(model)
    distances = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    # the nearest topic belongs to the same family
    assert np.mean(nearest % 8 == np.arange(80) % 8) > 0.95
    assert likeness[np.arange(80), nearest].mean() > 4 * likeness.mean()


def test_circles_are_shares():
    shares = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    circles, _, radii = drawn(topic_map(made_by_hand(np.eye(5), shares)))
    assert [circle["share"] for circle in circles] == shares.tolist()
    assert radii[1] ** 2 / radii[2] ** 2 == pytest.approx(1.5, rel=1e-3)
    assert radii[3] ** 2 / radii[2] ** 2 == pytest.approx(0.5, rel=1e-3)
    # a topic with share 0 still has a visible circle
    assert radii[4] == pytest.approx(SMALLEST, rel=1e-3)


@pytest.mark.parametrize("n_topics", [1, 2, 3, 5, 6, 40, 200])
def test_circles_are_inside_and_do_not_overlap(n_topics):
    random = np.random.default_rng(n_topics)
    shares = random.dirichlet(np.full(n_topics, 0.7))
    _, centres, radii = drawn(topic_map(made_by_hand(families(n_topics), shares)))
    field = next((field for most, field in FIELDS.items() if n_topics <= most), LARGE)
    assert np.all(centres >= radii[:, None] - 0.1)
    assert np.all(centres <= np.array(field) - radii[:, None] + 0.1)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    apart[np.diag_indices(n_topics)] = np.inf
    assert np.all(apart > radii[:, None] + radii[None] - 0.1)


def test_topics_that_are_all_the_same_do_not_fall_together():
    for n_topics in (2, 4, 9):
        _, centres, radii = drawn(topic_map(made_by_hand(np.ones((n_topics, 3)))))
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        apart[np.diag_indices(n_topics)] = np.inf
        assert apart.min() > radii.min()


def test_circles_that_lie_apart_stay_where_they_are():
    centres, radii = np.array([[50.0, 50], [150, 50], [250, 60]]), np.full(3, 20.0)
    assert push_apart(centres, radii, Field(300, 100)).tolist() == centres.tolist()
    moved = push_apart(np.array([[50.0, 50], [60, 50]]), np.array([20.0, 10]), Field(300, 100))
    assert moved[1, 0] - moved[0, 0] == pytest.approx(30 + GAP, abs=0.01)
    assert 50 - moved[0, 0] < moved[1, 0] - 60  # the smaller circle moves further


@pytest.mark.parametrize("few", [layout.FEW, 1000])
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(few, monkeypatch):
    monkeypatch.setattr(layout, "FEW", few)  # with 1000, only classical scaling is used
    random = np.random.default_rng(0)
    topics = random.random((200, 40)) ** 6
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    likeness = topics @ topics.T
    maps = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads):
            maps.append(place(likeness, np.full(200, 5.0), LARGE, 3).tobytes())
    assert maps[0] == maps[1] == maps[2]


def test_a_map_is_remembered_until_it_changes(monkeypatch):
    calls = []
    embed = layout.embed
    monkeypatch.setattr(layout, "embed", lambda *given: calls.append(0) or embed(*given))
    model = made_by_hand(families(12, random_state=9))
    first = drawn(topic_map(model))[1]
    keep_notes(model, {2: TopicNote("a name")})
    assert drawn(topic_map(model))[1].tolist() == first.tolist()
    assert len(calls) == 1
    topic_map(model, random_state=1)
    keep_notes(model, {2: TopicNote(hidden=True)})
    topic_map(model)
    assert len(calls) == 3
    for seed in range(2, 10):
        topic_map(model, random_state=seed)
    assert len(layout._cache) == layout.CACHE_SIZE


def test_topics_that_are_alike_to_none_spread_around_the_others():
    weights = np.zeros((60, 200))
    weights[:40, :100] = np.random.default_rng(0).random((40, 100)) ** 4
    chart = topic_map(made_by_hand(weights, distributions=False))
    _, centres, _ = drawn(chart)
    assert centres[40:].std(axis=0).min() > 50  # the topics are spread in both directions


def test_hidden_topics_are_left_out_and_given_names_shown(models):
    model = made_by_hand(families(8), names=[f"w{i}" for i in range(240)])
    keep_notes(model, {2: TopicNote(hidden=True), 3: TopicNote("a given name")})
    chart = topic_map(model, [5])
    circles, _, _ = drawn(chart)
    assert [circle["topic"] for circle in circles] == [0, 1, 3, 4, 5, 6, 7]
    assert [circle["name"] for circle in circles if circle["topic"] == 3] == ["a given name"]
    assert [circle["topic"] for circle in circles if circle["chosen"]] == [5]
    assert subtitle_of(chart).startswith("7 topics")


def test_names_cover_neither_each_other_nor_other_circles():
    random = np.random.default_rng(1)
    field = Field(720, 500)
    radii = radii_of(random.dirichlet(np.ones(60)), field)
    centres = push_apart(random.random((60, 2)) * field, radii, field)
    names = [[f"word{i}", "second", "third"] for i in range(60)]
    labels = fit_labels(centres, radii, names, field, across=False)
    assert len(labels) > 20
    boxes = [label.box for label in labels]
    for number, (left, bottom, right, top) in enumerate(boxes):
        assert left >= 0
        assert right <= field.width
        for other in boxes[:number]:
            assert right <= other[0] or left >= other[2] or top <= other[1] or bottom >= other[3]
        for circle in range(60):
            if circle != labels[number].circle:
                x, y = centres[circle]
                near = np.hypot(x - np.clip(x, left, right), y - np.clip(y, bottom, top))
                assert near >= radii[circle] - 1e-9


@pytest.mark.parametrize("letters", [100, 120, 200])
@pytest.mark.parametrize("width", [None, 300])
def test_names_have_the_room_that_their_letters_take(letters, width):
    model = made_by_hand(families(30), names=[f"word{column}" for column in range(240)])
    chart = topic_map(model, width=width, letters=letters)
    across = chart.to_dict()["width"]
    starts = {"left": 0.0, "center": 0.5, "right": 1.0}
    labels = data_of(chart, "lines", "align")
    assert labels
    for label in labels:
        wide = max(width_of(line, letters) for line in label["lines"])
        left = label["x"] - starts[label["align"]] * wide
        assert left >= -0.1
        assert left + wide <= across + 0.1
    if width is not None:
        lines = chart.to_dict()["title"]["subtitle"]
        wide = max(width_of(line, letters) for line in lines) * SUBTITLE / SIZE
        assert wide <= width - 2 * PADDING


def test_what_is_written_on_the_map_can_be_measured():
    model = made_by_hand(families(3), names=[f"word{column}" for column in range(240)])
    keep_notes(model, {2: TopicNote("a given name")})
    widths = written(model)
    on_the_map = {word for label in data_of(topic_map(model), "lines") for word in label["lines"]}
    assert on_the_map <= {*widths, *(", ".join(list(widths)[i : i + 3]) for i in range(20))}
    assert widths["a given name"] == width_of("a given name", 100)


def test_every_one_of_forty_topics_has_a_name():
    for seed in range(5):
        random = np.random.default_rng(seed)
        names = [f"{'abcdefghij'[: 3 + column % 8]}{column}" for column in range(240)]
        model = made_by_hand(families(40, random_state=seed), random.dirichlet(np.ones(40)), names)
        labels = data_of(topic_map(model), "lines", "align")
        assert len({label["topic"] for label in labels}) == 40


def test_every_region_of_a_crowded_map_has_a_name():
    random = np.random.default_rng(2)
    radii = radii_of(random.dirichlet(np.ones(900)), LARGE)
    centres = push_apart(random.random((900, 2)) * LARGE, radii, LARGE)
    names = [[f"word{i}", "second"] for i in range(900)]
    labels = fit_labels(centres, radii, names, LARGE)
    assert len(labels) > 100
    boxes = np.array([label.box for label in labels])
    for number, box in enumerate(boxes):
        others = np.delete(boxes, number, axis=0)
        assert not np.any(np.all((others[:, :2] < box[2:]) & (others[:, 2:] > box[:2]), axis=1))
    nearest = np.clip(centres[:, None], boxes[:, :2], boxes[:, 2:]) - centres[:, None]
    assert np.linalg.norm(nearest, axis=2).min(axis=1).max() < 80


@pytest.mark.parametrize("width", [344, 500, 660])
def test_a_map_fits_the_width_it_is_made_for(width):
    model = made_by_hand(families(60))
    chart = topic_map(model, width=width).to_dict()
    assert chart["width"] + 2 * PADDING == width
    assert chart["height"] <= 1.35 * chart["width"]
    assert max(len(line) for line in chart["title"]["subtitle"]) * 5 < width
    _, centres, radii = drawn(topic_map(model, width=width))
    assert np.all(centres[:, 0] + radii <= chart["width"] + 0.1)
    assert np.all(centres[:, 1] + radii <= chart["height"] + 0.1)
    usual = drawn(topic_map(model))[1]
    along = 1 if width == 344 else 0  # in a tall field, the map is transposed
    assert np.corrcoef(usual[:, 0], centres[:, along])[0, 1] > 0.9


def test_a_map_of_another_width_is_placed_by_the_same_likeness(monkeypatch):
    model = made_by_hand(families(12, random_state=11))
    usual = topic_map(model)
    monkeypatch.setattr(layout, "embed", None)
    assert len(drawn(topic_map(model, width=400))[0]) == len(drawn(usual)[0])
    assert topic_map(model, width=5000).to_dict()["width"] == usual.to_dict()["width"]


def test_names_that_are_alike_are_told_apart():
    model = made_by_hand(np.ones((3, 2)), names=["cat", "dog"])
    names = [circle["name"] for circle in drawn(topic_map(model))[0]]
    assert names == ["cat, dog (0)", "cat, dog (1)", "cat, dog (2)"]


def test_of_a_thousand_topics_all_stand_on_the_map_and_many_have_names():
    model = made_by_hand(families(1000, 60), np.random.default_rng(0).dirichlet(np.ones(1000)))
    chart = topic_map(model)
    assert len(drawn(chart)[0]) == 1000
    assert len({label["topic"] for label in data_of(chart, "lines")}) > 120


def test_likeness_that_is_no_number_is_none():
    likeness = np.array([[1.0, np.nan, 0], [np.nan, 1, 0], [0, 0, 1]])
    assert np.isfinite(place(likeness, np.full(3, 5.0), Field(300, 200), 0)).all()


def test_a_machine_that_does_not_tell_its_cores_gets_a_map_without_a_warning(tmp_path):
    draw = (
        "import numpy as np; from laconic.plots.layout import Field, place; "
        "place(np.eye(9), np.full(9, 5.0), Field(300, 200), 0)"
    )
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", draw],
        env={**os.environ, "PATH": str(tmp_path)},  # without lscpu
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")


def test_colours_are_groups_of_similar_topics():
    model = made_by_hand(families(16))
    circles, _, _ = drawn(topic_map(model))
    shares = np.array([circle["share"] for circle in circles])
    groups = group_topics(topic_likeness(model), shares)
    assert [circle["group"] for circle in circles] == groups.tolist()
    assert len(set(groups)) > 2
    # topics that are chosen have a colour of their own
    for topics, field in ((None, "group"), ([3], "chosen")):
        spec = topic_map(model, topics).to_dict()
        assert spec["layer"][0]["encoding"]["fill"]["field"] == field
    hues = [*group_hues(dark=True)[:GROUPS], ungrouped_hue(dark=True)]
    assert theme(dark=True)["range"]["ordinal"] == hues
