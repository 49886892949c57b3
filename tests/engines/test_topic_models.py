"""Tests that PCP, PLSA, STC and SCTM have equal results on a cluster and in one thread."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from laconic import PCP, PLSA, SCTM, STC
from laconic.corpus import chunks
from laconic.datasets import make_topics

MODELS = {
    "pcp": (PCP, {"max_iter": 5}),
    "pcp, target": (PCP, {"max_iter": 6, "keywords_per_document": 2}),
    "plsa": (PLSA, {"max_iter": 5}),
    "plsa, sparse": (PLSA, {"max_iter": 5, "smoothing": -0.05}),
    "sctm": (SCTM, {"max_iter": 5}),
    "sctm, correlated": (SCTM, {"max_iter": 5, "correlated": True}),
    "sctm, batches": (SCTM, {"max_iter": 4, "batch_size": 50}),
    "sctm, target": (SCTM, {"max_iter": 5, "topics_per_document": 2}),
    "stc": (STC, {"max_iter": 3}),
    "stc, paper": (STC, {"max_iter": 3, "dictionary": "paper"}),
    "stc, batches": (STC, {"max_iter": 2, "batch_size": 50}),
    "stc, targets": (STC, {"max_iter": 2, "topics_per_word": 1.5}),
}


@pytest.mark.parametrize(("model", "params"), MODELS.values(), ids=MODELS.keys())
def test_cluster_is_serial(client, model, params, monkeypatch):
    corpus, _ = make_topics(120, 120, 4, words_per_topic=12, random_state=5)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        serial, dask = (
            model(4, engine=engine, **params).fit(corpus) for engine in ("serial", "dask")
        )
        np.testing.assert_array_equal(dask.objective_, serial.objective_)
        np.testing.assert_array_equal(dask.components_, serial.components_)
        codes = serial.transform(corpus).toarray()
        np.testing.assert_allclose(dask.transform(corpus).toarray(), codes, atol=0.02 * codes.max())
        if model is PCP:
            one, other = (m.keywords_.toarray() for m in (serial, dask))
            np.testing.assert_allclose(other, one, atol=1e-3)
            one, other = (m.split(corpus).keywords.toarray() for m in (serial, dask))
            np.testing.assert_allclose(other, one, atol=1e-3)
        if model is SCTM:
            np.testing.assert_allclose(dask.probabilities_, serial.probabilities_, atol=1e-3)
            assert dask.score(corpus) == pytest.approx(serial.score(corpus), rel=1e-4)
        if model is STC:
            one, other = (m.word_codes(corpus).entries.toarray() for m in (serial, dask))
            np.testing.assert_allclose(other, one, atol=0.02 * one.max())
        serial, dask = (m.partial_fit(corpus[:60]).components_ for m in (serial, dask))
        np.testing.assert_allclose(dask, serial, atol=1e-3)


def test_documents_of_the_convex_problem_on_a_cluster(client, monkeypatch):
    corpus, _ = make_topics(60, 40, 3, words_per_topic=12, random_state=5)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    model = PCP(solver="exact", c=3, engine="serial").fit(corpus)
    one = model.split(corpus)
    other = model.set_params(engine="dask").split(corpus)
    np.testing.assert_array_equal(other.keywords.toarray(), one.keywords.toarray())
    np.testing.assert_array_equal(other.background.toarray(), one.background.toarray())
