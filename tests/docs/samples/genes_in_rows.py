"""Expression with genes in rows and samples in columns."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._genes import expression

NAME = "genes-in-rows.csv"


def write(path: Path) -> None:
    table = expression().drop("mutated")
    table.transpose(include_header=True, header_name="gene", column_names="sample").write_csv(path)
