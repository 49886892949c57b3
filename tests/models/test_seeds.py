"""Tests of seeds in all models: topics come back as named, and the seeds hold during the fit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import laconic
from laconic import PCP, PLSA, SCTM, STC, MedSTC, SparseCoding, SparseLSA
from tests.messages import refused, warned

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = {
    "slsa": (SparseLSA, {"positive": True, "codes": "sparse"}),
    "slsa, signed": (SparseLSA, {"alpha": 0.5}),
    "slsa, short": (SparseLSA, {"words_per_topic": 8, "codes": "projection"}),
    "sc": (SparseCoding, {}),
    "sc, signed": (SparseCoding, {"positive": False}),
    "plsa": (PLSA, {}),
    "plsa, sparse": (PLSA, {"smoothing": -0.05}),
    "sctm": (SCTM, {}),
    "sctm, noise": (SCTM, {"noise": "counts"}),
    "stc": (STC, {}),
    "stc, paper": (STC, {"dictionary": "paper"}),
    "stc, gaussian": (STC, {"dictionary": "paper", "loss": "gaussian"}),
    "medstc": (MedSTC, {}),
}
ONLINE = [name for name in MODELS if name != "medstc"]


@pytest.fixture(scope="module")
def planted():
    """Return documents of four topics, and the words of the topics, the most typical first."""
    corpus, truth = laconic.datasets.make_topics(
        160, 80, 4, words_per_topic=12, document_length=40, random_state=1
    )
    labels = truth.codes.argmax(axis=1).astype(str)
    words = [corpus.vocabulary[np.argsort(-topic)[:4]].tolist() for topic in truth.topics]
    return corpus.replace(labels=labels), truth, words


def seeds_of(words):
    """Return seeds for topics 2 and 0, with an exclusive word and a word that is excluded."""
    first, second = words[2], words[0]
    return {
        "two": [f"{first[0]}!", first[1], f"-{second[3]}"],
        "zero": [second[0], second[1]],
    }


def fit(name, corpus, **params):
    cls, options = MODELS[name]
    return cls(4, **{"max_iter": 8, **options, **params}).fit(corpus)


def column(corpus, word):
    return int(np.flatnonzero(corpus.vocabulary == word)[0])


@pytest.mark.parametrize("name", MODELS)
def test_topic_k_is_seed_k(name, planted):
    corpus, truth, words = planted
    model = fit(name, corpus, seeds=seeds_of(words))
    assert model.seed_names_.tolist() == ["two", "zero"]
    topics = np.abs(sp.csr_matrix(model.components_).toarray())
    for topic, wanted in enumerate((2, 0)):
        own = topics[topic] / np.linalg.norm(topics[topic])
        likeness = truth.topics @ own / np.linalg.norm(truth.topics, axis=1)
        assert likeness.argmax() == wanted
        codes = sp.csr_matrix(model.transform(corpus)).toarray()[:, topic]
        leading = np.argsort(-codes)[:10]
        assert np.mean(truth.codes[leading].argmax(axis=1) == wanted) >= 0.8
    shares = model.topic_shares_[2:]
    assert np.all(np.diff(shares) <= 1e-12)  # the other topics are sorted by share
    assert (model.seed_documents_ > 10).all()
    assert model.seed_documents_.sum() <= len(corpus)


@pytest.mark.parametrize("name", MODELS)
def test_exclusive_and_excluded_words_have_zero_weight(name, planted):
    corpus, _, words = planted
    model = fit(name, corpus, seeds=seeds_of(words))
    topics = sp.csr_matrix(model.components_).toarray()
    coding = sp.csr_matrix(getattr(model, "coding_components_", model.components_)).toarray()
    exclusive, excluded = column(corpus, words[2][0]), column(corpus, words[0][3])
    for weights in (topics, coding):
        assert weights[0, exclusive] > 0
        assert not weights[1:, exclusive].any()
        assert weights[0, excluded] == 0
        assert weights[1:, excluded].any()


@pytest.mark.parametrize("name", MODELS)
def test_the_prior_holds_words_that_the_documents_do_not_connect(name, planted):
    """Seeds of words that never occur together wash out, unless they are held during the fit."""
    corpus, _, words = planted
    seeds = {"mixed": [words[0][0], words[1][0]]}
    columns = [column(corpus, word) for word in seeds["mixed"]]

    def least(strength):
        model = fit(name, corpus, seeds=seeds, seed_strength=strength, max_iter=15)
        topic = sp.csr_matrix(model.components_).toarray()[0]
        return np.abs(topic[columns]).min() / np.abs(topic).max()

    assert least(5.0) > 0.05
    assert least(5.0) > least(0.0)


@pytest.mark.parametrize("name", MODELS)
def test_same_bits_with_every_engine(name, planted, small_chunks):
    corpus, _, words = planted
    found = [
        fit(name, corpus, seeds=seeds_of(words), engine=engine, n_jobs=n_jobs, max_iter=3)
        for engine, n_jobs in (("serial", None), ("threads", 2))
    ]
    first, second = (sp.csr_matrix(model.components_).toarray() for model in found)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(found[0].seed_documents_, found[1].seed_documents_)


@pytest.mark.parametrize(
    "name", ["slsa, signed", "plsa", "sctm", "stc, paper", "stc, gaussian", "sc"]
)
def test_the_objective_never_rises(name, planted):
    corpus, _, words = planted
    exact = laconic.Corpus(corpus.counts.astype(np.float64), corpus.vocabulary)
    model = fit(name, exact, seeds=seeds_of(words), tol=0, max_iter=12)
    objective = model.objective_
    assert len(objective) > 3
    assert np.all(np.diff(objective) <= 1e-9 * np.abs(objective[0]))


@pytest.mark.parametrize("name", ONLINE)
def test_batches_hold_the_seeds(name, planted):
    corpus, truth, words = planted
    cls, options = MODELS[name]
    model = cls(5, **options, seeds=seeds_of(words))
    for start in range(0, 160, 40):
        model.partial_fit(corpus[start : start + 40])
    topics = np.abs(sp.csr_matrix(model.components_).toarray())
    assert (truth.topics @ topics[0]).argmax() == 2
    assert (truth.topics @ topics[1]).argmax() == 0
    assert topics[0, column(corpus, words[0][3])] == 0
    assert not topics[1:, column(corpus, words[2][0])].any()
    assert 0 < model.seed_documents_.sum() <= len(corpus)


@pytest.mark.parametrize("name", MODELS)
def test_saved_and_loaded(name, planted, tmp_path):
    corpus, _, words = planted
    model = fit(name, corpus, seeds=seeds_of(words), max_iter=2)
    loaded = laconic.load(laconic.save(model, tmp_path / "seeded.model"))
    assert loaded.seeds == model.seeds
    assert laconic.topics(loaded).frame.sort("topic")["name"].to_list()[:3] == ["two", "zero", None]
    np.testing.assert_array_equal(loaded.seed_documents_, model.seed_documents_)
    if name in ONLINE:
        batch = corpus[:40]
        ours, theirs = model.partial_fit(batch), loaded.partial_fit(batch)
        difference = abs(sp.csr_matrix(ours.components_) - sp.csr_matrix(theirs.components_))
        assert difference.max() == 0


def test_a_fit_without_seeds_forgets_them(planted):
    corpus, _, words = planted
    model = fit("plsa", corpus, seeds=seeds_of(words))
    plain = fit("plsa", corpus)
    model.set_params(seeds=None).fit(corpus)
    assert not [name for name in vars(model) if name.startswith("seed_") and name.endswith("_")]
    np.testing.assert_array_equal(model.components_, plain.components_)


def test_clone_and_grid_search(planted):
    corpus, _, words = planted
    seeds = seeds_of(words)
    model = laconic.pipeline("plsa", 5, seeds=seeds, max_iter=3)
    assert clone(model)[-1].seeds == seeds
    search = GridSearchCV(model, {"model__seed_strength": [0, 1]}, cv=2, error_score="raise")
    assert search.fit(corpus).best_estimator_[-1].seed_names_.tolist() == ["two", "zero"]


# --- names ----------------------------------------------------------------------------------------


def test_names_of_users_replace_names_of_seeds(planted):
    from laconic.fitted.notes import TopicNote, keep_notes

    corpus, _, words = planted
    model = fit("plsa", corpus, seeds=seeds_of(words))
    keep_notes(model, {1: TopicNote("nothing")})
    names = {topic.number: topic.name for topic in laconic.topics(model)}
    assert [names[0], names[1], names[2]] == ["two", "nothing", None]


def test_weak_topics_of_seeds_are_listed():
    texts = ["cats purr"] * 30 + ["dogs bark"] * 30 + ["emus run"]
    model = laconic.pipeline("sc", 3, seeds={"birds": ["emus"]}, min_df=1, max_df=1.0).fit(texts)
    shown = [topic.number for topic in laconic.topics(model, weak=False)]
    assert 0 in shown


# --- words ----------------------------------------------------------------------------------------

TEXTS = ["Cats purr and meow", "a cat purrs", "dogs bark", "the dog barks at cats"] * 5
COUNTING = {"stop_words": "english", "min_df": 1, "max_df": 1.0}


def test_words_are_found_as_the_vectorizer_counts_them():
    model = laconic.pipeline(
        "plsa", 3, seeds={"pets": ["CATS", "Barking"]}, lemmatizer="english", **COUNTING
    ).fit(TEXTS)
    words = model[-1].feature_names_in_[model[-1].seed_words_.indices]
    assert sorted(words) == ["bark", "cats"]


def test_words_that_are_not_in_the_documents():
    with warned("'catz'", "'pets'", "cats"):
        laconic.pipeline("plsa", 3, seeds={"pets": ["catz", "dogs"]}, **COUNTING).fit(TEXTS)
    with refused("'pets'", "catz", "did you mean"):
        laconic.pipeline("plsa", 3, seeds={"pets": ["catz"]}, **COUNTING).fit(TEXTS)


def test_columns_without_names():
    X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    model = PLSA(2, seeds={"second": [2], "first": ["0!", "-3"]}).fit(X)
    assert model.transform(X).toarray().argmax(axis=1).tolist() == [1, 1, 0, 0]
    assert model.components_[0, 0] == model.components_[1, 3] == 0
    with refused("'cat'", "column numbers"):
        PLSA(2, seeds={"pets": ["cat"]}).fit(X)
    with refused("4", "0 to 3"):
        PLSA(2, seeds={"pets": [4]}).fit(X)


@pytest.mark.parametrize(
    ("seeds", "parts"),
    [
        ({"a": ["cats"], "b": ["dogs"], "c": ["bark"]}, ("3 seeds", "n_components=2")),
        ({"a": "cats"}, ("'a'", "list")),
        ({"a": ["-cats"]}, ("'a'", "'-'")),
        ({"a": ["cats", "!"]}, ("'a'", "'!'")),
        ({"a": ["cats!", "cats"]}, ("'a'", "'cats'")),
        ({"a": ["cats!"], "b": ["cats"]}, ("'cats'", "a, b")),
        ({"": ["cats"]}, ("name",)),
        ({"a": [None]}, ("'a'", "None")),
        ({}, ("seeds",)),
    ],
)
def test_invalid_seeds(seeds, parts):
    with refused(*parts):
        laconic.pipeline("plsa", 2, seeds=seeds, **COUNTING).fit(TEXTS)


def test_combinations():
    with refused("seeds", "groups"):
        SparseLSA(2, seeds={"a": [0]}, groups=[0, 1]).fit(np.eye(2))
    with refused("2 seeds", "1 topic"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SparseLSA(2, seeds={"a": [0], "b": [1]}).fit(np.ones((1, 2)))
    with pytest.raises(TypeError):
        PCP(2, seeds={"a": [0]})
