"""Tests of coherence against manual calculation, plain Python and, if installed, gensim."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic import Corpus, Weighting
from laconic.datasets import make_topics
from laconic.metrics.coherence import EPSILON, MEASURES, WINDOWS, coherence
from laconic.metrics.cooccurrence import WordPairs, cooccurrences
from laconic.text import positions as sequences
from tests.kernels import slow_windows as slow
from tests.messages import check, refused

ALPHABET = "abcdef"
LOG = math.log

documents_of_all_kinds = st.lists(
    st.lists(st.sampled_from(ALPHABET), max_size=12), min_size=1, max_size=6
)
topics_of_all_kinds = st.lists(st.lists(st.sampled_from("abcdz"), max_size=4), max_size=3)
measures = st.sampled_from(list(MEASURES))
windows = st.one_of(st.none(), st.integers(1, 8))


# --- calculated by hand --------------------------------------------------------------------------

DOCUMENTS = [["a", "b"], ["a", "b"], ["a", "c"], ["c", "d"]]  # each document is a single window


def test_npmi_on_paper():
    # P(a) = 3/4, P(b) = 2/4, P(a, b) = 2/4: ln[(2/4) / (6/16)] / -ln(2/4) = ln(4/3) / ln 2
    # P(c) = 2/4, P(a, c) = 1/4: ln[(1/4) / (6/16)] / -ln(1/4) = ln(2/3) / ln 4
    values = coherence([["a", "b"], ["a", "c"], ["a", "b", "c"]], DOCUMENTS)
    ab, ac = LOG(4 / 3) / LOG(2), LOG(2 / 3) / LOG(4)
    bc = LOG(EPSILON / 0.25) / -LOG(EPSILON)  # b and c never occur together
    assert values == pytest.approx([ab, ac, (ab + ac + bc) / 3], abs=1e-9)
    assert ab == pytest.approx(0.4150, abs=1e-4)


def test_uci_and_umass_on_paper():
    topics = [["a", "b"], ["b", "a"], ["a", "c"]]
    uci = [LOG(4 / 3), LOG(4 / 3), LOG(2 / 3)]
    assert coherence(topics, DOCUMENTS, "uci") == pytest.approx(uci, abs=1e-9)
    # conditional on the first word: P(a, b) / P(a) = 2/3, P(a, b) / P(b) = 1
    umass = [LOG(2 / 3), 0, LOG(1 / 3)]
    assert coherence(topics, DOCUMENTS, "umass") == pytest.approx(umass, abs=1e-9)


def test_c_v_on_paper():
    # the words have the vectors (1, x) and (x, 1) with x = NPMI(a, b); their sum is along (1, 1)
    x = LOG(4 / 3) / LOG(2)
    cosine = (1 + x) / math.sqrt(2 * (1 + x * x))
    assert coherence([["a", "b"]], DOCUMENTS, "c_v") == pytest.approx([cosine], abs=1e-9)


def test_both_counts_on_paper():
    # All windows (axa, xab and abx) contain a, but gensim drops a after the first window.
    text = [["a", "x", "a", "b", "x"]]
    pairs = WordPairs.within([["a", "b"]])
    correct = cooccurrences(pairs, text, window=3)
    assert (correct.n_windows, correct.occurrences.tolist(), correct.pairs[0, 1]) == (3, [3, 2], 2)
    like_gensim = cooccurrences(pairs, text, window=3, compatible=True)
    assert like_gensim.occurrences.tolist() == [1, 2]
    assert like_gensim.pairs[0, 1] == 0
    # P(a) = 1, so that a and b are independent and their NPMI is 0
    assert coherence([["a", "b"]], text, window=3) == pytest.approx([0], abs=1e-9)


# --- plain Python --------------------------------------------------------------------------------


def slow_coherence(topic, documents, measure, size, compatible):
    """Return the coherence of a topic from windows that are counted one by one."""
    count = slow.count_like_gensim if compatible else slow.count_correctly
    total, counts = count(documents, 99 if size is None else size)

    def alone(word):
        return max(counts[word], 1) / total

    def joint(v, w):
        together = counts[v] if v == w else counts[min(v, w), max(v, w)]
        return together / total + EPSILON

    def npmi(v, w):
        if not compatible:
            if not counts[v] or not counts[w]:
                return -1
            if joint(v, w) - EPSILON == 1:
                return 1
        value = LOG(joint(v, w) / (alone(v) * alone(w))) / -LOG(joint(v, w))
        return value if compatible else min(max(value, -1), 1)

    seen = [word for word in topic if counts[word]]
    topic = seen if compatible else list(dict.fromkeys(topic))
    if measure == "c_v":
        return slow_c_v(topic, counts, npmi, compatible)
    value = {
        "npmi": npmi,
        "uci": lambda v, w: LOG(joint(v, w) / (alone(v) * alone(w))),
        "umass": lambda v, w: LOG(joint(v, w) / alone(v)),
    }[measure]
    values = [value(v, w) for v, w in combinations(topic, 2)]
    nothing = LOG(EPSILON) if measure == "umass" else 0
    return sum(values) / len(values) if values else nothing


def slow_c_v(topic, counts, npmi, compatible):
    if len(topic) < 2 and not (compatible and topic):
        return 0
    distinct = list(dict.fromkeys(topic))

    def vector(words):
        return np.array(
            [
                topic.count(w) * sum(npmi(v, w) if counts[v] and counts[w] else 0 for v in words)
                for w in distinct
            ]
        )

    whole = vector(topic)
    cosines = []
    for word in topic:
        lengths = np.linalg.norm(vector([word])) * np.linalg.norm(whole)
        cosines.append(vector([word]) @ whole / lengths if lengths else 0)
    return float(np.mean(cosines))


@given(topics_of_all_kinds, documents_of_all_kinds, measures, windows, st.booleans())
def test_equals_plain_python(topics, documents, measure, size, compatible):
    values = coherence(topics, documents, measure, window=size, compatible=compatible)
    expected = [slow_coherence(topic, documents, measure, size, compatible) for topic in topics]
    assert values == pytest.approx(expected, abs=1e-9)
    assert np.isfinite(values).all()
    assert values.shape == (len(topics),)


# --- gensim --------------------------------------------------------------------------------------

GENSIM = {"npmi": "c_npmi", "c_v": "c_v", "uci": "c_uci", "umass": "u_mass"}


def gensim_coherence(topics, documents, measure, size):
    from gensim.corpora import Dictionary
    from gensim.models.coherencemodel import CoherenceModel

    model = CoherenceModel(
        topics=topics,
        texts=documents,
        dictionary=Dictionary(documents),
        coherence=GENSIM[measure],
        window_size=size,
        topn=max(map(len, topics)),
        processes=1,
    )
    return model.get_coherence_per_topic()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("size", [1, 3, 10, 110])
def test_compatible_equals_gensim(measure, size):
    pytest.importorskip("gensim")
    random = np.random.default_rng(size)
    documents = [
        random.choice(list("abcdefghij"), size=length, p=np.arange(10, 0, -1) / 55).tolist()
        for length in random.integers(0, 40, size=60)
    ]
    documents.append(["a"] * 150 + ["b", "c"] * 30)
    topics = [["a", "b", "c"], ["d", "a", "j"], ["a", "b", "a"], ["e", "never", "f"], ["g", "h"]]
    ours = coherence(topics, documents, measure, window=_window(measure, size), compatible=True)
    theirs = gensim_coherence(topics, documents, measure, size)
    assert ours == pytest.approx(theirs, abs=1e-6)


def _window(measure, size):
    return None if measure == "umass" else size


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("measure", MEASURES)
def test_finite_where_gensim_is_not(measure):
    """laconic's values are finite for a single word and for words that are in every window."""
    pytest.importorskip("gensim")
    documents = [["a", "b"], ["a", "b"]]
    for topic in (["a"], ["a", "b"]):
        theirs = gensim_coherence([topic], documents, measure, 5)[0]
        ours = coherence([topic], documents, measure, window=_window(measure, 5), compatible=True)
        assert np.isfinite(ours).all()
        if np.isfinite(theirs):
            assert ours == pytest.approx([theirs], abs=1e-6)


