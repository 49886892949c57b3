"""Shared test setup: fixed seeds, a corpus with planted topics, and small chunks."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import settings

from laconic.corpus import chunks
from laconic.datasets import make_topics
from tests import messages

# The examples are derandomised, so that a test fails either on every machine or on none. Set
# HYPOTHESIS_PROFILE=deep to draw many more examples. Kernels that run as plain Python get few
# examples, because they are a hundred times slower.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("few", parent=settings.get_profile("default"), max_examples=5)
settings.register_profile("deep", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Seed what scikit-learn draws without `random_state`, so that no test depends on chance."""
    np.random.seed(0)


@pytest.fixture(scope="session")
def planted():
    """Return 300 documents drawn from five topics of twelve words, with the true topics."""
    return make_topics(300, 160, 5, words_per_topic=12, topics_per_document=1, random_state=3)


@pytest.fixture
def small_chunks(monkeypatch):
    """Split every corpus, in memory or on disk, into chunks of about 400 nonzero entries."""
    monkeypatch.setattr(chunks, "CHUNK_NONZEROS", 400)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 64)


# ---- golden messages: with several workers, the first process writes all of them ----


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["messages"] = dict(messages.SEEN)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    messages.SEEN.update(getattr(node, "workeroutput", {}).get("messages", {}))


def pytest_unconfigure(config):
    if messages.WRITING and not hasattr(config, "workeroutput"):
        messages.write(messages.SEEN)
