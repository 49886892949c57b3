"""Topics by a part of one of their words."""

from __future__ import annotations

import numpy as np
import pytest

import laconic
from laconic.web import views
from tests.messages import refused
from tests.web.conftest import KINDS
from tests.web.views.test_topics import plain


@pytest.mark.parametrize("kind", KINDS)
def test_every_topic_with_the_letters_is_found(kind, material_of):
    material = material_of(kind)
    table = laconic.topics(material.model, n_words=100)
    found = plain(views.topics_having(material, "BAN"))
    expected = {}
    for topic, words in zip(table["topic"].to_list(), table["words"].to_list(), strict=True):
        with_letters = [word.lstrip("-") for word in words if "ban" in word]
        if with_letters:
            expected[topic] = with_letters[0]
    assert found["having"] == "BAN"
    assert {topic: word for topic, (word, _) in found["topics"]} == expected
    columns = {str(word): column for column, word in enumerate(material.words)}
    for topic, (word, weight) in found["topics"]:
        assert weight == pytest.approx(material.components[topic, columns[word]], rel=1e-4)


def test_the_topic_in_which_the_word_stands_highest_comes_first(material_of):
    material = material_of("plsa")
    found = views.topics_having(material, "bank")["topics"]
    places = [
        [word for word, _ in material.top_words(topic, 100)].index(word)
        for topic, (word, _) in found
    ]
    assert len(places) > 1
    assert places == np.sort(places).tolist()


def test_letters_that_no_word_has_find_nothing(material_of):
    assert views.topics_having(material_of("slsa"), "zzz")["topics"] == []


def test_nothing_to_look_for_is_refused(material_of):
    with refused("having", "empty"):
        views.topics_having(material_of("slsa"), "  ")
