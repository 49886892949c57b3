"""Tests of the Vectorizer, compared with scikit-learn's CountVectorizer, and of bad input."""

import json
import logging
import pickle
import re
from collections import Counter
from functools import partialmethod

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import laconic
from laconic import Weighting
from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.text import counting, english
from laconic.text.defaults import complete_settings
from laconic.text.vectorizer import Vectorizer
from tests.corpus.examples import assert_equal
from tests.messages import refused

TEXTS = ["The cat sat on the mat.", "", "A dog and a cat: café, Straße 12!", "the THE the dog"]

# Characters of one to four bytes: letters with and without case, a letter whose length depends on
# its case (İ), marks and digits.
LETTERS = "aAbBzZ09_ .,-\n'äÄßẞİıσςΣé\u0301\u0307中文字ж٣²😀👍🏽𝔸𐐀ﬁ\u200d"
documents = st.lists(
    st.one_of(
        st.text(LETTERS, max_size=40),
        st.lists(st.sampled_from(["the", "cat", "Straße", "İi", "中文", "été", "😀", "a_1"])).map(
            " ".join
        ),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    ),
    max_size=8,
)
limits = st.sampled_from([1, 2, 3, 0.0, 0.2, 0.5, 1.0])
PATTERNS = [
    r"(?u)\b\w\w+\b",
    r"\w+",
    r"(?a)\b\w+\b",
    r"(?i)[a-z]+",
    r"[a-zA-Z]{2,}",
    r"\b[^\W\d_]+\b",
    r"[^\s]+",
    r"\b[a-z]+",
    r"\b[a-z-]{2,}\b",
    r"[\w']+",
    r"(?u)\b(\w)\w+\b",
    r"(a)?b",
]
parameters = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "strip_accents": st.sampled_from([None, "ascii", "unicode", str.swapcase]),
        "token_pattern": st.sampled_from(PATTERNS),
        "tokenizer": st.sampled_from([None, None, str.split, list]),
        "stop_words": st.sampled_from([None, "english", ["cat", "straße", "中文", "a"]]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4)]),
        "min_df": limits,
        "max_df": limits,
        "max_features": st.sampled_from([None, 1, 3]),
    }
)


def assert_same(corpus, vectorizer, counts):
    assert corpus.vocabulary.tolist() == vectorizer.get_feature_names_out().tolist()
    assert corpus.counts.dtype == np.int32
    assert (corpus.counts != counts).nnz == 0
    assert corpus.counts.has_canonical_format


@given(documents, parameters)
@settings(deadline=None, max_examples=150)
@pytest.mark.filterwarnings("ignore")  # ignore warnings of scikit-learn
def test_same_as_count_vectorizer(texts, params):
    theirs = CountVectorizer(**params)
    try:
        counts = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(LaconicError):
            Vectorizer(**params).fit(texts)
        return
    ours = Vectorizer(**params)
    assert_same(ours.fit_transform(texts), theirs, counts)
    assert_same(ours.transform(texts[::-1]), theirs, theirs.transform(texts[::-1]))


@given(documents, st.sampled_from(PATTERNS))
@settings(deadline=None, max_examples=60)
def test_scanned_patterns_are_those_of_re(texts, pattern):
    assume(counting.run_classes(pattern) is not None)
    found = Vectorizer(token_pattern=pattern, lowercase=False, vocabulary=["a"])
    slow = found.set_params(tokenizer=re.compile(pattern).findall).fit_transform(texts)
    fast = found.set_params(tokenizer=None).fit_transform(texts)
    assert (slow.counts != fast.counts).nnz == 0


def test_which_patterns_are_scanned():
    scanned = [pattern for pattern in PATTERNS if counting.run_classes(pattern) is not None]
    assert scanned == [*PATTERNS[:7], PATTERNS[9]]


@pytest.mark.parametrize(
    "vocabulary", [["dog", "cat", "fox"], {"cat", "dog"}, {"cat": 1, "dog": 0, "the cat": 2}]
)
def test_fixed_vocabulary(vocabulary):
    params = {"vocabulary": vocabulary, "ngram_range": (1, 2), "min_df": 2}
    theirs = CountVectorizer(**params)
    counts = theirs.fit_transform(TEXTS)
    assert_same(Vectorizer(**params).fit_transform(TEXTS), theirs, counts)
    # a fixed vocabulary needs no fit
    assert_same(Vectorizer(**params).transform(TEXTS), theirs, counts)


