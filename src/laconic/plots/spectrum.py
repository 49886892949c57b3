"""Singular values of documents and of their PCP background."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import laconic_step, transform_before
from laconic.models import PCP
from laconic.plots.style import styled
from laconic.plots.topic_view import rounded

# Number of singular values that are drawn for the documents: BEYOND more than the background has,
# but at most MOST
BEYOND, MOST = 20, 150
PARTS = ("documents", "background")


def singular_values(model: Any, corpus: Any) -> Any:
    """Draw the singular values of documents and of their PCP background.

    Parameters
    ----------
    model : PCP or Pipeline that ends in one
        A fitted model.
    corpus : Corpus, sparse matrix or array of counts, or texts for a pipeline that counts them

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> chart = singular_values(laconic.PCP(3).fit(corpus), corpus)
    >>> rows = chart.to_dict()["data"]["values"]
    >>> len([row for row in rows if row["part"] == "background"])
    3
    """
    from laconic.tuning.prediction import counts_for

    estimator = laconic_step(model)
    if not isinstance(estimator, PCP):
        raise LaconicError(
            f"{type(estimator).__name__} has no background; this chart needs a PCP model "
            "(laconic fit -m pcp)."
        )
    counts = counts_for(model, corpus)
    X = sp.csr_matrix(transform_before(model, counts), dtype=np.float64)
    codes = np.asarray(estimator.split(X).background.codes, dtype=np.float64)
    after = np.sqrt(np.maximum(np.linalg.eigvalsh(codes.T @ codes)[::-1], 0))
    before = largest_values(X, min(len(after) + BEYOND, MOST))
    if not np.any(before > 0):
        raise LaconicError(
            "The documents contain none of the model's words, so there is nothing to draw."
        )
    rows = [*_rows(PARTS[0], before), *_rows(PARTS[1], after)]
    return styled(_chart(rows, X.shape, int(np.count_nonzero(after > 0))))


def largest_values(X: sp.csr_matrix, n: int) -> np.ndarray:
    """Return the largest singular values of a sparse matrix without making it dense."""
    side = min(X.shape)
    if not X.nnz:
        return np.zeros(min(n, side))
    if n >= side:  # compute all singular values from the smaller Gram matrix
        product = X @ X.T if X.shape[0] <= X.shape[1] else X.T @ X
        values = np.linalg.eigvalsh(product.toarray())[::-1]
        return np.sqrt(np.maximum(values, 0))
    start = np.random.default_rng(0).standard_normal(side)
    values = svds(X, k=n, v0=start, return_singular_vectors=False)
    return np.sort(np.maximum(values, 0))[::-1]


def _rows(part: str, values: np.ndarray) -> list[dict[str, Any]]:
    # values up to `floor` are omitted, because a logarithmic axis cannot show zero
    floor = 1e-9 * max(float(values.max(initial=0)), 1e-300)
    return [
        {"part": part, "number": number, "value": rounded(value)}
        for number, value in enumerate(values.tolist(), 1)
        if value > floor
    ]


def _chart(rows: list[dict[str, Any]], shape: tuple[int, int], rank: int) -> Any:
    alt = require("altair")
    data = alt.Data(values=rows)
    part = {"title": None, "sort": list(PARTS)}
    base = alt.Chart(data).encode(
        x=alt.X(
            "number:Q",
            title="number of the singular value",
            scale=alt.Scale(nice=False, padding=8),
            axis=alt.Axis(format="d", tickMinStep=1, grid=False),
        ),
        y=alt.Y(
            "value:Q",
            title="singular value",
            scale=alt.Scale(type="log", nice=False, padding=10),
            axis=alt.Axis(format="~s", tickCount=4, domain=False),
        ),
        color=alt.Color(
            "part:N", **part, scale=alt.Scale(domain=list(PARTS)), legend=alt.Legend(orient="top")
        ),
        shape=alt.Shape("part:N", **part, scale=alt.Scale(domain=list(PARTS))),
        tooltip=[
            alt.Tooltip("part:N"),
            alt.Tooltip("number:Q", format="d"),
            alt.Tooltip("value:Q", format=".4g"),
        ],
    )
    layers = [base.mark_line(opacity=0.5), base.mark_point(filled=True, size=30, opacity=1)]
    return alt.layer(*layers, data=data).properties(
        width=560,
        height=300,
        title=alt.Title(
            "Singular values before and after PCP",
            subtitle=f"{shape[0]:,} documents x {shape[1]:,} words, background of rank {rank}",
        ),
        description="Singular values of the documents and of their background",
    )
