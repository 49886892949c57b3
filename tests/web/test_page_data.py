"""Tests of `PageData`: topic shares of the documents, and notes that other processes write."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.errors import ModelFileError
from laconic.fitted.documents import documents_of
from laconic.fitted.notes import TopicNote
from laconic.fitted.shares import about_shares, shares_of
from laconic.saving.notes import read_notes, write_notes
from laconic.web import views
from laconic.web.explore import Explorer
from laconic.web.page_data import SHOWN_WORDS, PageData, texts_by_row
from laconic.web.server.serving import Server
from tests.messages import refused

from .asking import get
from .conftest import KINDS, fit


@pytest.fixture
def folder(folder_of, tmp_path: Path) -> Path:
    return shutil.copytree(folder_of("plsa"), tmp_path / "mine.model")


def test_each_of_two_pages_changes_its_topic_alone(folder: Path):
    one, other = (PageData.open(folder, write=True) for _ in range(2))
    views.set_note(one, 1, {"name": "pets"})
    views.set_note(other, 2, {"name": "money"})
    views.set_note(one, 2, {"note": "seen"})
    expected = {1: TopicNote("pets"), 2: TopicNote("money", note="seen")}
    assert read_notes(folder, 5) == one.notes == expected
    assert other.follow_notes()
    assert other.notes == expected
    assert laconic.topics(other.model).frame["name"].drop_nulls().len() == 2
    assert not other.follow_notes()


def test_answers_follow_what_others_write(folder: Path):
    server = Server(PageData.open(folder), 0)
    address = f"{server.start()}api/topics/1"
    try:
        assert get(address).json()["name"] is None
        write_notes(folder, {1: TopicNote("by hand")})
        assert get(address).json()["name"] == "by hand"
        (folder / "notes.json").unlink()
        assert get(address).json()["name"] is None
    finally:
        server.stop()


def test_a_file_that_is_being_mended_by_hand_is_left_alone(folder: Path):
    material = PageData.open(folder, write=True)
    views.set_note(material, 1, {"name": "pets"})
    (folder / "notes.json").write_text('{"format": 1, "topics": {')
    assert not material.follow_notes()
    assert material.notes == {1: TopicNote("pets")}
    with refused("notes.json", kind=ModelFileError, golden=False):
        views.set_note(material, 2, {"name": "money"})
    assert (folder / "notes.json").read_text() == '{"format": 1, "topics": {'


def test_a_model_that_took_the_place_gets_no_notes(folder: Path):
    material = PageData.open(folder, write=True)
    views.set_note(material, 4, {"name": "old"})
    laconic.save(fit("plsa", n_components=3), folder, force=True)
    with refused("mine.model", "replaced or deleted"):
        views.set_note(material, 4, {"name": "older"})
    write_notes(folder, {0: TopicNote("new")})
    assert not material.follow_notes()
    assert material.notes == {4: TopicNote("old")}
    assert read_notes(folder, 3) == {0: TopicNote("new")}


def test_a_model_that_is_gone_gets_no_notes(folder: Path):
    material = PageData.open(folder, write=True)
    shutil.rmtree(folder)
    with refused("mine.model"):
        views.set_note(material, 4, {"name": "x"})
    assert not folder.exists()


def test_pages_on_one_model_in_memory_lose_nothing(corpus):
    model = laconic.pipeline("plsa", n_components=3).fit(corpus)
    one, other = (PageData.of(model, corpus, write=True) for _ in range(2))
    views.set_note(one, 0, {"name": "pets"})
    views.set_note(other, 1, {"name": "money"})
    assert other.notes == {0: TopicNote("pets"), 1: TopicNote("money")}
    assert one.follow_notes()
    assert one.notes == other.notes
    assert not one.follow_notes()


def test_every_server_on_one_material_shows_a_change(folder: Path):
    material = PageData.open(folder)
    servers = [Server(material, 0) for _ in range(2)]
    addresses = [f"{server.start()}api/topics/1" for server in servers]
    try:
        assert [get(address).json()["name"] for address in addresses] == [None, None]
        write_notes(folder, {1: TopicNote("by hand")})
        assert [get(address).json()["name"] for address in addresses] == ["by hand", "by hand"]
    finally:
        for server in servers:
            server.stop()


def test_a_page_in_a_notebook_follows_the_notes(folder: Path):
    explorer = Explorer(PageData.open(folder))
    assert "by hand" not in explorer._repr_html_()
    write_notes(folder, {1: TopicNote("by hand")})
    assert "by hand" in explorer._repr_html_()


# --- shares of other documents -------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_other_documents_have_their_own_shares(kind, corpus):
    model = fit(kind)
    before = model[-1].topic_shares_.copy()
    some = corpus[[row for row in range(len(corpus)) if row % 4 == 1]]  # only documents about money
    shown = PageData.of(model, some)
    assert shown.shares.tolist() == shares_of(model, documents_of(model, some), some).tolist()
    overview = views.overview(shown)
    assert overview["about_share"] == about_shares(model[-1])
    assert [topic["topic"] for topic in overview["topics"]] == np.argsort(
        -shown.shares, kind="stable"
    ).tolist()
    assert overview["topics"][0]["share"] == pytest.approx(shown.shares.max(), rel=1e-4)
    assert (model[-1].topic_shares_ == before).all()  # the model itself is unchanged


def test_a_map_of_other_documents_has_their_shares(corpus):
    some = corpus[[row for row in range(len(corpus)) if row % 4 == 1]]
    shown = PageData.of(fit("plsa"), some)
    drawn = laconic.plots.topic_map(shown.model).to_dict()
    layers = [layer.get("data", {}).get("values", []) for layer in drawn["layer"]]
    found = {row["topic"]: row["share"] for rows in layers for row in rows if "share" in row}
    assert len(found) > 1
    for topic, share in found.items():
        assert share == pytest.approx(shown.shares[topic], abs=1e-3)


def test_the_first_page_does_not_wait_for_many_documents(folder: Path, monkeypatch):
    whole = views.overview(PageData.open(folder))
    monkeypatch.setattr("laconic.web.page_data.AT_ONCE", 10)
    monkeypatch.setattr("laconic.web.page_data.sum_documents", not_yet)
    page_data = PageData.open(folder)
    early = views.overview(page_data)
    assert early["waiting"]
    assert not whole["waiting"]
    later = {"weak": False, "n_documents": None, "spread": None, "most": None}
    assert early["topics"] == [{**topic, **later} for topic in whole["topics"]]
    assert {figure[0] for figure in whole["figures"]} - {figure[0] for figure in early["figures"]}
    monkeypatch.undo()
    monkeypatch.setattr("laconic.web.page_data.AT_ONCE", 10)
    page_data.warm()
    assert views.overview(page_data) == whole


def not_yet(documents):
    raise AssertionError("the documents were read too early")


def test_texts_of_a_corpus_on_disk_are_read_one_by_one(corpus, tmp_path, monkeypatch):
    corpus.save(tmp_path / "c.corpus")
    monkeypatch.setattr("laconic.web.page_data.NEIGHBOURS", 7)
    texts = texts_by_row(laconic.read(tmp_path / "c.corpus"))
    rows = [0, 119, 6, 7, 63]
    assert [texts[row] for row in rows] == corpus.texts[rows].tolist()
    assert len(texts) == len(corpus)
    assert len(texts._kept[1]) == 7
    assert texts_by_row(corpus) is corpus.texts


def test_the_first_words_of_a_topic_are_the_first_of_all(folder: Path):
    material = PageData.open(folder)
    for topic in range(material.n_topics):
        assert material.top_words(topic, 5) == material.top_words(topic, SHOWN_WORDS)[:5]
        assert material.top_words(topic, SHOWN_WORDS) == material.top(topic, SHOWN_WORDS)
