"""80 posts to test a model on."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts, write_lines

NAME = "test.jsonl"


def write(path: Path) -> None:
    write_lines(path, posts(80, seed=2, first=500))
