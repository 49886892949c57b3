"""Tests of search: the documents found, their order, and the information about each."""

from __future__ import annotations

import copy
import logging
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import bm25s
import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

import laconic
from laconic import Corpus
from laconic.datasets import make_topics
from laconic.models import MODELS
from laconic.retrieval.blending import background_weight
from laconic.retrieval.codes import Codes
from tests.messages import refused
from tests.retrieval.test_blending import whole

PETS = ["cat", "purr", "meow", "whiskers", "kitten", "paw", "fur", "tail", "nap", "milk"]
SHIPS = ["sail", "mast", "harbour", "anchor", "captain", "wind", "deck", "rope", "storm", "tide"]


def make_texts(n=40, seed=0):
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(PETS if i % 2 else SHIPS, 12)) for i in range(n)]


TEXTS = make_texts()


@pytest.fixture(scope="module")
def corpus():
    counted = laconic.read(TEXTS, stop_words="english")
    return Corpus(
        counted.counts,
        counted.vocabulary,
        ids=[f"d{i}" for i in range(len(TEXTS))],
        titles=[f"About {'pets' if i % 2 else 'ships'} {i}" for i in range(len(TEXTS))],
        texts=TEXTS,
        vectorizer=counted.vectorizer,
    )


@pytest.fixture(scope="module")
def model(corpus):
    return laconic.pipeline("slsa", n_components=2).fit(corpus)


@pytest.fixture(scope="module")
def index(model, corpus):
    return laconic.search(model, corpus)


def is_pet(hit):
    return hit.row % 2 == 1


# ---- results of queries -------------------------------------------------------------------------


def test_a_hit(index):
    hits = index.query("Anchors in the harbour!", k=3)
    assert len(hits) == 3
    hit = hits[0]
    assert hit.id == f"d{hit.row}"
    assert hit.title == f"About ships {hit.row}"
    assert hit.score == hit.lexical + hit.background
    assert hit.lexical > 0
    assert hit.background > 0
    marked = {hit.snippet[start:stop] for start, stop in hit.snippet.words}
    assert marked <= {"anchor", "harbour"}
    assert marked
    related = {hit.snippet[start:stop] for start, stop in hit.snippet.related}
    assert related
    assert related <= set(SHIPS) - marked
    assert hit.snippet in TEXTS[hit.row] or hit.snippet.endswith("…")
    assert {word for word in hit.keywords if word.isalpha()} <= {*SHIPS, "ships"}
    assert "Hit(id='d" in repr(hit)


def test_the_order_is_that_of_scores_then_of_rows(corpus, model):
    twice = corpus[np.repeat(np.arange(len(corpus)), 2)]
    hits = laconic.search(model, twice).query("cat purr", k=80)
    keys = [(-hit.score, hit.row) for hit in hits]
    assert keys == sorted(keys)
    assert any(a.score == b.score for a, b in pairwise(hits))
    assert [hit.row for hit in laconic.search(model, twice).query("cat purr", k=7)] == [
        hit.row for hit in hits[:7]
    ]


def unit(rows):
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


@pytest.mark.parametrize("query", ["storm", "purring cats", "the tide, the tide and milk", "pets"])
@pytest.mark.parametrize("name", ["slsa", "plsa"])
def test_scores_are_those_of_the_plain_way(name, query, corpus):
    model = laconic.pipeline(name, n_components=3).fit(corpus)
    index = laconic.search(model, corpus)
    words, weight = index.parts.lexical.words, background_weight(index.parts.agreement)
    assert 0 < index.parts.agreement < 1

    def stems(text):
        return words.stems([word for word in words.split(text) if not words.is_stop(word)])

    titled = [
        3 * stems(title) + stems(text) for title, text in zip(corpus.titles, TEXTS, strict=True)
    ]
    theirs = bm25s.BM25()
    theirs.index(titled, show_progress=False)
    lexical = theirs.get_scores(stems(query))

    codes = unit(model.transform(corpus).toarray())
    idf = np.log(len(corpus) / np.count_nonzero(corpus.counts.toarray(), axis=0))
    counted = model[0].transform([query]).counts
    code = model[-1].transform(model[1].transform(counted).multiply(idf).tocsr()).toarray()[0]
    cosines = codes @ unit(code)

    found = whole(lexical, cosines, weight)
    best = np.argsort(-found.score, kind="stable")[:5]
    drawn = unit(unit(code) + unit(0.5 ** np.arange(5) @ codes[best])) if code.any() else code
    background = weight * (codes @ drawn) / (cosines.std() or 1)
    hits = index.query(query, k=40)
    rows = [hit.row for hit in hits]
    np.testing.assert_allclose([hit.lexical for hit in hits], found.lexical[rows], rtol=1e-4)
    np.testing.assert_allclose([hit.background for hit in hits], background[rows], 1e-3, 1e-5)
    assert len(hits) == np.count_nonzero(found.lexical + background > 0)


