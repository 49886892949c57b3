"""Messages of an archive that is split into several files."""

from __future__ import annotations

import json
import random
from pathlib import Path

SENTENCES = {
    "disk": [
        "The disk controller reports bad sectors.",
        "A new cable fixed the drive.",
        "The drive spins up and stops.",
        "Format the disk before you copy files.",
        "The controller finds only one drive.",
    ],
    "garden": [
        "Tomatoes need sun and water.",
        "I sow lettuce in March.",
        "Slugs ate the lettuce again.",
        "Compost makes the soil loose.",
        "The soil under the tomatoes is dry.",
    ],
    "travel": [
        "The night train leaves at nine.",
        "Our hotel was near the station.",
        "We missed the ferry to the island.",
        "The train ticket includes a seat.",
        "The island has one small hotel.",
    ],
    "music": [
        "The violin needs new strings.",
        "She plays the cello in an orchestra.",
        "The concert began with a quartet.",
        "Practise scales on the violin each day.",
        "The orchestra rehearses on Mondays.",
    ],
}


def rows(number: int, documents: int = 150) -> list[dict[str, str]]:
    chance = random.Random(number)
    made = []
    for row in range(documents):
        subject, sentences = chance.choice(list(SENTENCES.items()))
        made.append(
            {
                "id": f"{number}-{row}",
                "group": subject,
                "body": " ".join(chance.sample(sentences, 3)),
            }
        )
    return made


def write_part(path: Path, number: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows(number))
