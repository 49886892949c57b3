"""Tests of the explorer's routes: the response of each URL, and error messages."""

from __future__ import annotations

import gzip
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from laconic.web.page_data import PageData
from laconic.web.server import app as app_module
from laconic.web.server.static_files import FOLDER
from tests.messages import check
from tests.web.asking import HOSTILE, NOTE, assert_guarded, browsing, get, sentence

PAGES = ["/", "/topics/1", "/documents", "/documents/3", "/words/cat", "/search", "/compare"]
ANSWERS = [
    "/api/overview",
    "/api/topics?having=ca",
    "/api/topics/1",
    "/api/topics/1/documents",
    "/api/topics/1/documents?page=0&size=5",
    "/api/documents",
    "/api/documents?page=1&size=7&label=ships",
    "/api/documents/3",
    "/api/documents/3?part=0",
    "/api/documents/3/similar",
    "/api/words?like=ca",
    "/api/words/cat",
    "/api/search?q=cat%20harbour&k=5",
    "/api/compare",
    "/api/charts/words",
    "/api/charts/words?topic=1",
    "/api/charts/map?width=300&letters=120",
    "/api/letters",
    "/api/themes",
    "/api/notes",
]


# --- valid requests ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ANSWERS)
def test_answers_are_json(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json(), dict)
    assert "NaN" not in answer.text
    assert_guarded(answer)


@pytest.mark.parametrize("path", [*PAGES, "/words/and%2For", "/documents?page=2&label=x"])
def test_every_address_of_the_page_gives_the_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.content == (FOLDER / "index.html").read_bytes()
    assert answer.headers["cache-control"] == "no-cache"
    assert_guarded(answer)


def test_parameters_reach_the_view(client: httpx.Client) -> None:
    page = client.get("/api/documents?page=1&size=7&label=ships").json()
    assert (page["page"], page["size"], page["total"], len(page["documents"])) == (1, 7, 20, 7)
    assert {document["label"] for document in page["documents"]} == {"ships"}
    assert client.get("/api/documents").json()["size"] == 20
    assert client.get("/api/search?q=cat&k=2").json()["query"] == "cat"
    assert len(client.get("/api/search?q=cat&k=2").json()["hits"]) == 2


def test_a_model_without_another_cannot_be_compared(three: Path) -> None:
    with browsing(three) as client:
        check(sentence(client.get("/api/compare"), 404), "--compare")


def test_markup_in_texts_stays_text(client: httpx.Client) -> None:
    answer = client.get("/api/documents/0")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "".join(piece for piece, _ in answer.json()["pieces"]).startswith(HOSTILE)
    assert answer.json()["title"] == "About <b>pets</b>"


def test_a_word_may_hold_anything(client: httpx.Client) -> None:
    assert "and/or" in sentence(client.get("/api/words/and%2For"), 404)
    assert "two" in sentence(client.get("/api/words/two%0Alines"), 404)
    assert client.get("/words/two%0Alines").status_code == 200
    sentence(client.get("/api/words/" + "x" * 2000), 404)
    sentence(client.get("/api/words/" + "x" * 2001), 404)


def test_a_label_may_be_long(client: httpx.Client) -> None:
    said = sentence(client.get("/api/documents?label=" + "x" * 10_000), 404)
    check(said, "No document", "label", "xxx")
    assert len(said) < 200


def test_notes_are_a_file_to_keep(client: httpx.Client) -> None:
    disposition = client.get("/api/notes").headers["content-disposition"]
    assert disposition == 'attachment; filename="notes.json"'


