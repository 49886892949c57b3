"""Tests of the accuracy of a linear SVM on document codes."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.metrics.classification import GRID, accuracy, train_test_accuracy
from tests.messages import check, refused


def clusters(n=120, n_classes=3, noise=0.1, seed=0):
    random = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    return np.eye(n_classes)[labels] + noise * random.standard_normal((n, n_classes)), labels


def test_codes_that_tell_classes_apart_and_codes_that_do_not():
    codes, labels = clusters()
    assert accuracy(codes, labels) == 1
    shuffled = np.random.default_rng(1).permutation(labels)
    assert accuracy(codes, shuffled) == pytest.approx(1 / 3, abs=0.15)


def test_accuracy_on_paper():
    """One document of each class has a code of the other class, so the accuracy is 8 of 10."""
    codes = np.repeat([[1.0, 0.0], [0.0, 1.0]], 5, axis=0)
    labels = np.repeat(["a", "b"], 5)
    codes[[0, 5]] = codes[[5, 0]]
    assert accuracy(codes, labels, folds=5, C=1.0) == pytest.approx(0.8)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, lambda X: X.tolist()])
def test_kinds_of_codes(kind):
    codes, labels = clusters(noise=0.5)
    expected = accuracy(codes, labels)
    assert 0.5 < expected < 1
    assert accuracy(kind(codes), labels) == pytest.approx(expected, abs=1e-9)


def test_what_must_not_matter():
    codes, labels = clusters(noise=0.5)
    expected = accuracy(codes, labels)
    lengths = np.random.default_rng(2).uniform(0.1, 9, (len(codes), 1))
    assert accuracy(lengths * codes, labels) == expected  # rows are scaled to unit length
    assert accuracy(codes, [f"class {label}" for label in labels]) == expected
    assert accuracy(codes, labels) == expected


def test_documents_of_zero_have_codes_too():
    codes, labels = clusters()
    codes[:6] = 0
    assert 0.9 < accuracy(codes, labels) <= 1


def test_small_classes_are_left_out_and_said(caplog):
    codes, labels = clusters(60)
    names = labels.astype(object)
    names[:3] = "rare"
    with caplog.at_level(logging.WARNING):
        assert accuracy(codes, names) == accuracy(codes[3:], labels[3:]) == 1
    (said,) = caplog.messages
    check(said, "1 class ", "fewer than 5 documents", "3 documents in total")
    with refused("two", "5 documents", "fold"):
        accuracy(codes[:10], ["a"] * 6 + ["b"] * 4)


def test_documents_without_a_label_are_left_out():
    codes, labels = clusters(60)
    names = [None if i < 30 else label for i, label in enumerate(labels.tolist())]
    assert accuracy(codes, names) == accuracy(codes[30:], labels[30:])


def test_sentences():
    codes, labels = clusters(30)
    with refused("29 labels", "30 codes"):
        accuracy(codes, labels[1:])
    with refused("folds", "2", "got 1"):
        accuracy(codes, labels, folds=1)
    with refused("two", "got 1"):
        accuracy(codes, np.zeros(30))
    with refused("classes", "two", "1"):
        train_test_accuracy(codes, np.zeros(30), codes, labels)
    with refused("No test document", "label", "test"):
        train_test_accuracy(codes, labels, codes[:0], [])


def test_training_and_test_documents():
    codes, labels = clusters()
    train, test = slice(0, 90), slice(90, None)
    assert train_test_accuracy(codes[train], labels[train], codes[test], labels[test]) == 1
    # documents of a class without training documents are always wrong
    unseen = np.where(np.arange(30) < 6, 99, labels[test])
    found = train_test_accuracy(codes[train], labels[train], codes[test], unseen)
    assert found == pytest.approx(24 / 30)


def test_the_margin_is_chosen_where_it_matters():
    """A rare class with codes close to the others is only found if `C` is large enough."""
    labels = np.arange(200) % 10 == 0
    codes = np.column_stack([np.ones(200), 0.05 * labels])
    assert accuracy(codes, labels, C=GRID[0]) == pytest.approx(0.9)
    assert accuracy(codes, labels, C=GRID[-1]) == 1
    assert accuracy(codes, labels) == 1


def test_documents_that_are_scored_are_not_learned_from():
    draw = np.random.default_rng(0)
    # the labels do not depend on the codes
    codes, labels = draw.normal(size=(60, 200)), np.repeat([0, 1], 30)
    assert accuracy(codes, labels, C=100.0) < 0.75
