"""A few articles that arrive after catalogue.csv."""

from __future__ import annotations

import csv
from pathlib import Path

NAME = "new-articles.csv"

ROWS = [
    (
        "A2001",
        "telescopic ladder",
        "The telescopic ladder reaches the gutter. Rubber feet keep the ladder from slipping.",
    ),
    (
        "A2002",
        "soaker hose",
        "The soaker hose waters the roots of a hedge drop by drop. The hose resists frost.",
    ),
    (
        "A2003",
        "impact driver",
        "The impact driver drives long screws into hardwood without a pilot hole.",
    ),
]


def write(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sku", "name", "description"])
        writer.writerows(ROWS)
