"""How well codes of documents tell their classes apart: a linear SVM, as in the papers."""

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
from laconic.metrics.topics import unit_rows

logger = logging.getLogger(__name__)

GRID = (1.0, 10.0, 100.0)
"""Values of C to choose from: codes of unit length want large ones, as their entries are small."""

CHOICE_ROWS = 2000
"""Most documents that C is chosen on; the choice is the same from then on."""

HELD_OUT = 0.25


def accuracy(
    codes: Any,
    labels: Sequence[Any] | np.ndarray,
    *,
    folds: int = 5,
    C: float | None = None,
    random_state: int = 0,
) -> float:
    """Share of documents whose class a linear SVM finds from their codes, by cross-validation.

    Each fold has its share of every class. Codes are scaled to unit rows. Documents of classes with
    fewer members than folds cannot be in each fold: they are left out, and a log line says so.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    labels : sequence of length n_documents
        Documents whose label is None are left out.
    folds : int, default=5
    C : float, optional
        Weight of errors against the width of the margin; chosen from `GRID` inside each training
        part by default, so the documents that are scored have no say in it.
    random_state : int, default=0

    Returns
    -------
    float
        Over all documents together.

    Examples
    --------
    >>> accuracy([[1, 0], [3, 0], [0, 2], [0, 1]], ["a", "a", "b", "b"], folds=2)
    1.0
    """
    rows, classes = labelled(codes, labels, {})
    if folds < 2:
        raise LaconicError(f"folds must be 2 or more; got {folds}.")
    kept = _large_enough(classes, folds)
    rows, classes = rows[kept], classes[kept]
    right = 0
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=random_state).split(
        rows, classes
    ):
        machine = _fit(rows[train], classes[train], C, random_state)
        right += int(np.count_nonzero(machine.predict(rows[test]) == classes[test]))
    return right / len(classes)


def train_test_accuracy(
    train_codes: Any,
    train_labels: Sequence[Any] | np.ndarray,
    test_codes: Any,
    test_labels: Sequence[Any] | np.ndarray,
    *,
    C: float | None = None,
    random_state: int = 0,
) -> float:
    """Share of test documents whose class a linear SVM finds that was fitted to others.

    Parameters
    ----------
    train_codes, test_codes : sparse matrix or array of shape (n_documents, n_topics)
    train_labels, test_labels : sequence of length n_documents
        Of a class that no training document has, no document is found.
    C : float, optional
        As in `accuracy`; chosen on a part of the training documents by default.
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
        raise LaconicError("There is no document with a label to test on.")
    _check_classes(classes)
    machine = _fit(train, classes, C, random_state)
    return float(np.mean(machine.predict(test) == truth))


# --- the machine ---------------------------------------------------------------------------------


def _fit(rows: Any, classes: np.ndarray, C: float | None, seed: int) -> LinearSVC:
    return _machine(rows, classes, _choose(rows, classes, seed) if C is None else C)


def _machine(rows: Any, classes: np.ndarray, C: float) -> LinearSVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=C, dual=False, tol=1e-2).fit(rows, classes)


def _choose(rows: Any, classes: np.ndarray, seed: int) -> float:
    """The C that is best on a part held out; the smallest of equally good ones."""
    alone = np.bincount(classes)[classes] < 2  # in one of the two parts only
    chosen = np.flatnonzero(~alone)
    if len(np.unique(classes[chosen])) < 2:
        return 1.0
    random = np.random.default_rng(seed)
    if len(chosen) > CHOICE_ROWS:
        chosen = np.sort(random.choice(chosen, CHOICE_ROWS, replace=False))
    fit, held = _split(classes[chosen], seed)
    if len(np.unique(classes[chosen[fit]])) < 2:
        return 1.0
    scores = [
        _machine(rows[chosen[fit]], classes[chosen[fit]], C).score(
            rows[chosen[held]], classes[chosen[held]]
        )
        for C in GRID
    ]
    return GRID[int(np.argmax(scores))]


def _split(classes: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents to fit and documents to score: of each class a quarter, at least one, is scored."""
    order = np.random.default_rng([seed, 1]).permutation(len(classes))
    held = []
    for number in np.unique(classes):
        members = order[classes[order] == number]
        held.append(members[: max(1, round(HELD_OUT * len(members)))])
    is_held = np.isin(np.arange(len(classes)), np.concatenate(held))
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


# --- classes -------------------------------------------------------------------------------------


def _large_enough(classes: np.ndarray, folds: int) -> np.ndarray:
    """The documents of classes that every fold can have a member of."""
    sizes = np.bincount(classes, minlength=1)
    kept = np.flatnonzero(sizes[classes] >= folds)
    small = int(np.count_nonzero((sizes > 0) & (sizes < folds)))
    if small:
        logger.warning(
            "%d classes with fewer than %d documents are left out (%d documents)",
            small,
            folds,
            len(classes) - len(kept),
        )
    _check_classes(classes[kept], f" with {folds} documents or more, one for each fold")
    return kept


def _check_classes(classes: np.ndarray, which: str = "") -> None:
    n_classes = len(np.unique(classes))
    if n_classes < 2:
        raise LaconicError(f"To tell classes apart takes two{which}; there is {n_classes}.")


def labelled(
    codes: Any, labels: Sequence[Any] | np.ndarray, numbers: dict[Any, int]
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Unit rows of the documents with a label, and the number of each label.

    None and NaN are no labels. `numbers` learns those that it does not know yet.

    Examples
    --------
    >>> rows, classes = labelled([[2, 0], [0, 3], [4, 4]], ["a", None, "b"], {})
    >>> rows.shape, classes.tolist()
    ((2, 2), [0, 1])
    """
    rows = unit_rows(codes)
    names = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if len(names) != rows.shape[0]:
        raise LaconicError(
            f"There are {len(names):,} labels for {rows.shape[0]:,} codes; give one for each."
        )
    known = [row for row, name in enumerate(names) if name is not None and name == name]
    classes = [numbers.setdefault(names[row], len(numbers)) for row in known]
    return rows[known], np.array(classes, dtype=np.int64)
