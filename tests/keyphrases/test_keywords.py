"""Tests of ``laconic.keywords``: the keywords that are found and the evidence for them."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chi2_contingency

import laconic
from laconic import PCP, PLSA, Corpus, Keyword, SparseLSA, keywords
from laconic.keyphrases.evidence import Background, Evidence
from laconic.keyphrases.keywords import analyse, background_of
from laconic.keyphrases.methods import METHODS
from tests.messages import refused

STORIES = [
    "Cocoa prices rose again. The cocoa harvest in Ghana was late, and cocoa prices in London "
    "reached 2,150 pounds a tonne, traders said. They said prices would rise.",
    "The harbour of Rotterdam was closed by ice. Ships waited for the harbour to open, the "
    "captain of a tanker said; 14 ships were there.",
    "A bank in London raised its mortgage rates to 9 percent. Mortgage rates will rise again, "
    "the bank said, and other banks would follow.",
    "The captain of the team scored twice. The match was a test for the captain, a coach said, "
    "after 3 lost matches.",
    "Wheat and maize are late in the north, a farmer said. The harvest of wheat begins in 6 "
    "weeks; rains delayed it.",
]
TEXTS = {"stop_words": "english"}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return laconic.read(STORIES, **TEXTS)


def words(found: list[list[Keyword]]) -> list[list[str]]:
    return [[keyword.word for keyword in few] for few in found]


def evidence(corpus: Corpus) -> Evidence:
    return Evidence(corpus.counts, Background.from_counts(corpus), True, None, None)


# ---- choice of keywords ---------------------------------------------------------------------


def test_words_that_set_apart_come_first(corpus: Corpus) -> None:
    found = words(keywords(corpus, 3, phrases=False))
    assert found[0][:2] == ["cocoa", "prices"]
    assert found[1][0] == "harbour"
    assert {"mortgage", "rates", "bank"} == set(found[2])
    assert found[3][0] == "captain"
    assert found[4][0] == "wheat"


def test_phrases_take_the_place_of_their_words(corpus: Corpus) -> None:
    found = keywords(corpus, 4)
    rates = next(word for word in found[2] if " " in word.word)
    assert rates.word == "mortgage rates"
    assert not {"mortgage", "rates"} & set(words(found)[2])
    plain = {word.word: word for word in keywords(corpus, 9, phrases=False)[2]}
    assert rates.score == max(plain["mortgage"].score, plain["rates"].score)
    assert (rates.count, rates.position) == (2, STORIES[2].lower().split().index("mortgage"))


def test_a_phrase_of_the_corpus_stands_once() -> None:
    texts = ["South Korea sold ships.", "Ice in the south; ships froze.", "A visit to South Korea."]
    texts += ["Trade with South Korea grew.", "Rain fell.", "Snow fell.", "Hail fell.", "Fog rose."]
    found = words(keywords(laconic.read(texts, **TEXTS), 9))
    assert ["south korea" in few for few in found] == [True, False, True, True, *[False] * 4]
    twice = laconic.read([*texts[1:3], *texts[4:]], **TEXTS)
    assert "south korea" not in words(keywords(twice, 9))[1]


def test_a_phrase_does_not_cross_a_stop_or_a_function_word() -> None:
    texts = ["Red; lion. Red, lion.", "An owl of gold, an owl of gold.", "Sad cat? Sad\ncat!"]
    found = words(keywords(laconic.read(texts, **TEXTS), 2))
    assert [set(few) for few in found] == [{"red", "lion"}, {"owl", "gold"}, {"sad cat"}]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks(corpus: Corpus, method: str) -> None:
    model = PCP(2, alpha=0.5).fit(corpus) if method == "pcp" else None
    found = keywords(corpus, 4, method, model=model)
    assert len(found) == len(corpus)
    for few in found:
        assert len(few) <= 4
        scores = [keyword.score for keyword in few]
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)
    assert found == keywords(corpus, 4, method, model=model)
    assert any(found)


def test_few_are_the_first_of_many(corpus: Corpus) -> None:
    many = keywords(corpus, 8, phrases=False)
    for n in (1, 3):
        assert keywords(corpus, n, phrases=False) == [few[:n] for few in many]


def test_ties_by_place_then_by_the_alphabet() -> None:
    assert words(keywords(["zebra ant", "x y"], 2, "tfidf", phrases=False))[0] == ["zebra", "ant"]
    plain = Corpus([[1, 1, 0], [0, 0, 1]], ["zebra", "ant", "x"])
    assert words(keywords(plain, 2, "tfidf"))[0] == ["ant", "zebra"]


def test_one_form_of_a_word_is_enough() -> None:
    texts = ["The bank said the bank and other banks would merge.", "It rained on the town."]
    found = words(keywords(laconic.read(texts, **TEXTS), 5, phrases=False))
    assert "bank" in found[0]
    assert "banks" not in found[0]


def test_numbers_and_stop_words_are_no_keywords() -> None:
    text = "In 1987 the 1987 of the 1987 and a and the harbour was there and it is the harbour."
    found = words(keywords([text, "They saw that it is not the harbour but the sea."], 9))
    assert found == [["harbour"], ["saw", "sea", "harbour"]]


def test_a_language_of_its_own() -> None:
    texts = [
        "Der Hafen ist zu, und die Schiffe warten vor dem Hafen auf das Ende des Winters.",
        "Die Bank hat die Zinsen erhöht, und das ist nicht die erste Bank in dem Land.",
    ]
    assert [few[0] for few in words(keywords(texts, 3))] == ["hafen", "bank"]


def test_words_beside_numbers_and_linking_words_count_less() -> None:
    texts = [
        "Wool costs 12 pounds. Wool is sold for 14 pounds, 15 pounds or 16 pounds.",
        "The wool was 12 pounds. A study describes the wool.",
        "It was 7 pounds. The paper describes a fleece.",
        "A fleece of 9 pounds. A note describes the shears.",
    ]
    corpus = laconic.read(texts, **TEXTS)
    units = {word.word: word for word in keywords(corpus, 9)[0]}
    assert units["pounds"].figures == pytest.approx((4 + 2 * 0.08) / 6)
    verbs = {word.word: word for word in keywords(corpus, 9)[1]}
    assert verbs["describes"].linking == pytest.approx((3 + 2 * 0.35) / 5)
    spelt = laconic.read([re.sub(r"\d+", "some", text) for text in texts], **TEXTS)
    alike = {word.word: word.score for word in keywords(spelt, 9)[0]}
    assert units["pounds"].score < 0.3 * alike["pounds"]
    assert units["wool"].score == pytest.approx(alike["wool"], rel=0.2)


# ---- evidence -------------------------------------------------------------------------------


def test_evidence_of_a_word(corpus: Corpus) -> None:
    captain = next(word for word in keywords(corpus, 9, phrases=False)[3] if word.word == "captain")
    assert (captain.count, captain.documents, captain.position) == (2, 1, 1)
    assert captain.burst == pytest.approx((1 + 2) / (1 + 2))
    counts = corpus.counts.toarray()
    others = np.delete(counts, 3, axis=0).sum()
    assert captain.expected == pytest.approx(counts[3].sum() * 1 / others)
    assert captain.residual is None


@pytest.mark.parametrize("method", [name for name in METHODS if name != "pcp"])
def test_a_document_is_compared_with_the_others_only(corpus: Corpus, method: str) -> None:
    found = keywords(corpus, 6, method, phrases=False)
    for row, text in enumerate(STORIES):
        others = [other for other in STORIES if other != text]
        background = laconic.read(others, **TEXTS)
        alone = keywords([text], 6, method, background=background, phrases=False)[0]
        assert [word.word for word in alone] == [word.word for word in found[row]]
        for one, other in zip(alone, found[row], strict=True):
            known = [name for name in Keyword._fields[1:] if getattr(other, name) is not None]
            assert [getattr(one, name) for name in known] == pytest.approx(
                [getattr(other, name) for name in known], rel=1e-6
            )


def test_tfidf_and_position_by_hand(corpus: Corpus) -> None:
    scores = {word.word: word for word in keywords(corpus, 20, "tfidf", phrases=False)[1]}
    assert scores["harbour"].score == pytest.approx(2 * np.log(6))
    early = {word.word: word for word in keywords(corpus, 20, "position", phrases=False)[1]}
    harbour = early["harbour"]
    assert harbour.position == 1
    assert harbour.score == pytest.approx(2 * np.log(6) / np.sqrt(2))


def test_llr_is_that_of_a_table(corpus: Corpus) -> None:
    counts = corpus.counts.toarray()
    scores = METHODS["llr"](evidence(corpus))
    entry = 0
    for row in range(len(counts)):
        for column in np.flatnonzero(counts[row]):
            here, length = counts[row, column], counts[row].sum()
            there, rest = counts[:, column].sum() - here, counts.sum() - length
            table = [[here, length - here], [there, rest - there]]
            ratio = chi2_contingency(table, correction=False, lambda_="log-likelihood")[0]
            expected = ratio if here / length > there / rest else 0
            assert scores[entry] == pytest.approx(expected)
            entry += 1


def test_best_is_the_product_it_says(corpus: Corpus) -> None:
    for row, few in enumerate(keywords(corpus, 5, phrases=False)):
        for word in few:
            assert word.position is not None
            assert word.figures is not None
            assert word.linking is not None
            n = len(corpus) - 1
            score = word.count * np.log((n + 2) / (word.documents + 1)) ** 0.6
            score *= word.burst**1.25 / max(1, (word.documents + 1) / (n + 1) / 0.4) ** 2.5
            score *= (1 + word.position / 20) ** -1.6
            score *= np.exp(-2.5 * word.figures - 0.6 * word.linking)
            assert word.score == pytest.approx(score), (row, word)


def test_position_counts_every_word_of_the_text() -> None:
    found = keywords(laconic.read(["It is 5 o'clock; the Harbour woke."], **TEXTS), 3)[0]
    assert {word.word: word.position for word in found}["harbour"] == 6


# ---- with and without texts -----------------------------------------------------------------


def test_without_texts_counts_must_do(corpus: Corpus) -> None:
    plain = Corpus(corpus.counts, corpus.vocabulary, vectorizer=corpus.vectorizer)
    found = keywords(plain, 3)
    assert words(found) == words(keywords(corpus, 3, "counts"))
    assert {word.position for few in found for word in few} == {None}
    assert {word.figures for few in found for word in few} == {None}


def test_without_a_vocabulary_words_are_columns() -> None:
    assert words(keywords(sp.csr_matrix([[0, 2], [1, 0]]), 2)) == [["1"], ["0"]]


def test_positions_are_asked_for_and_there_is_no_text(corpus: Corpus) -> None:
    plain = Corpus(corpus.counts, corpus.vocabulary)
    with refused("method='position'", "text", "Corpus.texts", "method='counts'"):
        keywords(plain, method="position")
    texts = [*STORIES[:2], None, *STORIES[3:]]
    partly = Corpus(corpus.counts, corpus.vocabulary, ids=list("abcde"), texts=texts)
    for method in ("position", "best"):
        with refused("'c'", "text", "method='counts'"):
            keywords(partly, method=method)
    assert len(keywords(partly, method="counts")) == 5


def test_a_document_without_words_has_no_keywords() -> None:
    texts = ["the harbour is closed", "", "12 14", "it was the sea"]
    assert words(keywords(texts, 3)) == [["closed", "harbour"], [], [], ["sea"]]


def test_one_document_alone() -> None:
    assert words(keywords(["The harbour was closed; the harbour froze."], 2))[0][0] == "harbour"


def test_fractions_are_counts_too() -> None:
    found = keywords(Corpus([[0.5, 2.5], [1, 0]], ["cat", "dog"]), 2)
    assert found[0][0][:3] == ("dog", pytest.approx(found[0][0].score), 2.5)


def test_a_stored_corpus_is_as_one_in_memory(corpus: Corpus, tmp_path) -> None:  # type: ignore[no-untyped-def]
    corpus.save(tmp_path / "stories")
    assert keywords(laconic.read(tmp_path / "stories"), 4) == keywords(corpus, 4)


def test_many_documents_are_weighed_in_blocks(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = keywords(corpus, 4)
    monkeypatch.setattr("laconic.keyphrases.keywords.ROWS", 2)
    assert keywords(corpus, 4) == whole


def test_index_types_do_not_matter(corpus: Corpus) -> None:
    wide = Corpus(corpus.counts.copy(), corpus.vocabulary)
    for name in ("indptr", "indices"):
        setattr(wide.counts, name, getattr(wide.counts, name).astype(np.int64))
    assert wide.counts.indices.dtype == np.int64
    assert words(keywords(wide, 3)) == words(keywords(corpus, 3, "counts"))


# ---- documents outside the background -------------------------------------------------------


def test_words_that_the_background_lacks_are_the_rarest(corpus: Corpus) -> None:
    new = ["The walrus met the bank of London; the walrus said no to the bank."]
    known = background_of(corpus)
    found = keywords(new, 3, background=known)
    assert found == keywords(new, 3, background=corpus)
    assert words(found)[0][:2] == ["walrus", "bank"]
    assert [word.documents for word in found[0][:2]] == [0, 1]


def test_phrases_of_the_background_are_known() -> None:
    others = laconic.read([f"South Korea {word}" for word in ("met", "saw", "went")], **TEXTS)
    assert "south korea" in words(keywords(["A visit to South Korea."], 2, background=others))[0]


def test_background_without_words() -> None:
    with refused("background", "vocabulary="):
        keywords(["a harbour"], background=Corpus([[1, 0]]))


# ---- models ---------------------------------------------------------------------------------


def test_pcp_says_what_it_expects_and_leaves_over(corpus: Corpus) -> None:
    model = PCP(2, alpha=0.5).fit(corpus)
    split = model.split(corpus)
    background, left = np.maximum(split.background.toarray(), 0), split.keywords.toarray()
    for method in ("best", "pcp"):
        for row, few in enumerate(keywords(corpus, 5, method, model=model, phrases=False)):
            for word in few:
                column = int(np.flatnonzero(corpus.vocabulary == word.word)[0])
                assert word.expected == pytest.approx(background[row, column], rel=1e-5, abs=1e-6)
                assert word.residual == pytest.approx(max(left[row, column], 0), rel=1e-5)
    best = keywords(corpus, 1, "pcp", model=model, phrases=False)
    top = [np.flatnonzero(row == row.max()) for row in left]
    for few, row, columns in zip(best, left, top, strict=True):
        assert few[0].word in corpus.vocabulary[columns] if row.any() else few == []
    assert any(best)


def test_pcp_is_fitted_when_none_is_given(corpus: Corpus) -> None:
    assert keywords(corpus, 3, "pcp") == keywords(corpus, 3, "pcp", model=PCP().fit(corpus))


def test_a_model_that_does_not_know_all_words(corpus: Corpus) -> None:
    model = PCP(2, alpha=0.5).fit(laconic.read(STORIES[:3], **TEXTS))
    found = {word.word: word for word in keywords(corpus, 9, model=model, phrases=False)[3]}
    assert found["team"].residual is None
    assert found["team"].expected == 0
    assert found["captain"].residual is not None


def test_topics_expect_as_many_words_as_there_are(corpus: Corpus) -> None:
    model = PLSA(2).fit(corpus)
    counts = corpus.counts
    for row, few in enumerate(keywords(corpus, 99, "counts", model=model)):
        expected = sum(word.expected for word in few)
        length = counts[row].sum()
        assert 0 < expected <= length + 1e-6
        assert few[0].residual is None
    piped = laconic.pipeline("plsa", n_components=2).fit(STORIES)
    assert keywords(corpus, 2, model=piped)[0][0].expected > 0


def test_models_that_do_not_do(corpus: Corpus) -> None:
    with refused("SparseLSA", "negative", "positive=True", "PCP"):
        keywords(corpus, model=SparseLSA(2, positive=False, alpha=1e-3).fit(corpus))
    with refused("method='pcp'", "PCP", "model="):
        keywords(corpus, method="pcp", model=PLSA(2).fit(corpus))
    with refused("model", "PCP", "got int"):
        keywords(corpus, model=3)
    with refused("2 words", f"{corpus.shape[1]}"):
        keywords(corpus, model=PCP(1, alpha=1.0).fit([[1, 2], [2, 1]]))


# ---- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "5"])
def test_n(corpus: Corpus, n: object) -> None:
    with refused("n must", "integer", "at least 1", f"got {n!r}"):
        keywords(corpus, n)  # type: ignore[arg-type]


def test_method(corpus: Corpus) -> None:
    with refused("method='magic'", *METHODS):
        keywords(corpus, method="magic")
    with refused("method='tf-idf'", "'tfidf'?"):
        keywords(corpus, method="tf-idf")


def test_nothing_to_read() -> None:
    with refused("no documents"):
        keywords([])
    with refused("no document"):
        keywords(Corpus(np.zeros((0, 2)), ["a", "b"]))
    with refused("egative"):
        keywords(np.array([[1, -1]]))


@pytest.mark.parametrize("method", ["best", "counts"])
def test_picked_documents_have_the_keywords_that_they_have_among_all(
    corpus: Corpus, method: str
) -> None:
    analysis = analyse(corpus, method)
    [part] = analysis.parts()
    rows = [3, 1, 0, len(corpus) - 1]
    every = keywords(corpus, 4, method)
    picked = analysis.finder.best(part.pick(rows), 4, method)
    assert picked == [every[row] for row in rows]
    assert analysis.finder.best(part.pick([]), 4, method) == []


def test_picked_documents_keep_what_a_model_leaves_over(corpus: Corpus) -> None:
    model = PCP().fit(corpus)
    every = keywords(corpus, 4, "pcp", model=model)
    analysis = analyse(corpus, "pcp", model=model)
    [part] = analysis.parts()
    assert analysis.finder.best(part.pick([2, 1]), 4, "pcp") == [every[2], every[1]]


# ---- keywords as a table --------------------------------------------------------------------


def test_keywords_are_a_list_of_lists_with_a_table(corpus: Corpus) -> None:
    named = corpus.replace(
        ids=[f"s{i}" for i in range(5)], titles=["Cocoa", None, "", "Sport", "x"]
    )
    found = keywords(named, 2)
    assert isinstance(found, laconic.Keywords)
    assert isinstance(found, list)
    assert found == list(keywords(corpus, 2))
    frame = found.frame
    assert frame.columns == ["document", "id", "title", *Keyword._fields]
    assert frame["document"].to_list() == [row for row, few in enumerate(found) for _ in few]
    assert frame["word"].to_list() == [keyword.word for few in found for keyword in few]
    assert frame["score"].to_list() == [keyword.score for few in found for keyword in few]
    assert dict(zip(frame["id"], frame["title"], strict=True)) == {
        "s0": "Cocoa", "s1": None, "s2": None, "s3": "Sport", "s4": "x"
    }  # fmt: skip
    assert set(found[3:].frame["id"]) == {"s3", "s4"}
    assert keywords(corpus, 1)[3:].frame["id"].to_list() == ["3", "4"]


def test_keywords_print_as_a_table(corpus: Corpus) -> None:
    found = keywords(corpus.replace(titles=["<Cocoa>", None, "Bank", "Sport", "Wheat"]), 2)
    lines = str(found).splitlines()
    assert lines[0].split() == ["document", "keywords"]
    assert lines[1].split(maxsplit=1) == ["<Cocoa>", ", ".join(words(found)[0])]
    assert lines[2].split(maxsplit=1) == ["1", ", ".join(words(found)[1])]
    assert repr(found) == str(found)
    page = found._repr_html_()
    assert "&lt;Cocoa&gt;" in page
    assert page.count("<tr>") == 6
    assert str(found[:0]) == "no documents"


def test_only_the_first_documents_are_printed() -> None:
    found = keywords(STORIES * 10, 1)
    assert len(str(found).splitlines()) == 22
    assert str(found).endswith("… and 30 more documents")
    assert len(found.frame) == 50


def test_documents_without_keywords_have_no_rows() -> None:
    found = keywords(["cats purr", "", "dogs bark"], 1)
    assert found[1] == []
    assert found.frame["document"].to_list() == [0, 2]
