"""``laconic info``: describe a corpus or a saved model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from laconic.cli.model_summary import format_model, model_facts
from laconic.cli.options import INPUT_OPTIONS, Sectioned, debug_option, json_option, options
from laconic.cli.reading import format_of, read_documents
from laconic.cli.tables import printable, show_facts, show_json
from laconic.wording import Nouns, size


@click.command(cls=Sectioned)
@click.argument("path", metavar="MODEL|INPUT")
@options(INPUT_OPTIONS)
@json_option
@debug_option
def info(path: str, as_json: bool, **values: Any) -> None:
    """Describe a corpus or a saved model.

    MODEL is a saved model, INPUT is any input that 'laconic fit' accepts. If INPUT contains texts,
    all words of the texts are counted, including stop words.

    \b
    laconic info posts.model
    laconic info posts.jsonl --text body --json
    """
    is_model = (Path(path) / "model.json").is_file()
    facts = _describe_model(path) if is_model else _describe_corpus(path, values)
    if as_json:
        show_json(facts)
    elif is_model:
        show_facts(_format_model(facts))
    else:
        show_facts(_format_corpus(facts))


def _describe_model(path: str) -> dict[str, Any]:
    from laconic import describe
    from laconic.fitted.nouns import nouns_of
    from laconic.saving.models import load_to_show

    facts = describe(path)
    loaded = load_to_show(path)  # It also checks the arrays, which describe() does not read.
    estimator = loaded[-1] if facts["kind"] == "pipeline" else loaded
    nouns = {"nouns": asdict(nouns_of(loaded))}
    facts |= model_facts(estimator) | nouns if hasattr(estimator, "components_") else {}
    return facts


def _describe_corpus(path: str, values: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    format = format_of(path, values)
    corpus = read_documents(path, values, keep_texts=False, defaults=False)
    labels: set[str] = set()
    nonzeros, total = 0, 0.0
    for part in corpus.replace(ids=None, titles=None, texts=None).parts():
        nonzeros += int(part.counts.nnz)
        total += part.counts.sum(dtype=np.float64).item()
        labels.update([] if part.labels is None else part.labels.astype(str).tolist())
    return {
        "kind": "corpus",
        "format": format,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        "words": corpus.shape[1],
        "named_words": corpus.vocabulary is not None,
        "nonzeros": nonzeros,
        "total_count": total,
        "labels": len(labels) if corpus.has("labels") else None,
        "ids": corpus.has("ids"),
        "titles": corpus.has("titles"),
    }


def _format_model(facts: dict[str, Any]) -> dict[str, str]:
    lines, nouns = {"kind": facts["kind"], "model": facts["class"]}, Nouns()
    if "topics" in facts:
        nouns = Nouns(**facts["nouns"])
        lines |= format_model(facts, nouns)
    if facts["documents"]:
        lines[nouns.items] = _format_documents(facts)
    if facts["index_bytes"]:
        lines["search"] = _format_index(facts)
    for number, edit in enumerate(facts["edits"], 1):
        when = edit["when"][:16].replace("T", " ")
        lines[f"edit {number}"] = printable(f"{edit['edit']} ({when})")
    lines["size"] = size(facts["bytes"])
    lines["written by"] = f"laconic {facts['laconic']}"
    lines["parameters"] = _settings(facts["parameters"])
    for name, settings in facts.get("steps", {}).items():
        lines[name] = _settings(settings)
    return lines


def _format_documents(facts: dict[str, Any]) -> str:
    *first, last = facts["document_columns"] or [""]
    columns = f"{', '.join(first)} and {last}" if first else last
    with_columns = f" with {columns}" if columns else ""
    return f"{facts['documents']:,} saved{with_columns} ({size(facts['document_bytes'])})"


def _format_index(facts: dict[str, Any]) -> str:
    language, texts = facts["index_language"], " and the texts" if facts["index_texts"] else ""
    kind = f"{language} word stems" if language else "words"
    return f"{facts['index_words']:,} {kind}{texts} ({size(facts['index_bytes'])})"


def _settings(settings: dict[str, Any]) -> str:
    """Format the settings that are not None; for a long list, show only its length."""
    set_values = {name: value for name, value in settings.items() if value is not None}
    return ", ".join(
        f"{name}={len(value)} items" if isinstance(value, list) and len(value) > 5
        else f"{name}={value}"
        for name, value in set_values.items()
    )  # fmt: skip


def _format_corpus(facts: dict[str, Any]) -> dict[str, str]:
    empty = f", {facts['empty_documents']:,} of them empty" if facts["empty_documents"] else ""
    unnamed = "" if facts["named_words"] else ", without names"
    lines = {
        "kind": "corpus",
        "format": facts["format"] or "detected from the content",
        "documents": f"{facts['documents']:,}{empty}",
        "words": f"{facts['words']:,} different{unnamed}",
        "total": f"{facts['total_count']:,.10g} words",
        "non-zeros": f"{facts['nonzeros']:,}",
    }
    if facts["labels"] is not None:
        lines["labels"] = f"{facts['labels']:,} classes"
    metadata = [name for name in ("ids", "titles") if facts[name]]
    if metadata:
        lines["metadata"] = " and ".join(metadata)
    return lines
