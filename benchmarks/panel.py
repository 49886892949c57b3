"""Panel of corpora and models: the same measures of all models with their default settings.

A cell is one model fitted to one corpus with one number of topics and one seed, in a separate
process with one thread. The command ``python -m benchmarks.panel run`` runs only the cells that its
options select and merges them with the committed result, because all cells take many hours. It
skips cells that the result already has from the same commit, so an interrupted run can be
continued.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import click
import numpy as np
import scipy.sparse as sp
from sklearn.datasets._twenty_newsgroups import strip_newsgroup_footer, strip_newsgroup_quoting
from sklearn.metrics import normalized_mutual_info_score

import laconic
from benchmarks import collections, panel_peers
from benchmarks.data import VECTORIZER, newsgroups
from benchmarks.harness import DIRTY, RESULTS, Run, commit, execute, python_output, threads, write
from benchmarks.nips import titled_nips
from benchmarks.reuters import reuters
from laconic import Corpus
from laconic.datasets import load_pydocs
from laconic.evaluation import peers
from laconic.evaluation.compare import accuracy_of
from laconic.evaluation.contenders import fit, warm_up
from laconic.evaluation.splitting import split_documents
from laconic.fitted.model import TopicView
from laconic.metrics import coherence, diversity, effective_documents, lone_topics

NAME = "panel"
MODELS = ("sc", "slsa", "plsa", "sctm", "stc", "pcp", "nmf", "nmf-tfidf", "lsa", "lda-tomotopy")
MODELS += ("lda", "bertopic")
PEERS = peers.PEERS | panel_peers.PEERS
SIZES = (20, 50)
N_SEEDS = 3
N_WORDS = 10
TEST_SIZE = 0.2

MEASURES = {
    "lone": ("lone share", ""),
    "support": ("support", ""),
    "npmi": ("NPMI on other documents", ""),
    "diversity": ("diversity", ""),
    "nmi": ("NMI", ""),
    "accuracy": ("accuracy", ""),
    "topics_per_document": ("topics a document", ""),
    "words_per_topic": ("words a topic", ""),
    "cpu": ("CPU seconds", "s"),
    "n_bytes": ("size", "MB"),
}

READINGS = {
    "sc": "nearly every topic can be named at once; about ten of 50 on newsgroups are addresses, "
    "signatures or single discussions, and about nine on reuters repeat the words of earnings "
    "tables.",
    "slsa": "about half of the topics on newsgroups are the signature or address of one person, "
    "and about ten on reuters are near copies of the same earnings table.",
    "plsa": "most topics are broad and clear, but about 15 on newsgroups mix unrelated names and "
    "addresses (cars mot navy mil craig), and many of the titles are fragments.",
    "sctm": "the first 20 topics are clear subjects, then about 20 on newsgroups are signatures, "
    "and some on reuters are single takeovers (cyclops dixons).",
    "stc": "like plsa, clear subjects with few signatures, but about 15 topics on newsgroups are "
    "common words or unrelated names (robert bob dan stay com).",
    "pcp": "most topics are common words around one frequent word (know let going), and the same "
    "fillers come back in many topics; about ten on newsgroups can be named.",
    "nmf": "sharp topics, but about 20 of 50 on newsgroups are signatures of one person, which "
    "always occur together.",
    "nmf-tfidf": "clear subjects, with a first topic of common words and about 15 topics on "
    "newsgroups of addresses and signatures (uk ac, ca canada, uiuc cso).",
    "lsa": "after about ten topics, most are mixtures of unrelated subjects that repeat the same "
    "words and cannot be named.",
    "lda-tomotopy": "mostly clear subjects and few signatures, but some topics join two subjects "
    "(gatech battery georgia laser; db atheism mov).",
    "lda": "about half of the topics on newsgroups are mixtures that cannot be named (duo caltech "
    "phigs keith knife), the others are clear.",
    "bertopic": "run on the titles only: clear small topics (coffee, airlines, single companies), "
    "but one topic has all earnings reports, and a third of the titles have no topic.",
}
"""One sentence on the printed topics of each model; the numbers are estimates."""


# --- corpora -------------------------------------------------------------------------------------


class Documents(NamedTuple):
    """A corpus and, if known, the author of each document, whom the models never see."""

    corpus: Corpus
    source: list[str] | None = None


def _posts(run: Run, clean: Callable[[str], str] = str) -> Documents:
    posts = newsgroups(run)
    return Documents(_counted([clean(body) for body in posts.bodies], posts.labels), posts.authors)


def _counted(texts: list[str], labels: Iterable[Any]) -> Corpus:
    counted = laconic.read(texts, **VECTORIZER)
    return Corpus(
        counted.counts,
        counted.vocabulary,
        labels=list(labels) or None,
        texts=texts,
        vectorizer=counted.vectorizer,
    )


def _without_quotes(body: str) -> str:
    return strip_newsgroup_footer(strip_newsgroup_quoting(body))


def _collection(name: str) -> Callable[[Run], Documents]:
    def words(run: Run) -> Documents:
        found = {one.name: one for one in collections.collections(run)}
        return Documents(found[name].words)

    return words


CORPORA: dict[str, Callable[[Run], Documents]] = {
    "newsgroups": _posts,
    "newsgroups-clean": lambda run: _posts(run, _without_quotes),
    "reuters": lambda run: Documents(_counted(reuters(run).texts(True), reuters(run).labels)),
    "titles": lambda run: Documents(_counted(reuters(run).titles, reuters(run).labels)),
    "nips": lambda run: Documents(titled_nips(run)),
    **{name: _collection(name) for name in collections.NAMES},
    "pydocs": lambda run: Documents(load_pydocs()),
}


# --- one cell ------------------------------------------------------------------------------------


def cell(documents: Documents, model: str, size: int, seed: int) -> dict[str, Any]:
    """Fit one model to four fifths of the documents, and return its measures and top words."""
    corpus, source = documents
    parts = split_documents(corpus, TEST_SIZE, seed)
    held_out = corpus[parts.test_rows]
    parts.test = Corpus(parts.test.counts, corpus.vocabulary, texts=held_out.texts)
    warm_up(model)
    panel_peers.prepare(model, corpus)
    fitted = fit(model, parts.train, size, params={}, n_jobs=1, random_state=seed)
    codes = sp.csr_matrix(fitted.model.transform(parts.train))
    codes.eliminate_zeros()
    view = TopicView(fitted.topics)
    words = view.strongest_words(N_WORDS)
    lone = source and lone_topics(codes, [source[row] for row in parts.train_rows]).mean()
    has_words = np.flatnonzero(np.diff(parts.train.counts.indptr))
    test_codes = sp.csr_matrix(fitted.model.transform(parts.test))
    values = {
        "lone": lone,
        "support": np.median(effective_documents(codes)),
        "npmi": np.mean(coherence(words, held_out, "npmi", n_jobs=1)),
        "diversity": diversity(words),
        "nmi": _nmi(codes, parts.classes, parts.train_rows),
        "accuracy": accuracy_of(parts, codes, test_codes, seed),
        "topics_per_document": codes[has_words].nnz / len(has_words),
        "words_per_topic": view.n_words_of.mean(),
        "cpu": fitted.cpu_seconds + panel_peers.encoding_seconds(model, parts.train),
        "n_bytes": fitted.n_bytes / 2**20,
    }
    numbers = {key: None if value is None else float(value) for key, value in values.items()}
    return numbers | {"words": [" ".join(topic) for topic in words]}


def _nmi(codes: sp.csr_matrix, classes: np.ndarray | None, rows: np.ndarray) -> float | None:
    """Compare the strongest topic of each labelled document with its label."""
    if classes is None:
        return None
    strongest = np.asarray(abs(codes).argmax(axis=1)).ravel()
    strongest[codes.getnnz(axis=1) == 0] = -1
    labelled = classes[rows] != ""
    return normalized_mutual_info_score(classes[rows][labelled].astype(str), strongest[labelled])


# --- all cells -----------------------------------------------------------------------------------


def panel(run: Run) -> None:
    """Lone topics, support, coherence and accuracy of all models on all corpora."""
    chosen = product(CORPORA, MODELS, SIZES, range(N_SEEDS) if run.full else [run.seed])
    if run.smoke:
        chosen = product(["newsgroups"], ["nmf-tfidf", "sc"], [5], [run.seed])
    cells: dict[str, Any] = {}
    for key in chosen:
        if _installed(key[1]):
            cells[_name(*key)] = _in_process(*key, smoke=run.smoke)
    _report(run, cells)


def _name(*key: Any) -> str:
    return " ".join(map(str, key))


def _installed(model: str) -> bool:
    return model not in PEERS or PEERS[model].installed


def _in_process(*key: Any, smoke: bool = False) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        found = python_output(
            "-m", "benchmarks.panel", "cell", *map(str, key), *["--smoke"] * smoke
        )
    except RuntimeError as error:  # a model that fails must not stop the panel
        found = {"error": str(error).strip().splitlines()[-1], "words": []}
    topics = found.pop("words")  # for people to read; the result file would be ten times as large
    print(_name(*key), *topics, found.get("error", ""), sep="\n", file=sys.stderr)
    return dict(found) | {"seconds": round(time.perf_counter() - started, 1), "commit": commit()}


def _report(run: Run, cells: dict[str, Any]) -> None:
    """Add rows, which are means over seeds, and notes."""
    sizes = sorted({int(name.split(" ")[2]) for name in cells})
    for corpus, size, model in product(CORPORA, sizes, MODELS):
        start = _name(corpus, model, size, "")
        seeds = [one for name, one in cells.items() if name.startswith(start)]
        for key, (what, unit) in MEASURES.items():
            values = [one[key] for one in seeds if one.get(key) is not None]
            if values:
                tolerance = None if key == "cpu" else 0.02
                row = f"{what}, {model}, {corpus}, K={size}"
                run.row(row, float(np.mean(values)), unit, tolerance=tolerance)
    run.note(
        "Models of laconic have their default settings, peers those of laconic.compare. All get "
        "the same words of the same documents and are fitted to four fifths of them on one thread. "
        "NPMI (ten words a topic, counted in windows of the texts if there are texts; near -1 for "
        "words that never occur together) and accuracy (linear SVM) are measured on the other "
        "documents; lone share, support, NMI (strongest topic of a document "
        "against its label) and topics a document, on the documents of the fit. A topic is lone if "
        "half or more of its 20 leading documents have the same author (From: header, which the "
        "models never see). Support is the effective number of documents of a topic, median over "
        "topics. Values are means over the seeds that were run. Other processes ran on the machine "
        "at the same time, so only large differences of CPU seconds are meaningful."
    )
    run.note(
        "The documents are split at random, so an author can be in both parts, and signatures can "
        "raise NPMI on other documents: on newsgroups with 50 topics, the lone topics of slsa have "
        "0.27 and its others 0.11 (plsa: 0.15 and -0.01; sc: 0.00 and 0.06). If topics are "
        "distributions, their words are ranked by relevance; by probability, the NPMI of plsa is "
        "0.02 instead of 0.00."
    )
    run.note(
        "newsgroups: bodies of the posts as they are; newsgroups-clean: without quotes and "
        "signatures, removed as scikit-learn does; titles: titles of the Reuters stories alone. "
        + "; ".join(f"{name}: {PEERS[name].about}" for name in MODELS if name in PEERS)
        + "."
    )
    commits = Counter(str(one.get("commit", "unknown")) for one in cells.values())
    if len(commits) > 1 or any(name.endswith(DIRTY) for name in commits):
        counts = "; ".join(f"{number} from {name}" for name, number in commits.items())
        run.note(f"The cells were run from different or changed commits: {counts}.")
    failed = [f"{name} ({one['error']})" for name, one in cells.items() if "error" in one]
    if failed:
        run.note(f"Not fitted: {'; '.join(failed)}.")
    if run.smoke:
        return
    used = {part for name in cells for part in name.split(" ")[:2]}
    missing = [name for name in (*CORPORA, *MODELS) if name not in used]
    if missing:
        run.note(f"Not run, because not installed or not selected: {', '.join(missing)}.")
    run.note(
        "Topics as read once, with the names of the models in view (50 topics, "
        "seed 0; all topics of newsgroups, about half of those of reuters, titles and pydocs): "
        + " ".join(f"{model}: {reading}" for model, reading in READINGS.items())
    )


# --- command line --------------------------------------------------------------------------------


@click.group()
def main() -> None:
    """Run single cells of the panel."""


@main.command("run")
@click.option("--corpus", "corpora", multiple=True, type=click.Choice([*CORPORA]))
@click.option("--model", "models", multiple=True, type=click.Choice(MODELS))
@click.option("--topics", "sizes", multiple=True, type=int)
@click.option("--seed", "seeds", multiple=True, type=int)
@click.option("--again", is_flag=True, help="Also run cells that the result already has.")
@click.option("--dirty", is_flag=True, help="Allow a working tree that differs from the commit.")
def run_cells(corpora: Any, models: Any, sizes: Any, seeds: Any, again: bool, dirty: bool) -> None:
    """Run the selected cells and merge them with the result; by default, all with seed 0.

    Cells that the result already has from this commit are skipped, unless they failed.
    """
    current = commit()
    if current is not None and current.endswith(DIRTY) and not dirty:
        raise click.UsageError(
            "Files differ from the commit, so the results could not be reproduced; commit the "
            "changes, or add --dirty."
        )
    for key in product(corpora or CORPORA, sizes or SIZES, seeds or [0], models or MODELS):
        corpus, size, seed, model = key
        name = _name(corpus, model, size, seed)
        if _installed(model) and (again or not is_done(stored_cells().get(name), current)):
            merge({name: _in_process(corpus, model, size, seed)})


def is_done(cell: dict[str, Any] | None, current: str | None) -> bool:
    """Return whether a cell was run without an error from the current, unchanged commit."""
    if cell is None or "error" in cell or current is None or current.endswith(DIRTY):
        return False
    return cell.get("commit") == current


@main.command("report")
def report_cells() -> None:
    """Write the rows and notes of the result again, without running any cell."""
    merge({})


def stored_cells() -> dict[str, Any]:
    """Return the cells of the result file."""
    file = RESULTS / f"{NAME}.json"
    return json.loads(file.read_text(encoding="utf-8"))["cells"] if file.exists() else {}


def merge(new: dict[str, Any]) -> None:
    """Add cells to the result file, which contains the cells next to their means over seeds."""
    cells = stored_cells() | new
    result = execute(lambda run: _report(run, cells), Run(NAME), "python -m benchmarks.panel run")
    result["seconds"] = round(sum(one["seconds"] for one in cells.values()), 1)
    write(result | {"cells": cells}, RESULTS)


@main.command("cell")
@click.argument("corpus", type=click.Choice([*CORPORA]))
@click.argument("model", type=click.Choice(MODELS))
@click.argument("size", type=int)
@click.argument("seed", type=int)
@click.option("--smoke", is_flag=True)
def print_cell(corpus: str, model: str, size: int, seed: int, smoke: bool) -> None:
    """Run one cell in this process and print its measures and topics as JSON."""
    peers.PEERS.update(panel_peers.PEERS)  # in this process only
    with warnings.catch_warnings(), threads(1):
        warnings.simplefilter("ignore")
        documents = CORPORA[corpus](Run(NAME, smoke=smoke, seed=seed))
        click.echo(json.dumps(cell(documents, model, size, seed)))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.panel")
