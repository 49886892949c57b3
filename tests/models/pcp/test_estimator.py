"""Tests of PCP as an estimator: engines, input types, saving, and the end of a fit."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import PCP, Corpus
from laconic.corpus import chunks
from laconic.corpus.chunks import memory_chunks
from laconic.engines import ENGINES
from tests.engines.interrupted import Interrupted
from tests.messages import check, warned
from tests.models.pcp.fits import fit


def test_seeds(counts):
    one, same, other = (fit(counts, 3, random_state=s, max_iter=3) for s in (1, 1, 2))
    assert np.array_equal(one.components_, same.components_)
    assert (one.keywords_ != same.keywords_).nnz == 0
    assert not np.array_equal(one.components_, other.components_)
    fit(counts, 3, random_state=np.random.RandomState(0), max_iter=3)


# ---- engines and types of input ----


@pytest.mark.parametrize("rows", [25, 7])
@pytest.mark.parametrize("params", [{}, {"alpha": 1.0}, {"keywords_per_document": 2}], ids=str)
def test_many_chunks_are_one(counts, rows, params, monkeypatch):
    whole = fit(counts, 3, **params)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
    assert len(memory_chunks(sp.csr_matrix(counts))) > 2
    parts = fit(counts, 3, **params)
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-9)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-8)
    for call in ("transform", "keywords"):
        one, other = (getattr(m, call)(counts).toarray() for m in (whole, parts))
        np.testing.assert_allclose(other, one, atol=1e-7)
    np.testing.assert_allclose(parts.keywords_.toarray(), whole.keywords_.toarray(), atol=1e-7)
    np.testing.assert_allclose(
        parts.split(counts).background.toarray(),
        whole.split(counts).background.toarray(),
        atol=1e-7,
    )


@pytest.mark.parametrize("params", [{}, {"keywords_per_document": 2}], ids=str)
def test_engines_and_disk_give_the_same(planted, small_chunks, tmp_path, params):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    models = [
        fit(data, 4, engine=engine, n_jobs=2, max_iter=6, **params)
        for engine in ("serial", "threads")
        for data in (corpus, stored)
    ]
    first = models[0]
    for model in models[1:]:
        np.testing.assert_allclose(model.objective_, first.objective_, rtol=1e-6)
        np.testing.assert_allclose(model.components_, first.components_, atol=1e-5)
        np.testing.assert_allclose(model.keywords_.toarray(), first.keywords_.toarray(), atol=1e-4)
    for data in (corpus, stored):
        parts = models[3].split(data)
        np.testing.assert_allclose(parts.keywords.toarray(), first.keywords_.toarray(), atol=1e-4)
        assert parts.background.shape == (60, 160)


def test_all_forms_of_counts_give_the_same(counts):
    expected = fit(counts, 3)
    rough = sp.csr_matrix(counts)
    halves = sp.csr_matrix(
        (np.repeat(rough.data / 2, 2), np.repeat(rough.indices, 2), 2 * rough.indptr),
        shape=rough.shape,
    )
    zeros = sp.csr_matrix(rough + sp.csr_matrix(counts == 0, dtype=float))
    zeros.data[np.asarray(counts[zeros.nonzero()] == 0).ravel()] = 0  # explicit zeros
    assert zeros.nnz > rough.nnz
    for X in (rough, sp.csc_matrix(counts), counts.astype(int), halves, zeros):
        model = fit(X, 3)
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-4)
        np.testing.assert_allclose(
            model.keywords(X).toarray(), expected.keywords_.toarray(), atol=1e-3
        )
        assert not model.keywords(X).toarray()[counts == 0].any()


def test_output(counts):
    model = fit(counts, 3)
    codes = model.transform(counts)
    assert sp.issparse(codes)
    dense = model.set_params(sparse_output=False).transform(counts)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_array_equal(dense, codes.toarray())
    np.testing.assert_array_equal(fit(counts, 3, sparse_output=False).fit_transform(counts), dense)
    assert list(model.get_feature_names_out()) == ["pcp0", "pcp1", "pcp2"]


def test_a_few_documents_at_a_time(counts):
    model = fit(counts, 3)
    whole = model.keywords(counts).toarray()
    for rows in ([4], [7, 2, 2], range(10, 30)):
        np.testing.assert_allclose(model.keywords(counts[rows]).toarray(), whole[rows], atol=1e-9)


def test_documents_do_not_depend_on_their_neighbours(counts):
    """The documents are float32, next to one of four million words and one of a single word."""
    model = fit(counts.astype(np.float32), 3, alpha=1.0)
    X = counts[:12].astype(np.float32)
    short, huge = np.zeros((2, 1, 40), np.float32)
    short[0, 3], huge[0, 5:9] = 1, 1e6
    beside = model.keywords(np.vstack([short, X, huge])).toarray()[1:-1]
    np.testing.assert_allclose(beside, model.keywords(X).toarray(), atol=1e-3)
    alone = np.vstack([model.keywords(x[None]).toarray() for x in X])
    np.testing.assert_allclose(beside, alone, atol=1e-3)


# ---- saved and fitted again ----

KINDS = [{}, {"alpha": 1.0}, {"keywords_per_document": 2}, {"solver": "exact", "c": 3}]


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_saved_pickled_and_loaded(counts, tmp_path, params):
    counts = counts[:20] if "solver" in params else counts
    model = fit(counts, **params)
    laconic.save(model, tmp_path / "model")
    parts = model.split(counts)
    for again in (laconic.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        again.engine = model.engine  # `engine` is never read from a file
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.transform(counts).toarray(), model.transform(counts).toarray())
        assert (again.keywords(counts) != model.keywords(counts)).nnz == 0
        assert (again.keywords_ != model.keywords_).nnz == 0
        same = again.split(counts)
        assert np.array_equal(same.background.toarray(), parts.background.toarray())
        assert (same.keywords != parts.keywords).nnz == 0


def learned(model):
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


@pytest.mark.parametrize("params", KINDS, ids=str)
@pytest.mark.parametrize("before", [{"n_components": 7}, {"solver": "exact"}], ids=str)
def test_a_second_fit_forgets_the_first(counts, params, before):
    counts = counts[:20] if "solver" in params else counts
    fresh = fit(counts, **params)
    used = fit(counts[:15], **before)
    used.transform(counts)
    used.set_params(**fresh.get_params()).fit(counts)
    assert learned(used) == learned(fresh)
    assert np.array_equal(used.components_, fresh.components_)
    assert np.array_equal(used.transform(counts).toarray(), fresh.transform(counts).toarray())
    assert (used.keywords(counts) != fresh.keywords(counts)).nnz == 0
    assert not hasattr(clone(used), "components_")


def test_in_a_pipeline():
    texts = ["cats purr and purr"] * 4 + ["dogs bark at cats"] * 4 + ["cats purr zebra zebra zebra"]
    made = laconic.pipeline("pcp", n_components=2, alpha=0.5).fit(texts)
    assert made["weighting"].scheme == "counts"
    assert made.transform(texts).shape == (9, 2)
    corpus = made[:-1].transform(texts)
    model = made["model"]
    found = model.keywords(corpus)
    words = list(model.feature_names_in_)
    assert found[8].indices[found[8].data.argmax()] == words.index("zebra")
    table = laconic.topics(made).frame
    assert table.height == 2
    assert table["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("params", [{}, {"solver": "exact"}], ids=str)
def test_topics_for_people(planted, params):
    model = fit(planted[0], **params)
    table = laconic.topics(model, 4).frame
    assert table.height == model.rank_
    assert all(len(words) == 4 for words in table["words"])
    assert table["share"].is_sorted(descending=True)


# ---- the end of a fit ----


def interrupt(monkeypatch, passes):
    """Register an engine that raises KeyboardInterrupt after the given number of passes."""
    monkeypatch.setitem(
        ENGINES, "interrupted", lambda n_jobs: Interrupted("sum_background", passes)
    )


@pytest.mark.parametrize("passes", [0, 2])
@pytest.mark.parametrize("params", [{}, {"keywords_per_document": 2}], ids=str)
def test_interrupted_in_a_pass(counts, passes, params, monkeypatch):
    interrupt(monkeypatch, passes)
    model = PCP(3, engine="interrupted", **params)
    with warned("PCP", f"{passes} passes", kind=ConvergenceWarning):
        model.fit(counts)
    assert model.converged_ is False
    assert model.n_iter_ == passes
    assert model.keywords(counts).nnz
    assert np.isfinite(model.transform(counts).data).all()


def test_not_converged_says_so_once(counts):
    with pytest.warns(ConvergenceWarning) as seen:
        model = PCP(3, max_iter=2, tol=0).fit(counts)
    check(str(seen[0].message), "PCP", "2 passes", "max_iter", "tol")
    assert [w.filename for w in seen] == [__file__]
    assert model.converged_ is False
    assert model.n_iter_ == len(model.objective_) == 2


def test_converged_says_nothing(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for params in ({}, {"keywords_per_document": 2}, {"alpha": 1.0}):
            model = PCP(3, **params).fit(counts)
            assert model.converged_ is True
