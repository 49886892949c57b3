"""A small saved model, its server, and checks that apply to every response of the server."""

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

PATIENCE = 120  # timeout in seconds; long, because a busy machine or compilation may be slow
HOSTILE = "<script>alert(1)</script>"
NOTE = "/api/topics/1/notes"
THEMES = {
    "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
    "ships": "sail mast harbour anchor captain wind deck rope storm tide",
    "bread": "flour yeast oven crust dough bake loaf butter knead salt",
}


def save_three(path: Path) -> Path:
    """Save a model of texts about three themes; one text and all titles contain markup."""
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
    """Send a request on a new connection; threads that share a client can close each other's."""
    return httpx.get(url, timeout=PATIENCE, verify=False, **options)  # skips loading certificates


@contextmanager
def browsing(path: Path, **options: Any) -> Iterator[httpx.Client]:
    """Start a server for a saved model and yield an HTTP client for it."""
    server = Server(PageData.open(path, **options), 0)
    server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=PATIENCE, verify=False) as client:
            yield client
    finally:
        server.stop()


def sentence(answer: httpx.Response, status: int) -> str:
    """Return the error message of a response; check that the response contains nothing else."""
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
    """Check that a response has all security headers and allows no cross-origin access."""
    for name, value in HEADERS.items():
        assert answer.headers[name] == value, (answer.url, name)
    assert not [name for name in answer.headers if name.startswith("access-control")]
