"""Codes of the documents whose class is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.metrics.topics import unit_rows


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
