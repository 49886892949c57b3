"""Tests of automatic names of topics: by rule, by a function, and in the folder of a model."""

from __future__ import annotations

import json

import numpy as np
import pytest

import laconic
from laconic.fitted.automatic import AutomaticFacts, facts_of
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.saving.automatic import read_facts, write_facts
from tests.messages import refused

THEMES = {
    "space shuttle": "orbit launch nasa rocket moon",
    "bread dough": "oven flour yeast crust bake",
    "gun control": "police crime law firearm weapon",
}


@pytest.fixture(scope="module")
def texts():
    """Sixty documents of three themes; each has a phrase, and words of its theme in any order."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(60):
        phrase = list(THEMES)[number % 3]
        words = rng.permutation(THEMES[phrase].split())[:4].tolist()
        found.append(f"{phrase.title()} is it. The {words[0]} {words[1]}, {words[2]}. {words[3]}!")
    return found


@pytest.fixture(scope="module")
def corpus(texts):
    return laconic.read(texts, min_df=1, max_df=1.0, stop_words="english")


@pytest.fixture
def model(corpus):
    return laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus)


def test_names_are_the_phrases_that_the_documents_share(model, corpus):
    names = laconic.name_topics(model, corpus)
    assert sorted(names.values()) == ["Bread Dough", "Gun Control", "Space Shuttle"]
    for topic, name in names.items():
        words = set(laconic.topics(model, 7)[topic].words)
        assert words & set(name.lower().split())
    assert names.failures == {}


def test_a_signature_is_not_a_name(texts):
    end = "\nHenry Spencer Toronto"
    signed = [text + end if "Shuttle" in text else text.replace(" is it", "") for text in texts]
    corpus = laconic.read(signed, min_df=1, max_df=1.0, stop_words="english")
    model = laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus)
    names = set(laconic.name_topics(model, corpus).values())
    assert names & {"Henry Spencer", "Spencer Toronto", "Toronto", "Henry", "Spencer"} == set()


def test_long_words_are_not_written_in_capitals(texts):
    shouted = [text.replace("Gun Control", "GUN CONTROL") for text in texts]
    corpus = laconic.read(shouted, min_df=1, max_df=1.0, stop_words="english")
    model = laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus)
    assert "GUN control" in laconic.name_topics(model, corpus).values()


def test_names_are_shown_beside_the_words(model, corpus):
    before = laconic.topics(model).frame
    names = laconic.name_topics(model, corpus)
    after = laconic.topics(model).frame
    assert dict(zip(after["topic"], after["name"], strict=True)) == dict(names)
    assert after["words"].equals(before["words"])
    assert laconic.topics(model)[names[0]].number == 0


def test_names_of_people_win_and_both_are_kept(model, corpus):
    names = laconic.name_topics(model, corpus)
    keep_notes(model, {1: TopicNote(name="mine")})
    assert laconic.topics(model)[1].name == "mine"
    assert laconic.topics(model)[0].name == names[0]
    assert facts_of(model)[1].name == names[1]


def test_names_do_not_depend_on_the_run_and_are_unique(corpus):
    model = laconic.pipeline("plsa", n_components=9, random_state=0).fit(corpus)
    names = laconic.name_topics(model, corpus)
    assert len(set(names.values())) == 9
    assert dict(laconic.name_topics(model, corpus)) == dict(names)


def test_without_texts_the_names_are_leading_words(model, corpus):
    names = laconic.name_topics(model, corpus.replace(texts=None))
    for topic, name in names.items():
        assert name.split(", ") == laconic.topics(model, 3)[topic].words


def test_a_namer_gets_words_and_documents(model, corpus, texts):
    seen = []

    def namer(words, documents):
        seen.append((words, documents))
        return f"  about\n{words[0]} "

    names = laconic.name_topics(model, corpus, namer)
    assert all(name.startswith("about ") for name in names.values())
    for words, documents in seen:
        assert len(words) == 10
        assert set(documents) <= set(texts)


def test_failures_of_a_namer_are_reported_by_topic(model, corpus, caplog):
    order = [topic.number for topic in laconic.topics(model)]
    answers = iter([ValueError("no connection"), "", "fine"])

    def namer(words, documents):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    names = laconic.name_topics(model, corpus, namer)
    assert names[order[2]] == "fine"
    assert names.failures[order[0]] == "no connection"
    assert "''" in names.failures[order[1]]
    by_rule = laconic.name_topics(model, corpus)
    assert [names[topic] for topic in order[:2]] == [by_rule[topic] for topic in order[:2]]
    assert "no connection" in caplog.text


def test_repeated_names_of_a_namer_are_refused(model, corpus):
    names = laconic.name_topics(model, corpus, lambda words, documents: "same")
    assert len(set(names.values())) == 3
    assert len(names.failures) == 2


def test_a_refit_drops_the_names(model, corpus):
    laconic.name_topics(model, corpus)
    model.fit(corpus)
    assert facts_of(model) == {}


def test_names_are_saved_and_loaded(model, corpus, tmp_path):
    names = laconic.name_topics(model, corpus)
    path = laconic.save(model, tmp_path / "m", index=laconic.search(model, corpus))
    loaded = laconic.load(path, verify=True)
    assert {topic: fact.name for topic, fact in facts_of(loaded).items()} == dict(names)
    assert dict(laconic.name_topics(loaded)) == dict(names)  # from the saved documents


def test_a_damaged_file_is_refused(tmp_path):
    write_facts(tmp_path, {0: AutomaticFacts("music", 0.5)})
    assert read_facts(tmp_path, 1) == {0: AutomaticFacts("music", 0.5)}
    with refused("automatic.json", "damaged"):
        read_facts(tmp_path, 0)
    file = json.loads((tmp_path / "automatic.json").read_text())
    file["topics"]["0"]["name"] = 3
    (tmp_path / "automatic.json").write_text(json.dumps(file))
    with refused("automatic.json", "damaged"):
        read_facts(tmp_path, 1)


def test_documents_are_needed(model):
    with refused("No documents", "corpus="):
        laconic.name_topics(model)