# --- texts, corpora and counts -------------------------------------------------------------------

TEXTS = ["The cat sat on the mat.", "A cat! A mat?", "", "dogs bark; the dog sat", "a dog a dog"]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("compatible", [False, True])
def test_texts_are_their_tokens(measure, compatible):
    corpus = laconic.read(TEXTS, token_pattern=r"\w+", stop_words=["the", "a", "on"])
    tokens = [
        sentence.lower().translate(str.maketrans("", "", ".!?;")).split() for sentence in TEXTS
    ]
    assert corpus.texts is not None
    topics = [["cat", "mat", "sat"], ["dog", "bark"], ["dog", "unicorn"]]
    options = {"measure": measure, "window": 3, "compatible": compatible}
    assert np.array_equal(
        coherence(topics, corpus, **options), coherence(topics, tokens, **options)
    )


def test_the_window_slides_over_stop_words_too():
    corpus = laconic.read(["cat on the mat"], token_pattern=r"\w+", stop_words=["on", "the"])
    pairs = WordPairs.within([["cat", "mat"]])
    assert cooccurrences(pairs, corpus, window=2).n_windows == 3
    assert cooccurrences(pairs, corpus, window=3).pairs[0, 1] == 0
    assert cooccurrences(pairs, corpus, window=4).pairs[0, 1] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"tokenizer": str.split},
        {"token_pattern": r"(\w+)\b"},  # the kernels do not support this pattern, so `re` is used
        {"token_pattern": r"\w+", "strip_accents": "unicode"},
    ],
)
def test_other_tokens(settings):
    texts = ["Café noir and tea", "café and tea", "tea"]
    corpus = laconic.read(texts, **settings)
    name = "cafe" if "strip_accents" in settings else "café"
    found = cooccurrences(WordPairs.within([[name, "tea"]]), corpus, window=3)
    assert (found.n_windows, found.occurrences.tolist()) == (4, [2, 3])
    assert found.pairs[0, 1] == 1


