"""Find the best documents of a query without the cosines of all documents.

The score of a document is the sum of its lexical score and its background score (see
``blending.py``). A cosine is at most 1, so the background score is at most `Blend.unit`. After the
documents with the best lexical scores have been scored, a document can only be among the best if
its lexical score is less than this bound below the score of the n-th best of them. Cosines are
computed for these documents only, usually a few more than n. The standard deviation of all cosines
is known from the moments of the codes.

If too many documents can be among the best, for example because few documents contain a word of the
query, the cosines of all documents are computed. The result is the same. The same is done if there
are few documents.
"""

from __future__ import annotations

import numpy as np

from laconic.kernels.postings import BLOCK, group_maxima, rows_from
from laconic.retrieval.blending import Blend, blend_scaled, deviation
from laconic.retrieval.codes import Codes

SHARE = 8  # The cosines of all documents are computed unless fewer than one in so many can be best.
ROUNDING = 1e-5  # upper bound of the relative rounding error of a sum of scores


def rank(
    lexical: np.ndarray,
    codes: Codes,
    code: np.ndarray,
    weight: float,
    n: int,
    leave_out: int | None = None,
    scratch: np.ndarray | None = None,
) -> Blend:
    """Return the best `n` documents: the result of `blend` for the cosines of all documents.

    Parameters
    ----------
    lexical : ndarray of float32 of shape (n_documents,)
        BM25 scores; that of the document in the row `leave_out` is set to 0.
    codes : Codes
        Codes of the documents.
    code : ndarray
        Code of the query.
    weight : float
        Weight of the background; see `background_weight`.
    n : int
        Number of best documents to return.
    leave_out : int, optional
        Row of a document that is not to be found.
    scratch : ndarray of float32 of shape (n_documents,), optional
        Array for the cosines of all documents.
    """
    if leave_out is not None:
        lexical[leave_out] = 0
    of_words, of_topics = deviation(lexical), None
    if len(lexical) >= n * BLOCK:
        of_topics = codes.deviation(code, leave_out)
    if of_topics is not None:
        rows = _contenders(lexical, codes, code, of_words, of_topics, weight, n)
        if rows is not None:
            background = codes.cosines_of(rows, code)
            best = blend_scaled(lexical[rows], background, of_words, of_topics, weight, n)
            return best._replace(rows=rows[best.rows])
    cosines = codes.cosines(code, out=scratch)
    if leave_out is not None:
        cosines[leave_out] = 0
    if of_topics is None:
        of_topics = deviation(cosines)
    return blend_scaled(lexical, cosines, of_words, of_topics, weight, n)


def _contenders(
    lexical: np.ndarray,
    codes: Codes,
    code: np.ndarray,
    of_words: float,
    of_topics: float,
    weight: float,
    n: int,
) -> np.ndarray | None:
    """Return the rows of all documents that can be among the best `n`; None if there are many."""
    maxima = np.empty(len(lexical) // BLOCK, np.float32)
    group_maxima(lexical, maxima)
    maxima = maxima[maxima > 0]
    if len(maxima) < n:
        return None
    least = _nth_largest(maxima, n)
    # At least n documents have such a score, because n groups have one.
    most = max(len(lexical) // SHARE, n)
    rows = rows_from(lexical, least, most)
    if len(rows) > most:
        return None
    sums = lexical[rows] / of_words + codes.cosines_of(rows, code) * (weight / of_topics)
    worst = float(_nth_largest(sums, n))
    bound = weight / of_topics
    limit = np.float32((worst - bound - ROUNDING * (abs(worst) + bound)) * of_words)
    if limit >= least:
        return rows
    if limit <= 0:  # Documents without a word of the query may be among the best.
        return None
    rows = rows_from(lexical, limit, most)
    return rows if len(rows) <= most else None


def _nth_largest(values: np.ndarray, n: int) -> np.floating:
    return np.partition(values, len(values) - n)[len(values) - n]
