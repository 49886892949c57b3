"""Tests of the measures in the Sparse LSA benchmarks, on examples with known results."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.data import two_groups
from benchmarks.harness import Run
from benchmarks.papers import literal_lsa
from benchmarks.papers import literal_sparse_coding as coding
from benchmarks.papers import sparse_lsa_accuracy as accuracy
from benchmarks.papers import sparse_lsa_projection as projection
from benchmarks.papers import sparse_lsa_reuters as stories
from benchmarks.papers import sparse_lsa_topics as topics
from laconic import SparseLSA

# LIBSVM runs for a limited number of steps, so it may not converge.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def two_classes(apart: float) -> tuple[np.ndarray, accuracy.Labelled]:
    random = np.random.default_rng(0)
    labels = np.repeat([-1, 1], 30)
    codes = random.normal(size=(60, 4))
    codes[:, 0] += apart * labels
    order = random.permutation(60)
    return codes, accuracy.Labelled(labels, [(order[:40], order[40:]), (order[20:], order[:20])])


def test_classes_that_lie_apart_are_told_apart_and_others_are_not() -> None:
    assert accuracy.judge(*two_classes(20.0)).test == 100
    assert accuracy.judge(*two_classes(0.0)).test < 80


def test_sparse_codes_are_judged_like_dense_ones_and_scale_does_not_count() -> None:
    codes, by = two_classes(1.0)
    judged = accuracy.judge(codes, by)
    assert accuracy.judge(sp.csr_matrix(codes), by) == pytest.approx(judged)
    assert accuracy.judge(1000 * codes, by) == pytest.approx(judged)


def test_random_splits_have_the_sizes_asked_for() -> None:
    like = [(np.arange(7), np.arange(3))] * 4
    splits = accuracy.random_splits(10, like, seed=0)
    assert len(splits) == 4
    for train, test in splits:
        assert len(train) == 7
        assert sorted([*train, *test]) == list(range(10))


def test_the_candidates_of_the_paper_are_for_codes_as_they_are() -> None:
    codes, by = two_classes(1.0)
    found = accuracy.judge(codes, by, as_printed=True)
    assert 50 < found.test <= 100
    # with such small codes, the largest C is still too small
    tiny = accuracy.judge(1e-5 * codes, by, as_printed=True)
    assert tiny.validation < found.validation


# --- sparse coding -------------------------------------------------------------------------------


def turned_at_random(n_documents: int = 20, seed: int = 1) -> tuple[sp.csr_matrix, coding.Turned]:
    X = sp.random(n_documents, 50, density=0.3, random_state=seed, format="csr", dtype=np.float32)
    return X, coding.turn(X)


def test_documents_turned_keep_their_products_and_come_back() -> None:
    X, turned = turned_at_random()
    products = (X @ X.T).toarray()
    np.testing.assert_allclose(turned.documents @ turned.documents.T, products, atol=1e-5)
    np.testing.assert_allclose(turned.documents @ turned.directions.T, X.toarray(), atol=1e-5)


def test_first_bases_are_those_of_the_words() -> None:
    X, turned = turned_at_random()
    first = coding.random_bases(turned, 5, seed=0)
    drawn = np.random.default_rng(0).random((5, 50), np.float32)
    drawn -= drawn.mean(axis=1, keepdims=True)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    np.testing.assert_allclose(first.gram, drawn @ drawn.T, atol=1e-5)
    np.testing.assert_allclose(turned.documents @ first.rows.T, X @ drawn.T, atol=1e-5)


@pytest.mark.parametrize("penalty", [0.3, 0.05, 0.001])
def test_codes_satisfy_the_conditions_of_the_lasso(penalty: float) -> None:
    _, turned = turned_at_random()
    bases = coding.learn_bases(turned, 8, penalty, steps=5)
    codes = coding.sparse_codes(bases, turned.documents, penalty)
    slopes = (turned.documents - codes @ bases.rows) @ bases.rows.T
    used = codes != 0
    assert used.any()
    np.testing.assert_allclose(slopes[used], penalty * np.sign(codes[used]), atol=0.05 * penalty)
    assert (np.abs(slopes[~used]) <= 1.05 * penalty).all()


def test_bases_stay_in_the_unit_ball_and_lower_the_objective() -> None:
    _, turned = turned_at_random()
    objectives = []
    for steps in (1, 3, 10):
        bases = coding.learn_bases(turned, 8, 0.05, steps=steps)
        assert np.linalg.norm(bases.rows, axis=1).max() <= 1 + 1e-5
        codes = coding.sparse_codes(bases, turned.documents, 0.05)
        residuals = turned.documents - codes @ bases.rows
        objectives.append(np.sum(residuals**2) / 2 + 0.05 * np.abs(codes).sum())
    assert objectives[0] > objectives[1] > objectives[2]


def test_bases_that_no_document_uses_become_zero() -> None:
    _, turned = turned_at_random()
    bases = coding.learn_bases(turned, 3, 100.0, steps=2)
    assert not bases.rows.any()
    assert not coding.sparse_codes(bases, turned.documents, 100.0).any()


def test_spams_finds_the_same_codes() -> None:
    spams = pytest.importorskip("spams")
    X, turned = turned_at_random()
    bases = coding.learn_bases(turned, 5, 0.05, steps=5)
    found = spams.lasso(
        np.asfortranarray(X.T.toarray()),
        D=np.asfortranarray(turned.directions @ bases.rows.T),
        lambda1=0.05,
        mode=2,
        numThreads=1,
    )
    codes = coding.sparse_codes(bases, turned.documents, 0.05)
    np.testing.assert_allclose(codes, found.toarray().T, atol=2e-3)


def test_lambda_is_chosen_by_cross_validation() -> None:
    def coded(penalty: float, test: float, validation: float) -> accuracy.Coded:
        bases = coding.Bases(np.zeros((1, 1)), np.zeros((1, 1)))
        codes = sp.csr_matrix([[1.0, 0.0]])
        return accuracy.Coded(penalty, bases, codes, accuracy.Accuracy(test, 0, validation))

    best = accuracy.best_coded([coded(0.1, 90, 70), coded(0.01, 80, 75)])
    assert best.penalty == 0.01
    assert best.density == 50


def test_both_benchmarks_run_without_optional_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "has_spams", lambda: False)
    monkeypatch.setattr(projection, "has_spams", lambda: False)
    monkeypatch.setattr(accuracy, "has_tomotopy", lambda: False)
    run = Run("", smoke=True)
    accuracy.slsa_over_dimension(run)
    projection.slsa_projection(run)
    names = {row.what for row in run.rows}
    assert {
        "accuracy, D=4, sparse coding",
        "accuracy, D=4, LDA",
        "accuracy, D=4, LDA, variational",
        "projection of a document, sparse coding",
        "density of projected documents, sparse coding, λ by cross-validation",
    } <= names
    assert not any("SPAMS" in name for name in names)


def test_storage_is_counted_as_the_paper_counts() -> None:
    # In table 3 of the paper, LSA with 1,000 dimensions and 17,390 words takes 132.68 MB.
    run = Run("storage")
    model = SparseLSA(1000)
    model.components_ = sp.csr_matrix(([1.0] * 3, ([0, 1, 2], [0, 1, 2])), shape=(1000, 17390))
    projection._storage_rows(run, {"Sparse LSA": model}, 17390)
    found = {row.what: row.value for row in run.rows}
    assert found["storage of A as in MATLAB, LSA"] == pytest.approx(132.68, abs=0.005)
    assert found["storage of A as in MATLAB, Sparse LSA"] * 2**20 == 16 * 3 + 8 * 17391


def test_shared_words_gives_no_topic_twice() -> None:
    wanted = [["a", "b", "c"], ["a", "b", "d"]]
    tops = [["a", "b", "c"], ["x", "y", "d"]]
    share, given = topics.shared_words(wanted, tops)
    assert given == [0, 1]
    assert share == pytest.approx(4 / 6)


def test_chance_is_between_nothing_and_all() -> None:
    assert topics._by_chance([["a"], ["b"]], seed=0) == 1  # for every permutation
    wanted = [[f"{k}{n}" for n in range(10)] for k in range(7)]
    assert 0.15 < topics._by_chance(wanted, seed=0) < 0.5


@pytest.mark.parametrize("solver", [topics.PROGRAM, topics.OURS])
def test_the_sparsest_fit_keeps_ten_words_in_every_topic(solver: str) -> None:
    corpus = topics.all_titled_nips(Run("", smoke=True))
    lengths = np.diff(topics.sparsest(corpus.counts.astype(np.float32), 3, solver, 0).indptr)
    assert len(lengths) == 3
    assert lengths.min() >= topics.N_WORDS


def test_stories_that_lie_apart_are_told_apart() -> None:
    codes = np.repeat(np.eye(3), 20, axis=0)
    labels = np.repeat(["earn", "acq", "grain"], 20)
    data = stories.Labelled(sp.csr_matrix(codes), labels, np.arange(60) % 3 > 0)
    assert stories.accuracy(codes, data) == 1


def test_lambda_is_scaled_by_the_root_of_the_number_of_documents() -> None:
    assert stories.scaled_alpha(stories.PAPER_DOCUMENTS) == pytest.approx(0.05)
    assert stories.scaled_alpha(8308) == pytest.approx(0.0365, abs=1e-4)


# --- the authors' program ------------------------------------------------------------------------


def plain_program(
    X: np.ndarray, n_topics: int, alphas: list[float], positive: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Alternate closed form and SVD as in the authors' program, without any shortcut."""
    U = np.eye(X.shape[0], n_topics)
    for alpha in alphas:
        A = np.zeros((n_topics, X.shape[1]))
        for _ in range(literal_lsa.PROGRAM_STEPS):
            old_U, old_A = U, A
            B = U.T @ X
            A = np.maximum(B - alpha, 0)
            A = A if positive else A - np.maximum(-B - alpha, 0)
            P, lengths, Qt = np.linalg.svd(X @ A.T, full_matrices=False)
            kept = lengths > 1e-12 * lengths[0]
            U = P[:, kept] @ Qt[kept]
            changes = np.linalg.norm(U - old_U), np.linalg.norm(A - old_A)
            if max(changes) < literal_lsa.PROGRAM_TOL:
                break
    return U, A


