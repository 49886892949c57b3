"""Do other seeds, or other documents, give the same topics?"""

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
from laconic.metrics.topics import unit_rows

Words = Sequence[Sequence[str]]
"""The strongest words of each topic, strongest first."""


def rank_biased_overlap(first: Sequence[Any], second: Sequence[Any], p: float = 0.9) -> float:
    """How much two rankings agree, the top more than the rest.

    The extrapolated form of Webber, Moffat and Zobel (2010), eq. 32: the agreement seen so far is
    taken to go on below the end of the lists, which may be of different length.

    Parameters
    ----------
    first, second : sequence
        Best first. An item that comes again counts at its first rank only.
    p : float, default=0.9
        How far down a reader goes: the weight of each rank is p times that of the one above. With
        0.9 the first ten ranks have 86 % of the weight.

    Returns
    -------
    float
        1 for equal lists, 0 for lists with nothing in common. A list without items agrees with
        none.

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
    beyond = np.maximum(depths - s, 0) * overlap[s - 1] / s  # what is expected below the short list
    seen = np.sum((overlap + beyond) / depths * p**depths) * (1 - p) / p
    rest = ((overlap[-1] - overlap[s - 1]) / n + overlap[s - 1] / s) * p**n
    return float(min(seen + rest, 1.0))


def _check_p(p: float) -> None:
    if not 0 < p < 1:
        raise LaconicError(f"p must be above 0 and below 1; got {p}.")


def _overlaps(short: list[Any], long: list[Any]) -> np.ndarray:
    """Items in common of the first d of both, for each d."""
    ranks = {item: rank for rank, item in enumerate(short)}
    meeting = [max(rank, ranks[item]) for rank, item in enumerate(long) if item in ranks]
    return np.cumsum(np.bincount(np.array(meeting, dtype=np.intp), minlength=len(long)))


# --- matching ------------------------------------------------------------------------------------


class Matching(NamedTuple):
    """Topics of one fit beside those of another: row numbers and how alike they are."""

    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray


def match_topics(first: Any, second: Any, by: str = "words", *, p: float = 0.9) -> Matching:
    """Pair the topics of two fits one to one so that they are most alike in all.

    Parameters
    ----------
    first, second : list of list of str, or sparse matrix or array of shape (n_topics, n_words)
        Words of the topics, strongest first; or, by weights, components over the same words.
    by : {"words", "weights"}, default="words"
        Alike by rank-biased overlap of words, or by the cosine of weights without its sign, which
        is arbitrary for a topic.
    p : float, default=0.9
        See `rank_biased_overlap`.

    Returns
    -------
    Matching
        ``first``, ``second`` (row numbers; of the larger fit some have no partner) and
        ``similarity``.

    Examples
    --------
    >>> found = match_topics([["cat", "purr"], ["dog"]], [["dog"], ["cat", "purr"]])
    >>> found.second.tolist(), found.similarity.tolist()
    ([1, 0], [1.0, 1.0])
    """
    if by not in SIMILARITIES:
        raise LaconicError(f"by must be 'words' or 'weights'; got {by!r}.")
    return match(SIMILARITIES[by](first, second, p))


def match(similarity: np.ndarray) -> Matching:
    """Pair rows with columns one to one so that their similarities have the largest sum.

    Examples
    --------
    >>> match(np.array([[0.9, 0.8], [0.7, 0.1]])).second.tolist()
    [1, 0]
    """
    rows, columns = linear_sum_assignment(-similarity)
    return Matching(rows, columns, similarity[rows, columns])


def _by_words(first: Words, second: Words, p: float) -> np.ndarray:
    _check_p(p)
    topics_with: dict[str, set[int]] = defaultdict(set)  # topics that share no word do not overlap
    for j, words in enumerate(second):
        for word in words:
            topics_with[word].add(j)
    overlap = np.zeros((len(first), len(second)))
    for i, words in enumerate(first):
        for j in set().union(*(topics_with[word] for word in words if word in topics_with)):
            overlap[i, j] = rank_biased_overlap(words, second[j], p)
    return overlap


def _by_weights(first: Any, second: Any, p: float) -> np.ndarray:
    A, B = unit_rows(first), unit_rows(second)
    if A.shape[1] != B.shape[1]:
        raise LaconicError(
            f"Topics over {A.shape[1]:,} and over {B.shape[1]:,} words cannot be compared by "
            "weights; give both over the same words."
        )
    return np.minimum(np.asarray(abs(A @ B.T).todense()), 1)


SIMILARITIES: dict[str, Callable[[Any, Any, float], np.ndarray]] = {
    "words": _by_words,
    "weights": _by_weights,
}


def agreement(fits: Sequence[Words], p: float = 0.9) -> float:
    """Mean over pairs of fits of the mean overlap of their matched topics.

    Parameters
    ----------
    fits : sequence of list of list of str
        For each fit the words of its topics, strongest first.
    p : float, default=0.9
        See `rank_biased_overlap`.

    Returns
    -------
    float
        From 0 to 1. A topic without a partner, where one fit has more, counts as 0.

    Examples
    --------
    >>> agreement([[["cat"], ["dog"]], [["dog"], ["cat"]], [["dog"], ["emu"]]])
    0.6666666666666666
    """
    if len(fits) < 2:
        raise LaconicError(f"It takes two fits or more to agree; got {len(fits)}.")
    return float(
        np.mean([_overlap_of(first, second, p) for first, second in combinations(fits, 2)])
    )


def _overlap_of(first: Words, second: Words, p: float) -> float:
    most = max(len(first), len(second))
    return float(match_topics(first, second, p=p).similarity.sum()) / most if most else 0.0


# --- fitting again -------------------------------------------------------------------------------


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
    """Fit several times and say how much the topics agree.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Cloned, never fitted itself; every parameter called ``random_state`` gets a seed of its own
        in each fit.
    X : Corpus, sparse matrix or array of shape (n_documents, n_words)
    y : sequence of length n_documents, optional
    n_refits : int, default=5
    bootstrap : bool, default=False
        Draw the documents of each fit anew, with replacement: topics that hang on a few documents
        go.
    n_words : int, default=10
        Words of each topic that are compared.
    p : float, default=0.9
        See `rank_biased_overlap`.
    random_state : int, default=0
    words_of : callable, optional
        From a fitted estimator and a number to the words of its topics, strongest first; by the
        size of the weights in ``components_`` by default.

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
        raise LaconicError(f"n_refits must be 2 or more, to have fits to compare; got {n_refits}.")
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
    """As many documents, drawn with replacement, and their labels."""
    rows = random.integers(X.shape[0], size=X.shape[0])
    documents = X.tocsr()[rows] if sp.issparse(X) else X[rows]
    return documents, None if y is None else np.asarray(y)[rows]


def reseeded(estimator: Any, seed: int) -> Any:
    """A clone in which every parameter called random_state is the seed, inside pipelines too."""
    model = clone(estimator)
    names = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def strongest_words(model: Any, n_words: int) -> list[list[str]]:
    """The words with the largest weights in each topic, whatever their sign; columns if unnamed."""
    last = model[-1] if hasattr(model, "named_steps") else model
    components = sp.csr_matrix(last.components_)
    names = getattr(last, "feature_names_in_", None)
    topics = []
    for start, stop in zip(components.indptr[:-1], components.indptr[1:], strict=True):
        order = np.argsort(-np.abs(components.data[start:stop]), kind="stable")[:n_words]
        columns = components.indices[start:stop][order]
        topics.append([str(column) if names is None else str(names[column]) for column in columns])
    return topics
