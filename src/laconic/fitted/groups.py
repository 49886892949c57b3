"""Group documents by class or by time, according to their labels.

If all labels are years or calendar dates, the groups are times in chronological order; otherwise
they are the `MAX_CLASSES` largest classes, largest first. Dates are grouped by day, month or year.
The unit is the finest one that every label specifies and that gives at most `MAX_TIMES` groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from laconic.corpus.dates import is_date, is_year
from laconic.fitted.document_sums import block_totals, code_blocks
from laconic.fitted.documents import Documents

MAX_TIMES = 60  # maximum number of groups by day or by month
MAX_CLASSES = 2_000  # maximum number of classes; documents of smaller classes are in no group
DAY, MONTH, ONLY_YEAR = 10, 7, 4  # number of characters to keep of a date


@dataclass(frozen=True)
class Groups:
    """Groups of documents.

    Attributes
    ----------
    kind : str
        "class" or "time".
    names : list of str
    members : ndarray of int
        The group of each document; -1 for a document without a label or of a small class.
    sizes : ndarray of int
        Number of documents in each group.
    """

    kind: str
    names: list[str]
    members: np.ndarray
    sizes: np.ndarray

    def shares(self, documents: Documents) -> np.ndarray:
        """Return the mean share of each topic in each group, as an array of groups x topics.

        The share of a topic in a document is the topic's fraction of the document's absolute
        weights, so the shares of a document with at least one topic sum to one.
        """
        shares = np.zeros((len(self.names), documents.n_topics))
        for start, block in code_blocks(documents):
            members, totals = self.members[start : start + block.shape[0]], block_totals(block)
            labelled = np.flatnonzero(members >= 0)
            members = members[labelled]
            weights = 1 / (np.where(totals > 0, totals, 1)[labelled] * self.sizes[members])
            means = sp.csr_matrix((weights, (members, labelled)), (len(shares), len(totals)))
            part = (means @ abs(block)).tocsr()
            groups = np.repeat(np.arange(len(shares)), np.diff(part.indptr))
            shares[groups, part.indices] += part.data  # a group has each topic at most once
        return shares


def group_documents(documents: Documents) -> Groups | None:
    """Group documents by their labels; return None if they have no labels.

    Examples
    --------
    >>> from laconic.fitted.documents import Names
    >>> codes = sp.csr_matrix([[1.0, 0], [3, 1], [0, 2]])
    >>> groups = group_documents(Documents(codes, labels=Names.of(["b", "a", "b"])))
    >>> groups.kind, groups.names, groups.sizes.tolist()
    ('class', ['b', 'a'], [2, 1])
    >>> groups.shares(Documents(codes)).tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    >>> group_documents(Documents(codes, labels=Names.of([1999, 2001, 1999]))).kind
    'time'
    """
    if documents.labels is None or not len(documents):
        return None
    names, members = documents.labels.distinct()
    to_time = _time_formatter([name for name in names if name])
    if to_time is not None:
        labels = np.array([to_time(name) if name else "" for name in names])
        merged, groups = np.unique(labels, return_inverse=True)
        names, members = merged.tolist(), groups[members]
    return _ordered("class" if to_time is None else "time", names, members)


def _time_formatter(names: list[str]) -> Callable[[str], str] | None:
    """Return a function from labels to times, or None if a label is not a year or date."""
    if len(names) < 2:
        return None
    if all(map(is_year, names)):
        return lambda name: name[:ONLY_YEAR]
    if not all(map(is_date, names)):
        return None
    coarsest = min(map(len, names))  # some dates may lack the day
    for length in (DAY, MONTH):
        if length <= coarsest and len({name[:length] for name in names}) <= MAX_TIMES:
            return lambda name: name[:length]
    return lambda name: name[:ONLY_YEAR]


def _ordered(kind: str, names: list[str], members: np.ndarray) -> Groups | None:
    """Sort the groups for display; documents without a label belong to no group."""
    sizes = np.bincount(members, minlength=len(names))
    order = [group for group, name in enumerate(names) if name]
    if not order:
        return None
    if kind == "class":
        order.sort(key=lambda group: (-sizes[group], names[group]))
        order = order[:MAX_CLASSES]
    ranks = np.full(len(names), -1)
    ranks[order] = np.arange(len(order))
    return Groups(kind, [names[group] for group in order], ranks[members], sizes[order])
