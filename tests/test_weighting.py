"""Tests of weightings against their formulas and scikit-learn, in memory and on disk."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from laconic import Corpus, Vectorizer, Weighting
from laconic.engines import ENGINES
from laconic.engines.base import Serial
from laconic.weighting import SCHEMES
from laconic.weighting.coinciding_words import BANDS, NONE, POWER, TYPICAL, document_hashes
from laconic.weighting.transformer import Z_SCORES
from tests.messages import refused

ENGINES_HERE = [name for name in ENGINES if name != "dask"]  # Dask is tested in tests/engines


def draw(seed, n=12, m=9):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 6, (n, m)) * (random.random((n, m)) < 0.4)
    counts[random.integers(n)] = 0
    counts[:, random.integers(m)] = 0
    return counts


def explicit(counts, scheme):
    """Apply the formulas from the docstring of `laconic.weighting` to a dense array."""
    counts = counts.astype(float)

    def unit(X):
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        return X / np.where(norms > 0, norms, 1)

    if scheme == "counts":
        return counts
    if scheme == "log-counts":
        return np.log2(1 + counts)
    if scheme == "frequencies":
        sums = counts.sum(axis=1, keepdims=True)
        return counts / np.where(sums > 0, sums, 1)
    if scheme in Z_SCORES:
        values = np.log2(1 + counts) if scheme == "log-z-scores" else counts
        deviations = values.std(axis=0)
        varies = deviations > 1e-9
        return np.where(varies, (values - values.mean(axis=0)) / np.where(varies, deviations, 1), 0)
    tf = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    idf = np.log((1 + len(counts)) / (1 + np.count_nonzero(counts, axis=0))) + 1
    tfidf = unit(tf * idf)
    if scheme == "tfidf":
        return tfidf
    norms = np.linalg.norm(tfidf, axis=0)
    balanced = unit(tfidf / np.sqrt(np.where(norms > 0, norms, 1)))
    return unit(balanced / coinciding(counts) ** 2) if scheme == "tfidf-distinct" else balanced


def coinciding(counts):
    """`count_coinciding` without chunks: from the smallest hashes of the documents of each word."""
    occurs = counts > 0
    hashes = [document_hashes(number, len(counts)) for number in range(BANDS * POWER)]
    smallest = np.array([np.where(occurs, h[:, None], NONE).min(axis=0) for h in hashes])
    total = np.zeros(counts.shape[1])
    for band in smallest.reshape(BANDS, POWER, -1):
        total += (band[:, :, None] == band[:, None, :]).all(axis=0).sum(axis=1)
    mean = np.where(occurs.any(axis=0), total / BANDS, 1.0)
    frequencies = occurs.sum(axis=0)
    if not frequencies.any():
        return mean
    order = np.argsort(mean, kind="stable")
    enough = np.cumsum(frequencies[order]) >= TYPICAL * frequencies.sum()
    return np.maximum(mean, mean[order][np.argmax(enough)])


@pytest.mark.parametrize("scheme", SCHEMES)
@given(seed=st.integers(0, 10**6))
def test_each_scheme_is_its_formula(scheme, seed):
    counts = draw(seed)
    weighting = Weighting(scheme, dtype="float64", engine="serial")
    expected = explicit(counts, scheme)
    for X in (counts, sp.csr_matrix(counts), sp.csc_matrix(counts.astype(float))):
        np.testing.assert_allclose(weighting.fit_transform(X).toarray(), expected, atol=1e-12)
    corpus = weighting.fit_transform(Corpus(counts))
    np.testing.assert_allclose(corpus.matrix.toarray(), expected, atol=1e-12)


@given(seed=st.integers(0, 10**6))
def test_tfidf_is_scikit_learns(seed):
    counts, new = draw(seed), draw(seed + 1)
    theirs = TfidfTransformer(sublinear_tf=True, smooth_idf=True, norm="l2").fit(counts)
    ours = Weighting("tfidf", dtype="float64", engine="serial").fit(counts)
    for X in (counts, new):
        np.testing.assert_allclose(
            ours.transform(X).toarray(), theirs.transform(X).toarray(), atol=1e-12
        )


def test_z_scores_are_scikit_learns():
    random = np.random.default_rng(0)
    X, new = random.normal(100, 5, (2, 30, 8))
    X[:, 3] = 7.1  # a constant column
    X[:, 4] -= 100  # negative values
    ours = Weighting("z-scores", dtype="float64").fit(X)
    theirs = StandardScaler().fit(X)
    np.testing.assert_allclose(ours.transform(X).toarray(), theirs.transform(X), atol=1e-10)
    np.testing.assert_allclose(
        np.delete(ours.transform(new).toarray(), 3, axis=1),
        np.delete(theirs.transform(new), 3, axis=1),
        atol=1e-10,
    )
    assert not hasattr(ours.set_params(scheme="tfidf").fit(np.abs(X)), "center_")


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme not in Z_SCORES])
def test_rows(scheme):
    weighted = Weighting(scheme).fit_transform(draw(3)).toarray()
    assert weighted.dtype == np.float32
    filled = draw(3).any(axis=1)
    sizes = {"counts": None, "log-counts": None, "frequencies": weighted.sum(axis=1)}.get(
        scheme, np.linalg.norm(weighted, axis=1)
    )
    if sizes is not None:
        np.testing.assert_allclose(sizes, filled, rtol=1e-5)
    assert not weighted[~filled].any()


@pytest.mark.parametrize("scheme", ["tfidf", "tfidf-balanced"])
def test_new_documents_are_weighted_by_the_words_of_the_old(scheme):
    counts = draw(5)
    weighting = Weighting(scheme, dtype="float64").fit(counts)
    np.testing.assert_allclose(
        weighting.transform(counts[3:5]).toarray(),
        weighting.transform(counts).toarray()[3:5],
        rtol=1e-12,
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("engine", ENGINES_HERE)
def test_chunks_engines_and_disk_give_the_same(scheme, engine, small_chunks, tmp_path, planted):
    corpus = planted[0]
    whole = explicit(corpus.counts.toarray(), scheme)
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    assert len(stored.chunks()) > 4
    serial = Weighting(scheme, engine="serial").fit(corpus)
    for data in (corpus, stored):
        weighting = Weighting(scheme, engine=engine, n_jobs=2)
        weighted = weighting.fit_transform(data)
        np.testing.assert_allclose(weighted.matrix.toarray(), whole, rtol=1e-4, atol=1e-6)
        assert np.array_equal(weighting.scale_, serial.scale_)
        chunks = sp.vstack([chunk.load() for chunk in weighted.chunks()])
        assert np.array_equal(chunks.toarray(), serial.transform(corpus).matrix.toarray())


class CountingEngine(Serial):
    """An engine that counts its passes over the documents."""

    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def map_reduce(self, *args, **kwargs):
        self.passes.append(1)
        return super().map_reduce(*args, **kwargs)


@pytest.mark.parametrize(
    ("scheme", "passes"),
    [
        ("counts", 0),
        ("log-counts", 0),
        ("frequencies", 0),
        ("tfidf", 1),
        ("tfidf-balanced", 2),
        ("tfidf-distinct", 3),
    ],
)
def test_passes(scheme, passes, monkeypatch):
    counted = []
    monkeypatch.setitem(ENGINES, "counting", lambda n_jobs: CountingEngine(counted))
    Weighting(scheme, engine="counting").fit_transform(Corpus(draw(1)))
    assert len(counted) == passes


def test_log_counts_of_known_numbers():
    weighted = Weighting("log-counts").fit_transform(np.array([[0, 1, 3, 7, 0.5]]))
    np.testing.assert_allclose(weighted.toarray(), [[0, 1, 2, 3, np.log2(1.5)]], rtol=1e-6)
    assert weighted.nnz == 4


def test_weighted_corpus_is_lazy(tmp_path):
    corpus = Corpus(draw(1), labels=list("aabbaabbaabb"))
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    for data in (corpus, stored):
        weighted = Weighting("tfidf").fit_transform(data)
        assert isinstance(weighted, Corpus)
        assert weighted is not data
        assert data.weighting is None
        # the counts are shared, not copied
        assert np.shares_memory(weighted.counts.data, data.counts.data)
        assert weighted.counts.dtype == np.int32
        assert weighted.path == data.path
        assert weighted.labels.tolist() == list("aabbaabbaabb")
        assert "weighted by tfidf" in repr(weighted)
        part = weighted[weighted.labels == "b"]
        np.testing.assert_array_equal(
            part.matrix.toarray(), weighted.matrix.toarray()[weighted.labels == "b"]
        )


def test_what_was_given_is_not_changed():
    X = sp.csr_matrix(draw(2).astype(float))
    kept = X.copy()
    Weighting("tfidf-balanced").fit_transform(X)
    assert (kept != X).nnz == 0
    assert X.dtype == kept.dtype


def test_zeros_and_parts_that_are_stored_do_not_count():
    counts = draw(7)
    X = sp.csr_matrix(counts.astype(float))
    rough = sp.csr_matrix(X.shape)
    rough.data = np.concatenate([X.data, [0.0]])
    rough.indices = np.concatenate([X.indices, [0]]).astype(np.int32)
    rough.indptr = X.indptr.copy()
    rough.indptr[-1] += 1
    parts = sp.csr_matrix(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    expected = explicit(counts, "tfidf-balanced")
    for data in (rough, parts):
        weighted = Weighting(dtype="float64").fit_transform(data)
        np.testing.assert_allclose(weighted.toarray(), expected, atol=1e-12)


def test_names_and_widths():
    words = list("abcdefghi")
    corpus = Corpus(draw(1), words)
    weighting = Weighting("tfidf", dtype="float64").fit(corpus)
    assert weighting.feature_names_in_.tolist() == words
    assert weighting.get_feature_names_out().tolist() == words
    expected = weighting.transform(corpus).matrix.toarray()
    shuffled = Corpus(draw(1)[:, ::-1], words[::-1])
    np.testing.assert_allclose(weighting.transform(shuffled).matrix.toarray(), expected)
    np.testing.assert_allclose(weighting.transform(draw(1)).toarray(), expected)  # emits no warning
    with refused("8 features", "9", kind=ValueError, golden=False):
        weighting.transform(draw(1)[:, 1:])
    with refused("8 features", "9", golden=False):
        weighting.transform(Corpus(draw(1)[:, 1:]))
    weighting.fit(draw(1))
    assert not hasattr(weighting, "feature_names_in_")
    weighting.fit(corpus).fit(Corpus(draw(1)))
    assert not hasattr(weighting, "feature_names_in_")


def test_wrong_input_gets_a_sentence():
    with refused("'scheme'", "Weighting", "counts", "tfidf-balanced", "'bm25'"):
        Weighting("bm25").fit(draw(1))
    with refused("'dtype'", "Weighting", "'float32'", "'float64'", "'float16'"):
        Weighting(dtype="float16").fit(draw(1))
    with refused("Negative values", "Weighting", kind=ValueError, golden=False):
        Weighting().fit(-draw(1))
    with refused("Negative values", "Weighting", kind=ValueError, golden=False):
        Weighting().fit(draw(1)).transform(-draw(1))
    with refused("NaN", kind=ValueError, golden=False):
        Weighting().fit(np.array([[np.nan, 1.0]]))
    with refused("at least one document"):
        Weighting().fit(Corpus(sp.csr_matrix((0, 3))))
    with refused("'engine'", "'serial'", "'threads'", "'dask'", "'spark'"):
        Weighting(engine="spark").fit(draw(1))


def test_empty_corpus_later():
    weighted = Weighting().fit(draw(1)).transform(Corpus(sp.csr_matrix((0, 9))))
    assert weighted.matrix.shape == (0, 9)


def test_no_thread_outlives_a_fit(small_chunks, planted):
    before = set(threading.enumerate())
    Weighting("tfidf-balanced", engine="threads", n_jobs=2).fit_transform(planted[0])
    assert set(threading.enumerate()) <= before


def test_csr_for_other_estimators():
    corpus = Vectorizer().fit_transform(["cats purr", "cats meow", "dogs bark"])
    weighted = Weighting("tfidf", output="csr").fit_transform(corpus)
    assert isinstance(weighted, sp.csr_matrix)
    expected = Weighting("tfidf").fit_transform(corpus).matrix
    assert (weighted != expected).nnz == 0
    assert NMF(2).fit_transform(weighted).shape == (3, 2)


def test_an_unknown_output():
    with refused("'output'", "Weighting", "'corpus' or 'csr'", "'frame'"):
        Weighting(output="frame").fit([[1, 2]])