def test_ngrams_stand_where_their_first_word_does():
    texts = ["new york is big", "in the new big york", "york of new york"]
    corpus = laconic.read(
        texts, ngram_range=(1, 2), stop_words=["is", "in", "the", "of"], token_pattern=r"\w+"
    )
    pairs = WordPairs.within([["new york", "big"], ["york new"]])
    found = cooccurrences(pairs, corpus, window=3)
    # windows: new york is, york is big | in the new, the new big, new big york | york of new, ...
    assert found.n_windows == 2 + 3 + 2
    # "york new" is in the window "york of new", because stop words are removed before word pairs
    # are formed. A pair counts where its first word is, so "new york" is in both windows of the
    # last text.
    assert found.occurrences.tolist() == [1 + 2, 1 + 2, 1]
    assert cooccurrences(pairs, corpus, window=4).pairs[0, 1] == 1


def test_counts_alone_are_judged_by_document(planted):
    corpus, truth = planted
    topics = strongest(truth.topics, corpus.vocabulary)
    plain = Corpus(corpus.counts, corpus.vocabulary)
    tokens = [list(np.repeat(corpus.vocabulary[r.indices], r.data)) for r in corpus.counts]
    for measure in MEASURES:
        expected = coherence(topics, tokens, measure, window="document")
        assert np.array_equal(coherence(topics, plain, measure), expected)
        by_matrix = coherence(topics, corpus.counts, measure, vocabulary=corpus.vocabulary)
        assert np.array_equal(by_matrix, expected)
        weighted = Weighting("tfidf").fit_transform(plain)
        assert np.array_equal(coherence(topics, weighted, measure), expected)


def test_columns_without_words_have_numbers():
    X = sp.csr_matrix([[1, 1, 0], [2, 1, 0], [0, 0, 3]])
    assert coherence([["0", "1"]], X) == pytest.approx([1])
    assert coherence([["0", "1"]], Corpus(X)) == pytest.approx([1])


