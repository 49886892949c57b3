"""Count the words of many files on the workers of a Dask cluster.

Each worker reads some consecutive files. It writes their metadata and the counts of all their words
to a folder inside the new corpus store, which all workers must see. This process then selects the
words of the vocabulary and writes the store, which is the same as if it had read the files alone.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.corpus.corpus import Corpus
from laconic.engines import make_engine
from laconic.errors import LaconicError, ReadError
from laconic.io.metadata import MetadataOnDisk
from laconic.io.options import Options
from laconic.io.rows import Counted, write_store
from laconic.io.several import open_rows, rows_of_files
from laconic.text.counting import Analyzer
from laconic.text.parts import CountsOnDisk
from laconic.wording import plural

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer

GROUP_BYTES = 64_000_000
"""Files are read together until they have so many bytes."""


class Files(NamedTuple):
    """Consecutive files that one worker reads."""

    number: int
    paths: list[str]


class Work(NamedTuple):
    """What every worker needs to know."""

    folder: Path
    format: str | None
    options: Options
    settings: dict[str, Any]  # of the Vectorizer


def store_files(
    paths: Sequence[str],
    format: str | None,
    options: Options,
    *,
    path: Path,
    force: bool,
    engine: str,
) -> Corpus:
    """Count the words of several files into a corpus store on the workers of a cluster."""
    where = plural(len(paths), "file")

    def count(scratch: Path, vectorizer: Vectorizer) -> Counted:
        (scratch / "documents").mkdir(parents=True)
        (scratch / "words").mkdir()
        with open_rows(paths[0], format, options) as (_, known):
            known = replace(known, report=None, count=None)
        texts = (_counted(row) for row in rows_of_files(paths, format, known))
        work = Work(scratch.absolute(), format, known, vectorizer.settings_for(texts))
        metadata = MetadataOnDisk(options.keep_texts, scratch / "documents")
        counts = CountsOnDisk(scratch / "words")
        with make_engine(engine, options.vectorizer.get("n_jobs")) as workers:
            for one, other in workers.map(count_files, work, groups(paths)):  # type: ignore[arg-type]
                metadata.join(one)
                counts.join(other)
                options.tell(f"{metadata.n_documents:,} documents read")
        if not metadata.n_documents:
            raise ReadError(where, None, "contain no documents")
        return metadata, vectorizer.fit_counts(counts, work.settings)

    return write_store(count, options, where, path, force)


def groups(paths: Sequence[str], n_bytes: int | None = None) -> list[Files]:
    """Divide files into groups of consecutive files with at least `n_bytes` bytes."""
    found: list[Files] = []
    size = most = GROUP_BYTES if n_bytes is None else n_bytes
    for path in paths:
        if size >= most:
            found.append(Files(len(found), []))
            size = 0
        found[-1].paths.append(os.path.abspath(path))
        size += os.path.getsize(path)
    return found


def count_files(
    work: Work, files: Files, state: None
) -> tuple[tuple[MetadataOnDisk, CountsOnDisk], None]:
    """Step: read some files; write their metadata and counts to a new folder."""
    # The name is new whenever the step is repeated, because a lost worker may still be writing.
    folder = work.folder / f"{files.number}-{secrets.token_hex(4)}"
    try:
        for name in ("documents", "words"):
            (folder / name).mkdir(parents=True)
    except OSError as error:
        raise LaconicError(
            f"A Dask worker cannot write to {work.folder}: {error.strerror or error}. Write the "
            "corpus to a folder that all workers see under the same path."
        ) from error
    metadata = MetadataOnDisk(work.options.keep_texts, folder / "documents")
    counts = CountsOnDisk(folder / "words")
    rows = rows_of_files(files.paths, work.format, work.options)
    counts.add(metadata.stream(rows), Analyzer(work.settings), 1)
    return (metadata, counts), None


def _counted(row: Any) -> str:
    return row.text if row.counted is None else row.counted
