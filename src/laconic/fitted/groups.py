"""Documents by class or by time, from their labels.

Labels that are all years or dates of the calendar are times, in their order; anything else is a
class, the largest first. Dates are gathered into years, months or days, the finest of which there
are few and which all of them tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
import scipy.sparse as sp

from laconic.fitted.documents import Documents

YEAR = re.compile(r"(1[5-9]|20)\d\d(\.0)?")
DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ][\d:.+Z-]*)?)?")
FEW = 60  # times that are told apart
DAY, MONTH, ONLY_YEAR = 10, 7, 4  # characters of a date that are kept


@dataclass(frozen=True)
class Groups:
    """Documents in groups.

    Attributes
    ----------
    kind : str
        "class" or "time".
    names : list of str
    members : ndarray of int
        The group of each document, -1 for one without a label.
    sizes : ndarray of int
        How many documents each group has.
    """

    kind: str
    names: list[str]
    members: np.ndarray
    sizes: np.ndarray

    def shares(self, documents: Documents) -> np.ndarray:
        """Mean share of each topic in the documents of each group, groups x topics.

        A document's share of a topic is the topic's part of the sizes of all its weights, so the
        shares of a document that has a topic sum to one.
        """
        known = self.members >= 0
        total = np.where(documents.totals > 0, documents.totals, 1)[known]
        weights = 1 / (total * self.sizes[self.members[known]])
        places = (self.members[known], np.flatnonzero(known))
        means = sp.csr_matrix((weights, places), (len(self.names), len(documents)))
        return np.asarray((means @ abs(documents.codes)).todense())


def group_documents(documents: Documents) -> Groups | None:
    """The groups that the labels of documents make; None without labels.

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
    times = _times([name for name in names if name])
    if times is not None:
        labels = np.array([times(name) if name else "" for name in names])
        merged, places = np.unique(labels, return_inverse=True)
        names, members = merged.tolist(), places[members]
    return _ordered("class" if times is None else "time", names, members)


def _times(names: list[str]) -> Callable[[str], str] | None:
    """What makes a label a time of which there are few, if all labels are years or dates."""
    if len(names) < 2:
        return None
    if all(YEAR.fullmatch(name) for name in names):
        return lambda name: name[:ONLY_YEAR]
    if not all(map(_is_date, names)):
        return None
    coarsest = min(map(len, names))  # of some the day may not be known
    for length in (DAY, MONTH):
        if length <= coarsest and len({name[:length] for name in names}) <= FEW:
            return lambda name: name[:length]
    return lambda name: name[:ONLY_YEAR]


def _is_date(name: str) -> bool:
    """Whether a label is a month or a day of the calendar."""
    found = DATE.fullmatch(name)
    if found is None:
        return False
    try:
        date(int(found[1]), int(found[2]), int(found[4] or 1))
    except ValueError:  # the 31st of a shorter month
        return False
    return True


def _ordered(kind: str, names: list[str], members: np.ndarray) -> Groups | None:
    """Groups in the order they are shown in; documents without a label are in none."""
    sizes = np.bincount(members, minlength=len(names))
    shown = [group for group, name in enumerate(names) if name]
    if not shown:
        return None
    if kind == "class":
        shown.sort(key=lambda group: (-sizes[group], names[group]))
    place = np.full(len(names), -1)
    place[shown] = np.arange(len(shown))
    return Groups(kind, [names[group] for group in shown], place[members], sizes[shown])
