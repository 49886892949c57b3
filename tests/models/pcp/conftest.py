"""Counts that all tests of PCP share."""

from __future__ import annotations

import pytest

from tests.models.pcp import reference


@pytest.fixture(scope="module")
def bursts():
    """Return 300 documents of five topics; each has two words with fifteen added occurrences."""
    return reference.topics_and_keywords(300, 400, 5, 0)


@pytest.fixture(scope="module")
def counts():
    X, _, _ = reference.topics_and_keywords(60, 40, 3, 0, length=80, bursts=1)
    return X
