"""Effect of the settings for counting words on topics: min_df, lemmas and phrases.

The documents are samples of several sizes of newsgroup posts, Reuters stories and their titles. The
measures are those of the panel, as means over two models and the seeds of the run.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

import laconic
from benchmarks.data import newsgroups
from benchmarks.harness import Run
from benchmarks.panel import Documents, cell
from benchmarks.reuters import reuters
from laconic import Corpus

MODELS = ("sc", "plsa")
MIN_DF = (1, 2, 3, 5, 8, 12)
FORMS: dict[str, dict[str, Any]] = {
    "forms as they are": {},
    "lemmas": {"lemmatizer": "english"},
    "phrases": {"phrases": True},
    "lemmas and phrases": {"lemmatizer": "english", "phrases": True},
}
N_TOPICS = {300: 10, 1_000: 20, 4_000: 20, 8_000: 30, 16_000: 50}
MEASURES = {"accuracy": "accuracy", "npmi": "NPMI on other documents"}


def counting_words(run: Run) -> None:
    """Accuracy and coherence for several limits of document frequency, with lemmas and phrases."""
    sizes, n_forms = ([300], 300) if run.smoke else ([300, 1_000, 4_000, 16_000], 8_000)
    for name in ["newsgroups"] if run.smoke else ["newsgroups", "reuters", "titles"]:
        for size in sizes:
            for limit in MIN_DF[:2] if run.smoke else MIN_DF:
                _measure(run, name, size, f"min_df={limit}", {"min_df": limit})
        for about, settings in FORMS.items():
            _measure(run, name, n_forms, about, settings)
    run.note(
        "Stop words are those of English, and max_df is 0.5. Models are sc and plsa with default "
        "settings; the number of topics grows with the number of documents. A larger min_df "
        "leaves more short documents empty, which the measures do not show."
    )


def _measure(run: Run, name: str, size: int, about: str, settings: dict[str, Any]) -> None:
    texts, labels = _sample(run, name, size)
    counted = laconic.read(texts, **{"stop_words": "english", "max_df": 0.5, **settings})
    corpus: Corpus = counted.replace(labels=labels)
    n_topics = 3 if run.smoke else N_TOPICS[size]
    seeds = range(2) if run.full else [run.seed]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = [
            cell(Documents(corpus), model, n_topics, seed) for model in MODELS for seed in seeds
        ]
    for key, what in MEASURES.items():
        value = float(np.mean([one[key] for one in cells]))
        run.row(f"{what}, {about}, {name}, {size:,} documents", value, "", tolerance=0.03)


def _sample(run: Run, name: str, size: int) -> tuple[list[str], list[str]]:
    if name == "newsgroups":
        posts = newsgroups(run)
        texts, labels = posts.bodies, list(posts.labels)
    else:
        stories = reuters(run)
        texts = stories.texts(True) if name == "reuters" else stories.titles
        labels = list(stories.labels)
    rows = random.Random(7).sample(range(len(texts)), min(size, len(texts)))
    return [texts[row] for row in rows], [labels[row] for row in rows]
