"""Write one small model of each kind, and a corpus, to an archive that every later version loads.

Run this script once for each release, and commit the archive::

    python tests/saving/golden_models.py tests/saving/golden/VERSION.zip

Archives are never changed, because they show that models of users can still be loaded. The script
uses only names that the first version has, so that it runs with the source of any version.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import laconic
from laconic.models import MODELS

ANIMALS = ["cat", "dog", "fox", "hen", "owl", "pig", "rat", "yak"]
KITCHEN = ["bowl", "cup", "fork", "jug", "knife", "pan", "plate", "pot"]
WEATHER = ["fog", "frost", "hail", "rain", "sleet", "snow", "storm", "wind"]


def make_texts() -> tuple[list[str], list[str]]:
    """Return documents about three topics, and their labels."""
    draw = np.random.default_rng(0)
    topics = {"animals": ANIMALS, "kitchen": KITCHEN, "weather": WEATHER}
    texts, labels = [], []
    for number in range(36):
        label = list(topics)[number % 3]
        words = [*draw.choice(topics[label], 12), *draw.choice([*ANIMALS, *KITCHEN, *WEATHER], 3)]
        texts.append(" ".join(map(str, words)))
        labels.append(label)
    return texts, labels


def dense(codes: Any) -> list[list[float]]:
    """Return codes as lists of numbers."""
    return np.asarray(codes.toarray() if hasattr(codes, "toarray") else codes, float).tolist()


def write_golden(archive: Path, names: Iterable[str] = tuple(MODELS)) -> None:
    """Fit a pipeline of each model, and write it with its codes of some documents."""
    texts, labels = make_texts()
    read = laconic.read(texts, stop_words=None, min_df=1, max_df=1.0)
    corpus: laconic.Corpus = laconic.Corpus(
        read.counts,
        read.vocabulary,
        labels=labels,
        titles=[f"Title {row}" for row in range(len(texts))],
        texts=texts,
        vectorizer=read.vectorizer,
    )
    with tempfile.TemporaryDirectory() as home, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus.save(Path(home, "corpus"))
        expected: dict[str, Any] = {"counts": corpus.counts.toarray().tolist()}
        for name in names:
            model = laconic.pipeline(name, n_components=3, max_iter=20).fit(corpus)
            path = Path(home, name)
            laconic.save(model, path, index=laconic.search(model, corpus))
            expected[name] = {
                "codes": dense(model.transform(texts[:6])),
                "hits": [hit.id for hit in laconic.search(model, corpus).query("rain and wind")],
            }
            if hasattr(model, "predict"):
                expected[name]["classes"] = model.predict(texts[:6]).tolist()
        Path(home, "expected.json").write_text(json.dumps(expected))
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for part in sorted(Path(home).rglob("*")):
                if part.is_file():
                    file.write(part, part.relative_to(home))


if __name__ == "__main__":
    write_golden(Path(sys.argv[1]))
