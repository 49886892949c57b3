"""Section 5.4 of the Sparse LSA paper (SDM 2011) with the λ of the paper, without a search for λ.

One variant is fixed for all claims: van 't Veer's 78 tumours, levels as measured (centred), every
gene in the smallest of its GO sets, λ = 1.2, ten components, of which the first three are read. The
paper does not state the number of components; "the first three" suggests more than three.

Two fits are made: algorithm 2 of the paper from U = [I; 0], of which the first three components
that have genes are read, and laconic with its default start, of which the three strongest are read.
Over-representation of a theme is as in `genes`; its p-value is the share of fits with random genes
in the groups that have at least the same over-representation, counting the real fit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Run, threads
from benchmarks.papers.genes import (
    N_COMPONENTS,
    PAPER,
    PAPER_GROUPS,
    Grouped,
    Selected,
    Sets,
    Tumours,
    enrichment,
    group,
    load_sets,
    load_themes,
    load_tumours,
    selected,
)
from benchmarks.papers.literal_lsa import PROGRAM_STEPS, PROGRAM_TOL, nearest_basis
from laconic import LaconicError, SparseLSA

PAPER_ALPHA = 1.2
PAPER_TUMOURS = 295
PAPER_SECOND = 12  # groups of the paper's second component
N_FITTED = 10
N_DRAWS = 200

Fit = Callable[[np.ndarray, Grouped, float, int], np.ndarray]


def genes_printed(run: Run) -> None:
    """Section 5.4: gene groups with the paper's λ = 1.2 and random groupings with p-values."""
    sets, themes = load_sets(run), load_themes(run)
    tumours = load_tumours(run, sets)[0]
    grouped = in_order(group(tumours.genes, sets, "disjoint"))
    X = tumours.levels - tumours.levels.mean(axis=0)
    n_draws = 5 if run.smoke else N_DRAWS
    sizes = grouped.sizes()
    run.note(
        f"{tumours.name}, {X.shape[1]:,} genes in {len(sizes):,} disjoint groups of "
        f"{sizes.mean():.1f} genes (the paper: 295 tumours, 8,141 genes, 1,689 groups of 4.8), "
        f"levels as measured and centred; λ = {PAPER_ALPHA}, {N_FITTED} components, of which the "
        f"first {N_COMPONENTS} are read. All of this was fixed before the run. p: share of "
        f"{n_draws} fits with random genes in the groups with at least this over-representation, "
        "counting the real fit. λ divided by the square root of the ratio of tumours is reported "
        "beside λ = 1.2, because λ depends on the number of tumours."
    )
    with threads(1):
        for name, fit in {"the paper's algorithm": printed, "laconic": ours}.items():
            _group_rows(run, X, tumours, grouped, (name, fit))
            _theme_rows(run, X, tumours, grouped, (name, fit), themes, n_draws)


def _group_rows(
    run: Run, X: np.ndarray, tumours: Tumours, grouped: Grouped, by: tuple[str, Fit]
) -> None:
    name, fit = by
    scaled = PAPER_ALPHA * np.sqrt(len(X) / PAPER_TUMOURS)
    for n_fitted in (N_COMPONENTS, N_FITTED):
        for alpha in (PAPER_ALPHA, scaled):
            found = _first(fit(X, grouped, alpha, n_fitted), tumours, grouped, alpha)
            where = f"λ={alpha:.3g}, D={n_fitted}, {name}"
            run.row(
                f"groups in three components, {where}", found.n_groups, "",
                peer=PAPER, peer_value=PAPER_GROUPS, tolerance=0.1,
            )  # fmt: skip
            if alpha == PAPER_ALPHA and n_fitted == N_FITTED:
                run.row(
                    f"groups of the second component, {where}",
                    len(found.groups[1]) if len(found.groups) > 1 else 0, "",
                    peer=PAPER, peer_value=PAPER_SECOND, tolerance=0.2,
                )  # fmt: skip
            parts = [
                f"{len(names)} groups, {len(found.genes[k])} genes: "
                + "; ".join(str(one).split(" (GO")[0] for one in names[:4])
                for k, names in enumerate(found.groups)
            ]
            run.note(f"{where}: {'. '.join(parts)}.")


