"""The report's fast computations give the same results as the views of the explorer."""

from __future__ import annotations

import importlib
import re
from html import unescape

import pytest

from laconic.web import views
from laconic.web.report.passages import DEEP, KEY, LEAST, ROOM, Passages, excerpt
from laconic.web.views.common import RULE
from tests.web.conftest import KINDS

topic_views = importlib.import_module("laconic.web.views.topics")


def marked_by_the_explorer(material, row, topic):
    """Return the words of a topic in a document, the topic's share of each word, and bold words."""
    words = views.document(material, row)["words"]
    shares = {word["word"]: dict(map(tuple, word["topics"])).get(topic, 0.0) for word in words}
    bold = {word["word"] for word in words if (word["keyword"] or 0.0) >= KEY}
    return {word for word, share in shares.items() if share >= LEAST}, shares, bold


@pytest.mark.parametrize("kind", KINDS)
def test_passages_mark_what_the_explorer_does(kind, material_of):
    material = material_of(kind)
    rows = [0, 1, 2, 3, 17]
    passages = Passages(material, rows)
    everything = set(material.words.tolist())
    seen = 0
    for row in rows:
        for topic in range(material.n_topics):
            known, shares, bold = marked_by_the_explorer(material, row, topic)
            shown = passages.passage(row, topic, everything)
            marks = re.findall(r'<mark( class="light")?>(.*?)</mark>', shown)
            found = {
                unescape(re.sub("<.*?>", "", text)).lower(): not light for light, text in marks
            }
            assert set(found) <= known
            assert all(deep == (shares[word] >= DEEP) for word, deep in found.items())
            inside = {word.lower() for word in re.findall(r"<b>(\w+)</b>", shown)}
            assert inside <= bold
            seen += len(found)
    assert seen > 20


def test_only_the_words_that_are_asked_for_are_marked(material_of):
    material = material_of("slsa")
    row = views.topic_documents(material, 0, 0, 1)["documents"][0]["document"]
    passages = Passages(material, [row])
    assert "<mark" in passages.passage(row, 0, set(material.words.tolist()))
    plain = passages.passage(row, 0, {"unheard-of"})
    assert "<mark" not in plain
    assert "<b>" in plain  # keywords are bold even without marked words


@pytest.mark.parametrize(
    "line",
    ["----------", "====", "~~~~~~", "=-=-=-=-=", "+-----+-----+", "Title\n=====", "see ..... 5"],
)
def test_drawn_lines_are_known(line):
    assert RULE.sub("", line) != line


@pytest.mark.parametrize(
    "text", ["--option", "x = 3...", "a -- b", "__init__", "------word", "1....5"]
)
def test_what_is_no_drawn_line_stays(text):
    assert RULE.sub("", text) == text


# --- where passages are cut, and which words are marked ---


def document(text, topics, keywords=()):
    """Return a document as `views.document` does; `topics` maps words to shares of topic 0."""
    words = [
        {"word": word, "count": text.count(word), "topics": [[0, share]], "keyword": None}
        for word, share in topics.items()
    ]
    words += [{"word": word, "count": 1, "topics": [], "keyword": 1.0} for word in keywords]
    numbers = {word["word"]: i for i, word in enumerate(words)}
    pieces = [
        (part, numbers.get(part)) for part in re.split(rf"\b({'|'.join(numbers)})\b", text) if part
    ]
    return {"kind": "text", "pieces": pieces, "words": words}


def shown(*arguments):
    return excerpt(document(*arguments), 0, set(arguments[1]))


def plain(markup):
    return re.sub(r"<[^>]+>", "", markup)


def test_words_are_marked_by_their_share_and_keywords_bold():
    found = shown("the cat has a nap on the mat", {"cat": 0.9, "nap": 0.1}, ["mat"])
    assert found == ('the <mark>cat</mark> has a <mark class="light">nap</mark> on the <b>mat</b>')


def test_a_word_for_another_topic_or_against_this_one_is_not_marked():
    found = shown("the cat has a nap", {"cat": -0.9, "nap": 0.01})
    assert found == "the cat has a nap"
    other = excerpt(document("the cat has a nap", {"cat": 0.9}), 5, {"cat"})
    assert other == "the cat has a nap"
    unlisted = excerpt(document("the cat has a nap", {"cat": 0.9}), 0, set())
    assert unlisted == "the cat has a nap"


def test_the_passage_is_where_most_of_the_topic_is():
    text = "nothing here at all. " * 60 + "A cat purrs. " + "nothing more to say. " * 60
    found = shown(text, {"cat": 0.9, "purrs": 0.8})
    assert "A <mark>cat</mark> <mark>purrs</mark>." in found
    assert found[0] == found[-1] == "…"
    assert len(plain(found)) <= ROOM + 2


def test_different_words_are_worth_more_than_one_repeated():
    text = "cat cat cat cat" + " filler" * 100 + " a cat purrs softly"
    assert "purrs" in shown(text, {"cat": 0.5, "purrs": 0.5})


def test_a_text_without_the_topic_begins_at_its_beginning():
    found = shown("Once upon a time there was. " * 40, {"cat": 0.9})
    assert found.startswith("Once upon a time")
    assert found.endswith("…")
    assert len(found) <= ROOM + 1


def test_lines_and_rules_become_blanks_and_dashes():
    found = shown("Parameters\n----------\n\n   cat  :  int\n", {"cat": 0.9})
    assert plain(found) == "Parameters — cat : int "


def test_words_are_not_cut():
    text = (
        " ".join(f"word{i}" for i in range(30))
        + " cat "
        + " ".join("abcdefghij" for _ in range(90))
    )
    found = plain(shown(text, {"cat": 1.0})).strip("…").split()
    assert set(found) <= {*(f"word{i}" for i in range(30)), "cat", "abcdefghij"}


def test_markup_in_a_text_is_text():
    found = shown("<script>alert(1)</script> cat & dog", {"cat": 1.0})
    assert found == "&lt;script&gt;alert(1)&lt;/script&gt; <mark>cat</mark> &amp; dog"


def test_without_a_text_the_words_are_listed_the_strongest_first():
    words = [
        {"word": "mat", "count": 1, "topics": [], "keyword": None},
        {"word": "cat", "count": 3, "topics": [[0, 0.9]], "keyword": 1.0},
        *({"word": f"w{i}", "count": 2, "topics": [], "keyword": None} for i in range(20)),
    ]
    found = excerpt({"kind": "words", "pieces": [], "words": words}, 0, {"cat"})
    assert found.startswith("<mark><b>cat</b></mark>\u00a0×3 · w0\u00a0×2")
    assert found.endswith(" …")


def test_nothing_to_show():
    assert excerpt({"kind": "nothing", "pieces": [], "words": []}, 0, set()) is None
    assert excerpt({"kind": "text", "pieces": [], "words": []}, 0, set()) is None
