"""Tests of the priors of seeds against plain NumPy, and of their optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import PLSA, SparseCoding, SparseLSA
from laconic.models.plsa.mixture import maximize
from laconic.models.sctm.dictionary import improve_topics
from laconic.models.seed_priors import Pairs, Seeding, SeedPrior
from laconic.models.sparse_coding import solver as sparse_coding
from laconic.models.stc.dictionary import Paper, _gaussian_topic
from tests.models.plsa import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N_WORDS, N_TOPICS = 12, 4
# Word 0 is exclusive to topic 0, word 3 is excluded from topic 0, and words 5 and 6 are of topic 1.
WORDS = sp.csr_matrix(
    ([2.0, 1.0, -1.0, 1.0, 1.0], ([0, 0, 0, 1, 1], [0, 1, 3, 5, 6])), shape=(2, N_WORDS)
)
SEEDS = {"a": ["0!", 1, "-3"], "b": [5, 6]}  # the same as seeds of a model
EXCLUDED = [(0, 1), (0, 2), (0, 3), (3, 0)]  # pairs of word and topic


def seeding(strength=1.0):
    return Seeding(WORDS, strength, N_TOPICS)


def documents(seed=0, n_documents=30):
    random = np.random.default_rng(seed)
    return random.poisson(1.5, (n_documents, N_WORDS)).astype(float) + (
        random.random((n_documents, N_WORDS)) < 0.1
    )


def allowed():
    mask = np.ones((N_WORDS, N_TOPICS))
    mask[tuple(zip(*EXCLUDED, strict=True))] = 0
    return mask


def test_words_that_are_excluded():
    pairs = seeding().excluded
    assert list(zip(pairs.words.tolist(), pairs.topics.tolist(), strict=True)) == EXCLUDED


def test_pairs_of_a_range_of_words():
    pairs = seeding().seeds
    words, topics, values = pairs.within(slice(1, 6))
    assert (words.tolist(), topics.tolist(), values.tolist()) == ([0, 4], [0, 1], [1, 1])


# --- Dirichlet prior ------------------------------------------------------------------------------


@given(st.floats(0, 50), st.floats(0, 1), st.integers(0, 100))
@settings(max_examples=20, deadline=None)
def test_maximize_adds_pseudo_counts(strength, smoothing, seed):
    counts = np.random.default_rng(seed).gamma(0.5, size=(N_WORDS, N_TOPICS)) + 1e-3
    totals = np.arange(1.0, N_WORDS + 1)
    prior = seeding(strength).prior(seeding().of_words(totals))
    expected = counts + smoothing
    for word, topic in ((0, 0), (1, 0), (5, 1), (6, 1)):
        expected[word, topic] += strength * totals[word]
    expected *= allowed()
    found = maximize(counts.copy(), smoothing, prior=prior)
    np.testing.assert_allclose(found, expected / expected.sum(axis=0), rtol=1e-9)


def test_plsa_equals_the_reference():
    """Each pass is an EM step of the objective with the prior."""
    X = documents()
    start = np.random.default_rng(1).dirichlet(np.ones(N_WORDS), N_TOPICS).T * allowed()
    start /= start.sum(axis=0)
    model = PLSA(N_TOPICS, init=start.T, max_iter=4, tol=0, seeds=SEEDS)
    model.fit(X)
    tau = np.zeros((N_WORDS, N_TOPICS))
    for word, topic in ((0, 0), (1, 0), (5, 1), (6, 1)):
        tau[word, topic] = X[:, word].sum()
    words, theta, values = start, np.full((len(X), N_TOPICS), 1 / N_TOPICS), []
    positive = allowed() > 0
    for _ in range(4):
        theta = reference.mix(X, words, theta, model.doc_smoothing, 3)
        logs = np.log(words, where=positive, out=np.zeros(words.shape))
        values.append(
            -reference.likelihood(X, words, theta)
            - ((model.smoothing + tau) * logs).sum()
            - model.doc_smoothing * np.log(theta).sum()
        )
        words = (reference.expected_counts(X, words, theta) + model.smoothing + tau) * allowed()
        words /= words.sum(axis=0)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-9)
    assert np.all(np.diff(model.objective_) <= 0)
    found = model.components_[:2].T
    np.testing.assert_allclose(found, words[:, :2], rtol=1e-6)


# --- dictionary of STC ----------------------------------------------------------------------------


@given(st.integers(0, 100), st.floats(0.1, 100))
@settings(max_examples=20, deadline=None)
def test_gaussian_topic_is_optimal(seed, strength):
    random = np.random.default_rng(seed)
    a, b = random.gamma(1.0, size=(2, N_WORDS))
    start = random.dirichlet(np.ones(N_WORDS))
    start[4] = 0
    prior = np.zeros(N_WORDS)
    prior[:2] = strength
    topic = _gaussian_topic(a, b, start, prior)
    assert topic[4] == 0
    np.testing.assert_allclose(topic.sum(), 1)
    used = topic > 1e-9
    slopes = b[used] * topic[used] / start[used] - a[used] - prior[used] / topic[used]
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-5, atol=1e-5 * np.abs(a).max())
    idle = ~used & (start > 0)
    assert np.all(-a[idle] >= slopes[0] - 1e-5)


@pytest.mark.parametrize("poisson", [True, False])
def test_paper_step_minimises_the_majorising_function(poisson):
    random = np.random.default_rng(3)
    a, b = random.gamma(2.0, size=(2, N_WORDS, N_TOPICS))
    start = random.dirichlet(np.ones(N_WORDS), N_TOPICS).T * allowed()
    start /= start.sum(axis=0)
    prior = seeding(2.0).prior(np.ones(4))
    new = Paper(poisson, prior)(a, b, start)

    def value(words):
        part = words[allowed() > 0]
        numbers = (x[allowed() > 0] for x in (a, b, start))
        a_, b_, start_ = numbers
        data = b_ * part - a_ * np.log(part) if poisson else b_ * part**2 / (2 * start_) - a_ * part
        return data.sum() + prior.log_value(words)

    assert not new[allowed() == 0].any()
    np.testing.assert_allclose(new.sum(axis=0), 1)
    safe = np.where(allowed() > 0, np.maximum(new, 1e-12), 0)
    for _ in range(50):
        other = random.dirichlet(np.ones(N_WORDS), N_TOPICS).T * allowed()
        mixed = 0.9 * safe + 0.1 * other / other.sum(axis=0)
        assert value(safe) <= value(mixed) + 1e-9


# --- quadratic prior ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_sctm_topics_satisfy_the_optimality_conditions(weighted):
    random = np.random.default_rng(4)
    codes = random.gamma(0.5, size=(40, N_TOPICS))
    X = documents(5, 40)
    # With large products, the length of every topic is limited by the unit ball.
    moments, products = codes.T @ codes, codes.T @ X * (3 if weighted else 0.1)
    weights = np.ones(N_WORDS) if weighted else None
    pull = seeding(3.0).pull(np.full(4, 40.0), 2 if weighted else 1)
    topics = random.dirichlet(np.ones(N_WORDS), N_TOPICS)

    def value(topics):
        data = 0.5 * np.sum((moments @ topics) * topics) - np.sum(products * topics)
        return data + pull.value(topics)

    values = [value(topics)] if not weighted else []
    for _ in range(300):
        topics = improve_topics(topics, moments, products, 1, weights, pull=pull)
        values.append(value(topics))
    if not weighted:
        assert np.all(np.diff(values[1:]) <= 1e-9 * np.abs(values[1]))
    assert not topics.T[allowed() == 0].any()
    gradient = moments @ topics - products
    gradient += pull.curvature[:, None] * (topics - pull.directions.toarray())
    for topic, slope, mask in zip(topics, gradient, allowed().T > 0, strict=True):
        if weighted:  # On the sphere, the gradient is a multiple of the topic.
            slope = slope - (slope @ topic) * topic
            np.testing.assert_allclose(slope[mask & (topic > 0)], 0, atol=1e-5 * len(X))
            assert np.all(slope[mask & (topic == 0)] >= -1e-5 * len(X))
        else:
            least = slope[mask].min()
            np.testing.assert_allclose(slope[mask & (topic > 1e-9)], least, atol=1e-6 * len(X))


@pytest.mark.parametrize("positive", [True, False])
def test_sparse_coding_topics_lower_the_objective(positive):
    random = np.random.default_rng(6)
    codes = random.normal(size=(40, N_TOPICS)) if not positive else random.gamma(1, size=(40, 4))
    X = documents(7, 40)
    moments, products = codes.T @ codes, X.T @ codes
    pull = seeding().pull(seeding().of_words((X**2).sum(axis=0)), 2)
    start = random.random((N_TOPICS, N_WORDS)) * allowed().T
    topics = start / np.linalg.norm(start, axis=1, keepdims=True)

    def value(topics):
        return 0.5 * np.sum((X - codes @ topics) ** 2) + pull.value(topics)

    values = [value(topics)]
    for _ in range(20):
        topics = sparse_coding.improve_topics(topics, moments, products, positive, pull=pull)
        values.append(value(topics))
    assert np.all(np.diff(values) <= 1e-9 * values[0])
    assert not topics.T[allowed() == 0].any()


def test_sparse_coding_reports_the_objective_with_the_prior():
    X = documents(8)
    model = SparseCoding(4, alpha=0.5, seeds=SEEDS, max_iter=60, tol=0).fit(X)
    seeds = model._seeding(4)
    pull = seeds.pull(seeds.of_words((X**2).sum(axis=0)), 2)
    codes = model.transform(X).toarray()
    value = 0.5 * np.sum((X - codes @ model.components_) ** 2) + 0.5 * codes.sum()
    value += pull.value(model.components_)
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-4)


# --- linear prior of Sparse LSA -------------------------------------------------------------------


@pytest.mark.parametrize("positive", [True, False])
def test_sparse_lsa_equals_the_reference(positive):
    """After convergence, A = prox(U'X + c), and the objective is the objective with the prior."""
    X = documents(9, 60) - (0 if positive else 0.5)
    alpha = 2.0
    model = SparseLSA(
        4,
        alpha=alpha,
        positive=positive,
        seeds=SEEDS,
        max_iter=500,
        tol=0,
    ).fit(X)
    A = model.components_.toarray()
    bonus = np.zeros(A.shape)
    for word, topic in ((0, 0), (1, 0), (5, 1), (6, 1)):
        bonus[topic, word] = np.linalg.norm(X[:, word])
    left, _, right = np.linalg.svd(X @ A.T, full_matrices=False)
    U = left @ right
    value = 0.5 * np.sum((X - U @ A) ** 2) + alpha * np.abs(A).sum() - np.sum(bonus * A)
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-6)
    assert np.all(np.diff(model.objective_) <= 1e-9 * abs(model.objective_[0]))
    B = (U.T @ X + bonus) * allowed().T
    prox = np.maximum(B - alpha, 0) if positive else np.sign(B) * np.maximum(np.abs(B) - alpha, 0)
    np.testing.assert_allclose(A, prox, atol=1e-3 * np.abs(A).max())


def test_zero_strength_adds_nothing():
    prior = seeding(0.0).prior(np.ones(4))
    assert isinstance(prior, SeedPrior)
    assert isinstance(prior.added, Pairs)
    assert not prior.added.values.any()
    assert seeding(0.0).pull(np.ones(4), 2).value(np.ones((N_TOPICS, N_WORDS))) == 0
