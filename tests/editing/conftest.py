"""Small fitted models of every kind whose topics can be edited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import laconic
from laconic.fitted.notes import TopicNote, keep_notes

ONLINE = ["sc", "slsa", "plsa", "sctm", "stc"]
MODELS = [*ONLINE, "sctm-graph", "slsa-projection", "slsa-groups", "medstc"]
N_TOPICS = 5


def make_corpus(n_documents: int = 80, seed: int = 0) -> laconic.Corpus:
    counts, _ = laconic.datasets.make_topics(
        n_documents, 60, N_TOPICS, words_per_topic=10, random_state=seed
    )
    words = [f"word{i}" for i in range(60)]
    return laconic.Corpus(
        counts.counts if isinstance(counts, laconic.Corpus) else counts,
        words,
        ids=[f"d{i}" for i in range(n_documents)],
        labels=[("cat", "dog")[i % 2] for i in range(n_documents)],
    )


def fit(name: str, corpus: laconic.Corpus) -> Any:
    if name == "sctm-graph":
        return laconic.pipeline("sctm", n_components=N_TOPICS, correlated=True).fit(corpus)
    if name == "slsa-projection":
        return laconic.SparseLSA(N_TOPICS).fit(corpus)
    if name == "slsa-groups":
        sets = {f"set{i}": [f"word{j}" for j in range(8 * i, 8 * i + 12)] for i in range(6)}
        return laconic.SparseLSA(N_TOPICS, alpha=0.5, groups=sets, positive=True).fit(corpus)
    return laconic.pipeline(name, n_components=N_TOPICS).fit(corpus)


@pytest.fixture(scope="package")
def corpus() -> laconic.Corpus:
    return make_corpus()


@pytest.fixture(scope="package")
def fitted(corpus: laconic.Corpus) -> dict[str, Any]:
    """Fitted models by name, with notes and documents."""
    models = {}
    for name in MODELS:
        model = fit(name, corpus)
        keep_notes(model, {1: TopicNote("first"), 4: TopicNote("last", note="seen")})
        models[name] = model
    return models


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, fitted: dict[str, Any]) -> Any:
    return fitted[request.param]


@pytest.fixture
def saved(model: Any, corpus: laconic.Corpus, tmp_path: Any) -> Any:
    """A model with documents, which was saved and loaded."""
    return laconic.load(laconic.save(model, tmp_path / "before.model", corpus=corpus))


def same(left: Any, right: Any) -> bool:
    """Return whether two values have the same bits."""
    if hasattr(left, "tocsr"):
        parts = ("data", "indices", "indptr")
        return left.shape == right.shape and all(
            same(getattr(left.tocsr(), part), getattr(right.tocsr(), part)) for part in parts
        )
    if isinstance(left, tuple):
        return all(map(same, left, right))
    return np.asarray(left).dtype == np.asarray(right).dtype and np.array_equal(left, right)
