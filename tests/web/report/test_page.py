"""The report agrees with the model, for every model, with and without documents and texts."""

from __future__ import annotations

import copy
import re
from html import unescape

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.models import MODELS
from laconic.web.page_data import PageData
from laconic.web.report.page import report_page

THEMES = {
    name: words.split()
    for name, words in {
        "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
        "ships": "sail mast harbour anchor captain wind deck rope storm tide",
        "bread": "flour yeast oven crust dough bake loaf butter knead salt",
    }.items()
}


def make_corpus(n=60, **more):
    draw = np.random.default_rng(0)
    names = [list(THEMES)[i % 3] for i in range(n)]
    texts = [" ".join(draw.choice(THEMES[name], 14)) + "." for name in names]
    counted = laconic.read(texts)
    known = {
        "ids": [f"d{i}" for i in range(n)],
        "titles": [f"About {name} {i}" for i, name in enumerate(names)],
        "labels": names,
        "texts": texts,
    }
    return laconic.Corpus(
        counted.counts, counted.vocabulary, vectorizer=counted.vectorizer, **{**known, **more}
    )


@pytest.fixture(scope="module")
def corpus():
    return make_corpus()


@pytest.fixture(scope="module")
def model(corpus):
    return laconic.pipeline("slsa", n_components=3, words_per_topic=5).fit(corpus)


def page_of(model, corpus=None, **settings):
    return report_page(PageData.of(model, corpus), **settings)


@pytest.fixture(scope="module")
def page(model, corpus):
    """The report with default settings."""
    return page_of(model, corpus)


def plain(markup):
    return unescape(re.sub(r"<[^>]+>", "", markup))


def cards(page):
    """Return the HTML section of each topic, by topic number."""
    found = re.findall(r'<article id="topic-(\d+)".*?</article>', page, re.DOTALL)
    parts = re.findall(r"<article id=.*?</article>", page, re.DOTALL)
    return {int(number): part for number, part in zip(found, parts, strict=True)}


def words_of(card):
    pairs = re.findall(r"<li[^>]*--w:[^>]*><span>(.*?)</span><i>(.*?)</i></li>", card)
    return [(unescape(word), float(weight.replace("\u2212", "-"))) for word, weight in pairs]


# --- numbers agree with the model ----------------------------------------------------------------


def test_words_and_weights_are_those_of_the_model(model, page):
    components = model[-1].components_.toarray()
    names = model[-1].feature_names_in_
    for topic, card in cards(page).items():
        order = np.argsort(-components[topic], kind="stable")[:5]
        found = words_of(card)
        assert [word for word, _ in found] == [names[i] for i in order if components[topic, i]]
        expected = [components[topic, i] for i in order if components[topic, i]]
        assert [weight for _, weight in found] == pytest.approx(expected, abs=0.006)


def test_topics_stand_in_the_order_of_their_shares(model, corpus, page):
    shares = PageData.of(model, corpus).shares
    order = np.argsort(-shares, kind="stable").tolist()
    assert list(cards(page)) == order
    rows = re.findall(
        r'<tr data-topic="(\d+)"[^>]*>.*?<span>([\d.]+)\u202f%</span>', page, re.DOTALL
    )
    assert [int(topic) for topic, _ in rows] == order
    assert [float(share) / 100 for _, share in rows] == pytest.approx(shares[order], abs=0.0006)


def test_documents_are_the_best_of_each_topic(model, corpus):
    for topic, card in cards(page_of(model, corpus, n_documents=2)).items():
        best = laconic.top_documents(model, topic, corpus, n=2)
        shown = [unescape(title) for title in re.findall(r"<cite>(.*?)</cite>", card)]
        assert sorted(shown) == sorted(best["title"].to_list())
        shares = re.findall(r'class="share">([\d.]+)\u202f%', card)
        assert sorted(float(share) / 100 for share in shares) == pytest.approx(
            sorted(best["share"].to_list()), abs=0.0006
        )


