"""The second file of an archive of messages."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._archive import write_part

NAME = "archive-02.jsonl"


def write(path: Path) -> None:
    write_part(path, 2)
