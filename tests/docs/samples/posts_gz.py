"""The posts of posts.jsonl, gzipped."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.docs.samples._posts import lines, posts

NAME = "posts.jsonl.gz"


def write(path: Path) -> None:
    path.write_bytes(gzip.compress(lines(posts(400, seed=0)).encode()))
