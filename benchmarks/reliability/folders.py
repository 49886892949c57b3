"""Small saved folders of every kind, which the campaigns on files damage and edit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import laconic
from laconic.datasets import make_topics
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.models import MODELS

N_TOPICS = 4


def make_corpus() -> laconic.Corpus:
    """Return documents with texts, ids, titles and labels."""
    planted, _ = make_topics(60, 80, N_TOPICS, words_per_topic=12, overlap=0.2)
    texts = [
        " ".join(word for word, count in document.words.items() for _ in range(count))
        for document in planted
    ]
    n = len(texts)
    corpus: laconic.Corpus = laconic.read(texts, stop_words=None, min_df=1, max_df=1.0)
    return corpus.replace(
        ids=[f"id-{row}" for row in range(n)],
        titles=[f"Document {row} ü" for row in range(n)],
        labels=np.array(["even", "odd"])[np.arange(n) % 2],
    )


def bare(name: str, partial: bool = False, **parameters: Any) -> Callable[[laconic.Corpus], Any]:
    """Return a function that fits an estimator, by `fit` or in batches by `partial_fit`."""

    def make(corpus: laconic.Corpus) -> Any:
        model = MODELS[name](**{"n_components": N_TOPICS, "max_iter": 5, **parameters})
        if partial:
            return model.partial_fit(corpus[:40]).partial_fit(corpus[40:])
        return model.fit(corpus)

    return make


def piped(name: str, **parameters: Any) -> Callable[[laconic.Corpus], Any]:
    """Return a function that fits a pipeline."""

    def make(corpus: laconic.Corpus) -> Any:
        parts = {"n_components": N_TOPICS, "max_iter": 5, **parameters}
        return laconic.pipeline(name, **parts).fit(corpus)

    return make


def grouped(corpus: laconic.Corpus) -> Any:
    """Fit Sparse LSA with overlapping groups of words."""
    words = [str(word) for word in corpus.vocabulary]  # type: ignore[union-attr]
    groups = {"first": words[:30], "second": words[20:60]}
    return bare("slsa", groups=groups, positive=True)(corpus)


FITS: dict[str, Callable[[laconic.Corpus], Any]] = {
    **{f"pipeline of {name}": piped(name) for name in MODELS},
    **{name: bare(name) for name in MODELS if name != "pcp"},
    "slsa with groups": grouped,
    "slsa in batches": bare("slsa", partial=True),
    "sc in batches": bare("sc", partial=True, codes="sparse", words_per_topic=10),
    "sc, signed projections": bare("sc", positive=False, codes="projection"),
    "plsa in batches": bare("plsa", partial=True),
    "sctm, correlated": bare("sctm", correlated=True, noise="counts"),
    "sctm in batches": bare("sctm", partial=True),
    "stc in batches": bare("stc", partial=True),
    "pcp": bare("pcp"),
    "pcp, exact": bare("pcp", n_components=None, solver="exact"),
    "pipeline of z-scores": lambda corpus: laconic.pipeline(
        "slsa", weighting="z-scores", n_components=N_TOPICS, positive=False
    ).fit(corpus),
}
STORES = ("store", "store of fractions")


def write_folders(home: Path, names: list[str] | None = None) -> dict[str, Path]:
    """Write the folders with the given names, by default all of them; return their paths."""
    corpus = make_corpus()
    folders = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, name in enumerate(names or [*FITS, *STORES]):
            folders[name] = path = home / f"folder-{number}"
            if name == "store":
                corpus.save(path)
            elif name == "store of fractions":
                laconic.Corpus(corpus.counts * 0.5, corpus.vocabulary).save(path)
            else:
                _save_model(FITS[name](corpus), path, corpus, with_index="pipeline" in name)
    return folders


def _save_model(model: Any, path: Path, corpus: laconic.Corpus, *, with_index: bool) -> None:
    last = model[-1] if hasattr(model, "steps") else model
    keep_notes(last, {1: TopicNote("a name", False, "a note"), 2: TopicNote(None, True)})
    if with_index:
        laconic.save(model, path, index=laconic.search(model, corpus))
    else:
        laconic.save(model, path, corpus=corpus)
