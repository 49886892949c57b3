"""Use saved folders in every way, in a process of its own, and report what happens.

The process reads lines of JSON, ``{"path": …, "reference": …}``, and writes a line for each: the
outcome, and a message. A crash or a hang ends the process; the campaign then starts another one.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import laconic
from benchmarks.reliability.folders import make_corpus
from laconic.corpus.store import is_store
from laconic.errors import LaconicError
from laconic.fitted.documents import kept_documents
from laconic.fitted.notes import notes_of
from laconic.fitted.pipeline_steps import last_step

SECONDS = 60  # time after which a use counts as a hang
MEMORY = 12 << 30  # limit of the address space, which is larger than the memory that is used


REFUSED = "refused"


class NotFiniteError(Exception):
    """A result contains NaN or infinity."""


def model_uses(path: Path, corpus: Any) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield the ways to use a model, as functions of the loaded model."""
    from click.testing import CliRunner

    from laconic.cli.main import laconic as command

    texts = [str(text) for text in corpus.texts[:5]]
    yield "describe", lambda model: laconic.describe(path)
    yield "notes", lambda model: sorted(notes_of(model).items())
    yield "transform", lambda model: model.transform(corpus)
    yield "texts", lambda model: model.transform(texts) if hasattr(model, "steps") else 0
    yield "topics", lambda model: laconic.topics(model).frame.rows()
    yield (
        "predict",
        lambda model: (
            [model.decision_function(corpus), model.predict(corpus).tolist()]
            if hasattr(model, "predict")
            else 0
        ),
    )
    yield "evaluate", lambda model: dict(laconic.evaluate(model, corpus))
    yield (
        "score",
        lambda model: model.score(corpus) if hasattr(last_step(model), "perplexity") else 0,
    )
    yield (
        "keywords",
        lambda model: (
            last_step(model).keywords(last_step(model).n_features_in_ and _input(model, corpus))
            if hasattr(last_step(model), "keywords")
            else 0
        ),
    )
    yield (
        "similar",
        lambda model: (
            laconic.similar(model, "id-3").rows() if kept_documents(model) is not None else 0
        ),
    )
    yield (
        "top documents",
        lambda model: (
            laconic.top_documents(model, 0).rows() if kept_documents(model) is not None else 0
        ),
    )
    yield "search", lambda model: _search(model, texts)
    yield (
        "senses",
        lambda model: (
            laconic.senses(model, str(corpus.vocabulary[0])).rows()
            if hasattr(last_step(model), "word_topics_")
            else 0
        ),
    )
    yield (
        "groups",
        lambda model: (
            laconic.topic_groups(model).rows() if hasattr(last_step(model), "group_names_") else 0
        ),
    )
    yield (
        "graph",
        lambda model: (
            laconic.topic_graph(model).rows()
            if hasattr(last_step(model), "topic_precision_")
            else 0
        ),
    )

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(command, [*arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if "this is a bug" in result.output:
            raise AssertionError(result.output)
        return 0 if "info" in arguments else result.stdout.replace(str(path), "")

    yield "command topics", lambda model: run("topics", str(path), "--json")
    yield "command info", lambda model: run("info", str(path), "--json")
    yield "save", lambda model: laconic.save(model, path.with_name("again"), force=True) and 0
    yield (
        "partial_fit",
        lambda model: (
            last_step(model).partial_fit(_input(model, corpus)).components_
            if hasattr(last_step(model), "partial_fit")
            else 0
        ),
    )


def _input(model: Any, corpus: Any) -> Any:
    return model[:-1].transform(corpus) if hasattr(model, "steps") else corpus


def _search(model: Any, texts: list[str]) -> Any:
    documents = kept_documents(model)
    if documents is None or documents.index is None:
        return 0
    index = laconic.search(model)
    hits = [*index.query(texts[0][:60]), *index.query("zzz aaaa " + texts[1]), *index.like("id-2")]
    return [(hit.id, hit.score, hit.title, str(hit.snippet), hit.keywords) for hit in hits]


def store_uses(path: Path) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield the ways to use a corpus store."""
    yield "describe", lambda corpus: laconic.describe(path)
    yield "counts", lambda corpus: corpus.counts
    yield "chunks", lambda corpus: [chunk.load() for chunk in corpus.chunks()]
    yield (
        "columns",
        lambda corpus: [
            None if values is None else str(values.tolist())
            for values in (corpus.ids, corpus.titles, corpus.labels, corpus.texts)
        ],
    )
    yield "document", lambda corpus: [corpus[0].words, corpus[1:3].counts]
    yield "fit", lambda corpus: laconic.PLSA(3, max_iter=2).fit(corpus).components_
    yield (
        "texts",
        lambda corpus: (
            laconic.pipeline("slsa", n_components=3, max_iter=2)
            .fit(corpus)
            .transform(["some words of a text"])
        ),
    )
    yield "keywords", lambda corpus: [list(words) for words in laconic.keywords(corpus)][:3]


def plain(value: Any) -> Any:
    """Convert a result to values that can be compared; raise if it is not finite."""
    if sp.issparse(value):
        return plain([value.shape, value.toarray()])
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            if not np.isfinite(value).all():
                raise NotFiniteError("array")
            return np.round(value.astype(float), 5).tolist()
        return value.tolist()
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            raise NotFiniteError("NaN")
        # A model that gives a word no probability has an infinite perplexity.
        return round(float(value), 5) if np.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, int, bool)):
        return value
    return str(value)


def is_refusal(result: Any) -> bool:
    return isinstance(result, str) and result.startswith(REFUSED)


def use(path: Path, corpus: Any) -> tuple[str, str, dict[str, Any]]:
    """Use a folder; return the outcome, a message, and all results."""
    results: dict[str, Any] = {}
    at = "load"
    try:
        store = is_store(path)
        loaded = laconic.read(path) if store else laconic.load(path)
        for at, action in store_uses(path) if store else model_uses(path, corpus):
            try:
                results[at] = plain(action(loaded))
            except LaconicError as error:
                results[at] = f"{REFUSED}: {error}"
    except LaconicError as error:
        return "refused on load", str(error), results
    except NotFiniteError as error:
        return "NaN", f"{at}: {error}", results
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return "traceback", f"{at}: {type(error).__name__}: {error} ({where})", results
    return "used", "", results


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    corpus = make_corpus()
    references: dict[str, Any] = {}
    for line in sys.stdin:
        task = json.loads(line)
        reference = task["reference"]
        if reference not in references:
            outcome, message, references[reference] = use(Path(reference), corpus)
            if outcome != "used":
                raise AssertionError(f"{reference}: {outcome}: {message}")
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        outcome, message, results = use(Path(task["path"]), corpus)
        faulthandler.cancel_dump_traceback_later()
        refused = [
            at
            for at in results
            if is_refusal(results[at]) and not is_refusal(references[reference][at])
        ]
        if outcome == "used" and refused:
            outcome, message = "refused at use", f"{refused[0]}: {results[refused[0]]}"
        elif outcome == "used":
            same = results == {**references[reference], "describe": results["describe"]}
            outcome = "same result" if same else "another valid folder"
            message = (
                ""
                if same
                else ", ".join(
                    key for key in results if results[key] != references[reference].get(key)
                )
            )
        print(json.dumps({"outcome": outcome, "message": message}), flush=True)


if __name__ == "__main__":
    main()