@pytest.mark.parametrize("positive", [False, True])
def test_the_program_equals_plain_alternations(positive: bool) -> None:
    X = two_groups(Run("", smoke=True)).X
    *_, found = literal_lsa.follow_path(X, 8, [0.4, 0.1], positive=positive)
    U, A = plain_program(X.toarray().astype(np.float64), 8, [0.4, 0.1], positive)
    np.testing.assert_allclose(found.A.toarray(), A, atol=1e-6)
    np.testing.assert_allclose(found.U, U, atol=1e-6)


def test_topics_that_died_stay_dead_and_the_others_are_orthonormal() -> None:
    X = two_groups(Run("", smoke=True)).X
    alone = next(literal_lsa.follow_path(X, 30, [0.05]))
    first, last = literal_lsa.follow_path(X, 30, [0.3, 0.05])
    assert alone.n_live == 30
    assert 0 < first.n_live < 30
    assert last.n_live == first.n_live
    live = np.diff(last.A.indptr) > 0
    np.testing.assert_allclose(last.U.T @ last.U, np.diag(live.astype(float)), atol=1e-6)


def test_the_nearest_basis_of_a_deficient_matrix_has_its_rank() -> None:
    V = np.outer([1.0, 2.0, 2.0], [1.0, 0.0, 1.0])
    U = literal_lsa.nearest_basis(V)
    np.testing.assert_allclose(U, V / np.linalg.norm(V), atol=1e-12)
