"""Paths that stand for several files: a pattern such as ``*.csv``, or a folder of tables."""

from __future__ import annotations

import glob
import re
from collections import Counter
from pathlib import Path

from laconic.corpus.store import is_store
from laconic.errors import ReadError
from laconic.io.endings import ENDINGS, TABLES
from laconic.io.expression import is_10x
from laconic.io.plain_text import TEXT_ENDINGS, ending_of, visible_files

ABOUT = re.compile(r"(read_?me|licen[cs]e|copying|changelog|citation)\b", re.IGNORECASE)


def expand(path: str, format: str | None = None) -> list[str]:
    """Return the files that a path stands for: matches of a pattern, or tables in a folder."""
    if path == "-":
        return [path]
    try:
        exists = Path(path).exists()
    except (OSError, ValueError):  # The name is too long or contains a NUL character.
        return [path]
    if exists:
        return _tables_in(path) if Path(path).is_dir() and format != "folder" else [path]
    if not glob.has_magic(path) or len(path.split()) > 2:
        return [path]
    matches = sorted(match for match in glob.glob(path, recursive=True) if Path(match).is_file())
    if not matches:
        raise ReadError(path, None, "no file matches this pattern; check the path")
    return matches


def _tables_in(path: str) -> list[str]:
    """Return the tables in a folder that contains tables and no texts, otherwise the folder."""
    folder = Path(path)
    if is_store(folder) or (folder / "model.json").is_file() or is_10x(folder):
        return [path]
    endings = Counter[str]()
    tables: list[str] = []
    for file in visible_files(folder):
        format = ENDINGS.get(ending_of(file))
        if format in TABLES:
            tables.append(str(file))
            endings[ending_of(file)] += 1
        elif ending_of(file) in TEXT_ENDINGS and not ABOUT.match(file.name):
            return [path]
    if not tables:
        return [path]
    if len(endings) > 1:
        found = ", ".join(f"{ending} ({count})" for ending, count in endings.most_common())
        raise ReadError(
            path,
            None,
            f"the folder contains tables of several formats: {found}; choose some of them with a "
            f"pattern such as {folder / '*'!s}{endings.most_common()[0][0]}",
        )
    return tables
