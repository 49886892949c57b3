"""Tests of names and notes of topics: allowed values, and copies of models that keep them."""

from __future__ import annotations

from pathlib import Path

import pytest

import laconic
from laconic.fitted.notes import TopicNote, keep_notes, notes_of
from laconic.saving.notes import write_notes
from tests.messages import refused


@pytest.fixture
def saved(planted, tmp_path: Path) -> Path:
    model = laconic.pipeline("plsa", n_components=5).fit(planted[0])
    return laconic.save(model, tmp_path / "a.model", corpus=planted[0])


def test_a_note_is_changed_in_parts():
    note = TopicNote().changed({"name": "  two\n words "}).changed({"note": " why \n"})
    assert note == TopicNote("two words", False, "why")
    assert note.changed({"hidden": True}) == TopicNote("two words", True, "why")
    assert note.changed({"name": "  "}).name is None
    assert note.changed({"name": None}).name is None
    assert TopicNote().changed({"name": "half \ud800"}).name == "half ?"


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"colour": 1}, ["'colour'"]),
        ({"name": 3}, ["name", "string", "got 3"]),
        ({"note": None}, ["note", "string", "got None"]),
        ({"hidden": "yes"}, ["hidden", "true or false", "'yes'"]),
        ({"name": "x" * 201}, ["name", "200 characters", "got 201"]),
        ({"note": "x" * 10_001}, ["note", "10,000 characters", "got 10,001"]),
    ],
)
def test_what_is_no_note_is_refused(changes, parts):
    with refused(*parts):
        TopicNote().changed(changes)


def test_the_table_of_topics_has_columns_of_notes(saved: Path):
    plain = laconic.topics(laconic.load(saved)).frame
    assert plain["hidden"].to_list() == [False] * 5
    write_notes(saved, {3: TopicNote(hidden=True)})
    noted = laconic.topics(laconic.load(saved)).frame
    assert noted.drop("hidden").equals(plain.drop("hidden"))
    assert noted.filter(noted["hidden"])["topic"].to_list() == [3]
    assert noted["name"].is_null().all()
    assert noted["note"].to_list() == [""] * 5


def test_notes_stand_beside_their_topics_whatever_the_order(saved: Path):
    model = laconic.load(saved)
    model[-1].topic_shares_ = model[-1].topic_shares_[::-1].copy()
    keep_notes(model, {0: TopicNote("first"), 3: TopicNote("fourth")})
    table = laconic.topics(model).frame
    assert table["topic"].to_list() != list(range(5))
    named = dict(zip(table["topic"].to_list(), table["name"].to_list(), strict=True))
    assert named == {0: "first", 1: None, 2: None, 3: "fourth", 4: None}


def test_empty_notes_are_not_kept(saved: Path):
    model = laconic.load(saved)
    keep_notes(model, {1: TopicNote(), 2: TopicNote("x")})
    assert list(notes_of(model)) == [2]
