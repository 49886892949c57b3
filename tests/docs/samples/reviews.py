"""Reviews of small household products with dates and ratings."""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from pathlib import Path

NAME = "reviews.csv"

PRODUCTS = {
    "kettle": [
        "The kettle boils a litre of water in three minutes.",
        "The lid of the kettle opens with one finger.",
        "Tea for four people is ready in no time.",
        "The spout pours water without a drip.",
        "It switches itself off when the water boils.",
    ],
    "lamp": [
        "The lamp gives a warm light for reading.",
        "The dimmer goes from bright to barely visible.",
        "The bulb is included and easy to replace.",
        "It lights the whole desk without glare.",
        "The switch of the lamp is on the cable.",
    ],
    "backpack": [
        "The backpack has room for a laptop and a jacket.",
        "The straps are padded and do not cut into the shoulder.",
        "Rain stayed outside, and the laptop stayed dry.",
        "Two side pockets hold a bottle and an umbrella.",
        "The zips of the backpack run smoothly.",
    ],
    "headphones": [
        "The sound is clear and the bass is deep.",
        "The headphones pair with the phone at once.",
        "Noise on the train is almost gone.",
        "The cushions are soft even with glasses.",
        "Calls sound natural on both sides.",
    ],
}
GOOD = [
    "I would buy it again.",
    "Great value for the price.",
    "Delivery took two days.",
    "Everything arrived well packed.",
    "A perfect present for my sister.",
]
# complaint, and the months (0 to 11) in which it is frequent
COMPLAINTS = {
    "battery": (
        [
            "The battery lasts barely two hours.",
            "After a week the battery no longer charges.",
            "Charging takes all night and the battery is empty by noon.",
        ],
        range(7, 10),
    ),
    "delivery": (
        [
            "The parcel arrived three weeks late.",
            "The courier left the parcel in the rain.",
            "The tracking number never worked and the parcel was late.",
        ],
        range(10, 12),
    ),
    "service": (
        [
            "Customer service did not answer my emails.",
            "I still wait for the refund.",
            "The hotline told me to send it back at my own cost, and the refund never came.",
        ],
        range(12),
    ),
    "broken": (
        [
            "A plastic part broke on the second day.",
            "The handle came off when I lifted it.",
            "The seam was torn and a part was broken.",
        ],
        range(12),
    ),
}


def write(path: Path) -> None:
    chance = random.Random(5)
    rows = []
    for _ in range(400):
        month = chance.randrange(12)
        day = date(2024, month + 1, 1) + timedelta(days=chance.randrange(28))
        product = chance.choice(list(PRODUCTS))
        sentences = chance.sample(PRODUCTS[product], 2)
        usual = [
            name for name, (_, months) in COMPLAINTS.items() if month in months and len(months) < 12
        ]
        if chance.random() < 0.45:
            name = usual[0] if usual and chance.random() < 0.7 else chance.choice(list(COMPLAINTS))
            sentences = [chance.choice(sentences), *chance.sample(COMPLAINTS[name][0], 2)]
            rating = chance.choice([1, 1, 2, 2, 3])
        else:
            sentences += chance.sample(GOOD, 2)
            rating = chance.choice([4, 5, 5, 3])
        chance.shuffle(sentences)
        rows.append([day.isoformat(), rating, product, " ".join(sentences)])
    rows.sort()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "date", "rating", "product", "review"])
        writer.writerows([f"r{number}", *row] for number, row in enumerate(rows))
