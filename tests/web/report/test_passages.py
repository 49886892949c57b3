"""What makes the report fast says the same as what the explorer asks one by one."""

from __future__ import annotations

import importlib
import re
from html import unescape

import numpy as np
import pytest

from laconic.web import views
from laconic.web.report.excerpts import DEEP, KEY, LEAST
from laconic.web.report.passages import Passages
from laconic.web.views.common import RULE
from tests.web.conftest import KINDS

topic_views = importlib.import_module("laconic.web.views.topics")


def marked_by_the_explorer(material, row, topic):
    """Words that stand for a topic in a document: from which share on, and those in bold."""
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
    assert "<b>" in plain  # keywords are bold whatever is asked for


@pytest.mark.parametrize("dense", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_correlations_of_all_topics_are_those_of_each(kind, dense, material_of, monkeypatch):
    material = material_of(kind)
    monkeypatch.setattr(topic_views, "DENSE", dense)
    monkeypatch.setattr(topic_views, "BLOCK", 50 * material.n_topics)  # several blocks
    table = topic_views.all_together(material)
    for topic in range(material.n_topics):
        alone = topic_views._together(material, topic)
        np.testing.assert_allclose(table[topic], alone, atol=1e-6)
        assert views.topic(material, topic, table[topic]) == views.topic(material, topic)


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