def test_a_corpus_on_disk(planted, tmp_path, small_chunks):
    corpus, truth = planted
    topics = strongest(truth.topics, corpus.vocabulary)
    stored = laconic.read(corpus.save(tmp_path / "store"))
    assert len(stored.chunks()) > 2
    assert np.array_equal(coherence(topics, stored), coherence(topics, corpus))


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_neither_chunks_nor_threads_matter(n_jobs, monkeypatch):
    random = np.random.default_rng(0)
    documents = [random.choice(list(ALPHABET), size=30).tolist() for _ in range(50)]
    corpus = laconic.read([" ".join(d) for d in documents], token_pattern=r"\w+")
    topics = [["a", "b", "c"], ["d", "e"]]
    whole = coherence(topics, documents, window=5)
    monkeypatch.setattr(sequences, "BATCH_DOCUMENTS", 7)
    monkeypatch.setattr(sequences, "BATCH_CHARACTERS", 200)
    assert np.array_equal(coherence(topics, documents, window=5, n_jobs=n_jobs), whole)
    assert np.array_equal(coherence(topics, corpus, window=5, n_jobs=n_jobs), whole)


# --- what has no effect, and what has an effect --------------------------------------------------


@given(documents_of_all_kinds, st.permutations("abcd"), measures)
def test_neither_order_of_documents_nor_of_words_matters(documents, words, measure):
    value = coherence([list("abcd")], documents, measure)
    assert coherence([list("abcd")], documents[::-1], measure) == pytest.approx(value)
    if measure != "umass":  # umass depends on which word of a pair comes first
        assert coherence([words], documents, measure) == pytest.approx(value)


@given(documents_of_all_kinds, measures)
def test_topics_do_not_hang_together(documents, measure):
    both = coherence([["a", "b", "c"], ["b", "c", "d"]], documents, measure)
    alone = [coherence([t], documents, measure)[0] for t in (["a", "b", "c"], ["b", "c", "d"])]
    assert both.tolist() == alone


@given(documents_of_all_kinds, st.lists(st.sampled_from(ALPHABET), max_size=5))
def test_npmi_has_bounds(documents, topic):
    assert -1 <= coherence([topic], documents)[0] <= 1


def strongest(topics, words, n=8):
    return [[str(words[column]) for column in np.argsort(-row)[:n]] for row in topics]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("known_order", [False, True])
def test_shuffled_topics_are_worse(measure, known_order):
    corpus, truth = make_topics(200, 120, 5, topics_per_document=1, random_state=1)
    topics = strongest(truth.topics, corpus.vocabulary)
    words = np.random.default_rng(0).permutation(np.concatenate(topics))
    documents = [list(np.repeat(corpus.vocabulary[r.indices], r.data)) for r in corpus.counts]
    source = documents if known_order else corpus
    good = coherence(topics, source, measure)
    bad = coherence(words.reshape(5, -1).tolist(), source, measure)
    assert good.min() > bad.max()
    assert good.mean() > bad.mean() + 0.2


# --- unusual topics and documents ----------------------------------------------------------------

ODD = {
    "nothing": [],
    "one word": ["a"],
    "never seen": ["zebra", "unicorn"],
    "one of two never seen": ["a", "unicorn"],
    "one word twice": ["a", "a"],
    "all in one": ["a", "b", "a", "unicorn"],
}


@pytest.mark.parametrize("topic", ODD.values(), ids=ODD)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("documents", [[], [[]], [[], ["a"]], [["a", "b"], ["a", "b"]], DOCUMENTS])
@pytest.mark.parametrize("compatible", [False, True])
def test_always_a_number(topic, measure, documents, compatible):
    for window in ("auto", 1, 2, None):
        value = coherence([topic], documents, measure, window=window, compatible=compatible)
        assert np.isfinite(value).all()


def test_defined_values():
    def value(topic, measure="npmi"):
        return coherence([topic], DOCUMENTS, measure)[0]

    assert value([]) == value(["a"]) == 0
    assert value([], "c_v") == value(["a"], "c_v") == 0
    assert value(["a"], "umass") == pytest.approx(LOG(EPSILON))
    assert value(["a", "unicorn"]) == value(["zebra", "unicorn"]) == -1
    assert value(["zebra", "unicorn"], "c_v") == 0
    assert value(["a", "b", "a"]) == value(["a", "b"])
    assert value(["a", "b", "unicorn"]) < value(["a", "b"])
    assert value(["a", "b", "unicorn"], "c_v") < value(["a", "b"], "c_v")
    assert coherence([["a", "b"]], [["a", "b"]] * 3)[0] == 1  # both words are in every window
    assert coherence([["a", "b"]], [["a", "b"]] * 3, "c_v")[0] == pytest.approx(1)


