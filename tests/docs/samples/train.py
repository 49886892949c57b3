"""200 posts to fit a model to."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts, write_lines

NAME = "train.jsonl"


def write(path: Path) -> None:
    write_lines(path, posts(200, seed=3, first=600))
