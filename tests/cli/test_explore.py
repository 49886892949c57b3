"""``laconic explore``: it says where the page is, serves it, and ends when told to."""

from __future__ import annotations

import json
import re
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

from laconic.web.material import Material

from .running import Run, environment, real_run

ADDRESS = re.compile(r"laconic: the explorer is at (http://127\.0\.0\.1:(\d+)/) \(Ctrl-C ends it\)")

PATIENCE = 120  # seconds: a busy machine, or one that compiles first, is slow, not wrong

SLEEPY = """
import os, pathlib, sys, time
from laconic.web import addresses

def sleep(material):
    pathlib.Path(os.environ["BEGUN"]).touch()
    time.sleep(600)

addresses.QUESTIONS["/api/overview"] = addresses.Question(sleep)  # which it asks itself first
sys.argv[0] = "laconic"
from laconic.cli.main import main
main()
"""


class Explorer:
    """The command in a process of its own."""

    def __init__(self, *arguments: object, code: str | None = None, **env: str) -> None:
        program = ["-m", "laconic"] if code is None else ["-c", code]
        command = [sys.executable, *program, "explore", *map(str, arguments)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(**env),
        )
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        found = ADDRESS.fullmatch(self.said.strip())
        assert found, self.said + self.process.stderr.read()
        self.url, self.port = found[1], int(found[2])

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def put(self, path: str, value: object) -> Any:
        headers = {"Content-Type": "application/json"}
        data = json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data, headers, method="PUT")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def end(self, how: int) -> tuple[int, str]:
        """The status of a process that got a signal, and what it said after its address."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        assert out == ""
        return self.process.returncode, err


@contextmanager
def exploring(*arguments: object, code: str | None = None, **env: str) -> Iterator[Explorer]:
    explorer = Explorer(*arguments, "--port", 0, code=code, **env)
    try:
        yield explorer
    finally:
        explorer.process.kill()
        explorer.process.communicate()


# --- for real ------------------------------------------------------------------------------------


def appeared(path: Path) -> bool:
    """Whether a file comes to be, sooner or later."""
    deadline = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return path.exists()


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A browser that writes the address it is given into a file beside it, called "opened"."""
    path, opened = tmp_path / "browser", tmp_path / "opened"
    path.write_text(f'#!/bin/sh\nprintf %s "$1" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("how", "options"), [(signal.SIGINT, ["--no-browser"]), (signal.SIGTERM, [])]
)
def test_it_serves_until_told_to_end(
    model: Path, browser: Path, how: int, options: list[str]
) -> None:
    opened = browser.with_name("opened")
    with exploring(model, *options, BROWSER=str(browser)) as explorer:
        overview = explorer.get("api/overview")
        assert (overview["title"], overview["n_topics"]) == ("posts.model", 3)
        assert overview["has"]["write"] is False
        if not options:
            assert appeared(opened)
            assert opened.read_text() == explorer.url
        idle = socket.create_connection(("127.0.0.1", explorer.port))  # does not hold it up
        start = time.monotonic()
        assert explorer.end(how) == (0, "")
        assert time.monotonic() - start < 20
        idle.close()
    assert opened.exists() == (not options)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_the_midst_of_an_answer(model: Path, how: int, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with exploring(model, "--no-browser", code=SLEEPY, BEGUN=str(begun)) as explorer:
        assert appeared(begun)
        start = time.monotonic()
        assert explorer.end(how) == (0, "")
        assert time.monotonic() - start < 20


def test_notes_are_written_into_the_model(posts: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "named.model"
    run("fit", posts, "--text", "body", "-k", 3, "-o", path)
    with exploring(path, "--no-browser", "--write") as explorer:
        assert explorer.put("api/topics/1/notes", {"name": "At sea"})["name"] == "At sea"
    assert Material.open(path).notes[1].name == "At sea"


def test_another_corpus_and_another_model(model: Path, coding: Path, posts: Path) -> None:
    options = ("--corpus", posts, "--text", "body", "--label", "group", "--id", "id")
    with exploring(model, *options, "--compare", coding, "--no-browser") as explorer:
        overview = explorer.get("api/overview")
        assert overview["n_documents"] == 60
        assert overview["has"]["compare"] is True
        labels = {name for name, _ in explorer.get("api/documents")["labels"]}
        assert labels == {"pets", "ships", "bread"}
        titles = [one["title"] for one in explorer.get("api/compare")["models"]]
        assert titles == ["posts.model", "coding.model"]


# --- what is wrong -------------------------------------------------------------------------------


def test_a_port_that_is_taken(model: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = real_run("explore", str(model), "--no-browser", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == (
        f"laconic: error: port {port} is taken by another program; give another, or none for one "
        "that is free\n"
    )


def test_what_is_no_model(run: Run, posts: Path, tmp_path: Path) -> None:
    def said(*arguments: object) -> str:
        done = run("explore", *arguments, "--no-browser", "--port", 0, status=1)
        assert len(done.stderr.splitlines()) == 1
        return done.stderr

    assert "nothing.model" in said(tmp_path / "nothing.model")
    assert "posts.jsonl" in said(posts)
    store = tmp_path / "posts.corpus"
    run("convert", posts, store, "--text", "body")
    assert "posts.corpus" in said(store)
    damaged = tmp_path / "damaged.model"
    damaged.mkdir()
    (damaged / "model.json").write_text("{")
    assert "damaged.model" in said(damaged)


def test_another_model_that_is_none(run: Run, model: Path) -> None:
    done = run("explore", model, "--compare", "none.model", "--port", 0, status=1)
    assert "none.model" in done.stderr


def test_a_corpus_that_is_not_there(run: Run, model: Path) -> None:
    done = run("explore", model, "--corpus", "none.jsonl", "--port", 0, status=1)
    assert "none.jsonl" in done.stderr


def test_options_without_a_corpus(run: Run, model: Path) -> None:
    done = run("explore", model, "--text", "body", status=2)
    assert "--text says how to read a corpus; name one with --corpus." in done.stderr


@pytest.mark.parametrize("port", ["x", "-1", "65536", "80.5"])
def test_ports_that_are_none(run: Run, model: Path, port: str) -> None:
    assert "--port" in run("explore", model, "--port", port, status=2).stderr


def test_without_the_extra(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run("explore", model, status=1)
    assert done.stderr == (
        "laconic: error: the explorer needs uvicorn; install with: pip install 'laconic[web]'\n"
    )
