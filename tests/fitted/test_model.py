"""What is taken for a fitted model, and what is not."""

from __future__ import annotations

import pytest

import laconic
from tests.messages import refused


@pytest.mark.parametrize(
    "call",
    [
        laconic.topics,
        laconic.topic_graph,
        lambda model: laconic.senses(model, "cat"),
        lambda model: laconic.similar(model, 0),
        lambda model: laconic.top_documents(model, 0),
    ],
)
def test_a_path_is_no_model_and_the_sentence_says_how_it_becomes_one(call):
    with refused("'a.model'", "laconic.load"):
        call("a.model")
    with refused("fitted model", "got NoneType"):
        call(None)
