"""The file formats that ``laconic.read`` supports, and functions that detect them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.io.ldac import read_ldac
from laconic.io.matrixmarket import BANNER, read_matrixmarket
from laconic.io.options import Options
from laconic.io.plain_text import read_folder, read_lines
from laconic.io.source import Source
from laconic.io.store import read_store
from laconic.io.svmlight import read_svmlight
from laconic.io.tables import read_csv, read_json, read_jsonl, read_parquet, read_tsv
from laconic.io.uci import read_uci

READERS: dict[str, Callable[[Source, Options], Corpus]] = {
    "folder": read_folder,
    "lines": read_lines,
    "csv": read_csv,
    "tsv": read_tsv,
    "json": read_json,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "uci": read_uci,
    "ldac": read_ldac,
    "svmlight": read_svmlight,
    "matrixmarket": read_matrixmarket,
    "store": read_store,
}

BAGS = ("uci", "ldac", "svmlight", "matrixmarket", "store")  # formats that contain word counts

ENDINGS = {
    ".txt": "lines",
    ".text": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".ldac": "ldac",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".mtx": "matrixmarket",
    ".mm": "matrixmarket",
}

UCI_HEADER = re.compile(r"\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s+\d+\s+\S+\s*(\n|$)")
PAIRS = re.compile(r"[-+]?[\d.]+(\s+(qid|\d+):[^\s:]+)*")


def format_of(path: str, encoding: str = "utf-8") -> str | None:
    """Return the format of a file or folder, or None for a stream, which cannot be reread."""
    with closing(Source(path, encoding)) as source:
        source.require()
        return None if source.is_stream else detect(source)


def holds_text(path: str, encoding: str = "utf-8") -> bool:
    """Return whether a source contains text, not counts; for a stream, check its first bytes."""
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
    format = ENDINGS.get(ending) or _format_of_first_bytes(source.head())
    if format is None and source.is_stream:
        return "lines"
    format = format or _format_of_lines(source.head())
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
    return "folder"


def _format_of_first_bytes(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.lower().startswith(BANNER.lower()):
        return "matrixmarket"
    return "jsonl" if _text(head).startswith("{") else None


def _format_of_lines(head: bytes) -> str | None:
    """Detect UCI by its header, LDA-C by the pair count on each line, and svmlight by its pairs."""
    text = _text(head)
    if UCI_HEADER.match(text):
        return "uci"
    complete = text.splitlines()[:-1] if len(head) > 1000 else text.splitlines()
    lines = [data for line in complete[:20] if (data := line.partition("#")[0].strip())]
    if not any(":" in line for line in lines) or not all(map(PAIRS.fullmatch, lines)):
        return None
    starts_with_count = all(line.split()[0] == str(len(line.split()) - 1) for line in lines)
    return "ldac" if starts_with_count else "svmlight"


def _text(head: bytes) -> str:
    return head.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()
