"""400 labelled posts."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts, write_lines

NAME = "posts.jsonl"


def write(path: Path) -> None:
    write_lines(path, posts(240, seed=0))
