"""Tests of notes on disk: they are copied with the model and never lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import laconic
from laconic.errors import ModelFileError
from laconic.fitted.notes import TopicNote, notes_of
from laconic.saving.notes import SharedNotes, read_notes, write_notes
from tests.messages import refused
from tests.web.asking import PATIENCE

WRITER = """
import sys
from pathlib import Path
from laconic.saving.notes import SharedNotes

place = SharedNotes(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for topic in map(int, sys.argv[2:]):
    for name in "abcde":
        place.change(topic, {"name": name}, 40)
"""


@pytest.fixture
def saved(planted, tmp_path: Path) -> Path:
    model = laconic.pipeline("plsa", n_components=5).fit(planted)
    return laconic.save(model, tmp_path / "a.model", corpus=planted)


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
    table = laconic.topics(again).frame
    assert dict(zip(table["topic"], table["name"], strict=True)) == {
        **dict.fromkeys(range(5)),
        3: "animals",
    }


def test_a_model_that_is_fitted_again_has_no_notes(saved: Path, planted, tmp_path: Path):
    write_notes(saved, {3: TopicNote("animals")})
    model = laconic.load(saved).fit(planted)
    assert notes_of(model) == {}
    laconic.save(model, tmp_path / "b.model")
    assert not (tmp_path / "b.model" / "notes.json").exists()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nonsense", ["is damaged"]),
        ('{"format": 1}', ["no JSON object", "topics"]),
        ('{"format": 2, "topics": {}}', ["newer version of laconic", "format 2"]),
        ('{"format": 1, "topics": {"5": {}}}', ["no topic '5'", "0 to 4"]),
        ('{"format": 1, "topics": {"-1": {}}}', ["no topic '-1'"]),
        ('{"format": 1, "topics": {"' + "9" * 400 + '": {}}}', ["no topic '9999"]),
        ('{"format": 1, "topics": {"1": 3}}', ["topic 1", "not a JSON object"]),
        ('{"format": 1, "topics": {"1": {"name": 3}}}', ["topic 1", "name", "string", "got 3"]),
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

    monkeypatch.setattr("laconic.files.atomic_file.os.fsync", full)
    with refused("notes.json", "No space left on device", kind=ModelFileError):
        write_notes(saved, {1: TopicNote("new")})
    assert read_notes(saved, 5) == {1: TopicNote("old")}
    assert not list(saved.glob(".*"))


def test_notes_of_a_model_that_is_replaced_are_kept_beside_it(saved: Path, planted, caplog):
    model = laconic.pipeline("plsa", n_components=2).fit(planted)
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
    laconic.save(model, saved, force=True)  # this model has no notes
    assert len(list(saved.parent.glob("*.notes*"))) == 2


def test_programs_that_write_at_the_same_time_lose_nothing(tmp_path: Path):
    (tmp_path / "model.json").write_text("{}")
    mine, others = list(range(0, 40, 2)), list(range(1, 40, 2))
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path), *map(str, others)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "ready\n"
    writer.stdin.write("go\n")
    writer.stdin.flush()
    place = SharedNotes(tmp_path)
    for topic in mine:
        for name in "abcde":
            place.change(topic, {"name": name}, 40)
    writer.communicate(timeout=PATIENCE)
    assert writer.returncode == 0
    assert read_notes(tmp_path, 40) == dict.fromkeys(range(40), TopicNote("e"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "notes.json"]