def test_passages_mark_the_words_of_the_topic(page):
    for card in cards(page).values():
        marked = {plain(mark).lower() for mark in re.findall(r"<mark.*?</mark>", card)}
        assert marked
        assert marked <= {word for word, _ in words_of(card)}


def test_classes_of_a_topic_with_their_shares(model, corpus, page):
    text = plain(cards(page)[0])
    kind = next(name for name, words in THEMES.items() if words_of(cards(page)[0])[0][0] in words)
    share = re.search(rf"Top classes {kind} ([\d.]+)", text)
    codes = abs(model.transform(corpus)).toarray()
    shares = codes / codes.sum(axis=1, keepdims=True)
    mean = shares[np.array(corpus.labels) == kind, 0].mean()
    assert float(share[1]) / 100 == pytest.approx(mean, abs=0.0006)


def test_of_a_small_class_the_number_of_documents_is_told():
    names = ["few"] * 4 + ["more"] * 56
    corpus = make_corpus(labels=names)
    model = laconic.pipeline("slsa", n_components=3, words_per_topic=5).fit(corpus)
    text = plain(cards(page_of(model, corpus))[0])
    assert re.search(r"few [\d.]+\u202f% of 4 documents", text)
    assert re.search(r"more [\d.]+\u202f%(?! of)", text)


def test_the_index_has_each_word_with_its_topics(page):
    index = page[page.index('<section id="words">') :]
    entries = {
        plain(word): [int(number) for number in re.findall(r"#topic-(\d+)", links)]
        for word, links in re.findall(r"<li>(\S+) (<a .*?)</li>", index)
    }
    expected = {}
    for topic, card in cards(page).items():
        for word, _ in words_of(card):
            expected.setdefault(word, []).append(topic)
    assert entries == {word: sorted(topics) for word, topics in expected.items()}
    assert list(entries) == sorted(entries)


def test_how_it_was_fitted(model, page):
    text = plain(page[page.index('id="fitted"') :])
    assert f"SparseLSA converged after {model[-1].n_iter_} passes" in text
    for fact in ("words_per_topic5", "n_components3", "schemetfidf", "laconic 0.1.0"):
        assert fact in text


def test_how_words_were_counted_is_as_the_corpus_says(tmp_path):
    texts = [f"The cat and the dog number {i}" for i in range(9)]
    counted = laconic.read(texts, stop_words="english", min_df=3, ngram_range=(1, 2))
    fitted = laconic.pipeline("slsa", n_components=2, words_per_topic=3).fit(counted)
    laconic.save(fitted, tmp_path / "m.model")
    for model in (fitted, laconic.load(tmp_path / "m.model")):
        page = page_of(model)
        text = plain(page[page.index('id="fitted"') :])
        assert "stop_wordsenglish" in text
        assert "min_df3" in text
        assert "ngram_range1, 2" in text


# --- every model, with and without documents -----------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_report(name, corpus):
    settings = {} if name == "pcp" else {"n_components": 3}
    fitted = laconic.pipeline(name, random_state=0, **settings).fit(corpus)
    page = page_of(fitted, corpus)
    assert len(cards(page)) == fitted[-1].components_.shape[0]
    assert type(fitted[-1]).__name__ in page
    assert "About pets" in page


def test_words_against_a_topic_have_a_minus(corpus):
    fitted = laconic.pipeline("slsa", n_components=2, positive=False).fit(corpus)
    topics = np.zeros(fitted[-1].components_.shape)
    topics[0, :3] = [2.0, -3.0, 1.0]
    topics[1, 3:5] = 1.0
    fitted[-1].components_ = sp.csr_matrix(topics)
    card = cards(page_of(fitted, corpus))[0]
    assert [weight for _, weight in words_of(card)] == [-3.0, 2.0, 1.0]
    assert card.count('class="against"') == 1
    assert card.index('class="against"') < card.index("\u22123.00")
    assert f'<h3><span class="number">0</span> {words_of(card)[1][0]},' in card


