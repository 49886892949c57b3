"""Tests of views of documents, words and searches: texts are unchanged, codes are the model's."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic.fitted.pipeline_steps import coding_topics
from laconic.keyphrases import sampled as document_keywords
from laconic.web import views
from laconic.web.page_data import PageData
from tests.messages import refused
from tests.web.conftest import KINDS, N, fit
from tests.web.views.test_topics import plain


@pytest.mark.parametrize("kind", KINDS)
def test_the_pieces_are_the_text(kind, material_of, corpus):
    material = material_of(kind)
    for row in (0, 7, N - 1):
        shown = plain(views.document(material, row))
        assert shown["kind"] == "text"
        assert "".join(text for text, _ in shown["pieces"]) == corpus.texts[row]
        assert (shown["id"], shown["title"]) == (f"d{row}", corpus.titles[row])
        for text, number in shown["pieces"]:
            if number is not None:
                assert shown["words"][number]["word"] == text.lower()
        counts = corpus[row].words
        assert all(word["count"] == counts[word["word"]] for word in shown["words"])


@pytest.mark.parametrize("kind", KINDS)
def test_topics_of_a_document_are_its_code(kind, material_of):
    material = material_of(kind)
    codes = material.documents.codes[[7]].toarray().ravel()
    shown = plain(views.document(material, 7))["topics"]
    assert [topic["topic"] for topic in shown] == np.argsort(-abs(codes), kind="stable")[
        : np.count_nonzero(codes)
    ].tolist()
    for topic in shown:
        code = codes[topic["topic"]]
        assert topic["weight"] == pytest.approx(code, rel=1e-4)
        assert topic["share"] == pytest.approx(code / abs(codes).sum(), rel=1e-4)
    colours = [topic["colour"] for topic in shown]
    assert colours[:7] == list(range(min(7, len(shown))))


def test_negative_topics_of_a_document_stand_by_their_size(material_of):
    material = material_of("signed")
    codes = material.documents.codes
    row = int(np.flatnonzero(np.asarray((codes < 0).sum(axis=1)).ravel())[0])
    weights = [topic["weight"] for topic in views.document(material, row)["topics"]]
    assert min(weights) < 0
    assert weights == sorted(weights, key=lambda weight: -abs(weight))
    shown = (views.document(material, row)["words"] for row in range(N))
    parts = [share for words in shown for word in words for _, share in word["topics"]]
    assert min(parts) < 0


def test_seven_topics_have_a_colour(corpus):
    model = laconic.pipeline("plsa", n_components=12, topics_per_document=None).fit(corpus)
    shown = views.document(PageData.of(model, corpus), 3)["topics"]
    assert [topic["colour"] for topic in shown][6:9] == [6, None, None]


@pytest.mark.parametrize("kind", KINDS)
def test_topics_of_a_word_are_its_parts(kind, material_of, corpus):
    """A part is the topic's weight in the document times the word's weight in the topic."""
    material = material_of(kind)
    components = np.asarray(sp.csr_matrix(coding_topics(material.estimator)).todense())
    row = 13
    code = material.documents.codes[[row]].toarray().ravel()[:, None]
    if kind in ("stc", "medstc"):
        weighted = material.model[:-1].transform(corpus[[row]])
        code = material.estimator.word_codes(weighted)[0].toarray().T
    parts = components * code
    sums = np.abs(parts).sum(axis=0)
    seen = 0
    for word in plain(views.document(material, row))["words"]:
        column = corpus.words.columns([word["word"]])[0]
        for topic, share in word["topics"]:
            assert share == pytest.approx(parts[topic, column] / sums[column], rel=1e-3, abs=1e-4)
            seen += 1
        told = {topic for topic, _ in word["topics"]}
        large = np.flatnonzero(abs(parts[:, column]) >= 0.021 * sums[column])
        assert len(word["topics"]) <= 6
        assert set(large[np.argsort(-abs(parts[large, column]))][:6].tolist()) <= told
        if kind in ("stc", "medstc"):
            for topic, weight in word["code"]:
                assert weight == pytest.approx(code[topic, column], rel=1e-4)
        else:
            assert word["code"] is None
    assert seen > 10


def test_keywords_are_those_of_the_library(material_of, corpus):
    material = material_of("plsa")
    shown = plain(views.document(material, 3))
    expected = laconic.keywords(corpus, 8)[3]
    assert [word for word, _, _ in shown["keywords"]] == [keyword.word for keyword in expected]
    assert shown["keywords"][0][1] == 1
    assert shown["keywords"][0][2] == expected[0].why()
    marked = {word["word"] for word in shown["words"] if word["keyword"]}
    assert marked == {part for keyword in expected for part in keyword.word.split(" ")}


def test_keywords_are_set_against_other_documents_only(corpus, folder_of, monkeypatch):
    monkeypatch.setattr(document_keywords, "BACKGROUND", 40)
    material = PageData.open(folder_of("plsa"))
    spread = np.unique(np.linspace(0, N - 1, 40).astype(int)).tolist()
    among = laconic.keywords(corpus[spread], 8)
    inside, outside = spread[7], next(row for row in range(N) if row not in spread)
    beside = laconic.keywords(corpus[[outside]], 8, background=corpus[spread])
    for row, expected in ((inside, among[7]), (outside, beside[0])):
        told = [why for _, _, why in views.document(material, row)["keywords"]]
        assert told == [keyword.why() for keyword in expected]


def test_a_keyword_that_the_model_does_not_know_has_no_count(corpus):
    texts = [*corpus.texts[:-1], "zygote " + corpus.texts[-1] + " Zygote zygote."]
    counted = laconic.read(texts, min_df=2)
    given = laconic.Corpus(
        counted.counts, counted.vocabulary, texts=texts, vectorizer=counted.vectorizer
    )
    model = laconic.pipeline("plsa", n_components=4).fit(given)
    shown = plain(views.document(PageData.of(model, given), N - 1))
    words = {word["word"]: word for word in shown["words"]}
    assert (words["zygote"]["count"], words["zygote"]["topics"]) == (None, [])
    assert words["zygote"]["keyword"] > 0.5
    assert all(word["count"] for name, word in words.items() if name != "zygote")


def test_keywords_of_pcp_are_what_it_leaves_over(material_of, corpus):
    material = material_of("pcp")
    row = next(r for r in range(N) if views.document(material, r)["keywords"])
    weighted = material.model[:-1].transform(corpus[[row]])
    left = material.estimator.keywords(weighted).toarray().ravel()
    shown = plain(views.document(material, row))["keywords"]
    best = np.argsort(-left, kind="stable")[: len(shown)]
    assert [word for word, _, _ in shown] == material.words[best].tolist()
    for (_, strength, _), weight in zip(shown, left[best], strict=True):
        assert strength == pytest.approx(weight / left.max(), rel=1e-3)


def test_a_phrase_is_marked_where_it_stands_whole():
    from laconic.web.views.documents import strengths_of

    tokens = ["cocoa", "prices", "rose", "and", "prices", "of", "cocoa", "fell"]
    found = strengths_of(tokens, [("cocoa prices", 1.0, ""), ("fell", 0.5, "")])
    assert found == [1.0, 1.0, None, None, None, None, None, 0.5]


@pytest.mark.parametrize("kind", KINDS)
def test_similar_documents_are_those_of_the_library(kind, material_of):
    material = material_of(kind)
    expected = laconic.similar(material.model, 5, n=8)
    shown = plain(views.similar_documents(material, 5))
    assert [one["document"] for one in shown["documents"]] == expected["document"].to_list()
    assert shown["why"] is None


def test_lists_of_documents(material_of, corpus):
    material = material_of("slsa")
    seen = [
        one["document"]
        for page in range(6)
        for one in plain(views.documents(material, page, 20))["documents"]
    ]
    assert seen == list(range(N))
    money = plain(views.documents(material, 0, 100, "money"))
    assert money["total"] == (corpus.labels == "money").sum()
    assert {one["label"] for one in money["documents"]} == {"money"}
    assert dict(money["facets"]["labels"]) == {"pets": 30, "money": 30, "water": 30, "kitchen": 30}
    first = money["documents"][0]
    assert first["topics"] == [
        [topic["topic"], topic["share"]]
        for topic in views.document(material, first["document"])["topics"][:3]
    ]
    with refused("No document", "label 'x'", kind=views.NotFoundError):
        views.documents(material, 0, 5, "x")


def test_long_texts_come_in_parts(monkeypatch, corpus, material_of):
    # `views.documents` is the function, so import the module by its name.
    module = importlib.import_module("laconic.web.views.documents")
    monkeypatch.setattr(module, "PART", 50)
    material = material_of("slsa")
    first = plain(views.document(material, 3))
    parts = [plain(views.document(material, 3, part)) for part in range(first["parts"])]
    assert first["parts"] > 2
    texts = ["".join(text for text, _ in part["pieces"]) for part in parts]
    assert "".join(texts) == corpus.texts[3]
    assert all(text.startswith((" ", corpus.texts[3][:1])) for text in texts)  # no word is cut
    with refused(f"0 to {first['parts'] - 1}", kind=views.NotFoundError):
        views.document(material, 3, first["parts"])


# --- words and searches --------------------------------------------------------------------------


def test_senses_are_those_of_the_library(material_of):
    material = material_of("stc")
    expected = laconic.senses(material.model, "bank")
    shown = plain(views.word(material, "bank"))
    assert shown["own"]
    assert [sense["topic"] for sense in shown["senses"]] == expected["topic"].to_list()[
        : len(shown["senses"])
    ]
    for sense, weight in zip(shown["senses"], expected["weight"], strict=False):
        assert sense["share"] == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_examples_have_the_word_and_the_topic(kind, material_of, corpus):
    material = material_of(kind)
    shown = plain(views.word(material, "bank"))
    assert shown["n_documents"] == sum(
        "bank" in text.lower().split() or "bank" in text.lower() for text in corpus.texts
    )
    examples = [(sense, one) for sense in shown["senses"] for one in sense["examples"]]
    assert examples
    for sense, example in examples:
        marked = {text.lower() for text, mark in example["pieces"] if mark == "word"}
        assert marked == {"bank"}
        assert material.documents.codes[example["document"], sense["topic"]] != 0
    rows = [one["document"] for _, one in examples]
    assert len(rows) == len(set(rows))


def test_examples_of_a_negative_word_are_from_the_other_end_of_the_topic(material_of):
    seen = 0
    for material in (material_of("signed"), material_of("pcp")):
        for word in material.words:
            column = material.reader.column(word)
            for sense in views.word(material, word)["senses"]:
                weight = material.weights[sense["topic"], column]
                assert np.sign(sense["share"]) == np.sign(weight)
                for example in sense["examples"]:
                    code = material.documents.codes[example["document"], sense["topic"]]
                    assert np.sign(code) == np.sign(weight)
                    seen += weight < 0
    assert seen


def test_a_word_without_a_sense(material_of, monkeypatch):
    material = PageData.of(fit("medstc"), material_of("medstc").corpus)
    learned = sp.lil_matrix(material.estimator.word_topics_)
    column = material.reader.column("bank")
    learned[column] = 0
    monkeypatch.setattr(material.estimator, "word_topics_", sp.csr_matrix(learned))
    shown = plain(views.word(material, "bank"))
    assert (shown["senses"], shown["more"]) == ([], 0)


def test_a_part_of_a_phrase_is_a_keyword_only_within_it(material_of, corpus):
    from laconic.web.views.documents import _pieces

    text = "bank loan. A bank."
    found = [("bank loan", 1.0, ""), ("bank", 0.4, "")]
    pieces, words = _pieces(material_of("slsa"), text, {}, found)
    strengths = [
        (piece, words[number]["keyword"]) for piece, number in pieces if number is not None
    ]
    assert strengths == [("bank", 1.0), ("loan", 1.0), ("bank", 0.4)]


def test_shares_of_a_word_without_codes_of_words(material_of):
    material = material_of("plsa")
    column = list(material.words).index("bank")
    joint = material.estimator.components_[:, column] * material.shares
    for sense in plain(views.word(material, "bank"))["senses"]:
        assert sense["share"] == pytest.approx(joint[sense["topic"]] / joint.sum(), rel=1e-3)


def test_words_that_are_unknown_or_begun(material_of):
    material = material_of("slsa")
    with refused("'bankk'", "bank.", kind=views.NotFoundError):
        views.word(material, "bankk")
    with refused("'xxx", kind=views.NotFoundError):
        views.word(material, "x" * 5000)
    assert views.word(material, "BANK") == views.word(material, "bank")
    assert set(plain(views.words_like(material, "BA"))["words"]) == {"bank", "bark", "bake"}
    for prefix in ("", "x" * 201):
        with refused("1 to 200 characters"):
            views.words_like(material, prefix)


@pytest.mark.parametrize("kind", KINDS)
def test_hits_are_those_of_the_index(kind, material_of):
    material = material_of(kind)
    query = "a loan from the bank"
    hits = laconic.search(material.model).query(query, k=6)
    shown = plain(views.search_results(material, query, 6))
    assert [one["document"] for one in shown["hits"]] == [hit.row for hit in hits]
    for one, hit in zip(shown["hits"], hits, strict=True):
        assert one["score"] == pytest.approx(hit.score, rel=1e-4)
        assert one["lexical"] + one["background"] == pytest.approx(hit.score, rel=1e-3, abs=1e-3)
        assert "".join(text for text, _ in one["pieces"]) == str(hit.snippet)
        assert [word for word, _ in one["keywords"]] == list(hit.keywords)
        assert all(known == (word in set(material.words)) for word, known in one["keywords"])


def test_queries_without_an_answer(material_of):
    material = material_of("slsa")
    shown = plain(views.search_results(material, "zzzz"))
    assert shown["hits"] == []
    assert "zzzz" in shown["why"]
    assert plain(views.search_results(material, "bankk loan"))["unknown"]["bankk"][0] == "bank"
    with refused("empty"):
        views.search_results(material, "  ")
    with refused("2,001 characters", "at most 2,000"):
        views.search_results(material, "x" * 2001)
    with refused("k must", "1 to 100", "got 0"):
        views.search_results(material, "bank", 0)


# --- other documents -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["slsa", "stc", "pcp"])
def test_a_corpus_says_the_same_as_what_was_kept(kind, material_of, corpus):
    kept, given = material_of(kind), PageData.of(fit(kind), corpus)
    for view, arguments in [
        (views.topic, (2,)),
        (views.topic_documents, (2, 0, 10)),
        (views.document, (9,)),
        (views.similar_documents, (9,)),
        (views.search_results, ("river bank",)),
        (views.word, ("bank",)),
    ]:
        ours, theirs = plain(view(given, *arguments)), plain(view(kept, *arguments))
        if view is views.word:  # counts have the word, an index only its stem
            assert (ours.pop("forms"), theirs.pop("forms")) == (False, True)
        if view is views.topic:  # shares are those during the fit or those of the final codes
            assert ours.pop("share") == pytest.approx(theirs.pop("share"), abs=0.01)
            words, others = (
                {word: overall for word, _, overall in side.pop("words")} for side in (ours, theirs)
            )
            assert words == pytest.approx(others, rel=0.05)
        assert ours == theirs, view.__name__


def test_a_corpus_on_disk_in_another_order_of_words(tmp_path, corpus, material_of):
    order = np.random.default_rng(1).permutation(corpus.shape[1])
    turned = laconic.Corpus(
        corpus.counts[:, order],
        corpus.vocabulary[order],
        titles=corpus.titles,
        ids=corpus.ids,
        labels=corpus.labels,
        texts=corpus.texts,
        vectorizer=corpus.vectorizer,
    )
    store = laconic.read(turned.save(tmp_path / "turned.corpus"))
    given, kept = PageData.of(fit("plsa"), store), material_of("plsa")
    for row in (0, 50):
        assert plain(views.document(given, row)) == plain(views.document(kept, row))
    assert views.word(given, "bank")["n_documents"] == views.word(kept, "bank")["n_documents"]


def test_documents_without_texts_show_their_counts(corpus):
    bare = laconic.Corpus(corpus.counts, corpus.vocabulary)
    material = PageData.of(laconic.PLSA(4).fit(bare), bare)
    shown = plain(views.document(material, 5))
    assert shown["kind"] == "words"
    assert (shown["id"], shown["title"], shown["label"]) == ("5", None, None)
    assert {word["word"]: word["count"] for word in shown["words"]} == corpus[5].words
    counts = [word["count"] for word in shown["words"]]
    assert counts == sorted(counts, reverse=True)
    assert plain(views.search_results(material, "bank"))["hits"]
    assert all(not sense["examples"] for sense in views.word(material, "bank")["senses"])


def test_a_model_without_words_and_an_empty_document(corpus):
    none = sp.csr_matrix((1, corpus.shape[1]), dtype=np.int32)
    counts = sp.vstack([corpus.counts[:4], none, corpus.counts[5:]], format="csr")
    bare = laconic.Corpus(counts)
    material = PageData.of(laconic.PLSA(4).fit(counts), bare)
    assert plain(views.overview(material))["topics"][0]["words"][0][0].isdecimal()
    assert plain(views.document(material, 4))["kind"] == "empty"
    assert "no topic" in plain(views.similar_documents(material, 4))["why"]
    assert plain(views.document(material, 5))["kind"] == "words"
    assert not views.overview(material)["has"]["search"]
    assert plain(views.word(material, "3"))["senses"]


def test_kept_codes_without_texts_still_have_topics(tmp_path, corpus):
    folder = laconic.save(fit("slsa"), tmp_path / "a.model", corpus=corpus)
    material = PageData.open(folder)
    shown = plain(views.document(material, 5))
    assert shown["kind"] == "nothing"
    assert shown["topics"]
    assert plain(views.topic_documents(material, 0, 0, 5))["documents"][0]["pieces"] is None


def test_texts_with_runs_of_words_capitals_and_accents():
    texts = ["Größe Café café NEW York new york", "new york city", "Café größe city", "york city"]
    corpus = laconic.read(texts, ngram_range=(1, 2), strip_accents="unicode", min_df=2)
    corpus = laconic.Corpus(
        corpus.counts, corpus.vocabulary, texts=texts, vectorizer=corpus.vectorizer
    )
    material = PageData.of(laconic.pipeline("plsa", n_components=2).fit(corpus), corpus)
    shown = plain(views.document(material, 0))
    assert "".join(text for text, _ in shown["pieces"]) == texts[0]
    words = {shown["words"][number]["word"] for _, number in shown["pieces"] if number is not None}
    assert "new york" in words
    assert any(word.startswith("cafe") for word in words)


def test_markup_is_text(corpus):
    texts = ["<script>alert(1)</script> cats & dogs", "cats </script> purr", "dogs bark", "cats"]
    corpus = laconic.read(texts)
    corpus = laconic.Corpus(
        corpus.counts,
        corpus.vocabulary,
        texts=texts,
        titles=["<b>x</b>", None, "", "<i>"],
        labels=["<a>", "<a>", "b", "b"],
        vectorizer=corpus.vectorizer,
    )
    material = PageData.of(laconic.pipeline("plsa", n_components=2).fit(corpus), corpus)
    shown = plain(views.document(material, 0))
    assert "".join(text for text, _ in shown["pieces"]) == texts[0]
    assert (shown["title"], shown["label"]) == ("<b>x</b>", "<a>")


def test_an_empty_corpus_and_a_stranger_are_refused(corpus):
    with refused("corpus is empty"):
        PageData.of(fit("plsa"), corpus[:0])
    with refused("Vectorizer", "no topics"):
        PageData.of(laconic.Vectorizer().fit(["a cat"]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_finds_nothing_is_an_answer(kind, material_of):
    shown = plain(views.search_results(material_of(kind), "zzzz qqqq"))
    assert shown["hits"] == []
    assert shown["why"]


def test_hits_of_documents_without_texts_have_keywords(corpus):
    counted = laconic.Corpus(corpus.counts, corpus.vocabulary, ids=corpus.ids)
    model = laconic.pipeline("plsa", n_components=3).fit(counted)
    shown = plain(views.search_results(PageData.of(model, counted), "river bank"))
    assert shown["hits"]
    assert all(hit["keywords"] for hit in shown["hits"])


def test_keywords_are_marked_in_runs_of_words():
    from laconic.web.views.documents import strengths_of

    tokens = ["cocoa prices", "rose", "and prices", "of cocoa"]
    found = strengths_of(tokens, [("cocoa prices", 1.0, ""), ("rose and", 0.5, "")])
    assert found == [1.0, 0.5, 0.5, None]
