"""Plain text: a folder with one document in each file, or a file with one on each line."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.errors import ReadError
from laconic.io.options import Options
from laconic.io.rows import Row, count_texts
from laconic.io.source import Source

logger = logging.getLogger(__name__)

TEXT_ENDINGS = ("", ".txt", ".text", ".md", ".rst")  # "": mail and news folders use bare numbers


def read_lines(source: Source, options: Options) -> Corpus:
    """One document on each line; a blank line is an empty document."""
    options.refuse_columns(source.name, "a file of lines has none; is it of another format=?")
    return count_texts((Row(line) for line in source.lines()), options, source.name, "is empty")


def read_folder(source: Source, options: Options) -> Corpus:
    """Every text file below a folder, by path; folders in it are the labels of their files."""
    options.refuse_columns(source.name, "a folder of text files has none")
    if source.path is None or not source.path.is_dir():
        raise source.error(None, 'is not a folder; format="folder" reads a folder of text files')
    files = _text_files(source.path)
    return count_texts(_rows(source.path, files, options.encoding), options, source.name)


def _rows(folder: Path, files: list[Path], encoding: str) -> Iterator[Row]:
    in_class_folders = all(file.parent != folder for file in files)
    for file in files:
        yield Row(
            Source(file, encoding).text(),
            id=file.relative_to(folder).as_posix(),
            label=file.parent.name if in_class_folders else None,
        )


def _text_files(folder: Path) -> list[Path]:
    """Text files in the order of their paths; others are counted in the log, never unnoticed."""
    seen = [
        file
        for file in sorted(folder.rglob("*"), key=lambda file: file.relative_to(folder).as_posix())
        if file.is_file() and not _is_hidden(file.relative_to(folder))
    ]
    files = [file for file in seen if _ending(file) in TEXT_ENDINGS]
    if files:
        if len(files) < len(seen):
            others = Counter(_ending(file) for file in seen if _ending(file) not in TEXT_ENDINGS)
            logger.info("%s: not read as text: %s", folder, _listed(others))
        return files
    wanted = ", ".join(ending for ending in TEXT_ENDINGS if ending)
    found = _listed(Counter(_ending(file) for file in seen)) if seen else "it is empty"
    raise ReadError(
        folder, None, f"holds no text files ({wanted}, or no ending; also .gz); found: {found}"
    )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _ending(file: Path) -> str:
    ending = Path(file.name.lower().removesuffix(".gz").rstrip(".")).suffix
    return "" if ending[1:].isdigit() else ending


def _listed(endings: Counter[str]) -> str:
    total = sum(endings.values())
    parts = ", ".join(f"{ending} ({count})" for ending, count in endings.most_common(5))
    more = ", …" if len(endings) > 5 else ""
    return f"{total} other file{'s' if total != 1 else ''}: {parts}{more}"
