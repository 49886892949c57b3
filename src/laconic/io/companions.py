"""Files that belong to a file of counts: the words of its columns, and the names of classes."""

from __future__ import annotations

import os
from pathlib import Path

from laconic.errors import LaconicError
from laconic.files.leftovers import clean_up

KINDS = ("vocab", "labels")


def companion(path: str, kind: str) -> str:
    """Return the path of the file for words (`kind` "vocab") or classes (`kind` "labels").

    Examples
    --------
    >>> companion("posts.mtx.gz", "vocab"), companion("docword.posts.txt", "vocab")
    ('posts.vocab', 'vocab.posts.txt')
    """
    file = Path(path)
    name = file.name.removesuffix(".gz")
    if "docword" in name:
        return str(file.with_name(name.replace("docword", kind)))
    return str(file.with_name(f"{Path(name).stem}.{kind}"))


def finish_interrupted_write(path: str | Path) -> None:
    """Put the words next to the counts at `path` if the process that wrote both was killed."""
    files = [str(path), *(companion(str(path), kind) for kind in KINDS)]
    try:
        clean_up(*(Path(os.path.realpath(file)) for file in files))
    except OSError as error:
        raise LaconicError(
            f"{path}: cannot tell whether this file was written completely: {error.strerror}; try "
            "again"
        ) from error
