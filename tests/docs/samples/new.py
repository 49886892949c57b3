"""40 more posts."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts, write_lines

NAME = "new.jsonl"


def write(path: Path) -> None:
    write_lines(path, posts(40, seed=1, first=400))
