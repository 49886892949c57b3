"""Fixtures: documents about known themes, and models of every kind fitted to them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import laconic
from laconic.models import MODELS

from .asking import NOTE, browsing, save_three

THEMES = {
    "pets": "cat dog kitten puppy fur purr bark tail paw leash whisker collar",
    "money": "bank loan money interest credit savings debt coin account cash budget rate",
    "water": "river bank shore boat fish stream flood water bridge canoe current reed",
    "kitchen": "bread butter oven flour sugar salt pepper knife spoon recipe bake stir",
}
N = 120


@cache
def make_corpus() -> laconic.Corpus:
    """Return documents with words of one theme, a few of another, and titles, ids and labels."""
    draw = np.random.default_rng(5)
    names = list(THEMES)
    texts = []
    for row in range(N):
        own, other = THEMES[names[row % 4]].split(), THEMES[names[(row // 4) % 4]].split()
        words = [*draw.choice(own, 24), *draw.choice(other, 6)]
        sentences = [" ".join(words[i : i + 6]) for i in range(0, 30, 6)]
        texts.append(". ".join(sentence.capitalize() for sentence in sentences) + ".")
    counted = laconic.read(texts, stop_words=None, min_df=1, max_df=1.0)
    return laconic.Corpus(
        counted.counts,
        counted.vocabulary,
        ids=[f"d{row}" for row in range(N)],
        titles=[f"On {names[row % 4]}, {row}" for row in range(N)],
        labels=[names[row % 4] for row in range(N)],
        texts=texts,
        vectorizer=counted.vectorizer,
    )


@cache
def fit(name: str, **params: Any) -> Any:
    """Fit a pipeline; "signed" is a signed Sparse LSA, "correlated" a correlated SCTM."""
    settings: dict[str, Any] = {"n_components": 5}
    if name == "pcp":
        settings = {"keywords_per_document": 2}
    if name == "signed":
        settings = {"n_components": 4, "positive": False, "alpha": 0.001, "init": "random"}
        name = "slsa"
    if name == "correlated":
        name, settings = "sctm", {"n_components": 5, "correlated": True}
    return laconic.pipeline(name, **{**settings, **params}).fit(make_corpus())


KINDS = [*MODELS, "signed", "correlated"]


@pytest.fixture(scope="session")
def corpus() -> laconic.Corpus:
    return make_corpus()


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that returns the folder of a model saved with documents and a search index."""
    home = tmp_path_factory.mktemp("models")

    @cache
    def give(kind: str) -> Path:
        model = fit(kind)
        index = laconic.search(model, make_corpus())
        return laconic.save(model, home / f"{kind}.model", index=index)

    return give


@pytest.fixture(scope="session")
def material_of(folder_of: Callable[[str], Path]) -> Callable[[str], Any]:
    """A function that returns the `PageData` of a saved model; each model is opened once."""
    from laconic.web.page_data import PageData

    return cache(lambda kind: PageData.open(folder_of(kind)))


# --- the server for a small model ----------------------------------------------------------------


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a saved model with three topics."""
    return save_three(tmp_path_factory.mktemp("three") / "three.model")


@pytest.fixture(scope="package")
def client(three: Path) -> Iterator[httpx.Client]:
    """An HTTP client of a server that cannot write notes."""
    with browsing(three, other=three) as client:
        yield client


@pytest.fixture(scope="package")
def noted(three: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a saved model to which tests write notes."""
    return shutil.copytree(three, tmp_path_factory.mktemp("noted") / "three.model")


@pytest.fixture(scope="package")
def _writing(noted: Path) -> Iterator[httpx.Client]:
    with browsing(noted, write=True) as client:
        yield client


@pytest.fixture
def writer(_writing: httpx.Client) -> Iterator[httpx.Client]:
    """An HTTP client of a server that can write notes; at the start there are no notes."""
    yield _writing
    nothing = {"name": None, "hidden": False, "note": ""}
    assert _writing.put(NOTE, json=nothing).status_code == 200
