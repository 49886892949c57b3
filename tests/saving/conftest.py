"""Documents and an estimator for the tests of saving."""

from __future__ import annotations

import pytest

from laconic.corpus.corpus import Corpus
from laconic.datasets import make_topics
from laconic.models import MODELS
from tests.saving.examples import Keeper


@pytest.fixture(scope="module")
def planted() -> Corpus:
    return make_topics(120, 150, 4, words_per_topic=12, overlap=0.2)[0]


@pytest.fixture(scope="module")
def texts(planted: Corpus) -> list[str]:
    return [
        " ".join(word for word, count in document.words.items() for _ in range(count))
        for document in planted
    ]


@pytest.fixture
def keeper_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "keeper", Keeper)
