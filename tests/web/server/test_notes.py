"""Tests of notes sent to the server: valid notes are visible at once and are saved."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from laconic.web.page_data import PageData
from laconic.web.server import app as app_module
from tests.web.asking import HOSTILE, NOTE, PATIENCE, assert_guarded, browsing, get, sentence


def test_a_note_shows_at_once_and_stays(writer: httpx.Client, noted: Path) -> None:
    before = writer.get("/api/overview")
    assert before.json()["has"]["write"] is True
    answer = writer.put(NOTE, json={"name": f"ships {HOSTILE}"})
    assert answer.status_code == 200
    assert answer.json() == {
        "topic": 1, "name": f"ships {HOSTILE}", "hidden": False, "note": "",
            "asked": 0, "found": 0,
    }  # fmt: skip
    assert_guarded(answer)
    after = writer.get("/api/overview", headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    names = {topic["topic"]: topic["name"] for topic in after.json()["topics"]}
    assert names == {0: None, 1: f"ships {HOSTILE}", 2: None}
    assert writer.get("/api/notes").json()["topics"]["1"]["name"] == f"ships {HOSTILE}"
    with browsing(noted) as later:
        assert later.get("/api/topics/1").json()["name"] == f"ships {HOSTILE}"


def test_a_note_shows_in_answers_begun_before_it(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def slow(material: PageData) -> dict[str, Any]:
        seen = {str(topic): note.name for topic, note in material.notes.items()}
        begun.set()
        may_go_on.wait(PATIENCE)
        return seen

    # The server does not prepare the response of /api/compare in advance.
    monkeypatch.setitem(app_module.API_ROUTES, "/api/compare", app_module.ApiRoute(slow))
    folder = shutil.copytree(three, tmp_path / "three.model")
    with browsing(folder, write=True) as client, ThreadPoolExecutor(1) as pool:
        early = pool.submit(get, str(client.base_url.join("/api/compare")))
        try:
            assert begun.wait(PATIENCE)
            assert client.put(NOTE, json={"name": "new"}).status_code == 200
        finally:
            may_go_on.set()
        assert early.result().json() == {}
        assert client.get("/api/compare").json() == {"1": "new"}


def test_read_only_unless_told_otherwise(client: httpx.Client) -> None:
    answer = client.put(NOTE, json={"name": "x"})
    assert "--write" in sentence(answer, 403)
    assert_guarded(answer)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", None, 415),
        (b"{}", "text/plain", 415),
        (b"name=x", "application/x-www-form-urlencoded", 415),
        (b"{}", "application/json; charset=latin-1", 415),
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'"name"', "application/json", 400),
        (b'{"name": "\xff"}', "application/json", 400),
        (b'{"name": "\\ud800"}', "application/json", 400),
        (b'{"name": NaN}', "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"name": 3}', "application/json", 400),
        (b'{"title": "x"}', "application/json", 400),
        (b'{"hidden": "yes"}', "application/json", 400),
        (b'{"name": "' + b"x" * 5_000 + b'"}', "application/json", 400),
        (b'{"name": "' + b"x" * 70_000 + b'"}', "application/json", 413),
    ],
)
def test_bodies_that_are_not_taken(
    writer: httpx.Client, body: bytes, kind: str | None, status: int
) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = writer.put(NOTE, content=body, headers=headers)
    sentence(answer, status)
    assert_guarded(answer)
    assert writer.get("/api/notes").json()["topics"] == {}


def test_numbers_that_are_none_are_no_json(writer: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    answer = writer.put(NOTE, content=b'{"name": NaN}', headers=headers)
    assert sentence(answer, 400) == "The request body is not valid JSON in UTF-8."


def test_a_body_without_a_length_is_measured(writer: httpx.Client) -> None:
    parts = (b" " * 1000 for _ in range(100))
    answer = writer.put(NOTE, content=parts, headers={"Content-Type": "application/json"})
    sentence(answer, 413)


def test_a_note_on_no_topic(writer: httpx.Client) -> None:
    sentence(writer.put("/api/topics/3/notes", json={"name": "x"}), 404)
    sentence(writer.put("/api/topics/x/notes", json={"name": "x"}), 404)
