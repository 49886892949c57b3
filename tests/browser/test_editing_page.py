"""Topics are merged, and split in the list, words are dropped, and edits undone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import laconic

from .conftest import Explorer, drawn, settled, shot


def choose(page: Page, *topics: int) -> None:
    page.get_by_role("button", name="Edit topics").click()
    for topic in topics:
        page.locator(f"main [data-topic='{topic}'] .choose").check()


def apply(page: Page) -> None:
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".edit-preview")).to_have_count(0)


def test_merge_and_undo(visit, writable):
    before = laconic.load(writable.folder)
    n_topics = len(laconic.topics(before))
    page = visit(writable)
    settled(page, "overview")
    choose(page, 1, 3)
    page.get_by_role("button", name="Merge").click()
    preview = page.locator(".edit-preview")
    expect(preview).to_contain_text("Merged topics 1, 3 into topic 1.")
    expect(preview).to_contain_text(f"{n_topics - 1} topics afterwards")
    shot(page, "editing-merge")
    assert len(laconic.topics(laconic.load(writable.folder))) == n_topics  # only a preview
    apply(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n_topics - 1} topics")
    assert len(laconic.topics(laconic.load(writable.folder))) == n_topics - 1

    page.get_by_role("button", name="Undo the last edit").click()
    expect(preview).to_contain_text("Undid: merged topics 1, 3")
    apply(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n_topics} topics")
    restored = laconic.load(writable.folder, verify=True)
    assert (restored[-1].components_ != before[-1].components_).nnz == 0


def test_the_map_is_requested_once_after_an_edit(visit, writable):
    page = drawn(visit(writable))
    choose(page, 1, 3)
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".edit-preview")).to_be_visible()
    before = maps_requested(visit, page)
    apply(page)
    drawn(page)
    page.wait_for_load_state("networkidle")
    assert maps_requested(visit, page) == before + 1


def maps_requested(visit, page: Page) -> int:
    return sum("/api/map?" in response.url for response in visit.watches[page].responses)


def test_a_word_is_dropped_from_a_topic(visit, writable):
    page = visit(writable, "/topics/2")
    settled(page, "topic")
    word = page.locator(".word-bars li").first.get_attribute("data-word")
    page.get_by_role("button", name=f"Drop {word}", exact=True).click()
    expect(page.locator(".edit-preview")).to_contain_text(word)
    shot(page, "editing-word")
    apply(page)
    expect(page.locator(f".word-bars li[data-word='{word}']")).to_have_count(0)
    assert word not in laconic.topics(laconic.load(writable.folder), 1000)[2].words


def test_a_topic_is_split(visit, writable):
    n_topics = len(laconic.topics(laconic.load(writable.folder)))
    page = visit(writable)
    settled(page, "overview")
    choose(page, 2)
    page.get_by_role("button", name="Split").click()
    expect(page.locator(".edit-preview")).to_contain_text("Split topic 2 into")
    shot(page, "editing-split")
    apply(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n_topics + 1} topics")


def test_an_edit_in_another_window_is_not_overwritten(visit, writable):
    first, second = visit(writable), visit(writable)
    for page, topics in ((first, (0, 1)), (second, (2, 3))):
        settled(page, "overview")
        choose(page, *topics)
        page.get_by_role("button", name="Merge").click()
        expect(page.locator(".edit-preview")).to_be_visible()
    apply(first)
    assert len(laconic.edits(laconic.load(writable.folder))) == 1


def test_without_leave_to_write_there_are_no_buttons(visit, explorer):
    page = visit(explorer())
    settled(page, "overview")
    expect(page.get_by_role("button", name="Edit topics")).to_have_count(0)


@pytest.fixture
def large(serve: Callable[..., Explorer], saved: Callable[[str], Path], tmp_path: Path) -> Explorer:
    folder = tmp_path / "large.model"
    shutil.copytree(saved("a thousand topics"), folder)
    return serve(folder, write=True)


def test_a_thousand_topics(visit, large):
    page = visit(large)
    settled(page, "overview")
    choose(page, 5, 7)
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".edit-preview")).to_be_visible()
    apply(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("999 topics")
