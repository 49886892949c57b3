"""Tests of the tree of topics in the report."""

from __future__ import annotations

import re

import laconic
from laconic.fitted.automatic import AutomaticFacts, keep_facts
from laconic.web.page_data import PageData
from laconic.web.report.page import report_page
from laconic.web.report.tree import topic_tree


def fitted(n_topics: int):
    corpus, _ = laconic.datasets.make_topics(80, 80, n_topics, words_per_topic=10)
    return PageData.of(laconic.PLSA(n_topics, random_state=0).fit(corpus), corpus)


def test_the_tree_links_to_each_shown_topic_once():
    items = "".join(map(str, topic_tree(fitted(6), {0, 1, 2, 3, 5})))
    assert sorted(re.findall(r"#topic-(\d)", items)) == ["0", "1", "2", "3", "5"]
    assert "<ul></ul>" not in items
    assert topic_tree(fitted(6), {0, 1}) == []


def test_the_report_shows_the_tree_and_the_stability_of_topics():
    data = fitted(6)
    keep_facts(data.model, {2: AutomaticFacts(stability=0.5)})
    page = report_page(PageData.of(data.model, data.corpus))
    assert 'id="tree"' in page
    assert "stability 0.50" in page
    assert page.count(">0.50<") == 1
    assert "Stability" not in report_page(fitted(6))