def test_documents_without_the_words_are_found_by_their_topics(index):
    hits = index.query("kitten", k=40)
    without = [hit for hit in hits if hit.lexical == 0]
    assert without
    assert all(hit.background > 0 for hit in without)
    assert all(is_pet(hit) for hit in hits[:18])
    assert all("kitten" not in TEXTS[hit.row] for hit in without)


def test_words_that_the_model_does_not_know_are_found(corpus):
    rare = corpus[:]
    texts = [*TEXTS[:-1], TEXTS[-1] + " Zanzibar"]
    model = laconic.pipeline("slsa", n_components=2).fit(corpus)
    (hit,) = laconic.search(model, rare, texts=texts).query("zanzibar")
    assert hit.row == len(TEXTS) - 1
    assert hit.background == 0
    assert [hit.snippet[slice(*span)] for span in hit.snippet.words] == ["Zanzibar"]


def test_words_that_only_the_model_knows_find_by_topics(model, corpus):
    few = [row for row, text in enumerate(TEXTS) if "kitten" not in text]
    index = laconic.search(model, corpus[few])
    assert index.unknown("kitten") == {}
    hits = index.query("kitten")
    assert hits
    assert all(hit.lexical == 0 < hit.background for hit in hits)
    assert all("pets" in hit.title for hit in hits)


@pytest.mark.parametrize("name", MODELS)
def test_every_model(name, corpus):
    params = {"n_components": 4}
    if name == "medstc":
        corpus = Corpus(
            corpus.counts,
            corpus.vocabulary,
            labels=["pets" if i % 2 else "ships" for i in range(len(corpus))],
            texts=TEXTS,
        )
    fitted = laconic.pipeline(name, **params).fit(corpus)
    index = laconic.search(fitted, corpus)
    assert all(is_pet(hit) for hit in index.query("purr and meow", k=8))
    assert all(is_pet(hit) for hit in index.like(1, k=8))
    bare = fitted[-1]
    assert index.parts.codes.rows.shape == (len(corpus), bare.components_.shape[0])


def test_bare_models_and_those_of_scikit_learn(corpus, index):
    def rows(model, corpus=corpus):
        made = laconic.search(model, corpus)
        hits = made.query("purring cats and milk", k=10)
        assert all(hit.background > 0 for hit in hits)
        assert all(is_pet(hit) for hit in hits)
        assert any(hit.snippet.related for hit in hits)
        return [hit.row for hit in hits]

    rows(laconic.SparseLSA(2).fit(corpus))
    rows(laconic.SparseLSA(2).fit(corpus.counts))  # words are matched by position
    rows(TruncatedSVD(2).fit(corpus.counts))
    rows(make_pipeline(TfidfVectorizer(stop_words="english"), TruncatedSVD(2)).fit(TEXTS))
    weighting = laconic.Weighting("tfidf").fit(corpus)
    decomposed = TruncatedSVD(2).fit(weighting.transform(corpus.counts))
    text = laconic.Vectorizer().fit(corpus)
    steps = [("text", text), ("weighting", weighting), ("model", decomposed)]
    assert rows(Pipeline(steps)) == rows(Pipeline(steps), corpus)


def test_dense_output_does_not_matter(corpus, index):
    model = laconic.pipeline("slsa", n_components=2, sparse_output=False).fit(corpus)
    dense = laconic.search(model, corpus)
    assert [hit.row for hit in dense.query("cat")] == [hit.row for hit in index.query("cat")]


