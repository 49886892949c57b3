"""Descriptions of the articles of a hardware shop."""

from __future__ import annotations

import csv
import random
from pathlib import Path

NAME = "catalogue.csv"

ARTICLES = {
    "cordless drill": [
        "The cordless drill has two gears and a keyless chuck.",
        "A brushless motor drives screws into hardwood.",
        "The lithium battery charges in forty minutes.",
        "An LED lights the drill bit.",
    ],
    "garden hose": [
        "The garden hose is reinforced with polyester yarn.",
        "The hose does not kink and resists frost.",
        "Brass couplings fit every common tap.",
        "The spray nozzle has five patterns.",
    ],
    "wall paint": [
        "The wall paint covers in one coat.",
        "The matt paint is free of solvents.",
        "One litre of paint covers eight square metres.",
        "Splashes wash off with water.",
    ],
    "step ladder": [
        "The step ladder is made of aluminium.",
        "Rubber feet keep the ladder from slipping.",
        "The wide steps of the ladder carry 150 kilograms.",
        "The ladder folds flat for storage.",
    ],
    "work bench": [
        "The work bench has a beech top.",
        "Two drawers run on steel rails.",
        "The vice clamps pieces up to twelve centimetres.",
        "The bench stands firmly on uneven floors.",
    ],
    "wood screws": [
        "The wood screws have a star drive.",
        "The hardened screws need no pilot hole.",
        "Yellow zinc protects the screws against rust.",
        "The box contains two hundred screws.",
    ],
    "hedge trimmer": [
        "The hedge trimmer cuts branches of up to two centimetres.",
        "The diamond ground blades stay sharp.",
        "The trimmer stops within a fraction of a second.",
        "The handle of the trimmer rotates for vertical cuts.",
    ],
    "tile adhesive": [
        "The flexible adhesive bonds tiles to concrete and wood.",
        "The adhesive can be walked on after a day.",
        "Use a notched trowel to spread the adhesive.",
        "It is suitable for floor heating and showers.",
    ],
}
ADJECTIVES = ["professional", "compact", "heavy-duty", "lightweight", "classic"]
COMMON = [
    "Made for home and trade.",
    "With a three year guarantee.",
    "Delivered ready to use.",
    "Order number on request.",
]


def write(path: Path) -> None:
    chance = random.Random(12)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sku", "name", "description"])
        for number in range(240):
            article, sentences = chance.choice(list(ARTICLES.items()))
            name = f"{chance.choice(ADJECTIVES)} {article}"
            text = [*chance.sample(sentences, 3), *chance.sample(COMMON, 2)]
            writer.writerow([f"A{1000 + number}", name, " ".join(text)])
