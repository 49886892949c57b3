"""Whole pathways as topics: group Sparse LSA on gene expression.

The documents are the 50 cell lines of the NCI-60 panel with known p53 status; the words are 4,301
genes. The 308 pathways overlap, so each gene is assigned to the smallest pathway that contains it.
A component then includes a pathway either completely or not at all, so its list of pathways is
easy to read.

    python examples/gene_pathways.py            # reads EXPRESSION and PATHWAYS (defined below)
    python examples/gene_pathways.py --smoke    # uses synthetic data
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl

from laconic import SparseLSA
from laconic.io import groups_from_sets, read_gmt

DATA = Path(os.environ.get("LACONIC_DATA") or Path(__file__).parents[2] / "shared" / "data")
EXPRESSION = DATA / "gene" / "p53-nci60.expr.tsv.gz"
PATHWAYS = DATA / "gene" / "p53-pathways.gmt.gz"
SHOWN = 8  # maximum number of pathways printed for each component


def read_expression(path: Path) -> tuple[np.ndarray, list[str]]:
    """Read an expression table; return the matrix (samples x genes) and the names of the genes."""
    table = pl.read_csv(path, separator="\t")
    genes = [name for name in table.columns if name not in ("sample", "mutated")]
    return table.select(genes).to_numpy().astype(np.float64), genes


def made_up() -> tuple[np.ndarray, list[str], dict[str, list[str]]]:
    """Return synthetic expression in which the genes of two of the six pathways vary together."""
    random = np.random.default_rng(0)
    genes = [f"gene{number}" for number in range(60)]
    sets = {f"pathway{p}": genes[10 * p : 10 * p + 10] for p in range(6)}
    levels = random.normal(8, 0.3, (30, 60))
    for p in (1, 4):
        levels[:, 10 * p : 10 * p + 10] += random.normal(0, 2, (30, 1))
    return 2**levels, genes, sets


def selected_groups(row: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """Return the groups of one component with their strengths, strongest first.

    Raise an error if only a part of a group was selected.
    """
    strength = {}
    for group in np.unique(groups[row != 0]):
        members = row[groups == group]
        if not members.all():
            raise AssertionError(f"{group} was selected only in part.")
        strength[str(group)] = float(np.linalg.norm(members))
    return dict(sorted(strength.items(), key=lambda item: -item[1]))


def main() -> int:
    if "--smoke" in sys.argv[1:]:
        expression, genes, sets = made_up()
        n_components, alpha = 2, 1.0
    elif EXPRESSION.is_file() and PATHWAYS.is_file():
        expression, genes = read_expression(EXPRESSION)
        sets = read_gmt(PATHWAYS)
        n_components, alpha = 3, 2.5
    else:
        print(
            f"{EXPRESSION.name} and {PATHWAYS.name} are not in {EXPRESSION.parent}; set "
            "LACONIC_DATA to the parent folder of that folder, or add --smoke for synthetic data.",
            file=sys.stderr,
        )
        return 2

    levels = np.log2(np.maximum(expression, 1))
    varying = levels.std(axis=0) > 0  # a constant gene cannot be in any component
    levels, words = levels[:, varying], np.array(genes)[varying]
    X = (levels - levels.mean(axis=0)) / levels.std(axis=0)
    groups = groups_from_sets(sets, words, rule="smallest")
    print(
        f"{X.shape[0]} samples x {X.shape[1]:,} genes in {len(np.unique(groups))} groups made from "
        f"{len(sets)} pathways; alpha = {alpha}"
    )
    model = SparseLSA(n_components, groups=groups, alpha=alpha).fit(X)
    for number, row in enumerate(model.components_.toarray(), 1):
        selected = selected_groups(row, groups)
        print(
            f"\nComponent {number}: {len(selected)} groups, {np.count_nonzero(row)} genes, "
            f"{100 * model.topic_shares_[number - 1]:.0f} % of the codes"
        )
        for group, strength in list(selected.items())[:SHOWN]:
            print(f"  {strength:6.2f}  {group} (genes: {np.count_nonzero(groups == group)})")
        if len(selected) > SHOWN:
            print(f"          and {len(selected) - SHOWN} more")
    print("\nEvery selected group is whole.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
