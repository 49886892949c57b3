"""A folder of files of posts."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts, write_lines

NAME = "logs/"


def write(path: Path) -> None:
    path.mkdir()
    for number in range(3):
        write_lines(path / f"{number}.jsonl", posts(80, seed=7 + number, first=80 * number))
