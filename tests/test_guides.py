"""Test that the code of the guides runs; the guide on genes runs with synthetic data."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

DOCS = Path(__file__).parents[1] / "docs"


def run_guide(name: str) -> dict[str, Any]:
    """Run the code of a guide, and return the variables that it sets."""
    text = (DOCS / name).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(block, names)
    return names


def write_data(folder: Path) -> None:
    """Write 50 samples x 120 genes, in which the genes of three of eight pathways vary together."""
    random = np.random.default_rng(0)
    genes = [f"G{number}" for number in range(120)]
    sets = {f"pathway{p}": [*genes[14 * p : 14 * p + 18], "unmeasured"] for p in range(8)}
    levels = random.normal(8, 0.3, (50, 120))
    for p in (1, 4, 7):
        levels[:, 14 * p : 14 * p + 18] += random.normal(0, 1.5, (50, 1))
    table = pl.DataFrame(2**levels, schema=genes)
    names = pl.Series("sample", [f"S{number}" for number in range(50)])
    table = table.insert_column(0, names).insert_column(
        1, pl.Series("mutated", (levels[:, 20] > 8).astype(int))
    )
    lines = ("\t".join([name, "na", *members]) for name, members in sets.items())
    texts = {
        "p53-nci60.expr.tsv.gz": table.write_csv(separator="\t"),
        "p53-pathways.gmt.gz": "\n".join(lines),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(gzip.compress(text.encode()))


def test_the_guide_on_words() -> None:
    names = run_guide("words.md")
    assert "the" in names["everything"].vocabulary
    assert "new york" in names["model"]["text"].vocabulary_
    assert names["corpus"].vocabulary.tolist() == ["go", "mouse"]


def test_the_guide_on_genes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("anndata", "pandas", "altair", "vl_convert"):
        pytest.importorskip(module)
    write_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = run_guide("genes.md")
    assert names["codes"].shape == (50, 3)
    labels = names["groups"]["label"].to_list()
    assert {f"pathway{p} (18 of 19 genes measured)" for p in (1, 4, 7)} <= set(labels)
    page = (tmp_path / "p53.html").read_text(encoding="utf-8")
    assert "pathway4 (18 of 19 genes measured)" in page
    assert (tmp_path / "p53.model" / "model.json").is_file()
