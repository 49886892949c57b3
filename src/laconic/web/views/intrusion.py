"""Word-intrusion test: find the word that does not belong to a topic (Chang et al., 2009).

A question shows leading words of a topic and one leading word of another topic, the intruder. If
people find the intruder, the words of the topic make sense together. The question of a topic
depends only on the model and on the number of earlier questions about the topic, so the server need
not remember it. The score is kept in the note of the topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.fitted.notes import TopicNote
from laconic.web.page_data import SHOWN_WORDS, PageData
from laconic.web.views.common import check_topic, topic_stub

N_WORDS = 5  # number of words of the topic in a question
FEWEST = 3  # a topic with fewer words is not tested
N_QUESTIONS = 10  # number of questions of a test
FIELDS = {"number", "word"}


class Question(NamedTuple):
    """The words of a question in random order, the intruder, and the topic that it leads."""

    words: list[str]
    intruder: str
    source: int


def intrusion(page_data: PageData) -> dict[str, Any]:
    """Return questions about the topics with the fewest questions so far, and the total score."""
    topics = [topic for topic in page_data.order if not _note(page_data, topic).hidden]
    topics.sort(key=lambda topic: _note(page_data, topic).asked)
    questions: list[dict[str, Any]] = []
    for topic in topics:
        question = question_of(page_data, topic)
        if question is not None:
            number = _note(page_data, topic).asked
            questions.append({"topic": topic, "number": number, "words": question.words})
        if len(questions) == N_QUESTIONS:
            break
    return {"questions": questions, **score(page_data)}


def answer_intrusion(page_data: PageData, topic: int, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the word of an answer with the intruder, and keep the score in the topic's note."""
    check_topic(page_data, topic)
    if not page_data.write:
        raise LaconicError("Scores are read-only; start laconic explore with --write.")
    if set(answer) != FIELDS:
        raise LaconicError("An answer has the fields number and word.")
    note, question = _note(page_data, topic), question_of(page_data, topic)
    if question is None:
        raise LaconicError(f"There is no question about topic {topic}, which has too few words.")
    if answer["number"] != note.asked:
        raise LaconicError("This question was answered in another window; reload this page.")
    if answer["word"] not in question.words:
        raise LaconicError(f"The word {answer['word']!r:.50} is not in the question.")
    is_right = answer["word"] == question.intruder
    page_data.set_note(topic, {"asked": note.asked + 1, "found": note.found + is_right})
    return {
        "right": is_right,
        "intruder": question.intruder,
        "topic": topic_stub(page_data, topic),
        "source": topic_stub(page_data, question.source),
        **score(page_data),
    }


def score(page_data: PageData) -> dict[str, int]:
    """Return the number of questions about all topics, and of right answers."""
    notes = page_data.notes.values()
    return {"asked": sum(note.asked for note in notes), "found": sum(note.found for note in notes)}


def question_of(page_data: PageData, topic: int) -> Question | None:
    """Return the next question about a topic, or None if it has too few words."""
    own = _leading_words(page_data, topic)
    known = {word for word, _ in page_data.top_words(topic, SHOWN_WORDS)}
    candidates = [
        (word, other)
        for other in page_data.order
        if other != topic and not _note(page_data, other).hidden
        for word in _leading_words(page_data, other)
        if word not in known
    ]
    if len(own) < FEWEST or not candidates:
        return None
    random = np.random.default_rng([topic, _note(page_data, topic).asked])
    intruder, source = candidates[int(random.integers(len(candidates)))]
    words = [*own, intruder]
    return Question([words[i] for i in random.permutation(len(words))], intruder, source)


def _note(page_data: PageData, topic: int) -> TopicNote:
    return page_data.notes.get(topic, TopicNote())


def _leading_words(page_data: PageData, topic: int) -> list[str]:
    return [word for word, weight in page_data.top_words(topic, N_WORDS) if weight > 0]
