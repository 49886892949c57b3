"""Stability: agreement between the topics of fits with different seeds or documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from laconic.errors import LaconicError
from laconic.metrics.topics import finite_unit_rows

Words = Sequence[Sequence[str]]
"""The top words of each topic, strongest first."""


def rank_biased_overlap(first: Sequence[Any], second: Sequence[Any], p: float = 0.9) -> float:
    """Return the rank-biased overlap of two rankings, which gives top ranks more weight.

    The overlap has the extrapolated form of Webber, Moffat and Zobel (2010), eq. 32, which assumes
    that the observed agreement continues below the end of the lists. The two lists may differ in
    length.

    Parameters
    ----------
    first, second : sequence
        Rankings, best item first. A repeated item counts at its first rank only.
    p : float, default=0.9
        Decay of the weights: each rank has p times the weight of the rank above it. With p=0.9,
        the first ten ranks have 86 % of the total weight.

    Returns
    -------
    float
        1 for equal lists, 0 for lists with nothing in common or if a list is empty.

    Examples
    --------
    >>> round(rank_biased_overlap(["a", "b", "c"], ["a", "c", "b"], p=0.5), 4)
    0.875
    """
    _check_p(p)
    short, long = sorted((list(dict.fromkeys(first)), list(dict.fromkeys(second))), key=len)
    s, n = len(short), len(long)
    if s == 0:
        return 0.0
    overlap = _overlaps(short, long)
    depths = np.arange(1, n + 1)
    # expected overlap beyond the end of the short list
    beyond = np.maximum(depths - s, 0) * overlap[s - 1] / s
    observed = np.sum((overlap + beyond) / depths * p**depths) * (1 - p) / p
    rest = ((overlap[-1] - overlap[s - 1]) / n + overlap[s - 1] / s) * p**n
    return float(min(observed + rest, 1.0))


def _check_p(p: float) -> None:
    if not 0 < p < 1:
        raise LaconicError(f"p must be between 0 and 1, exclusive; got {p}.")


def _overlaps(short: list[Any], long: list[Any]) -> np.ndarray:
    """Return, for each depth d, the number of items that are among the first d of both lists."""
    ranks = {item: rank for rank, item in enumerate(short)}
    common_from = [max(rank, ranks[item]) for rank, item in enumerate(long) if item in ranks]
    return np.cumsum(np.bincount(np.array(common_from, dtype=np.intp), minlength=len(long)))


# --- matching ------------------------------------------------------------------------------------


class Matching(NamedTuple):
    """Matched topics of two fits: their row numbers and similarities."""

    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray


def match_topics(first: Any, second: Any, by: str = "words", *, p: float = 0.9) -> Matching:
    """Match the topics of two fits one to one so that the sum of similarities is largest.

    Parameters
    ----------
    first, second : list of list of str, or sparse matrix or array of shape (n_topics, n_words)
        Top words of the topics, strongest first. With ``by="weights"``, pass components instead,
        with the same words as columns.
    by : {"words", "weights"}, default="words"
        The similarity: "words" for the rank-biased overlap of the words, or "weights" for the
        absolute cosine of the weights (absolute because the sign of a topic is arbitrary).
    p : float, default=0.9
        See `rank_biased_overlap`.

    Returns
    -------
    Matching
        ``first``, ``second`` (row numbers; some topics of the larger fit have no match) and
        ``similarity``.

    Examples
    --------
    >>> matching = match_topics([["cat", "purr"], ["dog"]], [["dog"], ["cat", "purr"]])
    >>> matching.second.tolist(), matching.similarity.tolist()
    ([1, 0], [1.0, 1.0])
    """
    if by not in SIMILARITIES:
        raise LaconicError(f"by must be 'words' or 'weights'; got {by!r}.")
    return match(SIMILARITIES[by](first, second, p))


def match(similarity: np.ndarray) -> Matching:
    """Match rows with columns one to one so that the sum of similarities is largest.

    Examples
    --------
    >>> match(np.array([[0.9, 0.8], [0.7, 0.1]])).second.tolist()
    [1, 0]
    """
    rows, columns = linear_sum_assignment(-similarity)
    return Matching(rows, columns, similarity[rows, columns])


def _by_words(first: Words, second: Words, p: float) -> np.ndarray:
    _check_p(p)
    topics_with: dict[str, set[int]] = defaultdict(set)  # without a common word, overlap is 0
    for j, words in enumerate(second):
        for word in words:
            topics_with[word].add(j)
    overlap = np.zeros((len(first), len(second)))
    for i, words in enumerate(first):
        for j in set().union(*(topics_with[word] for word in words if word in topics_with)):
            overlap[i, j] = rank_biased_overlap(words, second[j], p)
    return overlap


def _by_weights(first: Any, second: Any, p: float) -> np.ndarray:
    A, B = finite_unit_rows(first), finite_unit_rows(second)
    if A.shape[1] != B.shape[1]:
        raise LaconicError(
            f"Topics with {A.shape[1]:,} and {B.shape[1]:,} columns cannot be compared by weights, "
            "because the numbers of columns differ; pass components with the same words."
        )
    return np.minimum(np.asarray(abs(A @ B.T).todense()), 1)


SIMILARITIES: dict[str, Callable[[Any, Any, float], np.ndarray]] = {
    "words": _by_words,
    "weights": _by_weights,
}


def agreement(fits: Sequence[Words], p: float = 0.9) -> float:
    """Return the mean rank-biased overlap of matched topics over all pairs of fits.

    Parameters
    ----------
    fits : sequence of list of list of str
        The top words of the topics of each fit, strongest first.
    p : float, default=0.9
        See `rank_biased_overlap`.

    Returns
    -------
    float
        From 0 to 1. If one fit has more topics, its topics without a match count as 0.

    Examples
    --------
    >>> agreement([[["cat"], ["dog"]], [["dog"], ["cat"]], [["dog"], ["emu"]]])
    0.6666666666666666
    """
    if len(fits) < 2:
        raise LaconicError(
            f"At least two fits are needed to compare their topics; got {len(fits)}."
        )
    return float(
        np.mean([_overlap_of(first, second, p) for first, second in combinations(fits, 2)])
    )


def agreement_error(fits: Sequence[Words], p: float = 0.9) -> float:
    """Return the standard error of `agreement` over fits, by leaving out one fit at a time."""
    rest = [agreement([*fits[:i], *fits[i + 1 :]], p) for i in range(len(fits))]
    return float(np.sqrt((len(fits) - 1) * np.var(rest)))


def _overlap_of(first: Words, second: Words, p: float) -> float:
    n_topics = max(len(first), len(second))
    return float(match_topics(first, second, p=p).similarity.sum()) / n_topics if n_topics else 0.0


# --- refits --------------------------------------------------------------------------------------


def stability(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    n_refits: int = 5,
    bootstrap: bool = False,
    n_words: int = 10,
    p: float = 0.9,
    random_state: int = 0,
    words_of: Callable[[Any, int], Words] | None = None,
) -> float:
    """Fit an estimator several times and return the agreement of the topics.

    Parameters
    ----------
    estimator : estimator or Pipeline
        It is not changed, because only clones are fitted. In each clone, every parameter called
        ``random_state`` is set to a new seed.
    X : Corpus, sparse matrix or array of shape (n_documents, n_words)
    y : sequence of length n_documents, optional
    n_refits : int, default=5
    bootstrap : bool, default=False
        Whether each fit uses a bootstrap sample of the documents. Topics that depend on a few
        documents then lower the result.
    n_words : int, default=10
        Number of top words per topic to compare.
    p : float, default=0.9
        See `rank_biased_overlap`.
    random_state : int, default=0
    words_of : callable, optional
        (fitted estimator, n_words) -> the top words of its topics, strongest first. By default,
        the words with the largest absolute weights in ``components_``.

    Returns
    -------
    float
        See `agreement`.

    Examples
    --------
    >>> from laconic import SparseLSA
    >>> X = np.kron(np.eye(3), np.ones((4, 5)))
    >>> stability(SparseLSA(3, alpha=0.1), X, n_refits=3)
    1.0
    """
    if n_refits < 2:
        raise LaconicError(f"n_refits must be at least 2; got {n_refits}.")
    words_of = strongest_words if words_of is None else words_of
    X = X if hasattr(X, "shape") else np.asarray(X)
    fits = []
    for number in range(n_refits):
        random = np.random.default_rng([random_state, number])
        model = reseeded(estimator, int(random.integers(2**31 - 1)))
        documents, labels = _sample(X, y, random) if bootstrap else (X, y)
        model.fit(documents) if labels is None else model.fit(documents, labels)
        fits.append(words_of(model, n_words))
    return agreement(fits, p)


def _sample(X: Any, y: Any, random: np.random.Generator) -> tuple[Any, Any]:
    """Draw a bootstrap sample of the documents and their labels."""
    rows = random.integers(X.shape[0], size=X.shape[0])
    documents = X.tocsr()[rows] if sp.issparse(X) else X[rows]
    return documents, None if y is None else np.asarray(y)[rows]


def reseeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator or pipeline and set every parameter called random_state to the seed."""
    model = clone(estimator)
    names = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def strongest_words(model: Any, n_words: int) -> list[list[str]]:
    """Return the words (or column numbers) with the largest absolute weights of each topic."""
    last = model[-1] if hasattr(model, "named_steps") else model
    components = sp.csr_matrix(last.components_)
    names = getattr(last, "feature_names_in_", None)
    topics = []
    for start, stop in zip(components.indptr[:-1], components.indptr[1:], strict=True):
        order = np.argsort(-np.abs(components.data[start:stop]), kind="stable")[:n_words]
        columns = components.indices[start:stop][order]
        topics.append([str(column) if names is None else str(names[column]) for column in columns])
    return topics
