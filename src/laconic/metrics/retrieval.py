"""Rankings against judgments: average precision, nDCG, precision; and codes as a way to search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.metrics.classification import labelled

QUERY_BLOCK_ENTRIES = 1 << 22
"""Similarities that are held at once: 32 MB."""


def average_precision(ranked: Iterable[Any], relevant: Iterable[Any]) -> float:
    """Mean over the relevant items of the precision at their rank, 0 for those not ranked.

    Parameters
    ----------
    ranked : iterable
        What was found, best first. An item that comes again counts at its first rank only.
    relevant : iterable
        What should be found.

    Returns
    -------
    float
        From 0 to 1. 0 where nothing is relevant: nothing could be found.

    Examples
    --------
    >>> average_precision(["a", "x", "b"], ["a", "b", "c"])  # (1/1 + 2/3 + 0) / 3
    0.5555555555555555
    """
    wanted = set(_items(relevant))
    if not wanted:
        return 0.0
    found = [rank for rank, item in enumerate(_distinct(ranked), start=1) if item in wanted]
    return sum(number / rank for number, rank in enumerate(found, start=1)) / len(wanted)


def mean_average_precision(
    rankings: Iterable[Iterable[Any]], relevant: Iterable[Iterable[Any]]
) -> float:
    """Mean of the average precision of several queries.

    Parameters
    ----------
    rankings : iterable of iterable
        What each query found, best first.
    relevant : iterable of iterable
        What it should find. Queries to which nothing is relevant are left out.

    Returns
    -------
    float
        0 if no query is left.

    Examples
    --------
    >>> mean_average_precision([["a", "b"], ["a", "b"]], [["a"], ["b"]])
    0.75
    """
    found, wanted = list(rankings), [set(_items(one)) for one in relevant]
    if len(found) != len(wanted):
        raise LaconicError(
            f"There are {len(found):,} rankings and judgments for {len(wanted):,}; one for each."
        )
    pairs = zip(found, wanted, strict=True)
    values = [average_precision(ranked, right) for ranked, right in pairs if right]
    return float(np.mean(values)) if values else 0.0


def precision_at(ranked: Iterable[Any], relevant: Iterable[Any], k: int) -> float:
    """Share of relevant items among the first `k`; a shorter ranking lacks the rest.

    Examples
    --------
    >>> precision_at(["a", "x", "b"], ["a", "b"], k=2)
    0.5
    """
    first = _distinct(ranked)[: _rank(k)]
    return len(set(first) & set(_items(relevant))) / k


def ndcg(ranked: Iterable[Any], gains: Mapping[Any, float], k: int | None = None) -> float:
    """Gain of a ranking, each item's divided by the logarithm of its rank, beside the best one's.

    Parameters
    ----------
    ranked : iterable
        What was found, best first. An item that comes again counts at its first rank only.
    gains : mapping of item to float
        What it is worth to find an item; nothing for all others. Give ``2**grade - 1`` for the
        form that rewards high grades more.
    k : int, optional
        Look at the first `k` ranks only.

    Returns
    -------
    float
        From 0 to 1; 0 where nothing is worth finding.

    Examples
    --------
    >>> ndcg(["x", "a"], {"a": 1})  # 1 / log2(3)
    0.6309297535714575
    """
    worth = np.array(list(gains.values()), dtype=np.float64)
    if worth.size and not (np.isfinite(worth) & (worth >= 0)).all():
        raise LaconicError("Gains must be finite numbers of 0 or more.")
    k = None if k is None else _rank(k)
    found = [float(gains.get(item, 0)) for item in _distinct(ranked)]
    best = _discounted(-np.sort(-worth)[:k])
    return _discounted(np.array(found[:k])) / best if best > 0 else 0.0


def _distinct(ranked: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(_items(ranked)))


def _items(values: Iterable[Any]) -> Iterable[Any]:
    # numbers of Python are found in a set several times faster than those of numpy
    return values.tolist() if isinstance(values, np.ndarray) else values


def _discounted(gains: np.ndarray) -> float:
    return float(np.sum(gains / np.log2(np.arange(2, len(gains) + 2))))


def _rank(k: int) -> int:
    if k < 1:
        raise LaconicError(f"k must be 1 or more ranks; got {k}.")
    return k


# --- codes ---------------------------------------------------------------------------------------


def neighbour_precision(
    codes: Any, labels: Sequence[Any] | np.ndarray, *, n_queries: int = 500, random_state: int = 0
) -> float:
    """Mean average precision of finding documents of the same class by the cosine of codes.

    Documents drawn at random are queries; all others are ranked. Equally similar ones, such as
    those without any topic, come in random order. Queries whose class has no other document are
    left out.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    labels : sequence of length n_documents
        Documents whose label is None are left out.
    n_queries : int, default=500
        All documents if there are fewer.
    random_state : int, default=0

    Returns
    -------
    float
        0 if no class has two documents. Codes that say nothing score about the share of a class
        among the documents.

    Examples
    --------
    >>> neighbour_precision([[1, 0], [2, 0], [0, 1], [0, 3]], ["a", "a", "b", "b"])
    1.0
    """
    rows, classes = labelled(codes, labels, {})
    if n_queries < 1:
        raise LaconicError(f"n_queries must be 1 or more; got {n_queries}.")
    random = np.random.default_rng(random_state)
    order = random.permutation(len(classes))  # so that ties are in random order
    rows, classes = rows[order], classes[order]
    has_company = np.bincount(classes, minlength=1)[classes] > 1
    values = list(_precisions(rows, classes, np.flatnonzero(has_company)[:n_queries]))
    return float(np.mean(values)) if values else 0.0


def _precisions(rows: sp.csr_matrix, classes: np.ndarray, queries: np.ndarray) -> Iterator[float]:
    block = max(QUERY_BLOCK_ENTRIES // max(len(classes), 1), 1)
    columns = rows.T.tocsr()
    for start in range(0, len(queries), block):
        asked = queries[start : start + block]
        similar = (rows[asked] @ columns).toarray()
        similar[np.arange(len(asked)), asked] = np.inf  # the query itself comes first, and goes
        for query, likeness in zip(asked, similar, strict=True):
            ranked = np.argsort(-likeness, kind="stable")[1:]
            ranks = np.flatnonzero(classes[ranked] == classes[query]) + 1
            yield float(np.mean(np.arange(1, len(ranks) + 1) / ranks))
