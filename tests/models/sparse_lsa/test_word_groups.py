"""Tests of the parameter `groups`, which assigns words to groups."""

import numpy as np
import pytest

from laconic.models.sparse_lsa.word_groups import number_groups
from tests.messages import refused

WORDS = np.array(["cat", "dog", "emu", "fox"], dtype=object)


def test_words_of_a_mapping_share_a_number_and_others_stand_alone():
    number, weights = number_groups({"cat": "pet", "dog": "pet"}, None, WORDS, 4)
    assert number[0] == number[1]
    assert len(set(number.tolist())) == 3
    assert weights[number].tolist() == [np.sqrt(2), np.sqrt(2), 1, 1]


def test_weights_go_by_the_name_of_the_group():
    groups = {"cat": "pet", "dog": "pet", "fox": "wild", "emu": "wild"}
    number, weights = number_groups(groups, {"pet": 3.0, "wild": 5.0}, WORDS, 4)
    assert weights[number].tolist() == [3, 3, 5, 5]


def test_a_word_and_a_group_of_the_same_name_are_two_groups():
    number, _ = number_groups({"cat": "emu", "dog": "emu"}, None, WORDS, 4)
    assert number[2] not in (number[0], number[1])


@pytest.mark.parametrize(
    ("groups", "weights", "words", "parts"),
    [
        ({"yak": "pet"}, None, WORDS, ["'groups'", "no word of the vocabulary"]),
        ({"cat": "pet"}, None, None, ["'groups'", "mapping", "Corpus"]),
        ([0, 1], None, None, ["'groups'", "2 entries", "4 words"]),
        ([0, 0, 1, 1], {0: 1.0}, None, ["'group_weights'", "group 1"]),
    ],
)
def test_mistakes_get_a_sentence(groups, weights, words, parts):
    with refused("SparseLSA", *parts):
        number_groups(groups, weights, words, 4)
