"""Posts in a CSV file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.docs.samples._posts import posts

NAME = "january.csv"


def write(path: Path) -> None:
    pl.DataFrame(posts(100, seed=5)).write_csv(path)
