"""Read seeds, which are names of topics and words that belong to them, from a text file.

Each line contains the name of a topic and its words, separated by commas. The words may also follow
as a list, one per line, as in YAML::

    # a comment
    space: nasa!, orbit, -car
    hockey:
      - nhl
      - goalie
"""

from __future__ import annotations

import re
from pathlib import Path

from laconic.io.source import Source

COMMENT = re.compile(r"(^|\s)#.*$")
ITEM = re.compile(r"\s*-(\s+|$)(?P<word>.*)")
SEED = re.compile(r"(?P<name>\"[^\"]+\"|'[^']+'|[^:]+?)\s*:(\s+(?P<words>.*))?")


def read_seeds(path: str | Path, *, encoding: str = "utf-8") -> dict[str, list[str]]:
    """Read the seeds of a file, in the order of the file.

    Parameters
    ----------
    path : str or Path
        Path of the file, which may be gzipped, or ``"-"`` for standard input.
    encoding : str, default="utf-8"
        Encoding of the file.

    Raises
    ------
    ReadError
        A line is neither a seed nor a word of a seed, or the name of a seed occurs twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "seeds.txt")
    ...     _ = path.write_text("space: nasa!, orbit\\nhockey:\\n  - nhl\\n")
    ...     read_seeds(path)
    {'space': ['nasa!', 'orbit'], 'hockey': ['nhl']}
    """
    source = Source(path, encoding)
    source.require()
    seeds: dict[str, list[str]] = {}
    words: list[str] | None = None
    for number, line in enumerate(source.lines(), 1):
        text = COMMENT.sub("", line).rstrip()
        if not text.strip():
            continue
        item = ITEM.fullmatch(text)
        if item is not None and words is not None:
            words.extend(_split(item["word"]))
            continue
        seed = None if text[0].isspace() else SEED.fullmatch(text)
        if seed is None:
            raise source.error(
                number,
                "expected a name, a colon and words, as in 'space: nasa, orbit'; found "
                f"{text.strip()!r:.60}",
            )
        name = _unquoted(seed["name"])
        if name in seeds:
            raise source.error(number, f"there is already a seed {name!r}; merge the two seeds")
        words = seeds[name] = _split(seed["words"] or "")
    if not seeds:
        raise source.error(None, "contains no seeds; write lines such as 'space: nasa, orbit'")
    return seeds


def _split(words: str) -> list[str]:
    """Return the words of a line, which are separated by commas and may be in brackets."""
    text = words.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [word for word in (_unquoted(part) for part in text.split(",")) if word]


def _unquoted(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text
