"""What many tests share: hypothesis settings, a corpus with planted topics, small chunks."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from laconic import chunks
from laconic.datasets import make_topics

# Derandomised: a failure shows on every machine or on none. Kernels as plain Python get few
# examples, as they are a hundred times slower.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("few", parent=settings.get_profile("default"), max_examples=5)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def planted():
    """300 documents from five topics of twelve words, and the truth."""
    return make_topics(300, 160, 5, words_per_topic=12, topics_per_document=1, random_state=3)


@pytest.fixture
def small_chunks(monkeypatch):
    """Corpora fall into chunks of about 400 entries, wherever they live."""
    monkeypatch.setattr(chunks.row_bounds, "__defaults__", (400, 64))
