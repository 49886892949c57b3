"""Several files with texts or tables, which are read as one corpus."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from laconic.corpus.corpus import Corpus
from laconic.io.formats import BAGS, TEXTS, detect
from laconic.io.metadata import Row
from laconic.io.options import Options
from laconic.io.rows import count_texts
from laconic.io.source import Source
from laconic.wording import plural

logger = logging.getLogger(__name__)


def read_several(paths: Sequence[str], format: str | None, options: Options) -> Corpus:
    """Read the documents of several files in the given order."""
    where = plural(len(paths), "file")
    corpus = count_texts(rows_of_files(paths, format, options), options, where)
    logger.info("%s: %s", where, plural(len(corpus), "document"))
    return corpus


def rows_of_files(paths: Sequence[str], format: str | None, options: Options) -> Iterator[Row]:
    """Yield the documents of several files, which must contain texts or tables."""
    for path in paths:
        with open_rows(path, format, options) as (rows, options):
            # The text is in the same columns in all files, and other columns are found by name.
            yield from rows


@contextmanager
def open_rows(
    path: str, format: str | None, options: Options
) -> Iterator[tuple[Iterator[Row], Options]]:
    """Open one of several files; return its documents, and options that name its columns."""
    with closing(Source(path, options.encoding)) as source:
        source.require()
        kind = format or detect(source)
        if kind in BAGS:
            raise source.error(
                None,
                f"is read as {kind}, but several files can be read together only if they "
                "contain texts or tables; read this file alone",
            )
        options.reject_special(source.name, kind)
        yield TEXTS[kind](source, options)
