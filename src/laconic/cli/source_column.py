"""Read documents together with the column of their sources, for the option ``--source``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.reading import BUILT_IN, is_built_in, read_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.corpus.corpus import Corpus


def read_with_source(
    source: str | tuple[str, ...],
    values: Mapping[str, Any],
    column: str | None,
    *,
    defaults: bool = False,
) -> tuple[Corpus, Sequence[Any] | None]:
    """Read documents and, if `column` is set, the source of each document.

    `defaults` is passed to `read_documents`.

    The column is read in place of the titles, which metrics do not use. The input is therefore read
    only once, so standard input works too.
    """
    from laconic.errors import ReadError

    if column is None:
        return read_documents(source, values, keep_texts=True, defaults=defaults), None
    if is_built_in(source):
        raise click.UsageError(f"{BUILT_IN} has no columns; leave out --source.")
    try:
        documents = read_documents(
            source, {**values, "title": column}, keep_texts=True, defaults=defaults
        )
    except ReadError as error:
        problem = error.problem.replace("title=", "source=")
        raise ReadError(error.path, error.line, problem) from error
    titles = documents.titles
    return documents, [""] * len(documents) if titles is None else titles.tolist()
