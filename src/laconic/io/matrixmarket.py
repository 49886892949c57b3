"""Reader for Matrix Market files, parsed by SciPy; rows are documents, columns are words."""

from __future__ import annotations

import io
import re
from inspect import signature

import scipy.io
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import reject_options
from laconic.io.column_names import corpus_with_words
from laconic.io.options import Options
from laconic.io.source import Source

BANNER = b"%%MatrixMarket"

# Newer versions of SciPy warn if the caller does not choose between sparse matrix and array.
KIND = {"spmatrix": False} if "spmatrix" in signature(scipy.io.mmread).parameters else {}


def read_matrixmarket(source: Source, options: Options) -> Corpus:
    """Read a sparse or dense Matrix Market file."""
    reject_options(source, options)
    counts = load_matrix(source)
    counts = counts.T.tocsr() if options.transpose else counts
    return corpus_with_words(counts, source, options, fixed_width=True)


def load_matrix(source: Source) -> sp.csr_matrix:
    """Return the matrix in a file."""
    start = source.head()
    if not start:
        raise source.error(None, "is empty")
    if not start.lower().startswith(BANNER.lower()):
        raise source.error(1, "a Matrix Market file must start with %%MatrixMarket; check format=")
    try:
        counts = scipy.io.mmread(_bytes_or_path(source), **KIND)
    except (ValueError, OverflowError) as error:
        raise _read_error(error, source) from error
    return sp.csr_matrix(counts)


def _bytes_or_path(source: Source) -> str | io.BytesIO:
    """Return a path or all bytes; an error in a stream would crash SciPy's compiled parser."""
    plain = source.plain_path()
    if plain is not None:
        return str(plain)
    with source.open() as stream, source.read_errors():
        return io.BytesIO(stream.read())


def _read_error(error: Exception, source: Source) -> Exception:
    """Convert an error of SciPy's parser to a ReadError with the line number, if known."""
    match = re.match(r"Line (\d+): (.*)", str(error))
    line, problem = (int(match[1]), match[2]) if match else (None, str(error))
    return source.error(line, f"invalid Matrix Market file: {problem.rstrip('.')}")
