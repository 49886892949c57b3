"""The file formats that ``laconic.read`` supports, and functions that detect them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.io.endings import ENDINGS
from laconic.io.excel import excel_frame
from laconic.io.expression import is_10x, read_10x, read_h5ad
from laconic.io.json_files import open_json, open_jsonl
from laconic.io.ldac import read_ldac
from laconic.io.matrix import read_matrix
from laconic.io.matrixmarket import BANNER, read_matrixmarket
from laconic.io.metadata import Row
from laconic.io.options import Options
from laconic.io.parquet import open_parquet
from laconic.io.paths import expand
from laconic.io.plain_text import folder_rows, line_rows
from laconic.io.rows import count_texts
from laconic.io.separated import open_csv, open_tsv
from laconic.io.source import Source
from laconic.io.store import read_store
from laconic.io.svmlight import read_svmlight
from laconic.io.table import Table
from laconic.io.uci import read_uci

RowsOf = Callable[[Source, Options], tuple[Iterator[Row], Options]]
"""Returns the documents of a source, and options that name the columns of the text."""


def _rows_of_table(open_table: Callable[[Source, Options], Table]) -> RowsOf:
    return lambda source, options: open_table(source, options).rows(options)


def _plain(rows: Callable[[Source, Options], Iterator[Row]]) -> RowsOf:
    return lambda source, options: (rows(source, options), options)


def _rows_of_excel(source: Source, options: Options) -> tuple[Iterator[Row], Options]:
    return excel_frame(source, options).rows(options, source.name)


TEXTS: dict[str, RowsOf] = {
    "folder": _plain(folder_rows),
    "lines": _plain(line_rows),
    "csv": _rows_of_table(open_csv),
    "tsv": _rows_of_table(open_tsv),
    "json": _rows_of_table(open_json),
    "jsonl": _rows_of_table(open_jsonl),
    "parquet": _rows_of_table(open_parquet),
    "excel": _rows_of_excel,
}

COUNTS: dict[str, Callable[[Source, Options], Corpus]] = {
    "matrix": read_matrix,
    "uci": read_uci,
    "ldac": read_ldac,
    "svmlight": read_svmlight,
    "matrixmarket": read_matrixmarket,
    "10x": read_10x,
    "h5ad": read_h5ad,
    "store": read_store,
}


def _counter(format: str) -> Callable[[Source, Options], Corpus]:
    def read_texts(source: Source, options: Options) -> Corpus:
        rows, _ = TEXTS[format](source, options)
        if_empty = "is empty" if format == "lines" else "contains no documents"
        return count_texts(rows, options, source.name, if_empty)

    return read_texts


READERS: dict[str, Callable[[Source, Options], Corpus]] = {
    **{format: _counter(format) for format in TEXTS},
    **COUNTS,
}

BAGS = tuple(COUNTS)  # formats that contain word counts

UCI_HEADER = re.compile(r"\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s+\d+\s+\S+\s*(\n|$)")
PAIRS = re.compile(r"[-+]?[\d.]+(\s+(qid|\d+):[^\s:]+)*")


def format_of(path: str, encoding: str = "utf-8") -> str | None:
    """Return the format of a file or folder, or None for a stream, which cannot be reread.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "posts.jsonl")
    ...     _ = path.write_text('{"text": "a cat"}')
    ...     format_of(str(path))
    'jsonl'
    """
    with closing(Source(expand(path)[0], encoding)) as source:
        source.require()
        return None if source.is_stream else detect(source)


def holds_text(path: str, encoding: str = "utf-8") -> bool:
    """Return whether a source contains text, not counts; for a stream, check its first bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     texts, counts = Path(folder, "texts.txt"), Path(folder, "counts.ldac")
    ...     _ = texts.write_text("a cat"), counts.write_text("2 0:1 3:2")
    ...     holds_text(str(texts)), holds_text(str(counts))
    (True, False)
    """
    format = format_of(path, encoding)
    peek = getattr(sys.stdin.buffer, "peek", None) if path == "-" else None
    if format is None and peek is not None:
        return not peek().lower().startswith(BANNER.lower())
    return format not in BAGS


def detect(source: Source) -> str:
    """Detect the format of a source from its name or, if that fails, from its content."""
    if source.path is not None and source.path.is_dir():
        return _folder_format(source.path)
    if "docword" in source.bare_name:
        return "uci"
    ending = Path(source.bare_name).suffix
    format = ENDINGS.get(ending) or _format_of_first_bytes(source)
    if format is None and source.is_stream:
        return "lines"
    format = format or _format_of_lines(source)
    if format is None:
        clue = f"extension {ending!r}" if ending else "file name, which has no extension,"
        raise source.error(
            None,
            f"cannot detect the format from the {clue} or from the content; "
            f"set format= to one of {', '.join(READERS)}",
        )
    return format


def _folder_format(folder: Path) -> str:
    if is_store(folder):
        return "store"
    if (folder / "model.json").is_file():
        raise Source(folder).error(None, "is a saved model; open it with laconic.load")
    return "10x" if is_10x(folder) else "folder"


def _format_of_first_bytes(source: Source) -> str | None:
    head = source.head()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.lower().startswith(BANNER.lower()):
        return "matrixmarket"
    return "jsonl" if source.head_text().lstrip().startswith("{") else None


def _format_of_lines(source: Source) -> str | None:
    """Detect UCI by its header, LDA-C by the pair count on each line, and svmlight by its pairs."""
    text = source.head_text().lstrip()
    if UCI_HEADER.match(text):
        return "uci"
    complete = text.splitlines()[:-1] if len(text) > 1000 else text.splitlines()
    lines = [data for line in complete[:20] if (data := line.partition("#")[0].strip())]
    if not any(":" in line for line in lines) or not all(map(PAIRS.fullmatch, lines)):
        return None
    starts_with_count = all(line.split()[0] == str(len(line.split()) - 1) for line in lines)
    return "ldac" if starts_with_count else "svmlight"
