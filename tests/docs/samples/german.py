"""Short German news items."""

from __future__ import annotations

import csv
import random
from pathlib import Path

NAME = "german.csv"

PARTS = {
    "Verkehr": [
        ["Die Straßenbahn", "Der Bus", "Die neue Strecke", "Viele Züge"],
        [
            "fährt wegen der Baustelle",
            "hält im Sommer",
            "verkehrt ab Montag",
            "fahren am Wochenende",
        ],
        [
            "nicht mehr am Bahnhof",
            "nur bis zur Brücke",
            "alle zehn Minuten",
            "an allen Haltestellen",
        ],
        [
            "Fahrgäste müssen in den Bus umsteigen.",
            "Die Fahrpläne hängen an den Haltestellen aus.",
            "Auf der Straße entstehen neue Radwege.",
            "Der Fahrplan gilt für alle Züge.",
        ],
    ],
    "Wetter": [
        ["Der Regen", "Starker Wind", "Schnee", "Die Hitze"],
        [
            "bleibt in den nächsten Tagen",
            "zieht am Abend",
            "erreicht am Freitag",
            "dauert bis Sonntag",
        ],
        ["im ganzen Land", "an der Küste", "in den Bergen", "im Norden"],
        [
            "Die Temperaturen sinken auf fünf Grad.",
            "Der Wetterdienst warnt vor Sturm und Regen.",
            "In den Bergen fällt Schnee.",
            "Die Nächte bleiben kühl und der Wind ist schwach.",
        ],
    ],
    "Schule": [
        ["Die Schüler", "Alle Lehrerinnen und Lehrer", "Die neue Schule", "Ein Gymnasium"],
        [
            "bekommen nach den Ferien",
            "feiern im Mai",
            "plant für den Herbst",
            "bauen in diesem Jahr",
        ],
        [
            "neue Klassenräume",
            "ein Fest auf dem Schulhof",
            "eine größere Bibliothek",
            "ein Theaterstück",
        ],
        [
            "Eltern helfen den Schülern am Nachmittag.",
            "Der Unterricht beginnt um acht Uhr.",
            "Für die Klassen fehlen noch Lehrer.",
            "Die Ferien beginnen im Juli.",
        ],
    ],
    "Kultur": [
        ["Das Museum", "Die Oper", "Ein junges Orchester", "Das Theater"],
        ["zeigt im Winter", "eröffnet die Saison mit", "probt für", "wirbt mit"],
        [
            "einer Ausstellung alter Bilder",
            "einem Konzert für Kinder",
            "drei neuen Stücken",
            "Werken von Malerinnen",
        ],
        [
            "Karten für das Konzert gibt es an der Kasse.",
            "Die Ausstellung zeigt Bilder aus hundert Jahren.",
            "Das Orchester spielt zum Abschluss der Saison.",
            "Der Eintritt ins Museum ist für Kinder frei.",
        ],
    ],
}


def write(path: Path) -> None:
    chance = random.Random(4)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["id", "Ressort", "Text"])
        for number in range(300):
            section, (who, what, where, more) = chance.choice(list(PARTS.items()))
            lead = " ".join(chance.choice(part) for part in (who, what, where))
            writer.writerow(
                [f"g{number}", section, " ".join([lead + ".", *chance.sample(more, 2)])]
            )
