"""A small news archive: eight subjects, four sections, dates over six months."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path

NAME = "news.jsonl"

# section, subjects, and how much the subject is written about in each of six months
SUBJECTS = {
    "harbour": ("business", [1, 1, 2, 5, 4, 2]),
    "bank": ("business", [3, 3, 3, 2, 2, 2]),
    "election": ("politics", [1, 2, 3, 5, 1, 1]),
    "budget": ("politics", [2, 2, 2, 2, 3, 3]),
    "storm": ("weather", [4, 3, 1, 1, 1, 3]),
    "drought": ("weather", [1, 1, 2, 3, 4, 2]),
    "football": ("sport", [2, 3, 3, 3, 2, 1]),
    "cycling": ("sport", [1, 1, 1, 2, 4, 4]),
}
PARTS = {
    "harbour": (
        [
            "Dockers",
            "The shipping line",
            "The port operator",
            "Two container ships",
            "Freight agents",
        ],
        [
            "halted work at",
            "resumed loading at",
            "waited for berths at",
            "agreed on new wages at",
            "blocked",
        ],
        ["the northern harbour", "the container terminal", "the old quay", "the ferry terminal"],
        [
            "Exporters warned of delays to cargo.",
            "A crane driver said the union would vote on the offer.",
            "Customs officers inspected the freight overnight.",
            "The union expects the dispute to last a week.",
        ],
    ),
    "bank": (
        [
            "The central bank",
            "A savings bank",
            "The largest lender",
            "Bond traders",
            "The finance house",
        ],
        ["raised", "lowered", "kept unchanged", "published a forecast of", "criticised"],
        ["interest rates", "its lending rate", "mortgage rates", "the deposit rate"],
        [
            "Analysts expect inflation to slow by autumn.",
            "Borrowers with mortgages will pay more each month.",
            "The currency gained against the dollar.",
            "Investors sold bonds after the announcement.",
        ],
    ),
    "election": (
        [
            "The opposition leader",
            "The prime minister",
            "A minor party",
            "Campaign volunteers",
            "Pollsters",
        ],
        [
            "opened the campaign in",
            "cancelled a rally in",
            "lost support in",
            "promised new schools in",
            "won over voters in",
        ],
        ["the southern districts", "the capital", "two coastal towns", "the industrial suburbs"],
        [
            "Polling stations open at seven on Sunday.",
            "A coalition needs forty seats in parliament.",
            "Candidates will debate on television tonight.",
            "Turnout among young voters was low.",
        ],
    ),
    "budget": (
        [
            "The treasury",
            "A parliamentary committee",
            "The finance minister",
            "Local councils",
            "Auditors",
        ],
        [
            "proposed cuts to",
            "approved spending on",
            "questioned the cost of",
            "delayed a vote on",
            "defended",
        ],
        ["the pension scheme", "rural hospitals", "the school budget", "road repairs"],
        [
            "The deficit is larger than forecast.",
            "Taxes on fuel will rise in January.",
            "Members asked for a revised spending plan.",
            "The committee meets again next week.",
        ],
    ),
    "storm": (
        ["A storm", "Heavy rain", "Gusts of wind", "High tides", "Thunderstorms"],
        [
            "closed roads near",
            "flooded cellars in",
            "cut power lines around",
            "damaged roofs in",
            "delayed trains to",
        ],
        ["the river delta", "the western islands", "three villages", "the mountain valleys"],
        [
            "Rescue crews used boats to reach families.",
            "Forecasters expect more rain on Tuesday.",
            "Schools stayed shut while crews cleared fallen trees.",
            "The flood warning remains in force.",
        ],
    ),
    "drought": (
        ["Farmers", "The water board", "Growers of maize", "Herdsmen", "Village wells"],
        [
            "reported dry fields in",
            "limited irrigation in",
            "lost a harvest in",
            "asked for tankers in",
            "ran low in",
        ],
        ["the eastern plain", "the wheat belt", "the upper valley", "two provinces"],
        [
            "Reservoirs hold a third of their usual water.",
            "Grain prices rose for the fifth week.",
            "Cattle were moved to pastures further north.",
            "The harvest may be the smallest in a decade.",
        ],
    ),
    "football": (
        [
            "The home side",
            "The league leaders",
            "A young striker",
            "The visiting goalkeeper",
            "Two defenders",
        ],
        [
            "settled the match in",
            "conceded a late goal in",
            "missed a penalty in",
            "were sent off during",
            "scored twice in",
        ],
        ["the cup semifinal", "the derby", "the second half", "extra time"],
        [
            "The coach praised the midfield.",
            "Supporters filled the stadium an hour before kick-off.",
            "The referee added six minutes.",
            "The club stays two points ahead in the league.",
        ],
    ),
    "cycling": (
        ["A breakaway", "The race leader", "Sprinters", "A team of climbers", "The yellow jersey"],
        [
            "attacked on",
            "lost a minute on",
            "crashed on",
            "controlled the pace on",
            "were dropped on",
        ],
        ["the final climb", "the mountain stage", "the cobbled descent", "the time trial course"],
        [
            "Riders face another mountain stage tomorrow.",
            "The peloton caught the escapees near the finish.",
            "Mechanics changed a wheel within seconds.",
            "Doctors treated two riders after the crash.",
        ],
    ),
}
COMMON = [
    "Officials declined to comment.",
    "Further details are expected tomorrow.",
    "Local newspapers reported the news first.",
    "People in the region were surprised.",
]


def write(path: Path) -> None:
    chance = random.Random(1987)
    stories = []
    for month in range(6):
        for name, (section, volume) in SUBJECTS.items():
            who, what, where, more = PARTS[name]
            for _ in range(4 * volume[month]):
                day = date(2023, month + 1, 1) + timedelta(days=chance.randrange(28))
                lead = [chance.choice(part) for part in (who, what, where)]
                again = [chance.choice(part) for part in (who, what, where)]
                body = [
                    " ".join(lead) + ".",
                    *chance.sample(more, 2),
                    " ".join(again) + ".",
                    chance.choice(COMMON),
                ]
                stories.append((day.isoformat(), section, " ".join(lead[:2]), " ".join(body)))
    stories.sort()
    with path.open("w", encoding="utf-8") as file:
        for number, (day, section, headline, body) in enumerate(stories):
            story = {
                "id": f"n{number}",
                "date": day,
                "month": day[:7],
                "section": section,
                "headline": headline,
            }
            file.write(json.dumps({**story, "body": body}) + "\n")
