"""Write the codes of documents part by part, as a table or as a sparse matrix."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from laconic.cli.outputs import name_column, write_csv_parts, write_parquet_parts

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import scipy.sparse as sp

    from laconic.corpus.corpus import Corpus
    from laconic.files.array_reader import ArrayReader

    CodesWriter = Callable[[Iterable["CodesPart"], IO[bytes]], None]

ROWS = 200_000  # number of rows of a table that are written at once
INT32 = 2**31 - 1


@dataclass(frozen=True)
class CodesPart:
    """Codes of consecutive documents, with the position of the first document and the ids."""

    start: int
    codes: sp.csr_matrix
    ids: np.ndarray | None = None


def codes_of(model: Any, corpus: Corpus, top: int | None = None) -> Iterator[CodesPart]:
    """Yield the codes of a corpus in parts, with at most `top` topics per document."""
    from laconic.fitted.documents import code_parts

    # Without the other columns, a part of the corpus reads only the ids.
    named = corpus.replace(titles=None, labels=None, texts=None)
    start = 0
    for codes in code_parts(model, corpus):
        stop = start + codes.shape[0]
        ids = named[start:stop].ids if corpus.has("ids") else None
        yield CodesPart(start, codes if top is None else strongest(codes, top), ids)
        start = stop


def strongest(codes: sp.csr_matrix, n: int) -> sp.csr_matrix:
    """Keep at most `n` topics per document: the topics with the largest absolute weights."""
    import numpy as np
    import scipy.sparse as sp

    rows = _rows(codes)
    order = np.lexsort((-np.abs(codes.data), rows))
    entries = np.sort(order[np.arange(codes.nnz) - codes.indptr[rows] < n])
    triplets = codes.data[entries], (rows[entries], codes.indices[entries])
    return sp.csr_matrix(triplets, shape=codes.shape)


def write_codes_csv(parts: Iterable[CodesPart], file: IO[bytes]) -> None:
    """Write the columns id, topic and weight as CSV, with a document's strongest topics first."""
    write_csv_parts(_tables(parts), file)


def write_codes_parquet(parts: Iterable[CodesPart], file: IO[bytes]) -> None:
    """Write the same table as `write_codes_csv`, but in Parquet format."""
    write_parquet_parts(_tables(parts), file)


def write_codes_npz(parts: Iterable[CodesPart], file: IO[bytes]) -> None:
    """Write the codes for ``scipy.sparse.load_npz``, and the array ``ids`` for ``numpy.load``."""
    from laconic.files.scratch_folder import ScratchFolder

    with ScratchFolder() as scratch:
        matrix = _StoredMatrix(scratch.path)
        for part in parts:
            matrix.append(part)
        matrix.write(file)


CODE_WRITERS: dict[str, CodesWriter] = {
    ".csv": write_codes_csv,
    ".csv.gz": write_codes_csv,
    ".parquet": write_codes_parquet,
    ".npz": write_codes_npz,
}


class _StoredMatrix:
    """The arrays of a CSR matrix, which are collected in files and then packed together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shape = [0, 0]
        self.nonzeros = 0
        self.ids: list[Path] = []
        self.writers: dict[str, Any] = {}

    def append(self, part: CodesPart) -> None:
        import numpy as np

        from laconic.files.array_writer import ArrayWriter

        codes = part.codes
        if not self.writers:
            kinds = {"indices": np.int32, "indptr": np.int64, "data": codes.dtype}
            self.writers = {
                name: ArrayWriter(self.folder / f"{name}.npy", kind) for name, kind in kinds.items()
            }
            self.writers["indptr"].append(np.zeros(1, np.int64))
        self.writers["indices"].append(codes.indices)
        self.writers["indptr"].append(codes.indptr[1:].astype(np.int64) + self.nonzeros)
        self.writers["data"].append(codes.data)
        self.nonzeros += codes.nnz
        self.shape = [self.shape[0] + codes.shape[0], codes.shape[1]]
        if part.ids is not None:
            self.ids.append(self.folder / f"ids-{len(self.ids)}.npy")
            np.save(self.ids[-1], part.ids.astype(str), allow_pickle=False)

    def write(self, file: IO[bytes]) -> None:
        import numpy as np

        from laconic.files.array_reader import ArrayReader

        # SciPy needs indices of the same type as the row pointers.
        index = np.dtype(np.int32 if self.nonzeros <= INT32 else np.int64)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, writer in self.writers.items():
                writer.close()
                array = ArrayReader(self.folder / f"{name}.npy")
                _write_entry(archive, name, array.dtype if name == "data" else index, array)
            for name, value in {"format": b"csr", "shape": self.shape}.items():
                with archive.open(f"{name}.npy", "w") as entry:
                    np.lib.format.write_array(entry, np.array(value), allow_pickle=False)
            if self.ids:
                dtypes = [np.load(path, mmap_mode="r").dtype for path in self.ids]
                widest = max(dtypes, key=lambda dtype: dtype.itemsize)
                names = (np.load(path) for path in self.ids)
                _write_blocks(archive, "ids", widest, self.shape[0], names)


def _write_entry(archive: zipfile.ZipFile, name: str, dtype: np.dtype, array: ArrayReader) -> None:
    from laconic.files.array_reader import blocks_of

    _write_blocks(archive, name, dtype, len(array), blocks_of(array))


def _write_blocks(
    archive: zipfile.ZipFile, name: str, dtype: np.dtype, length: int, blocks: Iterable[np.ndarray]
) -> None:
    """Write an array with one dimension to an archive, block by block."""
    import numpy as np

    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": (length,),
    }
    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
        np.lib.format.write_array_header_1_0(entry, header)
        for block in blocks:
            entry.write(block.astype(dtype, copy=False).tobytes())


def _tables(parts: Iterable[CodesPart]) -> Iterator[pl.DataFrame]:
    """Yield the table of codes in parts; a part of documents without topics has no rows."""
    import numpy as np
    import polars as pl

    for part in parts:
        codes, rows = part.codes, _rows(part.codes)
        order = np.lexsort((-np.abs(codes.data), rows))
        names = name_column(part.ids, codes.shape[0], part.start)
        for start in range(0, max(len(order), 1), ROWS):
            entries = order[start : start + ROWS]
            yield pl.DataFrame(
                {
                    "id": names.gather(rows[entries]),
                    "topic": codes.indices[entries],
                    "weight": codes.data[entries],
                }
            )


def _rows(codes: sp.csr_matrix) -> np.ndarray:
    """Return the row number of each stored entry of a CSR matrix."""
    import numpy as np

    return np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
