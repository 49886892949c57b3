"""Tests of the support vector machines of MedSTC, compared with LIBLINEAR."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from laconic.models.stc import machine
from laconic.models.stc.margin import signs, train


def draw(n_classes, seed=0):
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(120) % n_classes)
    codes = random.gamma(0.5, size=(120, 6)) + 0.4 * np.eye(n_classes, 6)[labels]
    return codes, labels


def objective(X, signs, weights, C):
    slack = np.maximum(0, 1 - signs * (X @ weights.T))
    return 0.5 * (weights**2).sum() + C * (slack**2).sum()


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_weights_are_those_of_liblinear(n_classes, C):
    codes, labels = draw(n_classes)
    classifier = train(codes, labels, C)
    units = codes / np.linalg.norm(codes, axis=1, keepdims=True)
    svm = LinearSVC(C=C, dual=False, tol=1e-8, max_iter=10_000).fit(units, labels)
    X = np.hstack([units, np.ones((len(units), 1))])
    Y = signs(labels, len(svm.coef_))
    ours = np.hstack([classifier.coef, classifier.intercept[:, None]])
    theirs = np.hstack([svm.coef_, svm.intercept_[:, None]])
    assert ours.shape == theirs.shape
    assert objective(X, Y, ours, C) <= objective(X, Y, theirs, C) * (1 + 1e-4)
    exact = machine.fit_machines(X, Y, C, tol=1e-9)
    np.testing.assert_allclose(exact, theirs, atol=1e-4 * np.abs(theirs).max())


def test_groups_of_classes_do_not_change_the_weights(monkeypatch):
    codes, labels = draw(5)
    Y = signs(labels, 5)
    together = machine.fit_machines(codes, Y, 1.0, tol=1e-10)
    monkeypatch.setattr(machine, "GROUP", 2)
    np.testing.assert_allclose(machine.fit_machines(codes, Y, 1.0, tol=1e-10), together, atol=1e-8)


def test_documents_without_a_code():
    weights = machine.fit_machines(np.zeros((4, 2)), np.array([[1.0], [1], [-1], [-1]]), 1.0)
    assert not weights.any()
