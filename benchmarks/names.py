"""Names of topics by rule, measured against the labels of 20 Newsgroups and Reuters-21578.

The models are fitted and named on one half of the documents. The label of a topic is the most
frequent label of its leading documents; topics without a label that half of these documents share
are left out. Names are counted in two ways:

- *words*: whether the name contains a word of the description of the label. The descriptions spell
  out the names of the labels, and were written before the first measurement.
- *documents*: how well the name finds the documents of the label in the other half. This is F1, the
  harmonic mean of precision and recall, of the documents that contain the name as a phrase.

The peer is the leading word of the topic as its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import laconic
from benchmarks.data import VECTORIZER, newsgroups
from benchmarks.harness import Goal, Run
from benchmarks.reuters import reuters
from laconic import Corpus

MODELS = ("plsa", "sc", "slsa")
N_TOPICS = 20
N_LEADING = 50
N_SEEDS = 3
WORD = re.compile(r"[^\W_]+")
MIN_AGREEMENT = 0.5  # share of the leading documents of a topic that must have its label

NEWSGROUPS = {
    "alt.atheism": "atheism atheist atheists",
    "comp.graphics": "graphics graphic",
    "comp.os.ms-windows.misc": "windows ms",
    "comp.sys.ibm.pc.hardware": "ibm pc hardware",
    "comp.sys.mac.hardware": "mac hardware macintosh apple",
    "comp.windows.x": "windows window x11 xlib motif",
    "misc.forsale": "sale",
    "rec.autos": "auto autos car cars automobile",
    "rec.motorcycles": "motorcycle motorcycles bike bikes",
    "rec.sport.baseball": "baseball",
    "rec.sport.hockey": "hockey",
    "sci.crypt": "encryption cryptography crypto",
    "sci.electronics": "electronics electronic circuit",
    "sci.med": "medicine medical",
    "sci.space": "space",
    "soc.religion.christian": "christian christians christianity religion",
    "talk.politics.guns": "gun guns",
    "talk.politics.mideast": "israel israeli arab turkish armenian armenians east",
    "talk.politics.misc": "politics political government",
    "talk.religion.misc": "religion religious",
}
REUTERS = {
    "earn": "earnings profit profits net loss quarter dividend",
    "acq": "acquisition acquire acquired merger takeover",
    "crude": "crude oil",
    "money-fx": "dollar currency currencies exchange money",
    "grain": "grain wheat corn",
    "wheat": "grain wheat",
    "corn": "grain corn",
    "interest": "interest rate rates",
    "trade": "trade",
    "ship": "ship ships shipping vessel vessels",
    "coffee": "coffee",
    "sugar": "sugar",
    "cocoa": "cocoa",
    "gold": "gold",
    "gas": "gas gasoline",
    "money-supply": "money supply",
    "gnp": "gnp economic growth",
    "cpi": "inflation consumer prices",
    "livestock": "livestock cattle hogs",
    "copper": "copper",
    "oilseed": "oilseed soybean soybeans",
    "veg-oil": "vegetable oil palm",
    "reserves": "reserves",
    "jobs": "unemployment jobs",
    "bop": "balance payments",
    "rubber": "rubber",
    "cotton": "cotton",
}


class Collection(NamedTuple):
    """Labelled documents, and the words that describe each label."""

    corpus: Corpus
    is_train: np.ndarray
    descriptions: Mapping[str, str]


def names(run: Run) -> None:
    """Names of topics by rule, against the labels of newsgroups and Reuters stories."""
    run.note(
        f"{N_TOPICS} topics, the mean of {N_SEEDS} random seeds. words: share of the names that "
        "contain a word of the description of their label. documents: F1 of the documents of the "
        "other half that contain the name, as a search for the documents of the label. The label "
        f"of a topic is the most frequent label of its {N_LEADING} leading documents; topics "
        "without a label that half of these documents share are left out."
    )
    for title, collection in _collections(run).items():
        for model in MODELS:
            _measure(run, title, model, collection)


def _collections(run: Run) -> dict[str, Collection]:
    posts = newsgroups(run)
    settings = {} if run.smoke else VECTORIZER
    found = {
        "newsgroups": Collection(
            laconic.read(posts.bodies, **settings).replace(labels=[str(x) for x in posts.labels]),
            posts.is_train,
            NEWSGROUPS,
        )
    }
    if not run.smoke:
        stories = reuters(run)
        rows = [row for row, label in enumerate(stories.labels) if label]
        corpus = laconic.read([stories.texts(with_title=True)[row] for row in rows], **VECTORIZER)
        corpus = corpus.replace(labels=[stories.labels[row] for row in rows])
        found["Reuters"] = Collection(corpus, np.arange(len(rows)) % 2 == 0, REUTERS)
    return found


def _measure(run: Run, title: str, model: str, collection: Collection) -> None:
    train = collection.corpus[collection.is_train]
    other = collection.corpus[~collection.is_train]
    texts, labels = [_normal(text or "") for text in other.texts], np.array(other.labels)
    by_rule: list[tuple[float, float]] = []
    by_word: list[tuple[float, float]] = []
    for number in range(1 if run.smoke else N_SEEDS):
        fitted = laconic.pipeline(
            model, n_components=5 if run.smoke else N_TOPICS, random_state=run.seed + number
        ).fit(train)
        given = laconic.name_topics(fitted, train)
        for topic in laconic.topics(fitted, 1):
            label = _label(fitted, topic.number, train)
            if label is None:
                continue
            words = collection.descriptions.get(label, label).split()
            by_rule.append(_scores(given[topic.number], words, labels == label, texts))
            by_word.append(_scores(topic.words[0], words, labels == label, texts))
    for column, way in enumerate(("words", "documents")):
        value = 100 * float(np.mean([pair[column] for pair in by_rule]))
        peer = 100 * float(np.mean([pair[column] for pair in by_word]))
        run.row(
            f"{title}, {model}: {way}",
            value,
            "%",
            peer="leading word",
            peer_value=peer,
            goal=Goal("≥ the leading word", partial(_at_least, peer), "value"),
        )
    n_topics = len(by_rule) / (1 if run.smoke else N_SEEDS)
    run.row(f"{title}, {model}: topics with a label", n_topics, "")


def _at_least(least: float, value: float) -> bool:
    return value >= least


def _label(model: object, topic: int, corpus: Corpus) -> str | None:
    """Return the label that most of the leading documents of a topic share, if there is one."""
    rows = laconic.top_documents(model, topic, corpus, N_LEADING)["document"].to_list()
    counts = Counter(str(corpus.labels[row]) for row in rows)
    label, n = counts.most_common(1)[0] if counts else ("", 0)
    return label if rows and n >= MIN_AGREEMENT * len(rows) else None


def _scores(
    name: str, words: Sequence[str], is_wanted: np.ndarray, texts: Sequence[str]
) -> tuple[float, float]:
    """Return whether a name contains one of the words, and its F1 as a search."""
    # A name that lists leading words, such as "oil, crude", finds the documents with any of them.
    phrases = [_normal(part) for part in name.split(",")]
    found = np.array([any(phrase in text for phrase in phrases) for text in texts])
    both = int((found & is_wanted).sum())
    f1 = 2 * both / max(int(found.sum()) + int(is_wanted.sum()), 1)
    return float(not set(words).isdisjoint(_normal(name).split())), f1


def _normal(text: str) -> str:
    """Return a text as words in lower case with a space before and after each word."""
    return f" {' '.join(WORD.findall(text.lower()))} "
