"""Checks of Excel and OpenDocument files, which are zip files, before a library reads them.

The library keeps all cells between the first and the last one in memory, and a zip file can be much
smaller than its contents, so a small file could fill the memory.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from laconic.errors import LaconicError
from laconic.io.columns import quoted
from laconic.io.source import BLOCK, Source

MOST_CELLS = 1 << 25  # number of cells in the rectangle that contains all cells of a sheet
MOST_BYTES = 1 << 30  # number of bytes of all unzipped parts
# The positions of cells and rows, such as r="B7" and r="7". The library computes with positions
# that are not valid, and then asks for so much memory that the process ends.
POSITION = re.compile(rb"""\br\s*=\s*["']([^"'<>]{0,40}(?=["'])|[^"'<>]{41})""")
CELL = re.compile(rb"([A-Za-z]{1,3})([0-9]{1,7})")
LAST_ROW, LAST_COLUMN = 1 << 20, 1 << 14  # of an Excel sheet
OVERLAP = 512  # number of bytes of a block that are searched again with the next block


def check_workbook(data: bytes, source: Source) -> None:
    """Raise if the parts of a workbook are too large."""
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                size += _check_part(archive, name, size, source)
    except LaconicError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        reason = str(error) or "the zip data is damaged"  # or needs a password
        raise source.error(None, f"cannot be read as an Excel file: {reason}") from error


def _check_part(archive: zipfile.ZipFile, name: str, size: int, source: Source) -> int:
    n_bytes = rows = columns = 0
    before, is_sheet = b"", False
    with archive.open(name) as part:
        while block := part.read(BLOCK):
            n_bytes += len(block)
            if size + n_bytes > MOST_BYTES:
                raise source.error(
                    None, f"contains more than {MOST_BYTES >> 30} GB; save the sheet as CSV"
                )
            text = before + block
            before = text[-OVERLAP:]
            is_sheet = is_sheet or b"sheetData" in text
            if not is_sheet:
                continue
            for position in set(POSITION.findall(text)):
                row, column = _place(position)
                if not (1 <= row <= LAST_ROW and 1 <= column <= LAST_COLUMN):
                    place = position.decode("utf-8", "replace")
                    raise source.error(None, f"is damaged: {name} has a cell {quoted(place)}")
                rows, columns = max(rows, row), max(columns, column)
            if rows * columns > MOST_CELLS:
                raise source.error(
                    None,
                    f"a sheet has cells in {rows:,} rows and {columns:,} columns, which are more "
                    f"than {MOST_CELLS:,} cells; save the sheet as CSV",
                )
    return n_bytes


def _place(position: bytes) -> tuple[int, int]:
    """Return the row and the column of a position, or 0 if it is not valid.

    Examples
    --------
    >>> _place(b"AB7"), _place(b"12"), _place(b"7A")
    ((7, 28), (12, 1), (0, 0))
    """
    if position.isdigit() and len(position) < 8:
        return int(position), 1
    match = CELL.fullmatch(position)
    if match is None:
        return 0, 0
    column = 0
    for letter in match[1].upper():
        column = 26 * column + letter - 64
    return int(match[2]), column
