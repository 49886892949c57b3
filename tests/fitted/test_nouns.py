"""Tests of other nouns for words and documents: stored with the model, used by all results."""

from __future__ import annotations

import re

import numpy as np
import pytest

import laconic
from laconic import Corpus
from laconic.fitted.nouns import nouns_of
from laconic.wording import Nouns
from tests.messages import refused


@pytest.fixture(scope="module")
def samples():
    random = np.random.default_rng(0)
    counts = random.poisson(1, (30, 12))
    counts[:15, :6] += random.poisson(5, (15, 6))
    counts[15:, 6:] += random.poisson(5, (15, 6))
    genes = [f"G{number}" for number in range(12)]
    return Corpus(counts, genes, labels=["case"] * 15 + ["control"] * 15)


@pytest.fixture(scope="module")
def model(samples):
    sets = {"first": ["G0", "G1", "G2", "U1"], "second": ["G6", "G7", "G8"]}
    return laconic.pipeline("slsa", n_components=2, groups=sets).fit(samples)


def test_the_model_itself_keeps_its_nouns(model):
    named = laconic.with_nouns(model, "genes", "samples")
    assert nouns_of(named) == Nouns("genes", "samples")
    assert nouns_of(model) == Nouns()
    assert laconic.with_nouns(model) is model
    assert nouns_of(laconic.with_nouns(named, items="cells")) == Nouns("genes", "cells")


def test_nouns_are_saved(model, tmp_path):
    named = laconic.with_nouns(model, "genes", "samples")
    loaded = laconic.load(laconic.save(named, tmp_path / "m"))
    assert nouns_of(loaded) == Nouns("genes", "samples")


@pytest.mark.parametrize("noun", ["", " ", 3, "a" * 50, "a\x1bb"])
def test_what_is_not_a_noun_is_refused(model, noun):
    with refused("items", "plural noun", "samples"):
        laconic.with_nouns(model, items=noun)


def visible_text(page):
    page = re.sub(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", " ", page, flags=re.S)
    return re.sub(r"<[^>]*>", " ", page)


def test_a_report_on_genes_mentions_neither_words_nor_documents(model, samples, tmp_path):
    pytest.importorskip("vl_convert")
    path = laconic.report(model, samples, tmp_path / "r.html", terms="genes", items="samples")
    text = visible_text(path.read_text())
    before = text[: text.rindex("How the model was fitted")]  # parameters keep their names
    assert not re.findall(r"(?i).{20}\b(?:words?|documents?)\b.{20}", before)
    assert "12 genes" in text
    assert "30 samples" in text
    assert "Gene index" in text
    assert "first (3 of 4 genes measured)" in text
    assert "second (all 3 genes measured)" in text
    plain = laconic.report(model, samples, tmp_path / "plain.html").read_text()
    assert "first (3 of 4 words in the data)" in visible_text(plain)
    assert "30 documents" in visible_text(plain)


def test_charts_of_genes(model, samples):
    plots = pytest.importorskip("laconic.plots")
    pytest.importorskip("altair")
    charts = [
        plots.topic_words(model, terms="genes"),
        plots.topic_word_matrix(model, terms="genes"),
        plots.topic_map(model, terms="genes"),
        plots.word_senses(model, "G0", terms="genes"),
        plots.topic_groups(model, terms="genes"),
        plots.topics_over_groups(model, samples, items="samples"),
    ]
    for chart in charts:
        tree = chart.to_dict()
        title, about = tree["title"], tree["description"]
        text = f"{title['text']} {title['subtitle']} {about}"
        assert not re.search(r"(?i)\b(words?|documents?)\b", text), text
