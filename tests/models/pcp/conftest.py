"""Counts that the tests of PCP share."""

from __future__ import annotations

import pytest

from tests.models.pcp import reference


@pytest.fixture(scope="module")
def bursts():
    """300 documents of five topics, each with two words fifteen times more than expected."""
    return reference.topics_and_keywords(300, 400, 5, 0)


@pytest.fixture(scope="module")
def counts():
    X, _, _ = reference.topics_and_keywords(60, 40, 3, 0, length=80, bursts=1)
    return X
