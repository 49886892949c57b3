"""Read documents in batches, for models that learn from one batch after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.io.formats import BAGS, format_of
from laconic.io.options import Options
from laconic.io.paths import expand
from laconic.io.read import read
from laconic.io.rows import count_texts
from laconic.io.several import rows_of_files
from laconic.wording import plural

STRIPS = 64  # number of places in a corpus from which a batch takes its documents


def read_batches(
    source: Any,
    n_documents: int = 20_000,
    *,
    format: str | None = None,
    random_state: int = 0,
    **options: Any,
) -> Iterator[Corpus]:
    """Read documents in batches; only one batch is in memory.

    A batch of a saved corpus consists of documents from all over the corpus, because a corpus is
    often sorted. Texts are read from start to end, so their batches are in the order of the files;
    the words of the first batch are those of all batches.

    Parameters
    ----------
    source : str, Path, list of Path or Corpus
        A saved corpus, files with texts or tables, or ``"-"`` for standard input. Other files are
        read as a whole.
    n_documents : int, default=20_000
        Number of documents per batch. The last batch of texts may be smaller.
    format : str, optional
        Format of the source; see `laconic.read`.
    random_state : int, default=0
        Determines the order of the batches of a corpus.
    **options
        Other parameters of `laconic.read`.

    Yields
    ------
    Corpus
        The documents of a batch, in memory. Batches of a corpus have no metadata; their ids are
        the row numbers in the corpus.

    Examples
    --------
    >>> corpus = Corpus([[1, 0], [2, 1], [0, 3], [1, 1], [4, 0]], ["cat", "dog"])
    >>> sorted(len(batch) for batch in read_batches(corpus, 2))
    [1, 2, 2]
    """
    if n_documents < 1:
        raise LaconicError(f"A batch needs at least one document; got n_documents={n_documents}.")
    if isinstance(source, Corpus):
        return _spread(source, n_documents, random_state)
    if isinstance(source, (list, tuple)):
        paths = [file for path in source for file in expand(str(path), format)]
    else:
        paths = expand(str(source), format)
    encoding = options.get("encoding") or "utf-8"
    kind = format or ("csv" if options.get("delimiter") else format_of(paths[0], encoding))
    if kind in BAGS and len(paths) == 1:
        corpus = read(source, format=format, **options)
        return _spread(corpus, n_documents, random_state)
    return _in_order(paths, n_documents, kind, _as_options(options))


def _as_options(given: dict[str, Any]) -> Options:
    names = {field.name for field in dataclasses.fields(Options)} - {"vectorizer"}
    settings = {name: value for name, value in given.items() if name not in names}
    others = {name: value for name, value in given.items() if name in names}
    return Options(**others, vectorizer=settings)


def _in_order(
    paths: list[str], n_documents: int, format: str | None, options: Options
) -> Iterator[Corpus]:
    """Yield batches of texts; the first batch determines the words of the others."""
    where = paths[0] if len(paths) == 1 else plural(len(paths), "file")
    where = "standard input" if where == "-" else where
    rows = rows_of_files(paths, format, options)
    first = count_texts(islice(rows, n_documents), options, where)
    yield first
    jobs = {key: value for key, value in options.vectorizer.items() if key == "n_jobs"}
    options = dataclasses.replace(options, vocabulary=first.replace(texts=None), vectorizer=jobs)
    del first
    while (row := next(rows, None)) is not None:
        yield count_texts(chain([row], islice(rows, n_documents - 1)), options, where)


def _spread(corpus: Corpus, n_documents: int, seed: int) -> Iterator[Corpus]:
    """Yield batches of a corpus in random order."""
    corpus = corpus.replace(ids=None, titles=None, labels=None, texts=None)
    n_batches = -(-len(corpus) // n_documents)
    for number in np.random.default_rng(seed).permutation(n_batches):
        yield corpus[spread_rows(len(corpus), n_batches, int(number))]


def spread_rows(n_rows: int, n_batches: int, number: int) -> np.ndarray:
    """Return the rows of a batch, which come from all over the corpus.

    A batch consists of strips of consecutive rows: with n batches, of every n-th strip.

    Examples
    --------
    >>> [spread_rows(8, 2, number).tolist() for number in (0, 1)]
    [[0, 2, 4, 6], [1, 3, 5, 7]]
    """
    strip = max(1, n_rows // (n_batches * STRIPS))
    starts = np.arange(number * strip, n_rows, n_batches * strip)
    rows = (starts[:, np.newaxis] + np.arange(strip)).ravel()
    return rows[rows < n_rows]
