"""Tests of the edits of topics in the explorer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic.web import views
from laconic.web.page_data import PageData
from tests.messages import refused


@pytest.fixture
def page_data(tmp_path: Path) -> PageData:
    corpus, _ = laconic.datasets.make_topics(60, 80, 4, words_per_topic=10, random_state=0)
    model = laconic.pipeline("plsa", n_components=4).fit(corpus)
    laconic.save(model, tmp_path / "small.model", corpus=corpus)
    return PageData.open(tmp_path / "small.model", write=True)


def edit(**values: Any) -> dict[str, Any]:
    return {"edits": 0, **values}


def test_a_preview_writes_nothing(page_data: PageData):
    changes = views.preview_edit(page_data, edit(operation="merge", topics=[0, 2]))
    assert changes["n_topics"] == 3
    assert [topic["topic"] for topic in changes["before"]] == [0, 2]
    assert page_data.place is not None
    assert laconic.edits(laconic.load(page_data.place.folder)) == []


def test_an_edit_is_saved_and_undone(page_data: PageData):
    page_data.set_note(3, {"name": "kept"})
    edited, changes = views.make_edit(page_data, edit(operation="drop", topics=[1]))
    assert changes["n_documents"] > 0
    assert views.overview(edited)["n_topics"] == 3
    assert edited.place is not None
    saved = laconic.load(edited.place.folder, verify=True)
    assert [e.text for e in laconic.edits(saved)] == ["dropped topic 1"]
    assert laconic.topics(saved)["kept"].number == 2
    edited.set_note(0, {"name": "later"})
    restored, _ = views.make_edit(edited, {"operation": "undo", "edits": 1})
    assert {topic: note.name for topic, note in restored.notes.items()} == {0: "later", 3: "kept"}


def test_topics_keep_their_places_on_the_map(page_data: PageData, monkeypatch: pytest.MonkeyPatch):
    shown = views.topic_map(page_data)
    monkeypatch.setattr("laconic.web.views.map.embedding", None)  # No layout is computed again.
    merged, _ = views.make_edit(page_data, edit(operation="merge", topics=[0, 2]))
    assert len(views.topic_map(merged)["circles"]) == 3
    old, new = page_data.places[0], merged.places[1]
    assert new[1:].tolist() == old[[1, 3]].tolist()
    assert new[0].tolist() == old[[0, 2]].mean(axis=0).tolist()
    dropped, _ = views.make_edit(merged, {"operation": "drop", "topics": [1], "edits": 1})
    assert dropped.places[2].tolist() == new[[0, 2]].tolist()
    for n_edits in (2, 1):
        dropped, _ = views.make_edit(dropped, {"operation": "undo", "edits": n_edits})
    assert views.topic_map(dropped) == shown


def test_a_topic_that_was_hidden_gets_a_place_on_the_map(page_data: PageData):
    page_data.set_note(1, {"hidden": True})
    views.topic_map(page_data)
    page_data.set_note(1, {"hidden": False})
    merged, _ = views.make_edit(page_data, edit(operation="merge", topics=[0, 1]))
    circles = views.topic_map(merged)["circles"]
    assert sorted(circle[0] for circle in circles) == [0, 1, 2]
    assert np.isfinite(circles).all()


def test_requests_that_are_refused(page_data: PageData):
    for change, *parts in (
        (edit(operation="destroy"), "operation"),
        (edit(operation="merge", topics="0"), "topics"),
        (edit(operation="merge", topics=[0, 9]), "no topic 9"),
        (edit(operation="split", topics=[0, 1]), "one topic"),
        (edit(operation="split", topics=[0], into=1000), "into"),
        (edit(operation="drop_words", topics=[0], words=[3]), "words"),
        (edit(operation="drop", topics=[0], more=1), "more"),
        ({"operation": "drop", "topics": [0], "edits": 7}, "another window"),
    ):
        with refused(*parts):
            views.preview_edit(page_data, change)
    page_data.write = False
    with refused("--write"):
        views.preview_edit(page_data, edit(operation="drop", topics=[0]))


def test_a_folder_that_was_replaced_is_left_alone(page_data: PageData):
    assert page_data.place is not None
    folder = page_data.place.folder
    laconic.save(laconic.load(folder), folder, force=True)
    with refused("replaced"):
        views.make_edit(page_data, edit(operation="drop", topics=[0]))
    assert laconic.edits(laconic.load(folder)) == []
