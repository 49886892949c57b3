"""Reader for Matrix Market files, parsed by SciPy; rows are documents, columns are words."""

from __future__ import annotations

import io
import re
from contextlib import nullcontext
from inspect import signature
from typing import IO

import scipy.io
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.io.bag_of_words import check_size, reject_options
from laconic.io.column_names import corpus_with_words
from laconic.io.options import Options
from laconic.io.source import BLOCK, Source

BANNER = b"%%MatrixMarket"
SIZE = re.compile(rb"\d{1,18}")

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
        counts = scipy.io.mmread(_checked(source), **KIND)
    except (ValueError, OverflowError, TypeError) as error:
        if isinstance(error, LaconicError):
            raise
        raise _read_error(error, source) from error
    if counts.dtype.kind == "c":
        raise source.error(1, "contains complex numbers, which are no counts")
    return sp.csr_matrix(counts)


def _checked(source: Source) -> str | io.BytesIO:
    """Return the path or all bytes of a file that the parser of SciPy can read without harm.

    The parser reads beyond the end of its data if the last line has no end or if there is a NUL
    character, divides by zero if a dense matrix has no rows, and allocates the memory that the
    header asks for. An error in a stream would also crash it.
    """
    path = source.plain_path()
    data = source.data() if path is None else b""
    with source.open() if path is not None else nullcontext(io.BytesIO(data)) as stream:
        with source.read_errors():
            size, last = _check_bytes(stream, source)
        stream.seek(0)
        with source.read_errors():
            _check_header(stream, size, source)
        if path is not None and last == b"\n":
            return str(path)
        stream.seek(0)
        return io.BytesIO(stream.read() + b"\n")


def _check_bytes(stream: IO[bytes], source: Source) -> tuple[int, bytes]:
    """Return the number of bytes and the last byte; raise if there is a NUL character."""
    size, last = 0, b""
    while block := stream.read(BLOCK):
        if b"\0" in block:
            position = size + block.index(b"\0")
            raise source.error(
                None, f"byte 0x00 at offset {position} shows that this is binary data, not text"
            )
        size, last = size + len(block), block[-1:]
    return size, last


def _check_header(stream: IO[bytes], n_bytes: int, source: Source) -> None:
    """Raise if the sizes in the header cannot be right for a file with this number of bytes."""
    line = stream.readline(BLOCK)
    is_dense = b"array" in line.lower().split()
    number = 1
    while line.startswith(b"%") or not line.strip():
        line = stream.readline(BLOCK)
        number += 1
        if not line:
            raise source.error(None, "ends before the line with the number of rows and columns")
    parts = line.split()
    expected = 2 if is_dense else 3
    if len(parts) != expected or not all(SIZE.fullmatch(part) for part in parts):
        raise source.error(
            number,
            f"expected {expected} numbers, the size of the matrix, found {_shown(line)}",
        )
    n_rows, n_columns, *rest = map(int, parts)
    n_entries = rest[0] if rest else n_rows * n_columns
    if is_dense and n_entries == 0:
        raise source.error(number, "the matrix has no entries")
    for name, size in (("rows", n_rows), ("columns", n_columns)):
        check_size(name, size, n_entries, source, number)
    # A symmetric dense matrix has half of the entries, each with at least a digit and a line end.
    if n_entries > n_bytes:
        raise source.error(
            number,
            f"the header states {n_entries:,} entries, but the file has only {n_bytes:,} bytes; "
            "check that the file is complete",
        )


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "replace").strip())


def _read_error(error: Exception, source: Source) -> Exception:
    """Convert an error of SciPy's parser to a ReadError with the line number, if known."""
    match = re.match(r"Line (\d+): (.*)", str(error))
    line, problem = (int(match[1]), match[2]) if match else (None, str(error))
    return source.error(line, f"invalid Matrix Market file: {problem.rstrip('.')}")
