"""Tests of static files: only files in the folder of the page are served."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from laconic.identity import style_sheet
from laconic.web.server.static_files import FOLDER, Files
from tests.web.asking import assert_guarded


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


def test_the_shared_style_sheet(client: httpx.Client) -> None:
    answer = client.get("/static/identity.css")
    assert (answer.status_code, answer.text) == (200, style_sheet())
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert_guarded(answer)


def test_the_drawing_program(client: httpx.Client) -> None:
    answer = client.get("/vega.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "vegaEmbed" in answer.text
    assert_guarded(answer)
    again = client.get("/vega.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


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
