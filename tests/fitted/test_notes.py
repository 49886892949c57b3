"""Names and notes of topics: what they may be, and that they go wherever the model goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from laconic.errors import ModelFileError
from laconic.fitted.notes import TopicNote, keep_notes, notes_of
from laconic.saving.notes import read_notes, write_notes
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
        ({"name": 3}, ["name", "text", "not 3"]),
        ({"note": None}, ["note", "text", "not None"]),
        ({"hidden": "yes"}, ["hidden", "true or false", "'yes'"]),
        ({"name": "x" * 201}, ["name", "200 characters", "got 201"]),
        ({"note": "x" * 10_001}, ["note", "10,000 characters", "got 10,001"]),
    ],
)
def test_what_is_no_note_is_refused(changes, parts):
    with refused(*parts):
        TopicNote().changed(changes)


def test_notes_are_read_as_they_were_written(tmp_path: Path):
    notes = {11: TopicNote("<b>bold</b>", note="日本語"), 2: TopicNote(hidden=True)}
    write_notes(tmp_path, notes)
    assert read_notes(tmp_path, 12) == notes
    tree = json.loads((tmp_path / "notes.json").read_text(encoding="utf-8"))
    assert list(tree["topics"]) == ["2", "11"]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.json"]


def test_notes_go_with_the_model(saved: Path, tmp_path: Path):
    write_notes(saved, {3: TopicNote("animals")})
    loaded = laconic.load(saved)
    assert notes_of(loaded) == {3: TopicNote("animals")}
    again = laconic.load(laconic.save(loaded, tmp_path / "b.model"))
    assert notes_of(again) == {3: TopicNote("animals")}
    table = laconic.topics(again)
    assert dict(zip(table["topic"], table["name"], strict=True)) == {
        **dict.fromkeys(range(5)),
        3: "animals",
    }


def test_topics_have_columns_of_notes_once_something_was_said(saved: Path):
    plain = laconic.topics(laconic.load(saved))
    assert plain.columns == ["topic", "share", "n_words", "words"]
    write_notes(saved, {3: TopicNote(hidden=True)})
    noted = laconic.topics(laconic.load(saved))
    assert noted.drop("name", "hidden", "note").equals(plain)
    assert noted.filter(noted["hidden"])["topic"].to_list() == [3]
    assert noted["name"].is_null().all()
    assert noted["note"].to_list() == [""] * 5


def test_notes_stand_beside_their_topics_whatever_the_order(saved: Path):
    model = laconic.load(saved)
    model[-1].topic_shares_ = model[-1].topic_shares_[::-1].copy()
    keep_notes(model, {0: TopicNote("first"), 3: TopicNote("fourth")})
    table = laconic.topics(model)
    assert table["topic"].to_list() != list(range(5))
    named = dict(zip(table["topic"].to_list(), table["name"].to_list(), strict=True))
    assert named == {0: "first", 1: None, 2: None, 3: "fourth", 4: None}


def test_a_model_that_is_fitted_again_has_no_notes(saved: Path, planted, tmp_path: Path):
    write_notes(saved, {3: TopicNote("animals")})
    model = laconic.load(saved).fit(planted[0])
    assert notes_of(model) == {}
    laconic.save(model, tmp_path / "b.model")
    assert not (tmp_path / "b.model" / "notes.json").exists()


def test_empty_notes_are_not_kept(saved: Path):
    model = laconic.load(saved)
    keep_notes(model, {1: TopicNote(), 2: TopicNote("x")})
    assert list(notes_of(model)) == [2]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nonsense", ["is damaged"]),
        ('{"format": 1}', ["no topics"]),
        ('{"format": 2, "topics": {}}', ["newer laconic", "format 2"]),
        ('{"format": 1, "topics": {"5": {}}}', ["no topic '5'", "it has 5"]),
        ('{"format": 1, "topics": {"-1": {}}}', ["no topic '-1'"]),
        ('{"format": 1, "topics": {"' + "9" * 5000 + '": {}}}', ["no topic '9999"]),
        ('{"format": 1, "topics": {"1": 3}}', ["topic 1", "no object"]),
        ('{"format": 1, "topics": {"1": {"name": 3}}}', ["topic 1", "name", "text", "not 3"]),
    ],
    ids=["no JSON", "no topics", "newer", "too high", "negative", "huge", "no object", "no text"],
)
def test_damaged_notes_are_refused(saved: Path, text: str, parts: list[str]):
    (saved / "notes.json").write_text(text)
    with refused("notes.json", *parts, kind=ModelFileError, golden=parts != ["is damaged"]):
        laconic.load(saved)


def test_notes_that_cannot_be_written_leave_the_old_ones(saved: Path, monkeypatch):
    write_notes(saved, {1: TopicNote("old")})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("laconic.files.atomic.os.fsync", full)
    with refused("notes.json", "No space left on device", kind=ModelFileError):
        write_notes(saved, {1: TopicNote("new")})
    assert read_notes(saved, 5) == {1: TopicNote("old")}
    assert not list(saved.glob(".*"))


def test_notes_of_a_model_that_is_replaced_are_kept_beside_it(saved: Path, planted, caplog):
    model = laconic.pipeline("plsa", n_components=2).fit(planted[0])
    for name in ("first", "second"):
        write_notes(saved, {1: TopicNote(name)})
        laconic.save(model, saved, force=True)
        assert notes_of(laconic.load(saved)) == {}
        assert str(saved.with_name("a.model.notes")) in caplog.text
    kept = [saved.with_name(f"a.model.notes{number}.json") for number in ("", "-2")]
    assert [json.loads(path.read_text())["topics"]["1"]["name"] for path in kept] == [
        "first",
        "second",
    ]
    laconic.save(model, saved, force=True)  # has none
    assert len(list(saved.parent.glob("*.notes*"))) == 2