def test_no_topics_and_no_documents():
    assert coherence([], DOCUMENTS).tolist() == []
    assert coherence([["a", "b"]], []).tolist() == [-1]


def test_fewer_words_of_each_topic():
    topics = [["a", "b", "zebra"], ["a"]]
    assert np.array_equal(
        coherence(topics, DOCUMENTS, n_words=2), [*coherence([["a", "b"]], DOCUMENTS), 0]
    )


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"measure": "c_w2v"}, ["measure", "'npmi', 'c_v', 'uci', 'umass'", "got 'c_w2v'"]),
        ({"window": 0}, ["window", "positive", "'document'", "'auto'", "got 0"]),
        ({"window": -5}, ["window", "got -5"]),
        ({"window": 2.5}, ["window", "got 2.5"]),
        ({"window": True}, ["window", "got True"]),
        ({"window": "wide"}, ["window", "got 'wide'"]),
        ({"n_words": 0}, ["n_words", "at least 1", "got 0"]),
    ],
)
def test_bad_options(options, parts):
    with refused(*parts):
        coherence([["a", "b"]], DOCUMENTS, **options)


def test_bad_documents():
    with refused("Document 1", "list of words", "str"):
        coherence([["a", "b"]], [["a"], "a b"])
    with refused("Document 0", "list of words", "int"):
        coherence([["a", "b"]], [1, 2])
    with refused("Topic 0", "str"):
        coherence(["ab"], DOCUMENTS)
    with refused("only counts", "texts"):
        coherence([["0", "1"]], sp.eye(2, format="csr"), window=10)
    corpus = Corpus([[1, 1], [1, 0]], ["a", "b"], texts=["a b", None])
    with refused("Document 1", "no text"):
        coherence([["a", "b"]], corpus)
    assert coherence([["a", "b"]], corpus, window="document") == pytest.approx([0], abs=1e-9)
    with refused("window", "1 token", "got 0"):
        cooccurrences(WordPairs.within([["a", "b"]]), DOCUMENTS, window=0)


def test_every_measure_has_its_usual_window():
    assert WINDOWS.keys() == MEASURES.keys()
    # the distance of a and b is more than 10 tokens and less than 110
    long = [["a", *"x" * 60, "b"]]
    assert coherence([["a", "b"]], long * 2 + [["c"]], "c_v")[0] > 0.99
    assert coherence([["a", "b"]], long * 2 + [["c"]], "npmi")[0] < 0


def test_words_that_the_texts_do_not_have_are_told(caplog):
    corpus = Corpus([[1, 1], [1, 0]], ["Cat", "dog"], texts=["Cat dog", "Cat"])
    coherence([["Cat", "dog"]], corpus)
    (said,) = caplog.messages
    check(said, "1 counted word", "'Cat'", "texts")
    caplog.clear()
    coherence([["Cat", "dog", "unicorn"]], corpus, window="document")
    assert caplog.text == ""


def test_a_window_of_any_size_is_the_whole_document():
    texts = [["cat", "dog"], ["cat", "emu", "dog"]]
    huge = coherence([["cat", "dog"]], texts, window=10**30)
    assert huge == pytest.approx(coherence([["cat", "dog"]], texts, window="document"))


def test_the_usual_windows():
    assert WINDOWS["npmi"] == WINDOWS["uci"] == 10
    assert WINDOWS["c_v"] == 110
    draw = np.random.default_rng(0)
    texts = [[f"w{i}" for i in draw.integers(9, size=40)] for _ in range(5)]
    topic = [["w0", "w1", "w2"]]
    for measure in ("npmi", "c_v"):
        auto = coherence(topic, texts, measure)
        assert auto == pytest.approx(coherence(topic, texts, measure, window=WINDOWS[measure]))