def test_transform_counts_known_words_only():
    vectorizer = Vectorizer().fit(["cat dog", "dog"])
    corpus = vectorizer.transform(["dog emu dog", "", "emu"])
    assert corpus.counts.toarray().tolist() == [[0, 2], [0, 0], [0, 0]]
    assert vectorizer.transform([]).shape == (0, 2)
    assert vectorizer.get_feature_names_out().tolist() == ["cat", "dog"]


@pytest.mark.parametrize(
    "params", [{}, {"ngram_range": (1, 2), "stop_words": "english"}, {"tokenizer": str.split}]
)
def test_threads_and_batches_do_not_show(monkeypatch, params):
    generator = np.random.default_rng(0)
    texts = [" ".join(map(str, generator.integers(0, 99, 30))) for _ in range(60)]
    whole = Vectorizer(n_jobs=1, **params).fit_transform(texts)
    for size in (1, 100, 1000):
        monkeypatch.setattr(counting, "BATCH_CHARACTERS", size)
        for n_jobs in (1, 2, 5):
            part = Vectorizer(n_jobs=n_jobs, **params).fit_transform(texts)
            assert part.vocabulary.tolist() == whole.vocabulary.tolist()
            for name in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(
                    getattr(part.counts, name), getattr(whole.counts, name)
                )


def test_a_generator_is_read_once_and_batch_by_batch(monkeypatch):
    monkeypatch.setattr(counting, "BATCH_CHARACTERS", 10)
    prepared = []
    prepare = counting.Analyzer.prepare

    def spy(self, batch):
        prepared.append(len(batch))
        return prepare(self, batch)

    monkeypatch.setattr(counting.Analyzer, "prepare", spy)
    texts = (f"word{n} word" for n in range(50))
    corpus = Vectorizer(min_df=1, n_jobs=2).fit_transform(texts)
    assert corpus.shape == (50, 51)
    assert max(prepared) == 1
    assert corpus.texts is None


def test_chinese_through_a_tokenizer_of_ones_own():
    def characters(text):
        return [character for character in text if character.isalpha()]

    corpus = Vectorizer(tokenizer=characters).fit_transform(["我爱北京", "北京，北京！"])
    assert corpus[1].words == {"京": 2, "北": 2}
    assert corpus.vectorizer["tokenizer"] is characters


def test_german():
    texts = ["Über die Straße, für ÄPFEL und Öl", "Der Apfel ist über dem Öl"]
    words = Vectorizer(stop_words="de").fit(texts).vocabulary_.tolist()
    assert words == ["apfel", "straße", "äpfel", "öl"]
    plain = Vectorizer(stop_words="german", strip_accents="unicode").fit(texts)
    assert plain.vocabulary_.tolist() == ["apfel", "ol", "straße"]


def test_emoji():
    corpus = Vectorizer(token_pattern=r"[^\s\w]").fit_transform(["good 👍🏽 😀😀", "😀"])
    assert corpus[0].words == {"👍": 1, "🏽": 1, "😀": 2}
    assert Vectorizer().fit(["so 😀good😀 now"]).vocabulary_.tolist() == ["good", "now", "so"]


def test_lone_surrogates_do_no_harm():
    texts = ["ab \ud800 cd", "xy\udfffz ab"]
    theirs = CountVectorizer()
    counts = theirs.fit_transform(texts)
    assert_same(Vectorizer().fit_transform(texts), theirs, counts)


def test_english_stop_words_are_those_of_scikit_learn():
    assert english.ENGLISH_STOP_WORDS == ENGLISH_STOP_WORDS
    words = Vectorizer(stop_words="en").fit([*ENGLISH_STOP_WORDS, "cat"]).vocabulary_
    assert words.tolist() == ["cat"]


GERMAN = "Die Katze und der Hund sind auf dem Dach und nicht in dem Haus. " * 100
ENGLISH = "The cat and the dog are on the roof and not in the house. " * 100


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "german"),
        (ENGLISH, "english"),
        ("katze hund dach " * 400, None),
        (ENGLISH[:300], "english"),
        (ENGLISH[:30], None),
    ],
)
def test_stop_words_of_the_language_of_the_texts(text, language, caplog):
    with caplog.at_level(logging.INFO, logger="laconic"):
        vectorizer = Vectorizer(stop_words="auto").fit(iter([text, text]))
    assert vectorizer.settings_["stop_words"] == language
    message = f"stop words: {language}" if language else "No stop words are removed"
    assert message in caplog.text
    assert ("und" in vectorizer.vocabulary_) is False
    expected = Vectorizer(stop_words=language).fit_transform([text, text])
    assert (vectorizer.transform([text, text]).counts != expected.counts).nnz == 0


