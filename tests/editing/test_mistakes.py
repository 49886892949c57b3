"""Tests of the errors for edits that cannot be made."""

from __future__ import annotations

from typing import Any

import laconic
from tests.messages import refused


def test_topics(fitted: dict[str, Any]):
    model = fitted["plsa"]
    with refused("no topic 7", "0 to 4"):
        laconic.merge(model, [1, 7])
    with refused("'frist'", "'first'"):
        laconic.drop(model, "frist")
    with refused("Topic 2", "twice"):
        laconic.merge(model, [2, 0, 2])
    with refused("None", "numbers or names"):
        laconic.merge(model, None)
    with refused("at least two"):
        laconic.merge(model, [2])
    with refused("all 5 topics"):
        laconic.drop(model, range(5))
    with refused("nothing to remove"):
        laconic.keep(model, range(5))
    with refused("No topic"):
        laconic.drop(model, [])
    with refused("nothing to undo"):
        laconic.undo(model)


def test_words(fitted: dict[str, Any], corpus: laconic.Corpus):
    model = laconic.SparseLSA(3, alpha=1.0, positive=True).fit(corpus)
    words = laconic.topics(model, 60)
    inside = words[0].words
    outside = next(word for word in corpus.vocabulary if word not in inside)
    with refused(outside, "topic 0"):
        laconic.drop_words(model, 0, outside)
    with refused("wrod1", "word1"):
        laconic.drop_words(model, 0, "wrod1")
    with refused("no words", "drop"):
        laconic.drop_words(model, 0, inside)
    with refused("No word"):
        laconic.drop_words(model, 0, [])


def test_models_and_documents(fitted: dict[str, Any], corpus: laconic.Corpus):
    with refused("PCP", "background"):
        laconic.drop(laconic.PCP(2).fit(corpus), 0)
    with refused("documents", "corpus="):
        laconic.split(fitted["plsa"], 0)
    with refused("into", "1"):
        laconic.split(fitted["plsa"], 0, corpus, into=1)
    with refused("MedSTC", "corpus="):
        laconic.merge(fitted["plsa"], [0, 1], corpus)
    with refused("labels"):
        laconic.merge(fitted["medstc"], [0, 1], corpus.replace(labels=None))
    with refused("topic 0", "documents"):
        laconic.split(fitted["plsa"], 0, corpus[:1])
