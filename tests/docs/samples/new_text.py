"""One new post, as plain text."""

from __future__ import annotations

from pathlib import Path

from tests.docs.samples._posts import posts

NAME = "new.txt"


def write(path: Path) -> None:
    path.write_text(posts(1, seed=4)[0]["body"], encoding="utf-8")
