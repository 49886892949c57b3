"""Shares of topics in the documents that are shown."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import laconic
from laconic.fitted.shares import shares_of
from laconic.web import views
from laconic.web.material import Material

from .conftest import KINDS, fit


@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_the_documents_of_the_fit_are_those_of_the_fit(kind, corpus):
    model = fit(kind)
    shown = Material.of(model, corpus)
    assert shown.shares == pytest.approx(model[-1].topic_shares_, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_other_documents_are_theirs(kind, corpus):
    model = fit(kind)
    before = model[-1].topic_shares_.copy()
    some = corpus[[row for row in range(len(corpus)) if row % 4 == 1]]  # about money alone
    shown = Material.of(model, some)
    codes = model.transform(some)
    codes = codes.toarray() if hasattr(codes, "toarray") else np.asarray(codes)
    if kind == "pcp":
        mass = np.sqrt((codes**2).sum(axis=0))
    elif kind == "plsa":
        mass = (codes * some.counts.toarray().sum(axis=1, keepdims=True)).sum(axis=0)
    else:
        mass = np.abs(codes).sum(axis=0)
    assert shown.shares == pytest.approx(mass / mass.sum(), abs=1e-4)
    overview = views.overview(shown)
    assert [topic["topic"] for topic in overview["topics"]] == np.argsort(
        -shown.shares, kind="stable"
    ).tolist()
    assert overview["topics"][0]["share"] == pytest.approx(shown.shares.max(), rel=1e-4)
    assert (model[-1].topic_shares_ == before).all()  # the model itself is left as it is


def test_shares_are_of_what_the_model_weighs_and_knows(corpus):
    weighted = make_pipeline(laconic.Weighting(), laconic.PLSA(3)).fit(corpus)
    shown = Material.of(weighted, corpus)
    assert shown.shares == pytest.approx(weighted[-1].topic_shares_, abs=0.02)
    few = laconic.Corpus(corpus.counts[:, :20], corpus.vocabulary[:20])
    model = laconic.PLSA(3).fit(few)
    assert Material.of(model, corpus).shares == pytest.approx(
        Material.of(model, few).shares, abs=1e-6
    )


def test_documents_without_any_topic_have_no_shares(corpus):
    nothing = sp.csr_matrix((len(corpus), 5))
    for kind in ("slsa", "plsa", "pcp"):
        assert shares_of(fit(kind), nothing, corpus).tolist() == [0.0] * 5


def test_what_a_share_is_of_is_told(material_of):
    told = {kind: views.overview(material_of(kind))["about_share"] for kind in KINDS}
    assert "words" in told["plsa"]
    assert "background" in told["pcp"]
    assert told["stc"] == told["slsa"] == "Its part of all weights of topics in the documents."


def test_a_map_of_other_documents_has_their_shares(corpus):
    some = corpus[[row for row in range(len(corpus)) if row % 4 == 1]]
    shown = Material.of(fit("plsa"), some)
    drawn = laconic.plots.topic_map(shown.model).to_dict()
    layers = [layer.get("data", {}).get("values", []) for layer in drawn["layer"]]
    found = {row["topic"]: row["share"] for rows in layers for row in rows if "share" in row}
    assert len(found) > 1
    for topic, share in found.items():
        assert share == pytest.approx(shown.shares[topic], abs=1e-3)
