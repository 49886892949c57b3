"""The server of the explorer: what each address gives, and a sentence wherever it gives nothing."""

from __future__ import annotations

import gzip
import json
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import laconic
from laconic.web import app as app_module
from laconic.web.material import Material
from laconic.web.pages import FOLDER, Files
from laconic.web.security import HEADERS, POLICY
from laconic.web.serving import Server

HOSTILE = "<script>alert(1)</script>"
NOTE = "/api/topics/1/notes"
PAGES = ["/", "/topics/1", "/documents", "/documents/3", "/words/cat", "/search", "/compare"]
ANSWERS = [
    "/api/overview",
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
    "/api/themes",
    "/api/notes",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model of texts about three things, one of them hostile."""
    path = tmp_path_factory.mktemp("app") / "three.model"
    save_model(path)
    return path


def save_model(path: Path) -> None:
    themes = {
        "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
        "ships": "sail mast harbour anchor captain wind deck rope storm tide",
        "bread": "flour yeast oven crust dough bake loaf butter knead salt",
    }
    names = list(themes)
    texts = []
    for number in range(60):
        words = themes[names[number % 3]].split()
        texts.append(" ".join(words[(number + step * step) % 10] for step in range(8)) + ".")
    texts[0] = f"{HOSTILE} cat kitten purr meow"
    corpus = laconic.read(texts)
    corpus = laconic.Corpus(
        corpus.counts,
        corpus.vocabulary,
        texts=texts,
        labels=[names[number % 3] for number in range(60)],
        titles=[f"About <b>{names[number % 3]}</b>" for number in range(60)],
        vectorizer=corpus.vectorizer,
    )
    model = laconic.pipeline("slsa", n_components=3, words_per_topic=6).fit(corpus)
    laconic.save(model, path, index=laconic.search(model, corpus))


@contextmanager
def browsing(path: Path, **options: Any) -> Iterator[httpx.Client]:
    """A client of a server that was started for it."""
    server = Server(Material.open(path, **options), 0)
    server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=60) as client:
            yield client
    finally:
        server.stop()


def get_alone(client: httpx.Client, path: str) -> bytes:
    """Ask on a connection of its own: threads that share a client close connections in use."""
    return httpx.get(client.base_url.join(path), timeout=60).content


def host_of(client: httpx.Client) -> str:
    return f"{client.base_url.host}:{client.base_url.port}"


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx.Client]:
    """A browser on a server that only reads."""
    with browsing(folder, other=folder) as client:
        yield client


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[httpx.Client]:
    """A browser on a server that may write notes."""
    path = tmp_path / "three.model"
    save_model(path)
    with browsing(path, write=True) as client:
        yield client


def sentence(answer: Any, status: int) -> str:
    """What an answer says is wrong; it says nothing else."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    said = answer.json()
    assert list(said) == ["error"]
    assert "Traceback" not in said["error"]
    assert said["error"][0].isupper() or said["error"][0] in "'\"" or said["error"][0].islower()
    assert "\n" not in said["error"]
    assert said["error"].endswith(".")
    return str(said["error"])


def assert_guarded(answer: Any) -> None:
    """Every answer tells browsers to keep to themselves."""
    for name, value in HEADERS.items():
        assert answer.headers[name] == value, (answer.url, name)
    assert not [name for name in answer.headers if name.startswith("access-control")]


# --- what there is -------------------------------------------------------------------------------


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


def test_files_of_the_page(client: httpx.Client) -> None:
    kinds = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
    files = [path for path in FOLDER.rglob("*") if path.suffix in kinds]
    assert files
    for path in files:
        answer = client.get(f"/static/{path.relative_to(FOLDER).as_posix()}")
        assert answer.status_code == 200
        assert answer.content == path.read_bytes()
        assert answer.headers["content-type"] == kinds[path.suffix]
        assert_guarded(answer)


def test_the_drawing_program(client: httpx.Client) -> None:
    answer = client.get("/vega.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "vegaEmbed" in answer.text
    assert_guarded(answer)
    again = client.get("/vega.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_parameters_reach_the_view(client: httpx.Client) -> None:
    page = client.get("/api/documents?page=1&size=7&label=ships").json()
    assert (page["page"], page["size"], page["total"], len(page["documents"])) == (1, 7, 20, 7)
    assert {document["label"] for document in page["documents"]} == {"ships"}
    assert client.get("/api/documents").json()["size"] == 20
    assert client.get("/api/search?q=cat&k=2").json()["query"] == "cat"
    assert len(client.get("/api/search?q=cat&k=2").json()["hits"]) == 2


def test_a_model_without_another_cannot_be_compared(folder: Path) -> None:
    with browsing(folder) as client:
        answer = client.get("/api/compare")
        assert answer.status_code in (400, 404)
        sentence(answer, answer.status_code)


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
    answer = client.get("/api/documents?label=" + "x" * 10_000)
    assert answer.status_code in (200, 404)
    assert "characters" not in answer.text


def test_notes_are_a_file_to_keep(client: httpx.Client) -> None:
    disposition = client.get("/api/notes").headers["content-disposition"]
    assert disposition == 'attachment; filename="notes.json"'


# --- what is wrong -------------------------------------------------------------------------------


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
        "/api/documents?page=%D9%A3",  # the digit three of another script
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
        "/api/topics",
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
    assert "There is no page 999999999; pages go from 0 to" in sentence(answer, 404)


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
    assert f"it takes {', '.join(sorted(allowed))}." in sentence(answer, 405)
    assert_guarded(answer)


def test_head_has_no_body(client: httpx.Client) -> None:
    answer = client.head("/api/overview")
    assert (answer.status_code, answer.content) == (200, b"")
    assert_guarded(answer)


def test_a_mistake_of_the_server_is_told_to_its_log_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(material: Material) -> dict[str, Any]:
        raise RuntimeError("a secret of the server")

    question = app_module.Question(broken)
    monkeypatch.setitem(app_module.QUESTIONS, "/api/overview", question)
    with browsing(folder) as client:
        with caplog.at_level(logging.ERROR, "laconic"):
            answer = client.get("/api/overview")
        assert "secret" not in sentence(answer, 500)
        assert_guarded(answer)
        assert "a secret of the server" in caplog.text
        assert client.get("/api/topics/1").status_code == 200  # it goes on


def test_numbers_that_json_does_not_have_are_a_mistake(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = app_module.Question(lambda material: {"share": float("nan")})
    monkeypatch.setitem(app_module.QUESTIONS, "/api/overview", question)
    with browsing(folder) as client:
        sentence(client.get("/api/overview"), 500)


# --- what is kept --------------------------------------------------------------------------------


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


def test_each_answer_is_worked_out_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(material: Material) -> dict[str, Any]:
        made.append(1)
        return {"made": len(made)}

    monkeypatch.setitem(app_module.QUESTIONS, "/api/overview", app_module.Question(counted))
    with browsing(folder) as client:
        assert [client.get("/api/overview").json()["made"] for _ in range(3)] == [1, 1, 1]


def test_many_at_once_get_what_one_gets(client: httpx.Client, folder: Path) -> None:
    alone = {path: client.get(path).content for path in ANSWERS}
    paths = [ANSWERS[number % len(ANSWERS)] for number in range(200)]
    with browsing(folder, other=folder) as fresh, ThreadPoolExecutor(50) as pool:
        together = list(pool.map(lambda path: get_alone(fresh, path), paths))
    assert together == [alone[path] for path in paths]


# --- notes ---------------------------------------------------------------------------------------


def test_a_note_shows_at_once_and_stays(writer: httpx.Client, tmp_path: Path) -> None:
    before = writer.get("/api/overview")
    assert before.json()["has"]["write"] is True
    answer = writer.put(NOTE, json={"name": f"ships {HOSTILE}"})
    assert answer.status_code == 200
    assert answer.json() == {
        "topic": 1, "name": f"ships {HOSTILE}", "hidden": False, "note": ""
    }  # fmt: skip
    assert_guarded(answer)
    after = writer.get("/api/overview", headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    names = {topic["topic"]: topic["name"] for topic in after.json()["topics"]}
    assert names == {0: None, 1: f"ships {HOSTILE}", 2: None}
    assert writer.get("/api/notes").json()["topics"]["1"]["name"] == f"ships {HOSTILE}"
    with browsing(tmp_path / "three.model") as later:
        assert later.get("/api/topics/1").json()["name"] == f"ships {HOSTILE}"


def test_a_note_shows_in_answers_begun_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def slow(material: Material) -> dict[str, Any]:
        seen = {str(topic): note.name for topic, note in material.notes.items()}
        begun.set()
        may_go_on.wait(10)
        return seen

    monkeypatch.setitem(app_module.QUESTIONS, "/api/overview", app_module.Question(slow))
    path = tmp_path / "three.model"
    save_model(path)
    with (
        browsing(path, write=True) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        early = pool.submit(client.get, "/api/overview")
        assert begun.wait(10)
        assert client.put(NOTE, json={"name": "new"}).status_code == 200
        may_go_on.set()
        assert early.result().json() == {}
        assert client.get("/api/overview").json() == {"1": "new"}


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
    assert sentence(answer, 400) == "What was sent is not JSON in UTF-8."


def test_a_body_without_a_length_is_measured(writer: httpx.Client) -> None:
    parts = (b" " * 1000 for _ in range(100))
    answer = writer.put(NOTE, content=parts, headers={"Content-Type": "application/json"})
    sentence(answer, 413)


def test_a_note_on_no_topic(writer: httpx.Client) -> None:
    sentence(writer.put("/api/topics/3/notes", json={"name": "x"}), 404)
    sentence(writer.put("/api/topics/x/notes", json={"name": "x"}), 404)


# --- who may ask ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_own_names(client: httpx.Client, name: str) -> None:
    host = f"{name}:{client.base_url.port}"
    assert client.get("/api/notes", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/overview", "/static/app.js", "/vega.js", "/nothing"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil:PORT",
        "localhost.:PORT", "127.0.0.1:PORT@evil", "evil@127.0.0.1:PORT", "", "0.0.0.0:PORT",
    ],
)  # fmt: skip
def test_other_names_are_turned_away(client: httpx.Client, host: str, path: str) -> None:
    named = host.replace("PORT", str(client.base_url.port))
    answer = client.get(path, headers={"Host": named})
    assert f"This server is called {host_of(client)}" in sentence(answer, 421)
    assert_guarded(answer)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": "https://127.0.0.1:PORT"},
        {"Origin": "http://localhost:PORT"},  # the page was asked for by the other name
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_pages_change_nothing(writer: httpx.Client, headers: dict[str, str]) -> None:
    port = str(writer.base_url.port)
    given = {name: value.replace("PORT", port) for name, value in headers.items()}
    answer = writer.put(NOTE, json={"name": "x"}, headers=given)
    assert "own page" in sentence(answer, 403)
    assert writer.get("/api/notes").json()["topics"] == {}


@pytest.mark.parametrize("site", [None, "same-origin"])
@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:PORT"])
def test_the_own_page_changes_notes(
    writer: httpx.Client, origin: str | None, site: str | None
) -> None:
    given = {"Origin": origin and origin.replace("PORT", str(writer.base_url.port))}
    given["Sec-Fetch-Site"] = site
    headers = {name: value for name, value in given.items() if value is not None}
    assert writer.put(NOTE, json={"name": "x"}, headers=headers).status_code == 200


def test_other_pages_get_no_data_but_may_link(client: httpx.Client) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    sentence(client.get("/api/overview", headers=elsewhere), 403)
    assert client.get("/topics/1", headers=elsewhere).status_code == 200


def test_no_inline_script_is_allowed() -> None:
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in POLICY
    page = (FOLDER / "index.html").read_text(encoding="utf-8").lower()
    assert "<style" not in page
    assert " style=" not in page
    assert all(part.startswith((" type", " src")) for part in page.split("<script")[1:])


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "secret.js").write_text("outside")
    static = tmp_path / "static"
    (static / "views").mkdir(parents=True)
    (static / "views" / "topic.js").write_text("inside")
    (static / ".hidden.js").write_text("hidden")
    (static / "notes.py").write_text("no kind of file that a page has")
    (static / "link.js").symlink_to(tmp_path / "secret.js")
    (static / "folder").symlink_to(tmp_path)
    (static / "folder.js").mkdir()
    return Files(static)


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../secret.js", "views/../../secret.js", "views/../views/topic.js",
        "/etc/passwd", "//views/topic.js", "views//topic.js", "views/./topic.js", "views/",
        ".hidden.js", "notes.py", "link.js", "folder/secret.js", "folder.js", "views",
        "..\\secret.js", "views\\topic.js", "topic.js\x00.js", "views/topic.js/",
        "x" * 5000 + ".js",
        "views/tópic.js", "~/secret.js",
    ],
)  # fmt: skip
def test_only_files_of_the_folder(files: Files, name: str) -> None:
    assert files.get(name) is None


def test_a_file_that_changes_is_read_again(files: Files) -> None:
    first = files.get("views/topic.js")
    assert first is not None
    assert first.body == b"inside"
    assert files.get("views/topic.js") is first
    (files.folder / "views" / "topic.js").write_text("changed")
    second = files.get("views/topic.js")
    assert second is not None
    assert second.body == b"changed"
    assert second.tag != first.tag


def test_texts_that_have_no_utf8_are_sent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = app_module.Question(lambda material: {"text": "half \udc80 of a pair"})
    monkeypatch.setitem(app_module.QUESTIONS, "/api/overview", question)
    with browsing(folder) as client:
        assert json.loads(client.get("/api/overview").content) == {"text": "half \udc80 of a pair"}
