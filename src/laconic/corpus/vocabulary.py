"""Vocabulary: the words of the columns of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from laconic.errors import LaconicError


class Vocabulary:
    """Words in column order, with a mapping from word to column, which is built on first use.

    Examples
    --------
    >>> words = Vocabulary(["cat", "dog"])
    >>> words.columns(["dog", "emu"]).tolist()
    [1, -1]
    >>> "cat" in words, len(words)
    (True, 2)
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = as_strings(words)
        # The words are usually sorted; a set of all words takes much more memory.
        is_sorted = bool(np.all(self.words[1:] > self.words[:-1]))
        if not is_sorted and len(set(self.words)) != len(self.words):
            seen: set[str] = set()
            duplicate = next(w for w in self.words if w in seen or seen.add(w))  # type: ignore[func-returns-value]
            raise LaconicError(
                f"The word {duplicate!r} occurs twice in the vocabulary; words must be unique."
            )

    @cached_property
    def _column(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._column

    def __getitem__(self, column: int) -> str:
        return self.words[column]

    def columns(self, words: Iterable[str]) -> np.ndarray:
        """Return the column of each word, or -1 if the word is unknown."""
        return np.fromiter((self._column.get(word, -1) for word in words), dtype=np.int64)


def as_vocabulary(words: Any) -> Vocabulary:
    """Convert words to a Vocabulary; return a Vocabulary unchanged."""
    return words if isinstance(words, Vocabulary) else Vocabulary(words)


def as_strings(values: Iterable[Any]) -> np.ndarray:
    """Convert values to an object array of ``str``."""
    return as_objects([str(value) for value in values])


def as_objects(values: Any) -> np.ndarray:
    """Convert values to an object array without changing their types."""
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    column = np.empty(len(items), dtype=object)
    column[:] = items
    return column
