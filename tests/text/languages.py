"""Texts in several languages, made of common stop words and of words of a few subjects."""

from __future__ import annotations

import random
from typing import NamedTuple


class Language(NamedTuple):
    """Stop words, and the words of several subjects."""

    stop_words: str
    subjects: tuple[str, ...]


LANGUAGES = {
    "english": Language(
        "the of and to in is that for it with as was on are by this be from at have",
        (
            "planet orbit rocket telescope galaxy astronaut moon comet satellite launch",
            "goal striker match league referee penalty stadium keeper coach trophy",
            "flour butter oven sugar recipe dough cake baking cream vanilla",
            "guitar melody chord drummer concert singer rhythm album piano stage",
            "bond dividend broker shares bank inflation market investor profit loan",
        ),
    ),
    "german": Language(
        "der die und das nicht ist mit auf für den dem ein eine von sich auch als wird bei nach",
        (
            "planet umlaufbahn rakete teleskop galaxie mond komet satellit sonde weltraum",
            "tor stürmer spiel liga schiedsrichter elfmeter stadion torwart trainer pokal",
            "mehl butter ofen zucker rezept teig kuchen backen sahne vanille",
            "gitarre melodie akkord konzert sänger rhythmus album klavier bühne chor",
            "anleihe dividende makler aktien bank inflation markt gewinn kredit zinsen",
        ),
    ),
    "french": Language(
        "le la les et des est dans une pour qui sur pas avec par ce au du elle sont nous",
        (
            "planète orbite fusée télescope galaxie lune comète satellite sonde espace",
            "but attaquant match ligue arbitre stade gardien entraîneur trophée équipe",
            "farine beurre four sucre recette pâte gâteau crème vanille chocolat",
            "guitare mélodie accord concert chanteur rythme album piano scène chœur",
            "obligation dividende courtier actions banque inflation marché profit prêt taux",
        ),
    ),
}


def make_texts(language: str, n: int, seed: int = 0) -> list[str]:
    """Return `n` texts, each of which has one or two subjects and as many stop words as words."""
    stop_words, subjects = LANGUAGES[language]
    draw = random.Random(seed)
    texts = []
    for _ in range(n):
        words = [
            word
            for subject in draw.sample(subjects, draw.choice([1, 1, 2]))
            for word in draw.choices(subject.split(), k=draw.randint(6, 12))
        ]
        words += draw.choices(stop_words.split(), k=len(words))
        draw.shuffle(words)
        texts.append(" ".join(words))
    return texts
