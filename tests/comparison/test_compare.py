"""`laconic.compare`: the same documents, words and measures for every model, peers among them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus, LaconicError
from laconic.comparison import compare as module
from laconic.comparison.columns import best, cell, share, shown, size
from laconic.comparison.compare import Comparison, Row
from laconic.comparison.contenders import fit
from laconic.comparison.peers import PEERS, _bags, _tokens
from laconic.models import MODELS

# tomotopy warns when it is imported
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

INSTALLED = [name for name, peer in PEERS.items() if peer.installed]


@pytest.fixture(scope="module")
def corpus():
    return laconic.datasets.make_topics(
        240, 130, 5, words_per_topic=15, topics_per_document=1, document_length=30
    )[0]


@pytest.fixture(scope="module")
def compared(corpus):
    return laconic.compare(corpus, [*MODELS, *INSTALLED], 5)


def row_of(compared, name):
    return next(row for row in compared.rows if row.model == name)


@pytest.mark.parametrize("name", [*MODELS, *INSTALLED])
def test_every_model_finds_planted_topics(compared, name):
    row = row_of(compared, name)
    assert row.error is None
    assert row.accuracy > (0.9 if name in MODELS else 0.6)
    assert row.seconds > 0
    assert row.documents_per_second > 0
    assert row.n_bytes > 1000
    assert 0 <= row.topic_zeros <= 1
    assert 0 <= row.document_zeros <= 1
    assert len(row.words) == 5
    distributions = name in PEERS and PEERS[name].distributions
    distributions |= getattr(MODELS.get(name), "TOPICS_ARE_DISTRIBUTIONS", False)
    assert (row.perplexity is not None) == distributions
    if row.perplexity is not None:
        assert 15 < row.perplexity < 60  # 15 words in a topic; 130 would be blind guessing


def test_unsigned_topics_name_their_words(compared):
    for name in ("plsa", "stc", "nmf"):
        row = row_of(compared, name)
        assert row.npmi > 0.2
        assert row.diversity > 0.9
        assert all(len({word[:3] for word in words}) == 1 for words in row.words), row.words


def test_models_are_fitted_to_the_training_documents_only(corpus, monkeypatch):
    seen = []
    monkeypatch.setattr(
        module, "fit", lambda name, train, *a, **k: seen.append(train) or fit(name, train, *a, **k)
    )
    found = laconic.compare(corpus, ["plsa", "lsa"], 3, test_size=0.25)
    assert [len(train) for train in seen] == [180, 180]
    assert found.about["fitted_to"] == 180
    assert found.about["unseen"] == 60


def test_the_same_seed_gives_the_same_figures(corpus):
    names = ["slsa", "nmf"]
    first, second = (laconic.compare(corpus, names, [3, 5], random_state=1) for _ in range(2))
    for one, two in zip(first.rows, second.rows, strict=True):
        assert (one.model, one.n_components) == (two.model, two.n_components)
        assert (one.npmi, one.accuracy, one.words) == (two.npmi, two.accuracy, two.words)
    assert [row.n_components for row in first.rows] == [3, 3, 5, 5]


def test_words_that_only_test_documents_have_are_left_out():
    counts = np.ones((20, 4), dtype=int)
    order = np.random.default_rng(0).permutation(20)
    counts[:, 3] = 0
    counts[order[:4], 3] = 5  # the four test documents of seed 0
    given = module._split(Corpus(counts, list("abcd")), 0.2, 0)
    assert given.test.counts.toarray().tolist() == [[1, 1, 1, 0]] * 4


def test_classes_of_few_documents_are_no_classes():
    labels = ["a"] * 12 + ["b"] * 10 + ["c"] * 9 + [None, float("nan"), ""]
    classes = module._classes(labels)
    assert sorted(set(classes)) == ["", "a", "b"]
    assert list(classes[22:]) == [""] * 12
    assert module._classes(["a"] * 20) is None
    assert module._classes(None) is None


def test_without_classes_there_is_no_accuracy(corpus):
    plain = Corpus(corpus.counts, corpus.vocabulary)
    found = laconic.compare(plain, ["slsa"], 3)
    assert found.rows[0].accuracy is None
    assert "accuracy" not in shown(found.rows)
    with pytest.raises(LaconicError, match="medstc learns classes"):
        laconic.compare(plain, ["medstc"], 3)


def test_a_model_that_fails_has_a_row_that_says_why(corpus):
    found = laconic.compare(corpus, ["slsa", "plsa"], 3, params={"slsa": {"alpha": -1.0}})
    assert "alpha" in found.rows[0].error
    assert found.rows[1].error is None
    assert "error" in found.frame.columns


def test_ctrl_c_keeps_the_rows_so_far(corpus, monkeypatch):
    def interrupted(name, *arguments, **options):
        if name == "nmf":
            raise KeyboardInterrupt
        return fit(name, *arguments, **options)

    monkeypatch.setattr(module, "fit", interrupted)
    found = laconic.compare(corpus, ["plsa", "nmf", "lsa"], 3)
    assert [row.model for row in found.rows] == ["plsa"]
    assert found.about["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        laconic.compare(corpus, ["nmf"], 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ["bert"]}, "no model 'bert' to compare; there are slsa"),
        ({"models": []}, "name at least one"),
        ({"n_components": 0}, "1 or more"),
        ({"n_components": [5, -1]}, "1 or more"),
        ({"n_components": 2.5}, "whole numbers of 1 or more; got 2.5"),
        ({"n_components": "3"}, "got '3'"),
        ({"n_words": 0}, "n_words must be at least 1"),
        ({"random_state": -1}, "random_state is a whole number"),
        ({"random_state": None}, "random_state is a whole number"),
        ({"test_size": 1.0}, "between 0 and 1"),
        ({"params": {"nmf": {}}}, "'nmf', which is not compared"),
        ({"corpus": [[1, 2]]}, "takes a Corpus"),
        ({"corpus": Corpus([[1, 2]])}, "the words of the corpus"),
        ({"corpus": Corpus([[1, 2], [2, 1]], ["a", "b"])}, "too few"),
    ],
)
def test_mistakes_get_a_sentence(corpus, change, message):
    arguments = {"corpus": corpus, "models": ["slsa"], "n_components": 3, **change}
    with pytest.raises(LaconicError, match=message):
        laconic.compare(**arguments)


def test_a_peer_that_is_not_installed_says_how_to_get_it(corpus, monkeypatch):
    missing = PEERS["lda-gensim"]._replace(package="no_such_package")
    monkeypatch.setitem(PEERS, "lda-gensim", missing)
    with pytest.raises(LaconicError, match="pip install no_such_package"):
        laconic.compare(corpus, ["lda-gensim"], 3)


# --- peers ---------------------------------------------------------------------------------------


def test_documents_as_peers_are_given_them():
    corpus = Corpus([[2, 0, 1], [0, 0, 0], [0, 3, 0]], ["a", "b", "c"])
    assert _tokens(corpus) == [["0", "0", "2"], [], ["1", "1", "1"]]
    with pytest.raises(LaconicError, match="not whole"):
        _tokens(Corpus([[0.5, 1.5]], ["a", "b"]))
    assert _bags(corpus) == [[(0, 2), (2, 1)], [], [(1, 3)]]


@pytest.mark.parametrize("name", INSTALLED)
def test_peers_take_documents_without_words(corpus, name):
    counts = sp.vstack([corpus.counts[:60], sp.csr_matrix((1, corpus.shape[1]), dtype=np.int32)])
    odd = Corpus(counts, corpus.vocabulary)
    fitted = fit(name, odd, 3, params={}, n_jobs=1, random_state=0)
    codes = sp.csr_matrix(fitted.model.transform(odd))
    assert codes.shape == (61, 3)
    assert np.isfinite(codes.data).all()


# --- how it is shown -----------------------------------------------------------------------------


def test_numbers_of_numpy_are_numbers():
    assert module._sizes(np.int64(3)) == [3]
    assert module._sizes(np.array([3, 5, 3])) == [3, 5]


def test_the_best_of_each_number_of_topics():
    rows = [
        Row("a", 20, npmi=0.1, seconds=2.0),
        Row("b", 20, npmi=0.3, seconds=1.0),
        Row("a", 50, npmi=0.2, seconds=3.0),
        Row("b", 50, error="no"),
    ]
    assert best(rows, "npmi") == {20: 0.3}  # of one model alone there is no best
    assert best(rows, "seconds") == {20: 1.0}
    assert shown(rows) == ["npmi", "seconds"]
    assert best([Row("a", 20, npmi=0.1), Row("b", 20, npmi=0.1)], "npmi") == {}
    assert best([Row("a", 20, topic_zeros=0.1), Row("b", 20, topic_zeros=0.9)], "topic_zeros") == {}
    assert cell(rows[0], "npmi") == "0.100"
    assert cell(rows[3], "npmi") == ""


def test_figures_as_they_are_written():
    assert size(0) == "0 B"
    assert size(999_600) == "1 MB"
    assert share(0.5) == "50 %"


def test_it_prints_and_goes_into_json(compared):
    text = str(compared)
    assert all(name in text for name in MODELS)
    again = json.loads(json.dumps(compared.to_dict()))
    assert len(again["rows"]) == len(compared.rows)
    assert compared.frame.height == len(compared.rows)
    assert isinstance(compared, Comparison)


def test_accuracy_is_of_unseen_documents():
    corpus, _ = laconic.datasets.make_topics(120, 300, 20, words_per_topic=10, document_length=20)
    by_chance = np.random.default_rng(0).integers(2, size=120)
    blind = Corpus(corpus.counts, corpus.vocabulary, labels=by_chance)
    found = laconic.compare(blind, ["lsa"], 40, test_size=0.3)
    assert found.rows[0].accuracy < 0.75  # 40 numbers tell 36 documents apart if they are learned
