"""Tests of security: the server accepts requests only from its own page and to its own host."""

from __future__ import annotations

import httpx
import pytest

from laconic.web.server.security import POLICY
from laconic.web.server.static_files import FOLDER
from tests.web.asking import NOTE, assert_guarded, sentence


def host_of(client: httpx.Client) -> str:
    return f"{client.base_url.host}:{client.base_url.port}"


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
    assert f"This server is {host_of(client)}, but the Host is" in sentence(answer, 421)
    assert_guarded(answer)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": "https://127.0.0.1:PORT"},
        {"Origin": "http://localhost:PORT"},  # the page was opened as 127.0.0.1
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
