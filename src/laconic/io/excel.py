"""Excel files, which polars reads with fastexcel (the extra ``excel``)."""

from __future__ import annotations

import logging
from importlib.util import find_spec

import polars as pl

from laconic.io.columns import listed, quoted
from laconic.io.frames import Frame, polars_frame
from laconic.io.options import Options
from laconic.io.source import Source
from laconic.io.workbooks import check_workbook

logger = logging.getLogger(__name__)


def excel_frame(source: Source, options: Options) -> Frame:
    """Read one sheet of an Excel file, by default the first; its first row names the columns."""
    if find_spec("fastexcel") is None:
        raise source.error(
            None,
            "Excel files need fastexcel; install it with: pip install 'laconic[excel]', or save "
            "the sheet as CSV",
        )
    import fastexcel

    data = source.data()
    if data.startswith(b"PK"):
        check_workbook(data, source)
    damage = None
    try:
        names = fastexcel.read_excel(data).sheet_names
        if not names:
            raise source.error(None, "contains no sheet")
        name = _sheet(names, options.sheet, source)
        table = pl.read_excel(data, sheet_name=name, engine="calamine", infer_schema_length=None)
    except BaseException as error:
        # The class of panics of Rust is not public, and it is not a subclass of Exception.
        panic = type(error).__name__ == "PanicException"
        if not panic and not isinstance(
            error, (fastexcel.FastExcelError, pl.exceptions.PolarsError)
        ):
            raise
        damage = (str(error) or "unknown").splitlines()[0]
    if damage is not None:  # raised here, because the errors of fastexcel cannot be pickled
        raise source.error(None, f"cannot be read as an Excel file: {damage}")
    if len(names) > 1 and options.sheet is None:
        others = listed(quoted(other) for other in names if other != name)
        logger.info("%s: read sheet %s, not %s", source.name, quoted(name), others)
    return polars_frame(table)


def _sheet(names: list[str], sheet: str | int | None, source: Source) -> str:
    """Return the name of a sheet that is given by its name or its number, which starts at 1."""
    if sheet is None:
        return names[0]
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise source.error(
        None, f"there is no sheet {quoted(str(sheet))}; the sheets are: {listed(names)}"
    )
