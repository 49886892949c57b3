"""Tests of the word-intrusion test."""

from __future__ import annotations

import pytest

import laconic
from laconic.errors import LaconicError
from laconic.saving.notes import SharedNotes, read_notes
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.views.intrusion import question_of


@pytest.fixture
def data(tmp_path):
    corpus, _ = laconic.datasets.make_topics(80, 80, 4, words_per_topic=10)
    model = laconic.SparseLSA(4, words_per_topic=8).fit(corpus)
    folder = laconic.save(model, tmp_path / "m.model")
    return PageData.open(folder, write=True)


def test_each_question_has_one_word_of_another_topic(data):
    topics = {topic.number: topic.words for topic in laconic.topics(data.model, 100)}
    questions = views.intrusion(data)["questions"]
    assert sorted(question["topic"] for question in questions) == [0, 1, 2, 3]
    for question in questions:
        strangers = [word for word in question["words"] if word not in topics[question["topic"]]]
        assert len(question["words"]) == 6
        assert strangers == [question_of(data, question["topic"]).intruder]


def test_the_score_is_kept_in_the_notes(data):
    first = question_of(data, 1)
    right = views.answer_intrusion(data, 1, {"number": 0, "word": first.intruder})
    assert (right["right"], right["asked"], right["found"]) == (True, 1, 1)
    wrong = next(word for word in question_of(data, 1).words if word in first.words)
    wrong = wrong if wrong != question_of(data, 1).intruder else question_of(data, 1).words[0]
    answer = views.answer_intrusion(data, 1, {"number": 1, "word": wrong})
    assert (answer["asked"], answer["found"]) == (2, 1 + answer["right"])
    saved = read_notes(data.place.folder, 4)[1]
    assert (saved.asked, saved.found) == (2, answer["found"])
    assert views.intrusion(data)["questions"][-1]["topic"] == 1  # topics with fewer come first
    assert laconic.load(data.place.folder, verify=True) is not None


def test_a_merged_topic_starts_without_a_score(data):
    for topic in (1, 2):
        word = question_of(data, topic).intruder
        views.answer_intrusion(data, topic, {"number": 0, "word": word})
    merged = laconic.merge(laconic.load(data.place.folder), [0, 1])
    after = PageData(merged)
    assert [after.note_of(topic).asked for topic in range(3)] == [0, 1, 0]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"number": 1, "word": "x"}, "another window"),
        ({"number": 0, "word": "nowhere"}, "nowhere"),
        ({"number": 0}, "number and word"),
        ({"number": 0, "word": ["x"]}, "not in the question"),
    ],
)
def test_wrong_answers_are_refused(data, answer, problem):
    with pytest.raises(LaconicError, match=problem):
        views.answer_intrusion(data, 0, answer)


def test_without_leave_to_write_nothing_is_kept(data):
    reader = PageData.open(data.place.folder)
    word = question_of(reader, 0).intruder
    with pytest.raises(LaconicError, match="--write"):
        views.answer_intrusion(reader, 0, {"number": 0, "word": word})
    assert SharedNotes(data.place.folder).news(4) is None
