"""Classification accuracy of a linear SVM on codes, as in the papers."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from laconic.errors import LaconicError
from laconic.metrics.topics import finite_unit_rows
from laconic.wording import plural

logger = logging.getLogger(__name__)

GRID = (1.0, 10.0, 100.0)
"""Values of C to choose from; they are large because codes of unit length have small entries."""

CHOICE_ROWS = 2000
"""Maximum number of documents used to choose C; more documents do not change the choice."""

HELD_OUT = 0.25  # share of each class that is held out to compare the values of C


def accuracy(
    codes: Any,
    labels: Sequence[Any] | np.ndarray,
    *,
    folds: int = 5,
    C: float | None = None,
    random_state: int = 0,
) -> float:
    """Cross-validated accuracy of a linear SVM that predicts the class of documents from codes.

    Folds are stratified by class. The code of each document is scaled to unit length. Classes with
    fewer documents than folds are left out, and a warning is logged.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    labels : sequence of length n_documents
        Documents whose label is None are left out.
    folds : int, default=5
    C : float, optional
        Weight of classification errors relative to the width of the margin. By default, C is chosen
        from `GRID` on the training documents of each fold, never on the scored documents.
    random_state : int, default=0

    Returns
    -------
    float
        Share of documents, over all folds, that are classified correctly.

    Examples
    --------
    >>> accuracy([[1, 0], [3, 0], [0, 2], [0, 1]], ["a", "a", "b", "b"], folds=2)
    1.0
    """
    rows, classes = labelled(codes, labels, {})
    if folds < 2:
        raise LaconicError(f"folds must be at least 2; got {folds}.")
    usable = _large_enough(classes, folds)
    rows, classes = rows[usable], classes[usable]
    n_correct = 0
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=random_state).split(
        rows, classes
    ):
        svm = _fit(rows[train], classes[train], C, random_state)
        n_correct += int(np.count_nonzero(svm.predict(rows[test]) == classes[test]))
    return n_correct / len(classes)


def train_test_accuracy(
    train_codes: Any,
    train_labels: Sequence[Any] | np.ndarray,
    test_codes: Any,
    test_labels: Sequence[Any] | np.ndarray,
    *,
    C: float | None = None,
    random_state: int = 0,
) -> float:
    """Accuracy of a linear SVM fitted to training documents, measured on test documents.

    Parameters
    ----------
    train_codes, test_codes : sparse matrix or array of shape (n_documents, n_topics)
    train_labels, test_labels : sequence of length n_documents
        Test documents of a class without training documents count as errors.
    C : float, optional
        See `accuracy`. By default, C is chosen on a part of the training documents.
    random_state : int, default=0

    Returns
    -------
    float

    Examples
    --------
    >>> train_test_accuracy([[1, 0], [3, 0], [0, 2], [0, 1]], [0, 0, 1, 1], [[2, 1]], [0])
    1.0
    """
    numbers: dict[Any, int] = {}
    train, classes = labelled(train_codes, train_labels, numbers)
    test, truth = labelled(test_codes, test_labels, numbers)
    if not len(truth):
        raise LaconicError("No test document has a label; pass at least one label in test_labels.")
    _check_classes(classes)
    svm = _fit(train, classes, C, random_state)
    return float(np.mean(svm.predict(test) == truth))


# --- the SVM -------------------------------------------------------------------------------------


def _fit(rows: Any, classes: np.ndarray, C: float | None, seed: int) -> LinearSVC:
    return _fit_svm(rows, classes, _choose_cost(rows, classes, seed) if C is None else C)


def _fit_svm(rows: Any, classes: np.ndarray, C: float) -> LinearSVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=C, dual=False, tol=1e-2).fit(rows, classes)


def _choose_cost(rows: Any, classes: np.ndarray, seed: int) -> float:
    """Return the value of C with the best held-out accuracy, or the smallest in a tie."""
    # A class with a single document cannot be in both the training and the held-out part.
    alone = np.bincount(classes)[classes] < 2
    chosen = np.flatnonzero(~alone)
    if len(np.unique(classes[chosen])) < 2:
        return 1.0
    random = np.random.default_rng(seed)
    if len(chosen) > CHOICE_ROWS:
        chosen = np.sort(random.choice(chosen, CHOICE_ROWS, replace=False))
    fit, held_out = _split(classes[chosen], seed)
    if len(np.unique(classes[chosen[fit]])) < 2:
        return 1.0
    scores = [
        _fit_svm(rows[chosen[fit]], classes[chosen[fit]], C).score(
            rows[chosen[held_out]], classes[chosen[held_out]]
        )
        for C in GRID
    ]
    return GRID[int(np.argmax(scores))]


def _split(classes: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Hold out a quarter of each class (at least one document); return training and test rows."""
    order = np.random.default_rng([seed, 1]).permutation(len(classes))
    held_out = []
    for number in np.unique(classes):
        members = order[classes[order] == number]
        held_out.append(members[: max(1, round(HELD_OUT * len(members)))])
    is_held_out = np.isin(np.arange(len(classes)), np.concatenate(held_out))
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)


# --- classes -------------------------------------------------------------------------------------


def _large_enough(classes: np.ndarray, folds: int) -> np.ndarray:
    """Return the rows of the documents whose class has at least one document per fold."""
    sizes = np.bincount(classes, minlength=1)
    usable = np.flatnonzero(sizes[classes] >= folds)
    n_small = int(np.count_nonzero((sizes > 0) & (sizes < folds)))
    if n_small:
        logger.warning(
            "left out %s with fewer than %d documents (%s in total)",
            plural(n_small, "class", "classes"),
            folds,
            plural(len(classes) - len(usable), "document"),
        )
    _check_classes(classes[usable], f" with at least {folds} documents (one per fold)")
    return usable


def _check_classes(classes: np.ndarray, which: str = "") -> None:
    n_classes = len(np.unique(classes))
    if n_classes < 2:
        found = plural(n_classes, "class", "classes")
        raise LaconicError(f"At least two classes{which} are needed; got {found}.")


def labelled(
    codes: Any, labels: Sequence[Any] | np.ndarray, numbers: dict[Any, int]
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the codes of labelled documents, scaled to unit length, and their class numbers.

    None and NaN mean no label. `numbers` maps labels to class numbers; new labels are added to it.

    Examples
    --------
    >>> rows, classes = labelled([[2, 0], [0, 3], [4, 4]], ["a", None, "b"], {})
    >>> rows.shape, classes.tolist()
    ((2, 2), [0, 1])
    """
    rows = finite_unit_rows(codes)
    names = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if len(names) != rows.shape[0]:
        raise LaconicError(
            f"Got {plural(len(names), 'label')} for {plural(rows.shape[0], 'code')}; pass one "
            "label per row of codes."
        )
    labelled_rows = [row for row, name in enumerate(names) if name is not None and name == name]
    classes = [numbers.setdefault(names[row], len(numbers)) for row in labelled_rows]
    return rows[labelled_rows], np.array(classes, dtype=np.int64)