def _theme_rows(
    run: Run,
    X: np.ndarray,
    tumours: Tumours,
    grouped: Grouped,
    by: tuple[str, Fit],
    themes: Sets,
    n_draws: int,
) -> None:
    name, fit = by
    found = _first(fit(X, grouped, PAPER_ALPHA, N_FITTED), tumours, grouped, PAPER_ALPHA)
    random = np.random.default_rng(run.seed)
    dealt = []
    for _ in range(n_draws):
        drawn = Grouped(random.permutation(X.shape[1])[grouped.columns], grouped.groups)
        A = fit(X, drawn, PAPER_ALPHA, N_FITTED)
        dealt.append(_first(A, tumours, drawn, PAPER_ALPHA))
    for theme, members in themes.items():
        real = enrichment(found, members, tumours.genes)
        by_chance = np.array([enrichment(one, members, tumours.genes) for one in dealt])
        run.row(
            f"over-representation of {theme}, {name}", real, "",
            peer=f"random groups, mean of {n_draws}", peer_value=by_chance.mean(), tolerance=0.1,
        )  # fmt: skip
        run.row(f"p-value of {theme}, {name}", p_value(real, by_chance), "", tolerance=None)


def p_value(real: float, by_chance: np.ndarray) -> float:
    """Return the share of results that are at least as large as the real one, which counts too."""
    return float((1 + np.count_nonzero(by_chance >= real)) / (1 + len(by_chance)))


def _first(A: np.ndarray, tumours: Tumours, grouped: Grouped, alpha: float) -> Selected:
    """Return what the first three components that have genes select."""
    names = tumours.genes[grouped.columns]
    return selected(A[A.any(axis=1)][:N_COMPONENTS], names, grouped.groups, alpha)


# --- fits ----------------------------------------------------------------------------------------


def in_order(grouped: Grouped) -> Grouped:
    """Sort columns by group, so that the columns of each group are adjacent."""
    order = np.argsort(grouped.groups, kind="stable")
    return Grouped(grouped.columns[order], grouped.groups[order])


def printed(X: np.ndarray, grouped: Grouped, alpha: float, n_components: int) -> np.ndarray:
    """Return A by algorithm 2 of the paper: alternate group lasso and SVD, from U = [I; 0].

    For orthonormal columns of U, one sweep of block coordinate descent solves the group lasso. The
    groups must be in order. (The published program stops with an error if it has groups.)
    """
    X = X[:, grouped.columns]
    _, starts, sizes = np.unique(grouped.groups, return_index=True, return_counts=True)
    thresholds = alpha * np.sqrt(sizes)
    U, A = np.eye(len(X), n_components), np.zeros((n_components, X.shape[1]))
    for _ in range(PROGRAM_STEPS):
        old_U, old_A = U, A
        B = U.T @ X
        lengths = np.sqrt(np.add.reduceat(B**2, starts, axis=1))
        kept = np.maximum(1 - thresholds / np.maximum(lengths, 1e-300), 0)
        A = B * np.repeat(kept, sizes, axis=1)
        live = A.any(axis=1)
        U = np.zeros_like(U)
        if live.any():
            U[:, live] = nearest_basis(X @ A[live].T)
        if max(np.linalg.norm(U - old_U), np.linalg.norm(A - old_A)) < PROGRAM_TOL:
            break
    return A


def ours(X: np.ndarray, grouped: Grouped, alpha: float, n_components: int) -> np.ndarray:
    """Return A of laconic with its default start, the strongest components first."""
    model = SparseLSA(n_components, groups=grouped.groups, alpha=alpha, n_jobs=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warnings about empty components
        try:
            A = model.fit(X[:, grouped.columns]).components_.toarray()
        except LaconicError:  # raised if nothing is selected
            return np.zeros((0, X.shape[1]))
    return A[np.argsort(-(A**2).sum(axis=1), kind="stable")]
