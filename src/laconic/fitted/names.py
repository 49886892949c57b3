"""Strings of documents, such as ids and titles, in memory or in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import ModelFileError
from laconic.files.array_collector import ArrayCollector
from laconic.files.scratch_folder import ScratchFolder

ROWS = 65_536  # number of strings per block
MAX_COMPARED = 10_000  # maximum number of names compared with a mistyped name


class _Block(NamedTuple):
    """Some consecutive strings: number of the first string, their bytes, and their bounds."""

    first: int
    text: np.ndarray
    bounds: np.ndarray  # string i is ``text[bounds[i] : bounds[i + 1]]``


class Names:
    """Strings of documents, stored in one UTF-8 buffer and decoded on access.

    The buffer and the positions where the strings end are arrays, or readers of arrays in files.
    Files are read in blocks, and checked when they are read.

    Examples
    --------
    >>> names = Names.of(["cats", "dogs", None, "cats"])
    >>> names[1], names[2], names.rows_of("cats").tolist()
    ('dogs', '', [0, 3])
    >>> names.suggest("Cat"), names.suggest("dgs")
    (['cats'], ['dogs'])
    >>> names.distinct()
    (['', 'cats', 'dogs'], array([1, 2, 0, 1], dtype=int32))
    """

    def __init__(self, text: Any, ends: Any, path: Path | None = None) -> None:
        self.text = text
        self.ends = ends
        self.path = path

    @classmethod
    def of(cls, values: Iterable[Any]) -> Names:
        writer = NamesWriter(None, "names")
        writer.append(values)
        return writer.finish()

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> str:
        row = int(row) + (len(self) if row < 0 else 0)
        _, text, _ = self._block(row, row + 1)
        return self._decoded(row, text.tobytes())

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks():
            for row, string in _strings(block):
                yield self._decoded(row, string)

    def rows_of(self, name: str) -> np.ndarray:
        """Return all rows whose string equals `name`."""
        wanted = encoded(name)
        found = [np.zeros(0, np.int64)]
        for first, text, bounds in self._blocks():
            starts = bounds[:-1]
            rows = np.flatnonzero(np.diff(bounds) == len(wanted))
            for offset, byte in enumerate(wanted):
                rows = rows[text[starts[rows] + offset] == byte]
            found.append(rows + first)
        return np.concatenate(found)

    def distinct(self) -> tuple[list[str], np.ndarray]:
        """Return the sorted distinct strings, and for each row the index of its string."""
        numbers: dict[bytes, int] = {}
        members = np.empty(len(self), dtype=np.int32)
        firsts: list[int] = []
        for block in self._blocks():
            for row, string in _strings(block):
                number = numbers.setdefault(string, len(numbers))
                if number == len(firsts):
                    firsts.append(row)
                members[row] = number
        pairs = zip(firsts, numbers, strict=True)
        names = [self._decoded(row, string) for row, string in pairs]
        order = sorted(range(len(names)), key=names.__getitem__)
        ranks = np.empty(len(names), dtype=np.int32)
        ranks[order] = np.arange(len(names))
        return [names[i] for i in order], ranks[members]

    def suggest(self, name: str, n: int = 3) -> list[str]:
        """Return up to `n` strings that contain `name`, or similar strings if none contains it."""
        matches = self._containing(name, n)
        if matches:
            return matches
        lengths = np.concatenate(
            [np.zeros(0, np.int64), *(np.diff(block.bounds) for block in self._blocks())]
        )
        order = np.argsort(abs(lengths - len(encoded(name))), kind="stable")[:MAX_COMPARED]
        by_lower = {self[row].lower(): self[row] for row in order.tolist() if lengths[row]}
        return [by_lower[match] for match in get_close_matches(name.lower(), by_lower, n=n)]

    def check(self) -> None:
        """Read all strings, and raise an error if a file is damaged."""
        for _ in self:
            pass

    def _containing(self, name: str, n: int) -> list[str]:
        wanted = encoded(name).lower()
        matches: dict[str, None] = {}
        for first, symbols, bounds in self._blocks() if wanted else ():
            text = symbols.tobytes().lower()
            start = text.find(wanted)
            while start >= 0 and len(matches) < n:
                row = int(np.searchsorted(bounds[1:], start, side="right"))
                if start + len(wanted) <= bounds[row + 1]:  # the match is within one string
                    matches[self[first + row]] = None
                    start = int(bounds[row + 1]) - 1
                start = text.find(wanted, start + 1)
            if len(matches) >= n:
                break
        return list(matches)

    def _blocks(self) -> Iterator[_Block]:
        for start in range(0, len(self), ROWS):
            yield self._block(start, min(start + ROWS, len(self)))

    def _block(self, start: int, stop: int) -> _Block:
        if not 0 <= start < len(self):
            raise IndexError(f"row {start} of {len(self)} documents")
        bounds = np.asarray(self.ends[max(start - 1, 0) : stop])
        if start == 0:
            bounds = np.concatenate([np.zeros(1, np.int64), bounds])
        first, last = int(bounds[0]), int(bounds[-1])
        if first < 0 or last > len(self.text) or np.any(bounds[1:] < bounds[:-1]):
            raise ModelFileError(
                self.path or "documents",
                "is damaged: the arrays that store one string for each document are inconsistent",
            )
        return _Block(start, np.asarray(self.text[first:last]), bounds - first)

    def _decoded(self, row: int, string: bytes) -> str:
        try:
            return string.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(self.path, row) from error


class NamesWriter:
    """Collects the strings of documents part by part, in memory or in a scratch folder."""

    def __init__(self, scratch: ScratchFolder | None, name: str) -> None:
        self._text = ArrayCollector(scratch, f"{name}.text", np.uint8)
        self._ends = ArrayCollector(scratch, f"{name}.ends", np.int64)

    def append(self, values: Iterable[Any]) -> None:
        parts = [b"" if value is None else encoded(str(value)) for value in values]
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self._ends.append(ends + self._text.length)
        self._text.append(np.frombuffer(b"".join(parts), dtype=np.uint8))

    def finish(self) -> Names:
        return Names(self._text.finish(), self._ends.finish())


def _strings(block: _Block) -> Iterator[tuple[int, bytes]]:
    """Yield the row and the bytes of each string of a block."""
    text, start = block.text.tobytes(), 0
    for row, end in enumerate(block.bounds[1:].tolist(), start=block.first):
        yield row, text[start:end]
        start = end


def encoded(text: str) -> bytes:
    """Return a string as UTF-8."""
    return text.encode(errors="replace")  # JSON strings may contain lone surrogates


def not_utf8(path: Path | None, row: int) -> ModelFileError:
    """Return the error for a string that is not valid."""
    return ModelFileError(
        path or "documents",
        f"the text or name of document {row} is not valid UTF-8; the file is damaged",
    )