def test_texts_that_have_no_utf8_are_sent(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = app_module.ApiRoute(lambda material: {"text": "half \udc80 of a pair"})
    monkeypatch.setitem(app_module.API_ROUTES, "/api/overview", question)
    with browsing(three) as client:
        assert json.loads(client.get("/api/overview").content) == {"text": "half \udc80 of a pair"}


# --- invalid requests ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/api/documents?page=x",
        "/api/documents?page=",
        "/api/documents?page=-1",
        "/api/documents?page=1.0",
        "/api/documents?page=%2B1",
        "/api/documents?page=01",
        "/api/documents?page=1_0",
        "/api/documents?page=%D9%A3",  # the Arabic-Indic digit three
        "/api/documents?page=NaN",
        "/api/documents?page=1e3",
        "/api/documents?page=999999999999999999999999",
        "/api/documents?size=0",
        "/api/documents?size=101",
        "/api/documents?page=1&page=1",
        "/api/documents?pages=1",
        "/api/documents?page=0&__proto__=1",
        "/api/documents?label=" + "x" * 20_001,
        "/api/documents/1?part=NaN",
        "/api/overview?x=1",
        "/api/topics/1/documents?size=1000",
        "/api/search",
        "/api/search?q=" + "x" * 2001,
        "/api/search?q=cat&k=0",
        "/api/search?q=cat&k=101",
        "/api/search?q=%ff",
        "/api/search?q=a%00b",
        "/api/words",
        "/api/topics",
        "/api/topics?having=",
        "/api/topics?having=%20",
        "/api/topics?having=" + "x" * 201,
        "/api/charts/map?width=239",
        "/api/charts/map?width=1201",
        "/api/charts/map?letters=99",
        "/api/charts/map?letters=201",
        "/api/charts/map?letters=1e2",
        "/api/charts/map?letters=" + "1" * 5000,
        "/api/words?like=%C3%28",
        "/api/words/%ff",
        "/api/words/a%00b",
        "/words/%ff",
        "/static/%ff.js",
        "/api/charts/words?topic=x",
    ],
)
def test_parameters_that_make_no_sense(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert len(sentence(answer, 400)) < 200
    assert_guarded(answer)


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/overview/",
        "/api/topics/x",
        "/api/topics/-1",
        "/api/topics/01",
        "/api/topics/3",
        "/api/topics/999999999",
        "/api/topics/9999999999",
        "/api/topics/3/documents",
        "/api/documents/60",
        "/api/documents/60/similar",
        "/api/words/",
        "/api/words/unheard",
        "/api/charts/nothing",
        "/api/charts/../overview%2f",
        "/topics",
        "/topics/x",
        "/topics/1/",
        "/topics/1/2",
        "/documents/x",
        "/words/",
        "/nothing",
        "/index.html",
        "/static",
        "/static/",
        "/static/nothing.js",
        "/favicon.png",
    ],
)
def test_what_is_not_there(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    sentence(answer, 404)
    assert_guarded(answer)


@pytest.mark.parametrize("path", ["/nothing", "/topics/x", "/words/", "/documents/-1"])
def test_a_person_who_is_lost_gets_the_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.content == (FOLDER / "index.html").read_bytes()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert_guarded(answer)


@pytest.mark.parametrize("path", ["/api/nothing", "/static/nothing.js"])
def test_what_is_not_for_people_stays_a_sentence(client: httpx.Client, path: str) -> None:
    sentence(client.get(path, headers={"Accept": "text/html"}), 404)


def test_a_page_too_far_is_missing(client: httpx.Client) -> None:
    answer = client.get("/api/documents?page=999999999&size=100")
    check(sentence(answer, 404), "no page 999999999", "0 to 0")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/overview", {"GET", "HEAD"}),
        ("PUT", "/api/topics/1", {"GET", "HEAD"}),
        ("DELETE", "/topics/1", {"GET", "HEAD"}),
        ("PATCH", "/static/app.js", {"GET", "HEAD"}),
        ("OPTIONS", "/api/overview", {"GET", "HEAD"}),
        ("GET", NOTE, {"PUT"}),
        ("POST", NOTE, {"PUT"}),
    ],
)
def test_other_methods(client: httpx.Client, method: str, path: str, allowed: set[str]) -> None:
    answer = client.request(method, path)
    assert set(answer.headers["allow"].split(", ")) == allowed
    check(sentence(answer, 405), ", ".join(sorted(allowed)))
    assert_guarded(answer)


def test_head_has_no_body(client: httpx.Client) -> None:
    answer = client.head("/api/overview")
    assert (answer.status_code, answer.content) == (200, b"")
    assert_guarded(answer)


def test_a_mistake_of_the_server_is_told_to_its_log_alone(
    three: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(material: PageData) -> dict[str, Any]:
        raise RuntimeError("a secret of the server")

    question = app_module.ApiRoute(broken)
    monkeypatch.setitem(app_module.API_ROUTES, "/api/overview", question)
    with browsing(three) as client:
        with caplog.at_level(logging.ERROR, "laconic"):
            answer = client.get("/api/overview")
        assert "secret" not in sentence(answer, 500)
        assert_guarded(answer)
        assert "a secret of the server" in caplog.text
        assert client.get("/api/topics/1").status_code == 200  # the server keeps running


def test_numbers_that_json_does_not_have_are_a_mistake(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = app_module.ApiRoute(lambda material: {"share": float("nan")})
    monkeypatch.setitem(app_module.API_ROUTES, "/api/overview", question)
    with browsing(three) as client:
        sentence(client.get("/api/overview"), 500)


# --- caching and compression ---------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/api/overview"])
def test_what_a_browser_has_is_not_sent_again(client: httpx.Client, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = client.get(path, headers={"If-None-Match": given})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert_guarded(again)
    assert client.get(path, headers={"If-None-Match": '"other"'}).content == first.content


def test_long_answers_are_zipped_and_short_ones_not(client: httpx.Client) -> None:
    def raw(path: str, accepted: str) -> tuple[str | None, bytes]:
        with client.stream("GET", path, headers={"Accept-Encoding": accepted}) as answer:
            assert "content-encoding" not in answer.headers or answer.headers["vary"]
            return answer.headers.get("content-encoding"), b"".join(answer.iter_raw())

    encoding, body = raw("/static/app.js", "br, gzip;q=0.5")
    assert encoding == "gzip"
    assert gzip.decompress(body) == raw("/static/app.js", "identity")[1]
    assert raw("/static/app.js", "gzip;q=0, deflate")[0] is None
    assert raw("/api/notes", "gzip")[0] is None


def test_each_answer_is_worked_out_once(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(material: PageData) -> dict[str, Any]:
        made.append(1)
        return {"made": len(made)}

    monkeypatch.setitem(app_module.API_ROUTES, "/api/overview", app_module.ApiRoute(counted))
    with browsing(three) as client:
        assert [client.get("/api/overview").json()["made"] for _ in range(3)] == [1, 1, 1]


def test_many_at_once_get_what_one_gets(client: httpx.Client, three: Path) -> None:
    alone = {path: client.get(path).content for path in ANSWERS}
    paths = [ANSWERS[number % len(ANSWERS)] for number in range(200)]
    with browsing(three, other=three) as fresh, ThreadPoolExecutor(50) as pool:
        urls = [str(fresh.base_url.join(path)) for path in paths]
        together = [answer.content for answer in pool.map(get, urls)]
    assert together == [alone[path] for path in paths]
