"""``laconic info``: what a corpus or a saved model holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from laconic.cli.model_summary import model_facts, model_in_words
from laconic.cli.options import INPUT, Sectioned, debug_option, json_option, options
from laconic.cli.reading import format_of, read_documents
from laconic.cli.tables import show_facts, show_json
from laconic.wording import size


@click.command(cls=Sectioned)
@click.argument("path")
@options(INPUT)
@json_option
@debug_option
def info(path: str, as_json: bool, **values: Any) -> None:
    """Say what a corpus or a saved model holds.

    PATH is a saved model, or anything that laconic fit takes. All words of a text are counted,
    stop words too.

    \b
    laconic info posts.model
    laconic info posts.jsonl --text body --json
    """
    is_model = (Path(path) / "model.json").is_file()
    facts = _of_model(path) if is_model else _of_corpus(path, values)
    if as_json:
        show_json(facts)
    elif is_model:
        show_facts(_model_in_words(facts))
    else:
        show_facts(_corpus_in_words(facts))


def _of_model(path: str) -> dict[str, Any]:
    from laconic import describe, load

    facts = describe(path)
    loaded = load(path)  # reads what describe does not, so that damage shows
    estimator = loaded[-1] if facts["kind"] == "pipeline" else loaded
    return {**facts, **(model_facts(estimator) if hasattr(estimator, "components_") else {})}


def _of_corpus(path: str, values: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    format = format_of(path, values)
    corpus = read_documents(path, values, keep_texts=False, defaults=False)
    labels = None if corpus.labels is None else np.unique(corpus.labels.astype(str))
    return {
        "kind": "corpus",
        "format": format,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        "words": corpus.shape[1],
        "named_words": corpus.vocabulary is not None,
        "nonzeros": int(corpus.counts.nnz),
        "total_count": corpus.counts.sum(dtype=np.float64).item(),
        "labels": None if labels is None else len(labels),
        "ids": corpus.ids is not None,
        "titles": corpus.titles is not None,
    }


def _model_in_words(facts: dict[str, Any]) -> dict[str, str]:
    shown = {"kind": facts["kind"], "model": facts["class"]}
    if "topics" in facts:
        shown |= model_in_words(facts)
    if facts["documents"]:
        shown["documents"] = _documents_in_words(facts)
    if facts["index_bytes"]:
        shown["search"] = _index_in_words(facts)
    shown["size"] = size(facts["bytes"])
    shown["written by"] = f"laconic {facts['laconic']}"
    shown["parameters"] = _settings(facts["parameters"])
    for name, settings in facts.get("steps", {}).items():
        shown[name] = _settings(settings)
    return shown


def _documents_in_words(facts: dict[str, Any]) -> str:
    *first, last = facts["document_columns"] or [""]
    known = f"{', '.join(first)} and {last}" if first else last
    with_names = f" with {known}" if known else ""
    return f"{facts['documents']:,} kept{with_names} ({size(facts['document_bytes'])})"


def _index_in_words(facts: dict[str, Any]) -> str:
    language, texts = facts["index_language"], " and the texts" if facts["index_texts"] else ""
    kind = f"{language} word stems" if language else "words"
    return f"{facts['index_words']:,} {kind}{texts} ({size(facts['index_bytes'])})"


def _settings(settings: dict[str, Any]) -> str:
    """Settings that say something; a long list by its length."""
    known = {name: value for name, value in settings.items() if value is not None}
    return ", ".join(
        f"{name}={len(value)} items" if isinstance(value, list) and len(value) > 5
        else f"{name}={value}"
        for name, value in known.items()
    )  # fmt: skip


def _corpus_in_words(facts: dict[str, Any]) -> dict[str, str]:
    empty = f", {facts['empty_documents']:,} of them empty" if facts["empty_documents"] else ""
    unnamed = "" if facts["named_words"] else ", without names"
    shown = {
        "kind": "corpus",
        "format": facts["format"] or "told by the content",
        "documents": f"{facts['documents']:,}{empty}",
        "words": f"{facts['words']:,} different{unnamed}",
        "total": f"{facts['total_count']:,.10g} words",
        "non-zeros": f"{facts['nonzeros']:,}",
    }
    if facts["labels"] is not None:
        shown["labels"] = f"{facts['labels']:,} classes"
    known = [name for name in ("ids", "titles") if facts[name]]
    if known:
        shown["known"] = " and ".join(known)
    return shown
