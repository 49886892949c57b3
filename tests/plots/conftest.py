"""A small corpus with classes, and every model fitted to the corpus."""

from __future__ import annotations

import warnings

import pytest

import laconic
from laconic import Corpus
from laconic.datasets import make_topics
from laconic.models import MODELS

pytest.importorskip("altair")

PARAMS = {
    "slsa": {"n_components": 5, "words_per_topic": 8},
    "sctm": {"n_components": 5, "correlated": True, "graph_alpha": 0.01},
    "pcp": {"n_components": 4},
}


@pytest.fixture(scope="session")
def corpus():
    """Return 120 documents from five overlapping topics in three classes."""
    planted, _ = make_topics(
        120, 70, 5, words_per_topic=12, topics_per_document=2, overlap=0.25, random_state=5
    )
    labels = [("one", "two", "three")[int(label) % 3] for label in planted.labels]
    return Corpus(planted.counts, planted.vocabulary, labels=labels)


@pytest.fixture(scope="session")
def models(corpus, tmp_path_factory):
    """Fit every model, save it with its documents, and load it again."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name in MODELS:
        model = laconic.pipeline(name, **PARAMS.get(name, {"n_components": 5}))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits to so few documents may not converge
            model.fit(corpus)
        laconic.save(model, folder / name, corpus=corpus)
        found[name] = laconic.load(folder / name)
    return found


@pytest.fixture(scope="session")
def signed(corpus):
    return laconic.pipeline("slsa", n_components=4, positive=False).fit(corpus)