def test_a_model_without_documents(model):
    page = page_of(model)
    assert len(cards(page)) == 3
    assert "<details" not in page
    assert 'id="fold"' not in page


def test_documents_without_texts_show_their_words():
    bare = make_corpus(texts=None, titles=None, labels=None)
    fitted = laconic.pipeline("slsa", n_components=3, words_per_topic=5).fit(bare)
    card = cards(page_of(fitted, bare))[0]
    assert re.search(r"<cite>d\d+</cite>", card)
    assert "\u00a0×" in card
    assert "Top classes" not in card


def test_a_model_without_names_of_words():
    counts = make_corpus().counts
    fitted = laconic.SparseLSA(3, words_per_topic=5).fit(counts)
    page = page_of(fitted)
    assert {word for card in cards(page).values() for word, _ in words_of(card)} <= {
        str(column) for column in range(counts.shape[1])
    }


def test_one_topic_and_fourteen_words():
    words = [f"w{i}" for i in range(14)]
    corpus = laconic.Corpus(np.random.default_rng(0).poisson(1.0, (20, 14)), words)
    fitted = laconic.PLSA(1).fit(corpus)
    page = page_of(fitted, corpus)
    assert len(cards(page)) == 1
    assert len(words_of(cards(page)[0])) == 14


def test_a_topic_without_words():
    fitted = laconic.SparseLSA(2, words_per_topic=3).fit(make_corpus())
    topics = fitted.components_.toarray()
    topics[1] = 0
    fitted.components_ = topics
    assert "This topic has no words." in cards(page_of(fitted))[1]


def test_years_become_columns_over_time():
    dated = make_corpus(labels=[1990 + i % 5 for i in range(60)])
    fitted = laconic.pipeline("slsa", n_components=3, words_per_topic=5).fit(dated)
    card = cards(page_of(fitted, dated))[0]
    assert len(re.findall(r'<i style="--h:', card)) == 5
    assert "from 1990 to 1994" in card


# --- names and notes of topics -------------------------------------------------------------------


def test_names_notes_and_hidden_topics(model, corpus, page):
    strong = words_of(cards(page)[2])
    noted = copy.deepcopy(model)
    keep_notes(noted, {0: TopicNote("Animals", False, "mostly cats"), 2: TopicNote(hidden=True)})
    page = page_of(noted, corpus)
    assert list(cards(page)) == [0, 1]
    assert "1 hidden topic is not shown." in page
    assert " Animals</h3>" in cards(page)[0]
    assert '<p class="note">mostly cats</p>' in cards(page)[0]
    assert "#topic-2" not in page
    index = page[page.index('<section id="words">') :]
    assert all(f"<li>{word} " not in index for word, _ in strong)


def test_a_title_of_ones_own(model, corpus, page):
    named = page_of(model, corpus, title="What they wrote")
    assert "<title>What they wrote</title>" in named
    assert "<h1>What they wrote</h1>" in named
    assert "<h1>Topics</h1>" in page


# --- many topics ---------------------------------------------------------------------------------


def test_many_topics_show_less_of_each_and_say_so():
    corpus, _ = laconic.datasets.make_topics(400, 1500, 205, words_per_topic=7)
    fitted = laconic.PLSA(205, max_iter=5, tol=1.0).fit(corpus)
    page = page_of(fitted, corpus, n_documents=2)
    assert len(cards(page)) == 205
    assert "With 205 topics, this report shows at most 10 words of each" in page
    by_rank = list(cards(page).values())
    assert by_rank[0].count("<cite>") == 2
    assert '<p class="text">' in by_rank[0]
    assert by_rank[-1].count("<cite>") == 1
    assert '<p class="text">' not in by_rank[-1]
    assert 'id="relevance"' not in page