def test_codes_sparse_or_whole_give_the_same_cosines():
    draw = np.random.default_rng(0)
    import scipy.sparse as sp

    dense = draw.normal(size=(30, 6)) * (draw.random((30, 6)) < 0.4)
    dense[3] = 0
    sparse, whole = Codes.of(sp.csr_matrix(dense)), Codes.of(dense)
    query = draw.normal(size=6)
    lengths = np.maximum(np.linalg.norm(dense, axis=1), 1e-300) * np.linalg.norm(query)
    for codes in (sparse, whole):
        np.testing.assert_allclose(codes.cosines(query), dense @ query / lengths, atol=1e-6)
        np.testing.assert_allclose(codes.document(5), dense[5] / np.linalg.norm(dense[5]), 1e-6)
        assert not codes.document(3).any()
        assert not codes.cosines(np.zeros(6)).any()


def test_lists_of_texts_and_frames(model, index):
    import polars as pl

    expected = [hit.row for hit in index.query("cat")]
    assert set(expected) & {hit.row for hit in laconic.search(model, TEXTS).query("cat")}
    frame = laconic.search(model, pl.DataFrame({"id": ["a", "b"], "text": TEXTS[:2]}))
    assert frame.query("purr")[0].id == "b"


def test_ids_are_those_of_the_corpus_or_positions(model, corpus):
    def ids(**columns):
        made = Corpus(corpus.counts, corpus.vocabulary, texts=TEXTS, **columns)
        return [hit.id for hit in laconic.search(model, made).query("cat", k=3)]

    rows = ids()
    assert all(type(row) is int for row in rows)
    assert ids(ids=[100 + i for i in range(len(TEXTS))]) == [100 + row for row in rows]
    assert ids(ids=[f"x{i}" for i in range(len(TEXTS))]) == [f"x{row}" for row in rows]
    assert ids(ids=["same"] * len(TEXTS)) == ["same"] * 3


def test_counts_without_texts(model, corpus):
    bare = Corpus(corpus.counts, corpus.vocabulary)
    hits = laconic.search(model, bare).query("anchors")
    assert hits
    assert not any(is_pet(hit) for hit in hits)
    assert hits[0].snippet == ""
    assert hits[0].title is None
    assert set(hits[0].keywords) <= set(SHIPS)
    with_texts = laconic.search(model, bare, texts=TEXTS).query("anchors")
    assert with_texts[0].snippet != ""


def test_documents_without_words_are_never_found(model, corpus):
    texts = ["", *TEXTS[1:]]
    counted = laconic.read(texts, vocabulary=model)
    index = laconic.search(model, counted)
    found = {hit.row for hit in index.query(" ".join(PETS + SHIPS), k=40)}
    assert found == set(range(1, 40))
    with refused("document 0", "no word", "no topic"):
        index.like(0)
    missing = Corpus(counted.counts, counted.vocabulary, texts=[None, *TEXTS[1:]])
    assert laconic.search(model, missing).query("sail")


def test_a_word_that_stands_twice_counts_twice(index):
    once, twice = (index.query(text, k=40) for text in ("cat anchor", "cat cat anchor"))

    def ratio(hits, row):
        return next(hit.lexical for hit in hits if hit.row == row)

    cats = next(row for row, text in enumerate(TEXTS) if "cat" in text)
    ships = next(row for row, text in enumerate(TEXTS) if "anchor" in text)
    assert ratio(twice, cats) / ratio(twice, ships) > ratio(once, cats) / ratio(once, ships)


def test_a_whole_text_is_a_query(index):
    assert index.query(TEXTS[7] * 50, k=1)[0].row == 7


def test_one_document_is_found_too(model, corpus):
    (hit,) = laconic.search(model, corpus[1:2]).query(TEXTS[1].split()[0])
    assert hit.row == 0
    assert hit.id == "d1"
    assert hit.lexical > 0


def test_k_larger_than_the_corpus(index):
    hits = index.query(" ".join(PETS + SHIPS), k=10_000)
    assert sorted(hit.row for hit in hits) == list(range(len(TEXTS)))


def test_threads_share_an_index(index):
    queries = [*PETS, *SHIPS] * 3
    alone = [[(hit.row, hit.score) for hit in index.query(query)] for query in queries]
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda q: [(hit.row, hit.score) for hit in index.query(q)], queries)
    assert alone == list(together)


