"""A small saved model, its server, and what every answer of the server must hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

import laconic
from laconic.web.page_data import PageData
from laconic.web.server.security import HEADERS
from laconic.web.server.serving import Server

PATIENCE = 120  # seconds: a busy machine, or one that compiles first, is slow and not wrong
HOSTILE = "<script>alert(1)</script>"
NOTE = "/api/topics/1/notes"
THEMES = {
    "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
    "ships": "sail mast harbour anchor captain wind deck rope storm tide",
    "bread": "flour yeast oven crust dough bake loaf butter knead salt",
}


def save_three(path: Path) -> Path:
    """Save a model of texts about three things, one of them hostile."""
    names = [list(THEMES)[number % 3] for number in range(60)]
    texts = []
    for number, name in enumerate(names):
        words = THEMES[name].split()
        texts.append(" ".join(words[(number + step * step) % 10] for step in range(8)) + ".")
    texts[0] = f"{HOSTILE} cat kitten purr meow"
    counted = laconic.read(texts)
    corpus = laconic.Corpus(
        counted.counts,
        counted.vocabulary,
        texts=texts,
        labels=names,
        titles=[f"About <b>{name}</b>" for name in names],
        vectorizer=counted.vectorizer,
    )
    model = laconic.pipeline("slsa", n_components=3, words_per_topic=6).fit(corpus)
    return laconic.save(model, path, index=laconic.search(model, corpus))


def get(url: str, **options: Any) -> httpx.Response:
    """Ask on a connection of its own: threads that share a client close connections in use."""
    return httpx.get(url, timeout=PATIENCE, verify=False, **options)  # no certificates to read


@contextmanager
def browsing(path: Path, **options: Any) -> Iterator[httpx.Client]:
    """A client of a server that was started for it."""
    server = Server(PageData.open(path, **options), 0)
    server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=PATIENCE, verify=False) as client:
            yield client
    finally:
        server.stop()


def sentence(answer: httpx.Response, status: int) -> str:
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


def assert_guarded(answer: httpx.Response) -> None:
    """Every answer tells browsers to keep to themselves."""
    for name, value in HEADERS.items():
        assert answer.headers[name] == value, (answer.url, name)
    assert not [name for name in answer.headers if name.startswith("access-control")]
