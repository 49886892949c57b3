"""Whole pathways as topics: group Sparse LSA on gene expression.

The samples are the 50 cell lines of the NCI-60 panel with known p53 status; 4,301 genes were
measured. The 308 pathways overlap, so each gene has a copy in each of its pathways. The genes of a
topic are then a union of whole pathways, and its list of pathways is easy to read. The guide
docs/guides/genes.md explains every step.

    python examples/gene_pathways.py            # reads EXPRESSION and PATHWAYS (defined below)
    python examples/gene_pathways.py --smoke    # uses synthetic data
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl

import laconic
from laconic.io import read_gmt

DATA = Path(os.environ.get("LACONIC_DATA") or Path(__file__).parents[2] / "shared" / "data")
EXPRESSION = DATA / "gene" / "p53-nci60.expr.tsv.gz"
PATHWAYS = DATA / "gene" / "p53-pathways.gmt.gz"
SHOWN = 8  # maximum number of pathways printed for each topic


def read_expression(path: Path) -> laconic.Corpus:
    """Read a table of samples with the columns `sample`, `mutated` and one column per gene."""
    table = pl.read_csv(path, separator="\t")
    genes = table.drop("sample", "mutated")
    status = ["mutated" if mutated else "wild type" for mutated in table["mutated"]]
    return laconic.Corpus(
        genes.to_numpy(), genes.columns, ids=table["sample"].to_list(), labels=status
    )


def made_up() -> tuple[laconic.Corpus, dict[str, list[str]]]:
    """Return synthetic expression in which the genes of two of the six pathways vary together.

    Neighbouring pathways share two genes.
    """
    random = np.random.default_rng(0)
    genes = [f"gene{number}" for number in range(62)]
    sets = {f"pathway{p}": [*genes[10 * p : 10 * p + 12], "unmeasured"] for p in range(6)}
    levels = random.normal(8, 0.3, (30, 62))
    for p in (1, 4):
        levels[:, 10 * p : 10 * p + 12] += random.normal(0, 2, (30, 1))
    return laconic.Corpus(2**levels, genes), sets


def main() -> int:
    if "--smoke" in sys.argv[1:]:
        corpus, sets = made_up()
        n_topics, alpha = 2, 2.0
    elif EXPRESSION.is_file() and PATHWAYS.is_file():
        corpus, sets = read_expression(EXPRESSION), read_gmt(PATHWAYS)
        n_topics, alpha = 3, 2.5
    else:
        print(
            f"{EXPRESSION.name} and {PATHWAYS.name} are not in {EXPRESSION.parent}; set "
            "LACONIC_DATA to the parent folder of that folder, or add --smoke for synthetic data.",
            file=sys.stderr,
        )
        return 2

    n_samples, n_genes = corpus.shape
    print(f"{n_samples} samples x {n_genes:,} genes, {len(sets)} pathways; alpha = {alpha}")
    model = laconic.pipeline(
        "slsa",
        n_components=n_topics,
        groups=sets,
        alpha=alpha,
        positive=False,
        weighting="log-z-scores",
    ).fit(corpus)
    groups = laconic.topic_groups(model, terms="genes")
    for (topic,), part in groups.group_by("topic", maintain_order=True):
        row = model[-1].components_[[topic]]
        share = model[-1].topic_shares_[topic]
        print(f"\nTopic {topic}, {share:.0%} of the codes: {row.nnz} genes; pathways: {len(part)}")
        for group in part.head(SHOWN).iter_rows(named=True):
            print(f"  {group['strength']:6.2f}  {group['label']}")
            if group["n_words"] < group["found"]:
                raise AssertionError(f"{group['group']} was selected only in part.")
        if len(part) > SHOWN:
            print(f"          and {len(part) - SHOWN} more")
    print("\nAll measured genes of every selected pathway have weight.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