def test_made_again_it_is_the_same(index, model, corpus):
    again = laconic.search(model, corpus)
    for query in ("cat", "storm and milk"):
        assert [(h.row, h.score) for h in again.query(query)] == [
            (h.row, h.score) for h in index.query(query)
        ]


def test_nothing_is_said_of_a_query(index, caplog):
    with caplog.at_level(logging.INFO):
        index.query("cat and xyzzy")
    assert caplog.text == ""


def test_its_description(index):
    assert repr(index) == "SearchIndex of 40 documents (52 english stems, 2 topics, texts)"
    assert len(index) == 40


# ---- more like this -----------------------------------------------------------------------------


def test_like_takes_ids_titles_rows_and_texts(index):
    expected = [(hit.row, hit.score) for hit in index.like(3, k=5)]
    assert len(expected) == 5
    assert 3 not in dict(expected)
    assert all(row % 2 for row, _ in expected)
    for name in ("d3", "About pets 3", np.int64(3)):
        assert [(hit.row, hit.score) for hit in index.like(name, k=5)] == expected
    new = index.like(["a purring kitten with whiskers"])
    assert all(is_pet(hit) for hit in new)
    assert [hit.row for hit in index.like("a purring kitten with whiskers")] == [
        hit.row for hit in new
    ]
    assert index.like([TEXTS[3]])[0].row == 3


def test_like_marks_the_words_of_the_document(index):
    hit = index.like(3, k=1)[0]
    own = set(TEXTS[3].split())
    assert {hit.snippet[slice(*span)] for span in hit.snippet.words} <= own


def test_wrong_documents(index, model, corpus):
    with refused("id or title 'd99'", "'d9'"):
        index.like("d99")
    with refused("no document 40", "0 to 39"):
        index.like(40)
    with refused("one text"):
        index.like(["two", "texts"])
    with refused("id", "title", "row", "got float"):
        index.like(3.5)
    with refused("No document", "'xyzzy'"):
        index.like(["xyzzy"])
    same = Corpus(corpus.counts, corpus.vocabulary, ids=["x"] * 40, texts=TEXTS)
    with refused("40 documents", "id 'x'", "row"):
        laconic.search(model, same).like("x")


# ---- wrong queries and wrong corpora ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["query is empty"]),
        (" \n", ["query is empty"]),
        ("?! -", ["'?! -'", "no word"]),
        ("xyzzy", ["No document", "'xyzzy'."]),
        ("harbuor", ["No document", "'harbuor'", "did you mean", "'harbour'?"]),
        ("harbuor kiten", ["'harbuor', 'kiten'", "did you mean", "'harbour', 'kitten'?"]),
        ("To be or not to be", ["stop words", "English", "'to', 'be'"]),
        ("to be or xyzzy", ["No document", "word 'xyzzy'."]),
        (" ".join(f"xyz{i}zy" for i in range(100)), ["'xyz4zy', …."]),
        (None, ["one text", "str", "got NoneType"]),
        (["cat"], ["one text", "str", "got list"]),
    ],
    ids=lambda value: "many words" if isinstance(value, str) and len(value) > 100 else None,
)
def test_wrong_queries(index, text, parts):
    with refused(*parts):
        index.query(text)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None])
def test_wrong_k(index, k):
    for call in (index.query, index.like):
        with refused("k must", "at least 1", f"got {k!r}"):
            call("d1", k=k)


def test_unknown_words_and_near_ones(index):
    assert index.unknown("The CAT in the harbuor, xyzzy xyzzy") == {
        "harbuor": ["harbour"],
        "xyzzy": [],
    }
    assert index.query("cat xyzzy")[0].lexical > 0


def test_a_model_that_was_fitted_again(corpus):
    model = laconic.pipeline("slsa", n_components=2).fit(corpus)
    index = laconic.search(model, corpus)
    model.fit(corpus)
    with refused("refitted", "laconic.search"):
        index.query("cat")


