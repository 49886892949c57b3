"""Expression of genes in samples."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._genes import expression, write_gzipped

NAME = "p53-nci60.expr.tsv.gz"


def write(path: Path) -> None:
    write_gzipped(path, expression().write_csv(separator="\t"))
