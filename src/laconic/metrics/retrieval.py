"""Ranking metrics (average precision, nDCG, precision), and retrieval of similar documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.metrics.classification import labelled
from laconic.wording import plural

QUERY_BLOCK_ENTRIES = 1 << 22
"""Maximum number of similarities in memory at once (32 MB of float64 values)."""


def average_precision(ranked: Iterable[Any], relevant: Iterable[Any]) -> float:
    """Mean of the precision at the rank of each relevant item (0 for an item that is not ranked).

    Parameters
    ----------
    ranked : iterable
        Retrieved items, best first. A repeated item counts at its first rank only.
    relevant : iterable
        The relevant items.

    Returns
    -------
    float
        From 0 to 1; 0 if there are no relevant items.

    Examples
    --------
    >>> average_precision(["a", "x", "b"], ["a", "b", "c"])  # (1/1 + 2/3 + 0) / 3
    0.5555555555555555
    """
    targets = set(_items(relevant))
    if not targets:
        return 0.0
    ranks = [rank for rank, item in enumerate(_distinct(ranked), start=1) if item in targets]
    return sum(number / rank for number, rank in enumerate(ranks, start=1)) / len(targets)


def mean_average_precision(
    rankings: Iterable[Iterable[Any]], relevant: Iterable[Iterable[Any]]
) -> float:
    """Mean of the average precision of several queries.

    Parameters
    ----------
    rankings : iterable of iterable
        Retrieved items of each query, best first.
    relevant : iterable of iterable
        Relevant items of each query. Queries without relevant items are left out.

    Returns
    -------
    float
        The mean average precision; 0 if no query has relevant items.

    Examples
    --------
    >>> mean_average_precision([["a", "b"], ["a", "b"]], [["a"], ["b"]])
    0.75
    """
    queries, judgments = list(rankings), [set(_items(items)) for items in relevant]
    if len(queries) != len(judgments):
        raise LaconicError(
            f"Got {plural(len(queries), 'ranking')}, but relevant items of "
            f"{plural(len(judgments), 'query', 'queries')}; pass one set of relevant items per "
            "ranking."
        )
    pairs = zip(queries, judgments, strict=True)
    values = [average_precision(ranked, targets) for ranked, targets in pairs if targets]
    return float(np.mean(values)) if values else 0.0


def precision_at(ranked: Iterable[Any], relevant: Iterable[Any], k: int) -> float:
    """Share of relevant items among the first `k` ranks; ranks without an item are irrelevant.

    Examples
    --------
    >>> precision_at(["a", "x", "b"], ["a", "b"], k=2)
    0.5
    """
    first = _distinct(ranked)[: _check_k(k)]
    return len(set(first) & set(_items(relevant))) / k


def ndcg(ranked: Iterable[Any], gains: Mapping[Any, float], k: int | None = None) -> float:
    """Normalised discounted cumulative gain (nDCG), relative to the best possible ranking.

    Parameters
    ----------
    ranked : iterable
        Retrieved items, best first. A repeated item counts at its first rank only.
    gains : mapping of item to float
        Gain of each relevant item; all other items have gain 0. Pass ``2**grade - 1`` for the
        variant that rewards high grades more.
    k : int, optional
        If set, only the first `k` ranks are used.

    Returns
    -------
    float
        From 0 to 1; 0 if no item has a gain.

    Examples
    --------
    >>> ndcg(["x", "a"], {"a": 1})  # 1 / log2(3)
    0.6309297535714575
    """
    values = np.array(list(gains.values()), dtype=np.float64)
    if values.size and not (np.isfinite(values) & (values >= 0)).all():
        raise LaconicError("gains must be finite and not negative.")
    k = None if k is None else _check_k(k)
    ranked_gains = [float(gains.get(item, 0)) for item in _distinct(ranked)]
    best = _discounted(-np.sort(-values)[:k])
    return _discounted(np.array(ranked_gains[:k])) / best if best > 0 else 0.0


def _distinct(ranked: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(_items(ranked)))


def _items(values: Iterable[Any]) -> Iterable[Any]:
    # set lookups are several times faster with Python numbers than with numpy numbers
    return values.tolist() if isinstance(values, np.ndarray) else values


def _discounted(gains: np.ndarray) -> float:
    return float(np.sum(gains / np.log2(np.arange(2, len(gains) + 2))))


def _check_k(k: int) -> int:
    if k < 1:
        raise LaconicError(f"k must be at least 1; got {k}.")
    return k


# --- codes ---------------------------------------------------------------------------------------


def neighbour_precision(
    codes: Any, labels: Sequence[Any] | np.ndarray, *, n_queries: int = 500, random_state: int = 0
) -> float:
    """Mean average precision of retrieving documents of the same class by the cosine of codes.

    The queries are documents drawn at random. For each query, all other documents are ranked.
    Documents with equal similarity, such as documents without a topic, are in random order. Queries
    whose class has no other document are left out.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    labels : sequence of length n_documents
        Documents whose label is None are left out.
    n_queries : int, default=500
        Maximum number of queries.
    random_state : int, default=0

    Returns
    -------
    float
        The mean average precision; 0 if no class has two documents. If codes are uninformative, the
        result is about the share of documents in the class of the query.

    Examples
    --------
    >>> neighbour_precision([[1, 0], [2, 0], [0, 1], [0, 3]], ["a", "a", "b", "b"])
    1.0
    """
    values = neighbour_precisions(codes, labels, n_queries=n_queries, random_state=random_state)
    return float(np.mean(values)) if len(values) else 0.0


def neighbour_precisions(
    codes: Any, labels: Sequence[Any] | np.ndarray, *, n_queries: int = 500, random_state: int = 0
) -> np.ndarray:
    """Return the average precision of each query of `neighbour_precision`."""
    rows, classes = labelled(codes, labels, {})
    if n_queries < 1:
        raise LaconicError(f"n_queries must be at least 1; got {n_queries}.")
    random = np.random.default_rng(random_state)
    order = random.permutation(len(classes))  # so that ties are in random order
    rows, classes = rows[order], classes[order]
    has_neighbours = np.bincount(classes, minlength=1)[classes] > 1
    queries = np.flatnonzero(has_neighbours)[:n_queries]
    return np.array(list(_precisions(rows, classes, queries)))


def _precisions(rows: sp.csr_matrix, classes: np.ndarray, queries: np.ndarray) -> Iterator[float]:
    block = max(QUERY_BLOCK_ENTRIES // max(len(classes), 1), 1)
    columns = rows.T.tocsr()
    for start in range(0, len(queries), block):
        batch = queries[start : start + block]
        similarities = (rows[batch] @ columns).toarray()
        similarities[np.arange(len(batch)), batch] = np.inf  # ranks the query itself first
        for query, similarity in zip(batch, similarities, strict=True):
            ranked = np.argsort(-similarity, kind="stable")[1:]
            ranks = np.flatnonzero(classes[ranked] == classes[query]) + 1
            yield float(np.mean(np.arange(1, len(ranks) + 1) / ranks))
