"""All models compared with other libraries on 20 Newsgroups: time, memory, accuracy, coherence.

Every model is fitted by `laconic.compare` in a separate process with one thread, so that its memory
can be measured. All models get the same words of the same documents. If this module is run as a
program, it compares one model and prints its row.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import laconic
from benchmarks.data import VECTORIZER, newsgroups
from benchmarks.harness import (
    Run,
    memory_now,
    peak_memory,
    python_output,
    reset_peak_memory,
    threads,
    warm,
)
from laconic.evaluation import compare as comparing
from laconic.evaluation.contenders import Fitted, fit
from laconic.evaluation.peers import PEERS
from laconic.models import MODELS

BAR = "nmf"
"""The peer that all models are compared with: the most coherent of the widely available peers."""

VARIANTS: dict[str, dict[str, Any]] = {
    "slsa, words_per_topic=20": {"words_per_topic": 20},
}
"""Settings that differ from the defaults, because reading needs other settings than classifying."""

MEASURES = {
    "cpu": ("seconds to fit", "s"),
    "memory": ("memory of the fit", "MB"),
    "accuracy": ("accuracy", ""),
    "npmi": ("NPMI", ""),
    "c_v": ("C_v", ""),
    "diversity": ("diversity", ""),
    "perplexity": ("perplexity", ""),
    "topic_zeros": ("zeros in topics", ""),
    "document_zeros": ("zeros in codes", ""),
    "n_bytes": ("saved model", "MB"),
    "documents_per_second": ("documents coded", "documents/s"),
}


def peers(run: Run) -> None:
    """Time, memory, accuracy and coherence of every model and every installed peer."""
    sizes = (5,) if run.smoke else (50,)
    installed = [name for name, peer in PEERS.items() if peer.installed]
    names = [BAR, *MODELS, *VARIANTS, *(name for name in installed if name != BAR)]
    if run.smoke:
        names = [BAR, "slsa"]
    with tempfile.TemporaryDirectory() as folder:
        store = _store(run, Path(folder))
        for size in sizes:
            rows = {name: _row(store, name, size, run.seed) for name in names}
            for name, row in rows.items():
                _report(run, name, size, row, rows[BAR])
    _notes(run, sizes)


def _store(run: Run, folder: Path) -> Path:
    """Save a corpus of the posts without headers, with texts and with newsgroups as labels."""
    posts = newsgroups(run)
    corpus = posts.counted()
    return laconic.Corpus(
        corpus.counts,
        corpus.vocabulary,
        labels=posts.labels.astype(str),
        texts=posts.bodies,
        vectorizer=corpus.vectorizer,
    ).save(folder / "posts")


def _row(store: Path, name: str, size: int, seed: int) -> dict[str, Any]:
    model, _, _ = name.partition(",")
    options = json.dumps({"seed": seed, "params": VARIANTS.get(name, {})})
    row = python_output("-m", "benchmarks.peers", str(store), model, str(size), options)
    print(f"{name}: {row['cpu']:.1f} s", file=sys.stderr, flush=True)
    return dict(row)


def _report(run: Run, name: str, size: int, row: dict[str, Any], bar: dict[str, Any]) -> None:
    for key, (what, unit) in MEASURES.items():
        if row[key] is None:
            continue
        scale = 2**20 if unit == "MB" else 1
        beside = name != BAR and bar[key] is not None
        run.row(
            f"{what}, {name}, K={size}",
            row[key] / scale,
            unit,
            peer=BAR if beside else None,
            peer_value=bar[key] / scale if beside else None,
            tolerance=_tolerance(key),
        )


def _tolerance(key: str) -> float | None:
    """Return the tolerance of a metric, or None for times and memory, which vary between runs.

    Other metrics may change with the version of a peer.
    """
    return None if key in ("cpu", "memory", "documents_per_second") else 0.02


def _notes(run: Run, sizes: tuple[int, ...]) -> None:
    run.note(
        f"20 Newsgroups without headers, words counted with {VECTORIZER}; "
        f"K={', '.join(map(str, sizes))}. Models are fitted to four fifths of the posts. Accuracy "
        "(linear SVM on codes), perplexity (document completion, with mixtures by EM for all "
        "models) and coding speed are measured on the other posts. Coherence is the coherence of "
        "ten words per topic, counted in windows of the texts. All models run on one thread with "
        "default settings. If topics are distributions, words are ranked by relevance."
    )
    run.note(
        "; ".join(f"{name}: {peer.about}" for name, peer in PEERS.items() if peer.installed) + "."
    )
    run.note(
        "Seconds are CPU seconds, so that other work on the machine does not count. Memory is the "
        "peak above the memory before the fit and includes the weighting. The size on disk of a "
        "laconic model is its folder with the vocabulary; the size of a peer is its pickle or its "
        "own file format without the vocabulary."
    )


# --- one model in a separate process -------------------------------------------------------------


def row_of(store: str, name: str, size: int, seed: int, params: dict[str, Any]) -> dict[str, Any]:
    """Return the row of one model, with the memory of its fit."""
    used: dict[str, float] = {}

    def measured(*arguments: Any, **options: Any) -> Fitted:
        reset_peak_memory()
        before = memory_now()
        fitted = fit(*arguments, **options)
        used.update(cpu=fitted.cpu_seconds, memory=peak_memory() - before)
        return fitted

    comparing.fit = measured  # type: ignore[attr-defined]
    with warnings.catch_warnings(), threads(1):
        warnings.simplefilter("ignore")
        warm()
        found = laconic.compare(
            laconic.read(store), [name], size, params={name: params}, n_jobs=1, random_state=seed
        )
    row = found.to_dict()["rows"][0]
    if row["error"] is not None:
        raise RuntimeError(f"{name}: {row['error']}")
    return {key: value for key, value in row.items() if key != "words"} | used


if __name__ == "__main__":
    store, name, size, options = sys.argv[1:]
    settings = json.loads(options)
    print(json.dumps(row_of(store, name, int(size), settings["seed"], settings["params"])))
