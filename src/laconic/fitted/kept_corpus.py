"""Corpus of the documents that were saved with a model, counted again from their texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import StoreWriter
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.files.tables import write_parquet
from laconic.fitted.documents import COLUMNS, Documents
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import steps_of

ROWS = 1 << 14  # number of documents that are counted at once
IN_MEMORY = 1 << 16  # maximum number of documents of a corpus in memory


def kept_corpus(view: TopicView) -> Corpus | None:
    """Return the documents saved with a model as a Corpus with texts and the words of the model.

    Return None if no texts were saved, or if the model cannot count the words of texts. A corpus of
    many documents is in a temporary folder, which is deleted with the corpus.
    """
    documents = view.documents
    saved = None if documents is None or not documents.has_index else documents.index.texts
    if documents is None or saved is None or not view.is_pipeline:
        return None
    vectorizer = steps_of(view.model)[0]
    parts = _parts(vectorizer, documents, iter(saved))
    try:
        first = next(parts, None)
    except (AttributeError, LaconicError):
        # the first step is not a vectoriser, or the tokenizer of the vectoriser was not saved
        return None
    if not isinstance(first, Corpus) or first.vocabulary is None:
        return None
    return first if len(first) == len(documents) else _stored(first, parts)


def _parts(vectorizer: Any, documents: Documents, texts: Iterator[str | None]) -> Iterator[Any]:
    """Count the texts in parts; if there are few documents, there is only one part."""
    start, rows = 0, len(documents) if len(documents) <= IN_MEMORY else ROWS
    while part := [text or "" for text in islice(texts, rows)]:
        counted = vectorizer.transform(part)
        if isinstance(counted, Corpus):
            numbers = range(start, start + len(part))
            columns = {name: getattr(documents, name) for name in COLUMNS}
            metadata = {
                name: None if names is None else [names[row] for row in numbers]
                for name, names in columns.items()
            }
            counted = counted.replace(texts=part, **metadata)
        yield counted
        start += len(part)


def _stored(first: Corpus, others: Iterator[Corpus]) -> Corpus:
    """Write the parts of a corpus to a store in a temporary folder."""
    scratch = ScratchFolder()
    folder = scratch.path / "corpus"
    folder.mkdir()
    tables: list[Path] = []
    with StoreWriter(folder, first.counts.dtype) as writer:
        part: Corpus | None = first
        while part is not None:
            writer.append(part.counts)
            tables.append(scratch.path / f"{len(tables)}.parquet")
            columns = {name: getattr(part, name) for name in (*COLUMNS, "texts") if part.has(name)}
            with tables[-1].open("wb") as file:
                write_parquet(pl.DataFrame({k: v.tolist() for k, v in columns.items()}), file)
            part = next(others, None)
        writer.finish(first.shape[1], first.vocabulary, pl.scan_parquet(tables), first.vectorizer)
    corpus = Corpus.open(folder)
    corpus.scratch = scratch
    return corpus
