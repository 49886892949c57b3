"""Short answers to an open question of a staff survey; some are empty or say nothing."""

from __future__ import annotations

import csv
import random
from pathlib import Path

NAME = "survey.csv"

ANSWERS = {
    "parking": [
        ["not enough", "too few", "more", "better"],
        [
            "parking spaces",
            "spaces for bikes in the car park",
            "parking near the entrance",
            "bike racks",
        ],
    ],
    "canteen": [
        ["cheaper", "better", "longer opening hours for", "more vegetarian"],
        ["meals in the canteen", "lunch in the canteen", "canteen food", "coffee in the canteen"],
    ],
    "computers": [
        ["slow", "old", "faster", "unreliable"],
        [
            "laptops",
            "computers and slow software",
            "internet connection",
            "laptops and old software",
        ],
    ],
    "pay": [
        ["low", "higher", "unfair", "more"],
        ["pay", "salary", "pay rise each year", "salary and bonus"],
    ],
    "hours": [
        ["more flexible", "shorter", "fixed", "better"],
        ["working hours", "shifts", "shifts at weekends", "hours and days at home"],
    ],
    "managers": [
        [
            "more feedback from",
            "better communication with",
            "more respect from",
            "clear goals from",
        ],
        ["managers", "my manager", "team leaders", "management"],
    ],
}
ENDINGS = ["", "", "", " please", " would help", ", nothing else", " for everyone"]
EMPTY = ["", "nothing", "no comment", "n/a", "-", "all good", "see above"]
DEPARTMENTS = {
    "warehouse": ["parking", "hours", "pay", "canteen"],
    "office": ["computers", "canteen", "managers", "pay"],
    "sales": ["pay", "managers", "computers", "parking"],
}


def answer(subject: str, chance: random.Random) -> str:
    return " ".join(chance.choice(part) for part in ANSWERS[subject])


def write(path: Path) -> None:
    chance = random.Random(3)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "department", "answer"])
        for number in range(450):
            department = chance.choice(list(DEPARTMENTS))
            subjects = chance.choices(DEPARTMENTS[department], [4, 3, 2, 1], k=2)
            if chance.random() < 0.06:
                text = chance.choice(EMPTY)
            elif subjects[0] == subjects[1] or chance.random() < 0.4:
                text = answer(subjects[0], chance) + chance.choice(ENDINGS)
            else:
                both = " and ".join(answer(subject, chance) for subject in subjects)
                text = both + chance.choice(ENDINGS)
            writer.writerow([f"s{number}", department, text])
