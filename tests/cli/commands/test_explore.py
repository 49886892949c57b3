"""Tests of ``laconic explore``: it prints its URL, serves the page, and stops on a signal."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from laconic.web.page_data import PageData
from tests.cli.running import PATIENCE, Run, environment, mentions, started

ADDRESS = re.compile(r"laconic: .*(http://127\.0\.0\.1:(\d+)/).*Ctrl-C.*")

SLEEPY = """
import os, pathlib, sys, threading
from laconic.web.server import routes

def sleep(material):
    pathlib.Path(os.environ["BEGUN"]).touch()
    threading.Event().wait()

routes.API_ROUTES["/api/overview"] = routes.ApiRoute(sleep)  # which it asks itself first
sys.argv[0] = "laconic"
from laconic.cli.main import main
main()
"""


class Explorer:
    """A running ``laconic explore`` command in a separate process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        said = process.stderr.readline()
        found = ADDRESS.fullmatch(said.strip())
        assert found, said + process.stderr.read()
        self.url, self.port = found[1], int(found[2])
        self.asking = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        with self.asking.open(self.url + path, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def put(self, path: str, value: object) -> Any:
        headers = {"Content-Type": "application/json"}
        data = json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data, headers, method="PUT")
        with self.asking.open(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def end(self, how: int) -> tuple[int, str]:
        """Send the signal `how`; return the exit status and the output after the URL."""
        with socket.create_connection(("127.0.0.1", self.port)):  # idle; must not delay the end
            self.process.send_signal(how)
            out, err = self.process.communicate(timeout=PATIENCE)
        assert out == ""
        return self.process.returncode, err


@contextmanager
def exploring(*arguments: object, code: str | None = None, **env: str) -> Iterator[Explorer]:
    words = ("explore", *map(str, arguments), "--port", "0")
    with started(*words, code=code, env=environment(**env)) as process:
        yield Explorer(process)


# --- starting the real command -------------------------------------------------------------------


def appeared(path: Path) -> bool:
    """Wait until a file exists, at most PATIENCE seconds; return whether it exists."""
    deadline = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return path.exists()


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """Create a fake browser that writes the URL it receives to the file "opened" in its folder."""
    path, opened = tmp_path / "browser", tmp_path / "opened"
    path.write_text(f'#!/bin/sh\nprintf %s "$1" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_ctrl_c_ends_it(model: Path, browser: Path) -> None:
    with exploring(model, "--no-browser", BROWSER=str(browser)) as explorer:
        overview = explorer.get("api/overview")
        assert (overview["title"], overview["n_topics"]) == ("posts.model", 3)
        assert overview["has"]["write"] is False
        assert explorer.end(signal.SIGINT) == (0, "")
    assert not browser.with_name("opened").exists()


def test_with_all_that_it_can_show(
    model: Path, coding: Path, posts: Path, browser: Path, tmp_path: Path
) -> None:
    """Use another corpus, a second model, ``--write`` and a browser; then end with a signal."""
    mine = shutil.copytree(model, tmp_path / "named.model")
    corpus = ("--corpus", posts, "--text", "body", "--label", "group", "--id", "id")
    given = (mine, *corpus, "--compare", coding, "--write")
    opened = browser.with_name("opened")
    with exploring(*given, BROWSER=str(browser)) as explorer:
        overview = explorer.get("api/overview")
        assert overview["n_documents"] == 60
        assert (overview["has"]["compare"], overview["has"]["write"]) == (True, True)
        labels = {name for name, _ in explorer.get("api/documents")["facets"]["labels"]}
        assert labels == {"pets", "ships", "bread"}
        titles = [one["title"] for one in explorer.get("api/compare")["models"]]
        assert titles == ["named.model", "coding.model"]
        assert explorer.put("api/topics/1/notes", {"name": "At sea"})["name"] == "At sea"
        assert appeared(opened)
        assert opened.read_text(encoding="utf-8") == explorer.url
        assert explorer.end(signal.SIGTERM) == (0, "")
    assert PageData.open(mine).notes[1].name == "At sea"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_the_midst_of_an_answer(model: Path, how: int, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with exploring(model, "--no-browser", code=SLEEPY, BEGUN=str(begun)) as explorer:
        assert appeared(begun)
        assert explorer.end(how) == (0, "")


# --- errors --------------------------------------------------------------------------------------


def test_a_port_that_is_taken(run: Run, model: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("explore", model, "--no-browser", "--port", port, status=1, golden=False)
    mentions(result, f"laconic: error: port {port} ", "in use")
    assert result.stderr.count("\n") == 1


def test_what_is_no_model(run: Run, posts: Path, tmp_path: Path) -> None:
    def said(path: Path, golden: bool = True) -> None:
        done = run("explore", path, "--no-browser", "--port", 0, status=1, golden=golden)
        mentions(done, "laconic: error: ", path.name)
        assert done.stderr.count("\n") == 1

    said(tmp_path / "nothing.model")
    said(posts)
    store = tmp_path / "posts.corpus"
    run("convert", posts, "-o", store, "--text", "body")
    said(store)
    damaged = tmp_path / "damaged.model"
    damaged.mkdir()
    (damaged / "model.json").write_text("{")
    said(damaged, golden=False)  # the description of the JSON error is Python's


def test_another_model_that_is_none(run: Run, model: Path) -> None:
    done = run("explore", model, "--compare", "none.model", "--port", 0, status=1)
    mentions(done, "error: none.model: ")


def test_a_corpus_that_is_not_there(run: Run, model: Path) -> None:
    done = run("explore", model, "--corpus", "none.jsonl", "--port", 0, status=1)
    mentions(done, "error: none.jsonl: ")


def test_options_without_a_corpus(run: Run, model: Path) -> None:
    done = run("explore", model, "--text", "body", status=2)
    mentions(done, "Error: --text ", "--corpus")


@pytest.mark.parametrize("port", ["x", "-1", "65536", "80.5"])
def test_ports_that_are_none(run: Run, model: Path, port: str) -> None:
    mentions(run("explore", model, "--port", port, status=2, golden=False), "--port", port)


def test_without_the_extra(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run("explore", model, status=1)
    mentions(done, "laconic: error: ", "uvicorn", "pip install 'laconic[web]'")
    assert done.stderr.count("\n") == 1
