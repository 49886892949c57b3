"""What is taken for a fitted model, and what is not."""

from __future__ import annotations

import pytest

import laconic
from laconic.errors import LaconicError


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
    with pytest.raises(LaconicError, match=r"not the path 'a\.model'; load it with laconic\.load"):
        call("a.model")
    with pytest.raises(LaconicError, match=r"A fitted model is needed; got NoneType\."):
        call(None)
