"""Matrix Market: documents in rows, words in columns; scipy parses it."""

from __future__ import annotations

import io
import re
from inspect import signature

import scipy.io
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import refuse_options
from laconic.io.column_names import named_corpus
from laconic.io.options import Options
from laconic.io.source import Source

BANNER = b"%%MatrixMarket"

# Which kind of sparse matrix is asked for where scipy has two; without it newer versions warn.
KIND = {"spmatrix": False} if "spmatrix" in signature(scipy.io.mmread).parameters else {}


def read_matrixmarket(source: Source, options: Options) -> Corpus:
    """A Matrix Market file, sparse or dense."""
    refuse_options(source, options)
    start = source.head()
    if not start:
        raise source.error(None, "is empty")
    if not start.lower().startswith(BANNER.lower()):
        raise source.error(1, "expected a line that begins with %%MatrixMarket")
    try:
        counts = scipy.io.mmread(_bytes_or_path(source), **KIND)
    except (ValueError, OverflowError) as error:
        raise _named(error, source) from error
    return named_corpus(sp.csr_matrix(counts), source, options, fixed_width=True)


def _bytes_or_path(source: Source) -> str | io.BytesIO:
    """A path, or all bytes: a stream that fails inside the compiled parser ends the process."""
    plain = source.plain_path()
    if plain is not None:
        return str(plain)
    with source.open() as stream, source.naming_damage():
        return io.BytesIO(stream.read())


def _named(error: Exception, source: Source) -> Exception:
    """The parser's complaint, its line number put where laconic puts it."""
    found = re.match(r"Line (\d+): (.*)", str(error))
    line, problem = (int(found[1]), found[2]) if found else (None, str(error))
    return source.error(line, f"broken Matrix Market file: {problem.rstrip('.')}")
