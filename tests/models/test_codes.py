"""Tests of document codes from `fit_transform` and of `inverse_transform`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import PCP, PLSA, SCTM, STC, Corpus, MedSTC, SparseLSA
from laconic.models import MODELS
from tests.messages import refused

LAST_PASS = {  # models whose fit ends with a pass that codes every document
    "sctm": SCTM(5),
    "correlated": SCTM(5, correlated=True),
    "online sctm": SCTM(5, batch_size=40),
    "stc": STC(5),
    "paper": STC(5, dictionary="paper"),
    "target": STC(5, topics_per_document=2),
    "medstc": MedSTC(5),
    "pcp": PCP(5),
}


@pytest.fixture
def labelled(planted):
    corpus = planted[0][:150]
    return corpus.counts.astype(np.float64), corpus.labels


@pytest.mark.parametrize("name", LAST_PASS)
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
def test_fit_transform_gives_the_codes_of_the_last_pass(name, sparse, labelled, monkeypatch):
    X, y = labelled
    model = LAST_PASS[name].set_params(sparse_output=sparse, engine="serial")
    with monkeypatch.context() as patch:
        # a second coding pass would fail
        patch.setattr("laconic.models.base.TopicModel._encode", None)
        codes = model.fit_transform(X, y)
    again = model.transform(X)
    assert sp.issparse(codes) == sparse == sp.issparse(again)
    assert codes.dtype == again.dtype
    np.testing.assert_allclose(_dense(codes), _dense(again), atol=0.01 * abs(again).max())
    assert not {"_codes", "_collects_codes"} & set(vars(model))


@pytest.mark.parametrize(
    "model", [SparseLSA(5), PLSA(5), STC(5, batch_size=40), PCP(solver="exact")], ids=repr
)
def test_other_models_code_again(model, labelled):
    X, y = labelled
    if isinstance(model, PCP):  # the exact solver takes 20 seconds for all documents
        X, y = X[:30], y[:30]
    codes = model.fit_transform(X, y)
    np.testing.assert_array_equal(_dense(codes), _dense(model.transform(X)))


@pytest.mark.parametrize("name", ["sctm", "stc", "medstc", "pcp"])
def test_a_corpus_and_many_chunks(name, labelled, monkeypatch):
    X, y = labelled
    corpus = Corpus(X.astype(int), labels=y)
    whole = MODELS[name](5).fit_transform(corpus, y)
    monkeypatch.setattr("laconic.corpus.chunks.CHUNK_ROWS", 40)
    parts = MODELS[name](5).fit_transform(corpus, y)
    np.testing.assert_allclose(_dense(parts), _dense(whole), atol=0.01 * whole.max())
    assert whole.shape == (150, 5)


def test_an_error_leaves_no_trace(labelled):
    X, _ = labelled
    model = MedSTC(5)
    with refused("requires y"):
        model.fit_transform(X)
    assert not {"_codes", "_collects_codes"} & set(vars(model))


# --- inverse_transform ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MODELS if name != "slsa"])
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
def test_documents_from_their_codes(name, sparse, labelled):
    X, y = labelled
    model = MODELS[name](5, sparse_output=sparse)
    back = model.fit(X, y).inverse_transform(model.transform(X))
    np.testing.assert_allclose(_dense(back), _dense(model.transform(X)) @ model.components_)
    counts = X.toarray()
    own = [np.corrcoef(counts[row], _dense(back)[row])[0, 1] for row in range(len(counts))]
    other = [np.corrcoef(counts[row], _dense(back)[row - 1])[0, 1] for row in range(len(counts))]
    assert np.mean(own) > np.mean(other) + 0.2


def test_shares_of_words_sum_to_one(labelled):
    X, _ = labelled
    model = PLSA(5).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)).sum(axis=1), 1)


def test_codes_of_another_model(labelled):
    X, _ = labelled
    with refused("4 columns", "5 topics"):
        PLSA(5).fit(X).inverse_transform(np.ones((3, 4)))


def test_sparse_lsa_has_no_way_back(labelled):
    X, _ = labelled
    model = SparseLSA(5).fit(X)
    assert not hasattr(model, "inverse_transform")
    with pytest.raises(AttributeError, match=r"projections.*codes='sparse'"):
        model.inverse_transform(model.transform(X))


def _dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix
