"""Last step of every text reader: build a Corpus from rows of text.

Rows are streamed through the Vectorizer one by one. At the same time, the metadata of each document
is collected: its id, title and label and, unless ``keep_texts=False``, its text.
"""

from __future__ import annotations

import logging
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import StoreWriter
from laconic.errors import ReadError
from laconic.files.atomic_folder import write_folder
from laconic.files.scratch_folder import ScratchFolder
from laconic.io.column_names import vectorizer_for
from laconic.io.metadata import Metadata, MetadataOnDisk, Row
from laconic.io.options import Options

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer

logger = logging.getLogger(__name__)

IN_MEMORY = 32_000_000
"""Number of characters from which texts are not counted in memory by `count_or_store`."""


def count_texts(
    rows: Iterable[Row],
    options: Options,
    where: str | None,
    if_empty: str = "contains no documents",
) -> Corpus:
    """Count the words of `rows` in one pass; if there are no rows, raise an error (`if_empty`)."""
    if options.count is not None:
        return options.count(rows, replace(options, count=None), where, if_empty)
    metadata = Metadata(options.keep_texts)
    texts = _not_empty(metadata.stream(rows), where, if_empty)
    corpus: Corpus = vectorizer_for(options).fit_transform(texts)
    _log_repairs(metadata, where)
    return corpus.replace(**metadata.columns())


def store_texts(
    rows: Iterable[Row],
    options: Options,
    where: str | None,
    if_empty: str,
    *,
    path: Path,
    force: bool = False,
) -> Corpus:
    """Count the words of `rows` into a corpus store, in memory that does not grow with the rows."""

    def count(scratch: Path, vectorizer: Vectorizer) -> Counted:
        for name in ("documents", "words"):
            (scratch / name).mkdir(parents=True)
        metadata = MetadataOnDisk(options.keep_texts, scratch / "documents", options.tell)
        texts = _not_empty(metadata.stream(rows), where, if_empty)
        return metadata, vectorizer.fit_in_parts(texts, scratch / "words")

    return write_store(count, options, where, path, force)


Counted = tuple[MetadataOnDisk, Iterator[sp.csr_matrix]]


def write_store(
    count: Callable[[Path, Vectorizer], Counted],
    options: Options,
    where: str | None,
    path: Path,
    force: bool,
) -> Corpus:
    """Write a corpus store from counts in parts.

    `count` gets a folder for its files, which does not exist yet, and a Vectorizer to fit. It
    returns the metadata, which may still be collected while the counts are read, and the counts.
    """

    def write(folder: Path) -> None:
        scratch = folder / "parts"
        vectorizer = vectorizer_for(options)
        metadata, parts = count(scratch, vectorizer)
        with StoreWriter(folder) as writer:
            for counts in parts:
                writer.append(counts)
                options.tell(f"{writer.n_documents:,} documents counted")
            options.tell("writing the texts")
            words = vectorizer.get_feature_names_out()
            writer.finish(len(words), words, metadata.table(), vectorizer.settings_)
        _log_repairs(metadata, where)
        shutil.rmtree(scratch)

    write_folder(path, force, write)
    return Corpus.open(path)


def count_or_store(
    rows: Iterable[Row], options: Options, where: str | None, if_empty: str
) -> Corpus:
    """Count few texts in memory, and many texts into a corpus store in a temporary folder.

    The folder is deleted with the Corpus, or at the end of the process.
    """
    rows = iter(rows)
    first: deque[Row] = deque()
    size = 0
    for row in rows:
        first.append(row)
        size += len(row.text)
        if size >= IN_MEMORY:
            break
    if size < IN_MEMORY:
        return count_texts(first, options, where, if_empty)
    scratch = ScratchFolder()
    everything = chain(_emptied(first), rows)
    corpus = store_texts(everything, options, where, if_empty, path=scratch.path / "corpus")
    corpus.scratch = scratch
    return corpus


def _emptied(rows: deque[Row]) -> Iterator[Row]:
    """Yield rows, and forget them."""
    while rows:
        yield rows.popleft()


def _not_empty(texts: Iterator[str], where: str | None, problem: str) -> Iterator[str]:
    first = next(texts, None)
    if first is None:
        raise ReadError(where, None, problem)
    return chain([first], texts)


def _log_repairs(metadata: Metadata, where: str | None) -> None:
    if metadata.n_repaired:
        logger.info(
            "%s: replaced invalid characters (lone surrogates) in %d documents",
            where or "documents",
            metadata.n_repaired,
        )
