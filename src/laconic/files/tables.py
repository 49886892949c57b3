"""Write tables with polars; disk errors are raised as OSError, as in the other writers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def write_parquet(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table as Parquet."""
    with disk_errors():
        table.write_parquet(file)


@contextmanager
def disk_errors() -> Iterator[None]:
    """Convert disk errors of polars, which may have no error number, to OSError with a number."""
    import polars as pl

    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
