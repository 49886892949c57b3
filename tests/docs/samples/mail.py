"""A mailing list: messages with quoted lines and signatures; two authors write a lot."""

from __future__ import annotations

import json
import random
from pathlib import Path

NAME = "mail.jsonl"

SUBJECTS = {
    "radio": [
        "The antenna needs a longer mast.",
        "The receiver picks up noise on short wave.",
        "A better ground cured the hum in my receiver.",
        "The transmitter drifts when it gets warm.",
        "I tuned the antenna with a bridge.",
        "Which coax cable do you use for the antenna?",
    ],
    "bees": [
        "The hive lost its queen in March.",
        "I feed the bees sugar syrup in autumn.",
        "Varroa mites killed two colonies of bees.",
        "The honey harvest was poor this year.",
        "A swarm settled in the apple tree.",
        "Which frames do you use in the hive?",
    ],
    "bikes": [
        "The rear derailleur jumps on small gears.",
        "New brake pads stopped the squeal.",
        "I replaced the chain and the cassette.",
        "The wheel rubs against the brake.",
        "A puncture cost me an hour on the road.",
        "Which tyres do you ride in winter?",
    ],
    "bread": [
        "The sourdough starter smells of apples.",
        "I bake the loaf in a heavy pot.",
        "Rye flour makes the dough sticky.",
        "The crust is better with steam in the oven.",
        "The dough rose overnight in the fridge.",
        "Which flour do you use for the loaf?",
    ],
    "chess": [
        "The knight sacrifice wins a pawn.",
        "Black castles too late in this opening.",
        "The endgame with rook and pawn is drawn.",
        "I lost on time with a queen more.",
        "The bishop pair is strong in open positions.",
        "Which opening do you play against the pawn?",
    ],
}
SIGNATURES = {
    "karl@valleynet.example": "Karl Brandt, Valleynet Cooperative, Box 4711 Grindelwald\n"
    "Disclaimer: opinions are mine and not those of Valleynet Cooperative",
    "mira@observatory.example": "Mira Solberg, Polar Observatory, Tromso\n"
    "Aurora photographs, telescope archive and gopher server: ask me",
}
OTHERS = [
    f"{name}@example.org"
    for name in (
        "ana",
        "ben",
        "chris",
        "dora",
        "emil",
        "fay",
        "gus",
        "hana",
        "ivo",
        "jo",
        "lea",
        "max",
        "nora",
        "otto",
    )
]
COMMON = [
    "Thanks for the advice.",
    "Does anybody have the same trouble?",
    "Hope this helps.",
    "Best wishes",
]


def write(path: Path) -> None:
    chance = random.Random(8)
    with path.open("w", encoding="utf-8") as file:
        for number in range(400):
            subject, sentences = chance.choice(list(SUBJECTS.items()))
            author = chance.choice([*SIGNATURES, *OTHERS, *OTHERS])
            lines = []
            if chance.random() < 0.5:
                other = chance.choice(
                    [address for address in (*OTHERS, *SIGNATURES) if address != author]
                )
                lines += [
                    f"{other} writes:",
                    f"> {chance.choice(sentences)}",
                    f"> {chance.choice(sentences)}",
                    "",
                ]
            lines += [" ".join(chance.sample(sentences, 3)), chance.choice(COMMON)]
            if author in SIGNATURES:
                lines += ["-- ", SIGNATURES[author]]
            mail = {"id": f"m{number}", "author": author, "list": subject, "body": "\n".join(lines)}
            file.write(json.dumps(mail) + "\n")