def test_a_corpus_gives_its_words_and_settings():
    corpus = Vectorizer(stop_words="auto", ngram_range=(1, 2)).fit_transform(TEXTS)
    vectorizer = Vectorizer()
    assert vectorizer.fit_transform(corpus) is corpus
    assert vectorizer.settings_ == corpus.vectorizer
    assert (vectorizer.transform(TEXTS).counts != corpus.counts).nnz == 0
    shuffled = Corpus([[1, 2, 3]], ["the cat", "unknown", "dog"])
    aligned = vectorizer.transform(shuffled)
    assert aligned.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert aligned[0].words == {"dog": 3, "the cat": 1}


def test_a_corpus_of_unknown_making_is_read_with_ones_own_settings():
    vectorizer = Vectorizer(token_pattern=r"\w", stop_words="auto").fit(
        Corpus([[1, 2]], ["b", "a"])
    )
    assert vectorizer.transform(["a b bb"]).counts.toarray().tolist() == [[3, 1]]
    fixed = Vectorizer(vocabulary=["a", "c"]).fit_transform(Corpus([[1, 2]], ["b", "a"]))
    assert fixed.counts.toarray().tolist() == [[2, 0]]


@pytest.mark.parametrize("matrix", [np.eye(3), sp.csr_matrix(np.eye(3)), Corpus(np.eye(3))])
def test_a_matrix_passes_through(matrix):
    vectorizer = Vectorizer().fit(matrix)
    assert vectorizer.vocabulary_ is None
    assert vectorizer.transform(matrix) is matrix
    with refused("cannot count", "text"):
        vectorizer.transform(["a text"])
    with refused("2 columns", "3"):
        vectorizer.transform(np.eye(2))
    with refused("no words"):
        vectorizer.get_feature_names_out()
    vectorizer.fit(["some text"])
    assert not hasattr(vectorizer, "n_features_in_")


def test_settings_are_plain_values():
    vectorizer = Vectorizer(
        stop_words={"b", "a"},
        ngram_range=(1, np.int64(2)),
        min_df=np.int64(1),
        max_df=np.float64(1),
    ).fit(TEXTS)
    assert json.loads(json.dumps(vectorizer.settings_)) == vectorizer.settings_
    assert vectorizer.settings_["stop_words"] == ["a", "b"]
    again = Vectorizer(**vectorizer.settings_).fit(TEXTS)
    assert again.vocabulary_.tolist() == vectorizer.vocabulary_.tolist()


def test_clone_pickle_and_pipeline():
    vectorizer = Vectorizer(min_df=2)
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    expected = vectorizer.fit(TEXTS).transform(TEXTS).counts
    copy = pickle.loads(pickle.dumps(vectorizer))
    assert "_cached_words" not in vars(copy)
    assert (copy.transform(TEXTS).counts != expected).nnz == 0
    pipeline = make_pipeline(
        vectorizer, FunctionTransformer(lambda corpus: corpus.counts.toarray())
    )
    pipeline.set_output(transform="default")
    assert pipeline.fit_transform(TEXTS).shape == expected.shape


@pytest.mark.parametrize("n_jobs", [-1, -2, -100, np.int64(2)])
def test_n_jobs_counts_back_from_the_cores(n_jobs):
    expected = Vectorizer(n_jobs=1).fit_transform(TEXTS).counts
    assert (Vectorizer(n_jobs=n_jobs).fit_transform(TEXTS).counts != expected).nnz == 0
    assert laconic.pipeline("plsa", n_components=2, n_jobs=n_jobs).fit(TEXTS)


def test_counts_alone_for_other_estimators():
    vectorizer = Vectorizer(output="csr", min_df=2)
    corpus = Vectorizer(min_df=2).fit_transform(TEXTS)
    counts = vectorizer.fit_transform(TEXTS)
    assert isinstance(counts, sp.csr_matrix)
    assert (counts != corpus.counts).nnz == 0
    assert (vectorizer.transform(TEXTS[:1]) != corpus.counts[:1]).nnz == 0
    assert vectorizer.get_feature_names_out().tolist() == corpus.vocabulary.tolist()
    assert (vectorizer.transform(corpus) != corpus.counts).nnz == 0
    assert vectorizer.fit_transform(corpus.counts) is corpus.counts
    assert "output" not in vectorizer.settings_


