"""Gene sets."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._genes import gene_sets, write_gzipped

NAME = "p53-pathways.gmt.gz"


def write(path: Path) -> None:
    write_gzipped(path, gene_sets())
