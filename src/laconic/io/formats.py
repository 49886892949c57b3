"""The formats that ``laconic.read`` knows, and how it tells which one a file has."""

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

BAGS = ("uci", "ldac", "svmlight", "matrixmarket", "store")  # formats that are counted already

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
    """Name of the format of a file or folder; None for a stream, which can be read only once."""
    with closing(Source(path, encoding)) as source:
        source.require()
        return None if source.is_stream else detect(source)


def holds_text(path: str, encoding: str = "utf-8") -> bool:
    """Whether a source holds words still to be counted, as far as a look ahead can tell."""
    found = format_of(path, encoding)
    peek = getattr(sys.stdin.buffer, "peek", None) if path == "-" else None
    if found is None and peek is not None:
        return not peek().lower().startswith(BANNER.lower())
    return found not in BAGS


def detect(source: Source) -> str:
    """Name of the format of a source, by its name and, where that is not enough, its content."""
    if source.path is not None and source.path.is_dir():
        return _kind_of_folder(source.path)
    if "docword" in source.bare_name:
        return "uci"
    ending = Path(source.bare_name).suffix
    found = ENDINGS.get(ending) or _by_first_bytes(source.head())
    if found is None and source.is_stream:
        return "lines"
    found = found or _by_shape(source.head())
    if found is None:
        shown = f"the ending {ending!r}" if ending else "a name without ending"
        raise source.error(
            None,
            f"{shown} does not tell the format, and neither does the content; "
            f"give format= one of {', '.join(READERS)}",
        )
    return found


def _kind_of_folder(folder: Path) -> str:
    if is_store(folder):
        return "store"
    if (folder / "model.json").is_file():
        raise Source(folder).error(None, "is a saved model; open it with laconic.load")
    return "folder"


def _by_first_bytes(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.lower().startswith(BANNER.lower()):
        return "matrixmarket"
    return "jsonl" if _text(head).startswith("{") else None


def _by_shape(head: bytes) -> str | None:
    """UCI by its header; LDA-C when each line begins with the number of its pairs; svmlight."""
    text = _text(head)
    if UCI_HEADER.match(text):
        return "uci"
    whole = text.splitlines()[:-1] if len(head) > 1000 else text.splitlines()
    lines = [data for line in whole[:20] if (data := line.partition("#")[0].strip())]
    if not any(":" in line for line in lines) or not all(map(PAIRS.fullmatch, lines)):
        return None
    counted = all(line.split()[0] == str(len(line.split()) - 1) for line in lines)
    return "ldac" if counted else "svmlight"


def _text(head: bytes) -> str:
    return head.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()
