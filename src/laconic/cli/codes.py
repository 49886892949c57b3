"""Topics of documents as files: a table with a line for each topic of a document, or a matrix."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from laconic.cli.outputs import write_all, write_as_parquet

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import scipy.sparse as sp

    CodesWriter = Callable[[sp.csr_matrix, np.ndarray | None, IO[bytes]], None]

ROWS = 200_000  # of the table written at a time


def strongest(codes: sp.csr_matrix, n: int) -> sp.csr_matrix:
    """The codes with at most `n` topics for each document, those of the greatest weight."""
    import numpy as np
    import scipy.sparse as sp

    rows = _rows(codes)
    order = np.lexsort((-np.abs(codes.data), rows))
    kept = np.sort(order[np.arange(codes.nnz) - codes.indptr[rows] < n])
    parts = codes.data[kept], (rows[kept], codes.indices[kept])
    return sp.csr_matrix(parts, shape=codes.shape)


def write_csv(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """Columns id, topic, weight; the strongest topic of a document first."""
    for number, part in enumerate(_tables(codes, ids)):
        write_all(part.write_csv(include_header=number == 0).encode(), file)


def write_parquet(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """The same table as Parquet."""
    import polars as pl

    write_as_parquet(pl.concat(list(_tables(codes, ids))), file)


def write_npz(codes: sp.csr_matrix, ids: np.ndarray | None, file: IO[bytes]) -> None:
    """What ``scipy.sparse.load_npz`` reads, with an array ``ids`` for ``numpy.load``."""
    import numpy as np
    import scipy.sparse as sp

    sp.save_npz(file, codes)
    if ids is not None:
        with zipfile.ZipFile(file, "a") as archive, archive.open("ids.npy", "w") as entry:
            np.lib.format.write_array(entry, ids.astype(str), allow_pickle=False)


WRITERS: dict[str, CodesWriter] = {
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
    ".npz": write_npz,
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
