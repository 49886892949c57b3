"""Tests that the names of seeds and automatic facts follow their topics through edits."""

from __future__ import annotations

import pytest

import laconic
from laconic.fitted.automatic import AutomaticFacts, facts_of, keep_facts
from laconic.fitted.notes import names_of


@pytest.fixture(scope="module")
def seeded() -> laconic.PLSA:
    corpus, _ = laconic.datasets.make_topics(80, 100, 5, words_per_topic=10, random_state=0)
    words = corpus.vocabulary
    seeds = {"first": [words[0], words[1]], "second": [words[20], words[21]]}
    model = laconic.PLSA(5, seeds=seeds, random_state=0).fit(corpus)
    keep_facts(model, {3: AutomaticFacts("three", 0.5), 4: AutomaticFacts("four")})
    return model


def test_names_of_seeds_follow_their_topics(seeded: laconic.PLSA) -> None:
    assert names_of(seeded) == {0: "first", 1: "second"}
    without = laconic.drop(seeded, 0)
    assert names_of(without) == {0: "second"}
    assert names_of(laconic.undo(without)) == {0: "first", 1: "second"}


def test_a_merged_topic_has_the_name_of_its_first_seed(seeded: laconic.PLSA) -> None:
    merged = laconic.merge(seeded, ["second", 4])
    assert names_of(merged) == {0: "first", 1: "second"}
    assert names_of(laconic.undo(merged)) == {0: "first", 1: "second"}


def test_automatic_facts_follow_topics_that_do_not_change(seeded: laconic.PLSA) -> None:
    merged = laconic.merge(seeded, [2, 4])
    assert facts_of(merged) == {3: AutomaticFacts("three", 0.5)}
    assert facts_of(laconic.undo(merged)) == {3: AutomaticFacts("three", 0.5)}


def test_a_topic_is_found_by_the_name_of_its_seed(seeded: laconic.PLSA) -> None:
    assert laconic.drop(seeded, "first").components_.shape[0] == 4