def test_wrong_models_and_corpora(model, corpus):
    with pytest.raises(NotFittedError):
        laconic.search(laconic.pipeline("slsa"), corpus)
    with refused("corpus is empty"):
        laconic.search(model, corpus[:0])
    with refused("2 words", "no words in common"):
        laconic.search(model, Corpus([[1, 2]], ["foo", "bar"]))
    with refused("texts", "vocabulary"):
        laconic.search(model, Corpus(corpus.counts))
    with refused("1 text ", "40 documents"):
        laconic.search(model, corpus, texts=["one"])
    with refused("No search index", "corpus=", "save"):
        laconic.search(model)
    with refused("texts=", "language=", "corpus="):
        laconic.search(model, language="de")
    with refused("object", "has no transform"):
        laconic.search(object(), corpus)
    texts_only = make_pipeline(TfidfVectorizer(), TruncatedSVD(2)).fit(TEXTS)
    with refused("TfidfVectorizer", "texts"):
        laconic.search(texts_only, Corpus(corpus.counts, corpus.vocabulary))


# ---- hits as a table ----


def test_hits_are_a_list_with_a_table(index):
    hits = index.query("kitten milk", k=3)
    assert isinstance(hits, laconic.Hits)
    assert isinstance(hits, list)
    assert isinstance(index.like("d3", k=2), laconic.Hits)
    frame = hits.frame
    assert frame["rank"].to_list() == [1, 2, 3]
    for column in ("id", "title", "score", "lexical", "background", "snippet", "row"):
        assert frame[column].to_list() == [getattr(hit, column) for hit in hits]
    assert frame["keywords"].to_list() == [list(hit.keywords) for hit in hits]
    assert hits[1:].frame["id"].to_list() == frame["id"].to_list()[1:]
    assert hits[:0].frame.columns == frame.columns


def test_integer_ids_stay_integers(model, corpus):
    found = laconic.search(model, corpus.replace(ids=list(range(100, 140)))).query("kitten")
    assert found.frame["id"].to_list() == [hit.id for hit in found]
    assert all(isinstance(hit.id, int) for hit in found)


def test_hits_print_titles_and_passages(index, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    hits = index.query("kitten milk", k=3)
    lines = str(hits).splitlines()
    assert lines[0].split() == ["rank", "score", "document"]
    assert lines[1].split(maxsplit=2)[2] == f"{hits[0].title} ({hits[0].id})"
    assert max(map(len, lines)) <= 60
    assert " ".join(hits[0].snippet.split()) in " ".join(str(hits).split())
    assert str(hits[:0]) == "no hits"


def test_hits_in_a_notebook(model, corpus):
    titles = [f"<b>{title}</b>" for title in corpus.titles]
    page = laconic.search(model, corpus.replace(titles=titles)).query("kitten", k=2)._repr_html_()
    assert "&lt;b&gt;About pets" in page
    assert page.count("<tr>") == 3


def test_hits_without_texts_print_keywords(model, corpus):
    plain = Corpus(corpus.counts, corpus.vocabulary, ids=corpus.ids)
    hits = laconic.search(model, plain).query("kitten", k=1)
    assert str(hits).splitlines()[2].strip() == ", ".join(hits[0].keywords)


@pytest.mark.parametrize("name", ["sc", "slsa", "plsa", "sctm", "stc", "pcp"])
def test_documents_are_coded_once_for_reading_and_for_ranking(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, _ = make_topics(200, 120, 4, random_state=0)
    model = laconic.pipeline(name, n_components=4, topics_per_document=1.5).fit(corpus)
    coded = []
    step = type(model[-1]).transform_parts
    monkeypatch.setattr(
        type(model[-1]), "transform_parts", lambda self, X: coded.append(X) or step(self, X)
    )
    index = laconic.search(model, corpus)
    assert len(coded) == 1
    monkeypatch.undo()
    last = copy.copy(model[-1])
    other = make_pipeline(*(step for _, step in model.steps[:-1]), last)
    for rows, share in ((index.documents.rows, 1.0), (index.parts.codes.rows, 0.3)):
        if hasattr(last, "code_threshold_"):
            last.code_threshold_ = share * model[-1].code_threshold_
        expected = other.transform(corpus)
        codes = rows.block(0, len(corpus))
        assert codes.nnz == expected.nnz
        np.testing.assert_allclose(codes.toarray(), expected.toarray(), rtol=1e-6)
    assert index.documents.rows.nnz <= index.parts.codes.rows.nnz
