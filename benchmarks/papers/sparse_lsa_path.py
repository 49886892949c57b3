"""Tables 2 (a) and 3 (a) of the Sparse LSA paper (SDM 2011) by the authors' program.

The program that the authors published with their data never revives a topic without words. The
paper does not say whether λ = 0.05 was fitted from U = [I; 0], or at the end of a path of λ "from
large number (0.5) to small one" (section 5.1), on which topics die early. Therefore, λ = 0.05 is
fitted without a path and at the end of the paths that begin with each λ of a fixed list; all of
them are reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp

from benchmarks.data import two_groups
from benchmarks.harness import Run, threads
from benchmarks.papers import literal_lsa
from benchmarks.papers.sparse_lsa import PAPER_DENSITY
from benchmarks.papers.sparse_lsa_accuracy import (
    PAPER,
    PAPER_ACCURACY,
    Labelled,
    judge,
    sparse_name,
    spread_of,
)
from benchmarks.papers.sparse_lsa_projection import PRINTED, matlab_megabytes

PATH = (0.5, 0.3, 0.2, 0.1, 0.05)
STARTS = {500: (0.5, 0.2, 0.05), 1000: (0.5, 0.3, 0.2, 0.05)}  # first λ of each path, by D
BETWEEN = 0.25  # paths from 0.2 and 0.3 enclose the printed numbers


def slsa_path(run: Run) -> None:
    """Tables 2 (a) and 3 (a): the authors' program at λ = 0.05, at the end of paths of λ."""
    _paths(run, {6: (0.2, 0.05)} if run.smoke else STARTS)


def slsa_path_between(run: Run) -> None:
    """Tables 2 (a) and 3 (a): the path of λ that starts between those that enclose the numbers."""
    _paths(run, {6 if run.smoke else 1000: (BETWEEN,)})


def _paths(run: Run, starts_of: Mapping[int, Sequence[float]]) -> None:
    data = two_groups(run)
    by = Labelled(data.labels, data.splits)
    run.note(
        "The authors' matrix and splits. The program alternates the closed form of the lasso and "
        f"an SVD until U and A change by less than {literal_lsa.PROGRAM_TOL} in the Frobenius norm "
        f"(the setting of its script), or {literal_lsa.PROGRAM_STEPS} times. Topics without words "
        f"stay without words. Paths go down {', '.join(map(str, PATH))} from the λ that the row "
        "names to 0.05, each fit from U of the previous one; λ = 0.05 alone is one call from "
        "U = [I; 0]. Storage is counted as in MATLAB; the density of codes is over all documents. "
        "± is the standard deviation over the five splits, or over documents for codes."
    )
    with threads(1):
        for n_topics, starts in starts_of.items():
            for positive in (False, True):
                for start in starts:
                    path = [start, *(alpha for alpha in PATH if alpha < start)]
                    *_, last = literal_lsa.follow_path(data.X, n_topics, path, positive=positive)
                    _rows(run, data.X, by, last, positive, start)


def _rows(
    run: Run,
    X: sp.csr_matrix,
    by: Labelled,
    found: literal_lsa.ProgramFit,
    positive: bool,
    start: float,
) -> None:
    n_topics = found.A.shape[0]
    way = "λ=0.05 alone" if start == PATH[-1] else f"path from λ={start:g}"
    where = f"D={n_topics}, {'non-negative' if positive else 'l1'}, {way}"
    name, largest = sparse_name(positive), n_topics == 1000
    codes = (X @ found.A.T).tocsr()
    shares = 100 * np.diff(codes.indptr) / n_topics
    accuracy = judge(codes, by)
    printed = PRINTED[name]
    run.row(f"topics with words, {where}", found.n_live, "", tolerance=0.02)
    run.row(
        f"density of A, {where} ({found.n_iter} alternations)",
        100 * found.A.nnz / np.prod(found.A.shape),
        "%",
        peer=PAPER,
        peer_value=PAPER_DENSITY[positive].get(n_topics),
        tolerance=0.02,
    )
    run.row(
        f"storage of A as in MATLAB, {where}",
        matlab_megabytes(found.A),
        "MiB",
        peer=PAPER if largest else None,
        peer_value=printed.megabytes if largest else None,
        tolerance=0.02,
    )
    run.row(
        f"density of projected documents, {where}",
        shares.mean(),
        "%",
        peer=PAPER if largest else None,
        peer_value=printed.density if largest else None,
        tolerance=0.02,
        why=f"± {shares.std():.1f} over documents",
    )
    run.row(
        f"accuracy, {where}",
        accuracy.test,
        "%",
        peer=PAPER if largest else None,
        peer_value=PAPER_ACCURACY[name] if largest else None,
        tolerance=0.01,
        why=spread_of(accuracy),
    )
