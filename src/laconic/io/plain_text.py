"""Readers for plain text: one document per file of a folder, or one per line of a file."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from laconic.errors import ReadError
from laconic.io.metadata import Row
from laconic.io.options import Options
from laconic.io.source import Source

logger = logging.getLogger(__name__)

TEXT_ENDINGS = ("", ".txt", ".text", ".md", ".rst")  # messages of mail and news have no extension


def line_rows(source: Source, options: Options) -> Iterator[Row]:
    """Read one document per line; a blank line is an empty document."""
    options.reject_columns(
        source.name,
        "the file is read as lines of plain text, which have no columns; if the file is a table, "
        "set format=",
    )
    return (Row(line) for line in source.lines())


def folder_rows(source: Source, options: Options) -> Iterator[Row]:
    """Read all text files in a folder and its sub-folders, whose names become labels."""
    options.reject_columns(source.name, "a folder of text files has no columns; omit it")
    if source.path is None or not source.path.is_dir():
        raise source.error(
            None,
            'is not a folder, but format="folder" requires one; omit format= to detect the format',
        )
    files = _text_files(source.path)
    return _rows(source.path, files, options.encoding)


def _rows(folder: Path, files: list[Path], encoding: str) -> Iterator[Row]:
    in_class_folders = all(file.parent != folder for file in files)
    for file in files:
        yield Row(
            Source(file, encoding).text(),
            id=file.relative_to(folder).as_posix(),
            label=file.parent.name if in_class_folders else None,
        )


def _text_files(folder: Path) -> list[Path]:
    """Return the text files, sorted by path, and log the number of other files."""
    visible = visible_files(folder)
    files = [file for file in visible if ending_of(file) in TEXT_ENDINGS]
    if files:
        if len(files) < len(visible):
            others = Counter(
                ending_of(file) for file in visible if ending_of(file) not in TEXT_ENDINGS
            )
            logger.info("%s: not read as text: %s", folder, _summary(others))
        return files
    endings = ", ".join(ending for ending in TEXT_ENDINGS if ending)
    contents = "the folder is empty"
    if visible:
        contents = f"found {_summary(Counter(ending_of(file) for file in visible))}"
    raise ReadError(
        folder,
        None,
        f"the folder contains no text files, which end in {endings} or have no extension (.gz may "
        f"follow); {contents}",
    )


def visible_files(folder: Path) -> list[Path]:
    """Return the files in a folder and its sub-folders, except hidden files, sorted by path."""
    return [
        file
        for file in sorted(folder.rglob("*"), key=lambda file: file.relative_to(folder).as_posix())
        if file.is_file() and not _is_hidden(file.relative_to(folder))
    ]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def ending_of(file: Path) -> str:
    """Return the extension of a file without ``.gz``; a number is not an extension."""
    ending = Path(file.name.lower().removesuffix(".gz").rstrip(".")).suffix
    return "" if ending[1:].isdigit() else ending


def _summary(endings: Counter[str]) -> str:
    """Summarise the extensions of files, such as ``3 other files: .png (2), .pdf (1)``."""
    total = sum(endings.values())
    parts = ", ".join(f"{ending} ({count})" for ending, count in endings.most_common(5))
    more = ", …" if len(endings) > 5 else ""
    return f"{total} other file{'s' if total != 1 else ''}: {parts}{more}"
