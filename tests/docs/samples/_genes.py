"""50 samples x 120 genes, in which the genes of three of eight pathways vary together."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl

GENES = [f"G{number}" for number in range(120)]
SETS = {f"pathway{p}": [*GENES[14 * p : 14 * p + 18], "unmeasured"] for p in range(8)}


def levels() -> np.ndarray:
    """Return the logarithms of the expression, samples x genes."""
    random = np.random.default_rng(0)
    values = random.normal(8, 0.3, (50, 120))
    for p in (1, 4, 7):
        values[:, 14 * p : 14 * p + 18] += random.normal(0, 1.5, (50, 1))
    return values


def expression() -> pl.DataFrame:
    """Return a table with the columns sample, mutated, and one for each gene."""
    values = levels()
    table = pl.DataFrame(2**values, schema=GENES)
    names = pl.Series("sample", [f"S{number}" for number in range(50)])
    mutated = pl.Series("mutated", (values[:, 20] > 8).astype(int))
    return table.insert_column(0, names).insert_column(1, mutated)


def gene_sets() -> str:
    """Return the pathways as the text of a GMT file."""
    return "\n".join("\t".join([name, "na", *members]) for name, members in SETS.items())


def write_gzipped(path: Path, text: str) -> None:
    """Write a gzipped text."""
    path.write_bytes(gzip.compress(text.encode()))
