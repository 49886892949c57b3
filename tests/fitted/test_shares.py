"""Tests of the shares of topics in documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import laconic
from laconic.fitted.documents import Documents, documents_of
from laconic.fitted.shares import about_shares, shares_of
from tests.web.conftest import KINDS, fit, make_corpus


@pytest.fixture
def corpus():
    return make_corpus()


def shares(model, corpus):
    return shares_of(model, documents_of(model, corpus), corpus)


@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_the_documents_of_the_fit_are_those_of_the_fit(kind, corpus):
    model = fit(kind)
    assert shares(model, corpus) == pytest.approx(model[-1].topic_shares_, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_other_documents_are_theirs(kind, corpus):
    model = fit(kind)
    some = corpus[[row for row in range(len(corpus)) if row % 4 == 1]]  # only documents about money
    codes = model.transform(some)
    codes = codes.toarray() if hasattr(codes, "toarray") else np.asarray(codes)
    if kind == "pcp":
        mass = np.sqrt((codes**2).sum(axis=0))
    elif kind == "plsa":
        mass = (codes * some.counts.toarray().sum(axis=1, keepdims=True)).sum(axis=0)
    else:
        mass = np.abs(codes).sum(axis=0)
    assert shares(model, some) == pytest.approx(mass / mass.sum(), abs=1e-4)


def test_shares_are_of_what_the_model_weighs_and_knows(corpus):
    weighted = make_pipeline(laconic.Weighting(), laconic.PLSA(3)).fit(corpus)
    assert shares(weighted, corpus) == pytest.approx(weighted[-1].topic_shares_, abs=0.02)
    few = laconic.Corpus(corpus.counts[:, :20], corpus.vocabulary[:20])
    model = laconic.PLSA(3).fit(few)
    assert shares(model, corpus) == pytest.approx(shares(model, few), abs=1e-6)


def test_documents_without_any_topic_have_no_shares(corpus):
    nothing = sp.csr_matrix((len(corpus), 5))
    for kind in ("slsa", "plsa", "pcp"):
        assert shares_of(fit(kind), Documents(nothing), corpus).tolist() == [0.0] * 5


def test_what_a_share_is_of_is_told():
    told = {kind: about_shares(fit(kind)[-1]) for kind in KINDS}
    assert "words" in told["plsa"]
    assert "background" in told["pcp"]
    assert (
        told["stc"] == told["slsa"] == "Share of the topic in all topic weights of the documents."
    )