def test_in_a_pipeline_with_estimators_of_scikit_learn():
    nmf = make_pipeline(Vectorizer(output="csr"), Weighting("tfidf"), NMF(2))
    assert nmf.fit_transform(TEXTS).shape == (len(TEXTS), 2)
    labels = np.arange(len(TEXTS)) % 2
    classifier = make_pipeline(Vectorizer(output="csr"), LinearSVC())
    assert classifier.fit(TEXTS, labels).predict(TEXTS).shape == labels.shape


def test_changed_vocabulary_is_noticed():
    vectorizer = Vectorizer().fit(["a cat", "a dog"])
    vectorizer.transform(["cat"])
    vectorizer.vocabulary_ = np.array(["emu", "cat"], dtype=object)
    assert vectorizer.transform(["cat"]).counts.toarray().tolist() == [[0, 1]]


def test_not_fitted():
    with pytest.raises(NotFittedError):
        Vectorizer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        Vectorizer().get_feature_names_out()


def test_a_tokenizer_that_was_not_stored():
    vectorizer = Vectorizer(tokenizer=str.split).fit(TEXTS)
    vectorizer.settings_["tokenizer"] = "pkg.func"
    with refused("'pkg.func'", "not stored", "laconic.load"):
        vectorizer.transform(TEXTS)


BAD_TEXTS = [
    ("one text", ["single text", "list of texts"]),
    (b"one text", ["single text", "list of texts"]),
    (7, ["list", "str", "got int"]),
    (["a", b"b"], ["Document 1", "bytes", "text.decode('utf-8')"]),
    (["a", "b", None], ["Document 2", "NoneType", "''"]),
    (["a", 3.5], ["Document 1", "str", "float"]),
    ([], ["no document", "at least one text"]),
    (["", " "], ["No word", "2 documents", "token_pattern="]),
]


@pytest.mark.parametrize(("texts", "parts"), BAD_TEXTS)
def test_bad_texts_get_a_sentence(texts, parts):
    with refused(*parts):
        Vectorizer().fit(texts)


BAD_SETTINGS = [
    ({"min_df": 5}, ["min_df=5 removed 10 of 10 words", "min_df", "max_df"]),
    ({"max_df": 0.1, "min_df": 0.0}, ["max_df=0.1 removed 10 of 10 words"]),
    ({"min_df": 3, "max_df": 2}, ["max_df=2", "at most 2 documents", "min_df=3"]),
    ({"min_df": -1}, ["min_df", "1 or more", "got -1"]),
    ({"max_df": 1.5}, ["max_df", "1 or more", "got 1.5"]),
    ({"max_df": "many"}, ["max_df", "got 'many'"]),
    ({"max_features": 0}, ["max_features", "None", "1 or more", "got 0"]),
    ({"ngram_range": (2, 1)}, ["ngram_range", "two ints", "got (2, 1)"]),
    ({"ngram_range": (0, 1)}, ["ngram_range", "two ints", "got (0, 1)"]),
    ({"ngram_range": 2}, ["ngram_range", "two ints", "got 2"]),
    ({"ngram_range": ("a", 2)}, ["ngram_range", "two ints", "got ('a', 2)"]),
    ({"ngram_range": (9, 9)}, ["9 words in a row", "ngram_range=(9, 9)"]),
    ({"token_pattern": "("}, ["token_pattern='('", "regular expression"]),
    ({"token_pattern": None}, ["token_pattern=None", "regular expression"]),
    ({"token_pattern": "(a)(b)"}, ["token_pattern", "one capturing group"]),
    ({"token_pattern": "x"}, ["No word", "4 documents", "token_pattern='x'"]),
    ({"tokenizer": "split"}, ["tokenizer", "callable", "got 'split'"]),
    ({"tokenizer": lambda text: [1]}, ["tokenizer", "str", "1"]),
    ({"strip_accents": "all"}, ["strip_accents", "'ascii'", "'unicode'", "None", "callable"]),
    ({"strip_accents": str.encode}, ["strip_accents", "str"]),
    ({"stop_words": "klingon"}, ["'klingon'", "german (de)"]),
    ({"stop_words": ["a", 1]}, ["stop_words", "words", "1 (int)"]),
    (
        {"stop_words": TEXTS[0].lower().split(), "tokenizer": lambda text: ["cat"]},
        ["stop_words (a list of 6)", "all 4 words", "4 documents"],
    ),
    ({"vocabulary": []}, ["vocabulary", "empty"]),
    ({"vocabulary": ["a", "b", "a"]}, ["vocabulary", "'a'", "twice"]),
    ({"vocabulary": {"a": 0, "b": 2}}, ["vocabulary", "2 words", "columns"]),
    ({"vocabulary": [1]}, ["vocabulary", "words", "got 1"]),
    ({"n_jobs": 0}, ["n_jobs", "None", "positive", "negative", "got 0"]),
    ({"n_jobs": 1.5}, ["n_jobs", "got 1.5"]),
    ({"output": "frame"}, ["'output'", "Vectorizer", "'corpus' or 'csr'", "'frame'"]),
]


@pytest.mark.parametrize(("params", "parts"), BAD_SETTINGS)
def test_bad_settings_get_a_sentence(params, parts):
    # `re` writes the message about a pattern, and another library provides the list of languages
    by_others = params.get("token_pattern", "") in ("(", None) or "klingon" in params.values()
    with refused(*parts, golden=not by_others) as caught:
        Vectorizer(**params).fit(TEXTS)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_both_limits_are_named_when_both_removed_words():
    with refused("min_df=2 removed 2", "max_df=2 removed 1", "3 words"):
        Vectorizer(min_df=2, max_df=2).fit(["cat dog", "cat emu", "cat"])


TOKENS = [["New York", "cat"], [], ["cat", "Dog", "cat"]]


def test_lists_of_tokens_are_counted_as_they_are():
    vectorizer = Vectorizer(stop_words=None)
    corpus = vectorizer.fit_transform(TOKENS)
    assert corpus.vocabulary.tolist() == ["Dog", "New York", "cat"]
    assert corpus.counts.toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 2]]
    assert (vectorizer.transform(TOKENS).counts != corpus.counts).nnz == 0
    read = laconic.read(TOKENS, stop_words=None)
    assert read.vectorizer == corpus.vectorizer
    # texts are split at white space
    assert vectorizer.transform(["cat, Dog cat"])[0].words == {"Dog": 1, "cat": 1}
    model = laconic.pipeline("slsa", 2, stop_words=None).fit(TOKENS)
    assert model.transform([["cat"]]).shape == (1, 2)


def test_documents_of_tokens_must_be_lists_of_words():
    with refused("document 1", "5", "str"):
        Vectorizer().fit([["cat"], [5]])


def test_texts_of_a_store_are_counted_again_in_parts(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(Corpus, "parts", partialmethod(Corpus.parts, 3))
    texts = ["a cat and a dog", "the dog", "cats, dogs", "", "an emu", "dog dog", "emu cat"]
    model = Vectorizer(stop_words=None, min_df=1, max_df=1.0).fit(texts)
    pruned = laconic.read(texts, min_df=3, stop_words=None).replace(titles=list("abcdefg"))
    on_disk = Corpus.open(pruned.save(tmp_path / "corpus"))
    assert_equal(model.align(pruned), model.align(on_disk))
    assert model.align(on_disk)[6].words == {"cat": 1, "emu": 1}
    assert not caplog.messages
    # If a document has no text, the documents cannot be counted again.
    missing = pruned.replace(texts=[*texts[:6], None])
    on_disk = Corpus.open(missing.save(tmp_path / "missing"))
    assert_equal(model.align(missing), model.align(on_disk))
    assert "emu" not in model.align(on_disk)[6].words
    assert "read the documents with vocabulary=model" in caplog.text


@given(
    st.lists(st.text(max_size=60), min_size=1, max_size=3),
    st.sampled_from([None, "english", "german", ["cat", "straße"]]),
    st.sampled_from([None, "ascii", "unicode"]),
    st.sampled_from([r"(?u)\b\w\w+\b", r"\w+", r"[a-z]{2,}", r"(\w)\w*"]),
)
def test_words_of_a_short_text_are_those_that_are_counted(texts, stop, accents, pattern):
    chosen = {"stop_words": stop, "strip_accents": accents, "token_pattern": pattern}
    analyzer = counting.Analyzer(complete_settings(chosen))
    for text in [*texts, "The Cat und die Straße, café 中文 cat"]:
        lexicon = counting.Lexicon()
        tally = counting.count(iter([text]), analyzer, lexicon, 1)
        words = counting.decoded(lexicon.encoded(tally.indices))
        assert Counter(analyzer.words(text)) == Counter(
            dict(zip(words, tally.data.tolist(), strict=True))
        )


@pytest.mark.parametrize("options", [{"ngram_range": (1, 2)}, {"phrases": True}])
def test_pairs_of_words_are_not_listed(options):
    assert counting.Analyzer(complete_settings(options)).words("a cat") is None
