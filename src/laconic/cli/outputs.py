"""Where a command writes a table or codes: a file whose name says how, or standard output."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, TypeVar

import click

from laconic.files.atomic_file import check_file, new_file

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import scipy.sparse as sp

    CodesWriter = Callable[[sp.csr_matrix, np.ndarray | None, IO[bytes]], None]

ROWS = 200_000  # of the table written at a time

W = TypeVar("W")


def choose_writer(output: str, writers: Mapping[str, W], force: bool, as_json: bool) -> W:
    """The writer for the ending of a name; complains before the work begins if none will do."""
    if output == "-":
        if as_json:
            raise click.UsageError("--json needs -o FILE: standard output cannot hold both.")
        return writers[".csv"]
    writer = next((writers[end] for end in writers if output.lower().endswith(end)), None)
    if writer is None:
        raise click.BadParameter(
            f"{output!r} has none of the endings {', '.join(writers)}.",
            param_hint="'-o' / '--output'",
        )
    check_file(output, force)
    return writer


@contextmanager
def open_output(output: str, force: bool) -> Iterator[IO[bytes]]:
    """Standard output for ``-``, else a file that appears when it is whole."""
    if output == "-":
        yield sys.stdout.buffer
    else:
        with new_file(output, force) as file:
            yield file


def write_all(data: bytes, file: IO[bytes]) -> None:
    """Standard output may be unbuffered, and then takes a part when its reader goes away."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def write_csv(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table with its headings."""
    write_all(table.write_csv().encode(), file)


def write_parquet(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table; what the disk refuses is an OSError, as from other writers."""
    import polars as pl

    try:
        table.write_parquet(file)
    except pl.exceptions.PolarsError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


TABLE_WRITERS = {".csv": write_csv, ".csv.gz": write_csv, ".parquet": write_parquet}


# ---- codes: a line for each topic of a document, or a matrix ----


def strongest(codes: sp.csr_matrix, n: int) -> sp.csr_matrix:
    """The codes with at most `n` topics for each document, those of the greatest weight."""
    import numpy as np
    import scipy.sparse as sp

    rows = _rows(codes)
    order = np.lexsort((-np.abs(codes.data), rows))
    kept = np.sort(order[np.arange(codes.nnz) - codes.indptr[rows] < n])
    parts = codes.data[kept], (rows[kept], codes.indices[kept])
    return sp.csr_matrix(parts, shape=codes.shape)


def write_codes_csv(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """Columns id, topic, weight; the strongest topic of a document first."""
    for number, part in enumerate(_tables(codes, ids)):
        write_all(part.write_csv(include_header=number == 0).encode(), file)


def write_codes_parquet(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """The same table as Parquet."""
    import polars as pl

    write_parquet(pl.concat(list(_tables(codes, ids))), file)


def write_codes_npz(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """What ``scipy.sparse.load_npz`` reads, with an array ``ids`` for ``numpy.load``."""
    import numpy as np
    import scipy.sparse as sp

    sp.save_npz(file, codes)
    if ids is not None:
        with zipfile.ZipFile(file, "a") as archive, archive.open("ids.npy", "w") as entry:
            np.lib.format.write_array(entry, ids.astype(str), allow_pickle=False)


CODE_WRITERS: dict[str, CodesWriter] = {
    ".csv": write_codes_csv,
    ".csv.gz": write_codes_csv,
    ".parquet": write_codes_parquet,
    ".npz": write_codes_npz,
}


def name_column(ids: np.ndarray | None, n_documents: int) -> pl.Series:
    """What documents go by: their ids, or their positions."""
    import numpy as np
    import polars as pl

    return pl.Series("id", np.arange(n_documents) if ids is None else ids.astype(str).tolist())


def _tables(codes: sp.csr_matrix, ids: np.ndarray | None) -> Iterator[pl.DataFrame]:
    """The table in parts, at least one."""
    import numpy as np
    import polars as pl

    rows = _rows(codes)
    order = np.lexsort((-np.abs(codes.data), rows))
    names = name_column(ids, codes.shape[0])
    for start in range(0, max(len(order), 1), ROWS):
        part = order[start : start + ROWS]
        yield pl.DataFrame(
            {
                "id": names.gather(rows[part]),
                "topic": codes.indices[part],
                "weight": codes.data[part],
            }
        )


def _rows(codes: sp.csr_matrix) -> np.ndarray:
    """Row of each entry."""
    import numpy as np

    return np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
