"""Texts of documents, compressed in blocks, so that one text can be read without the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from laconic.errors import ModelFileError
from laconic.files.array_collector import ArrayCollector
from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.names import encoded, not_utf8

BLOCK = 1 << 16  # minimum number of bytes per block, before compression
LEVEL = 1  # compression level; higher levels take several times as long for a tenth less space
MAX_BLOCK = 1 << 29  # maximum size of a block, unless it is compressed by less than `MAX_RATIO`
MAX_RATIO = 100


class Texts:
    """Texts of documents.

    Parameters
    ----------
    packed : array of uint8
        The compressed blocks. All parameters are arrays, or readers of arrays in files.
    ends : array of int64
        Position where each text ends, in the UTF-8 of all texts.
    blocks : array of int64, of shape (n_blocks, 2)
        Positions where each block ends, in the UTF-8 of all texts and in `packed`. A text is
        within one block.
    path : Path, optional
        Folder of the files.

    Examples
    --------
    >>> texts = Texts.of(["cats purr", None, "dogs bark"])
    >>> len(texts), texts[2], list(texts)
    (3, 'dogs bark', ['cats purr', '', 'dogs bark'])
    """

    def __init__(self, packed: Any, ends: Any, blocks: Any, path: Path | None = None) -> None:
        self.packed = packed
        self.ends = ends
        self.blocks = blocks
        self.path = path
        self._last: tuple[int, bytes] | None = None  # the block that was read last

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Texts:
        writer = TextsWriter(None, "texts")
        writer.append(texts)
        return writer.finish()

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> str:
        row = int(row) + (len(self) if row < 0 else 0)
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)} texts")
        bounds = self.ends[max(row - 1, 0) : row + 1]
        start, end = (int(bounds[0]) if row else 0), int(bounds[-1])
        if start == end:
            return ""
        block = int(np.searchsorted(np.asarray(self._block_ends), start, side="right"))
        first, text = self._unpacked(block)
        if not first <= start <= end <= first + len(text):
            raise self._inconsistent()
        try:
            return text[start - first : end - first].decode()
        except UnicodeDecodeError as error:
            raise not_utf8(self.path, row) from error

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def check(self) -> None:
        """Read all texts, and raise an error if a file is damaged."""
        for _ in self:
            pass

    @property
    def _block_ends(self) -> np.ndarray:
        if not hasattr(self, "_cached_ends"):
            self._cached_ends = np.asarray(self.blocks[:])[:, 0]
        return self._cached_ends

    def _unpacked(self, block: int) -> tuple[int, bytes]:
        """Return the position of the first byte of a block, and its bytes."""
        last = self._last
        if not 0 <= block < len(self.blocks):
            raise self._inconsistent()
        bounds = np.asarray(self.blocks[max(block - 1, 0) : block + 1])
        (first, start), (end, stop) = (bounds[0].tolist() if block else (0, 0)), bounds[-1].tolist()
        if last is not None and last[0] == block:
            return first, last[1]
        n_packed, size = stop - start, end - first
        if not (0 <= start <= stop <= len(self.packed)) or not (
            0 <= size <= MAX_BLOCK + MAX_RATIO * n_packed
        ):
            raise self._inconsistent()
        try:
            text = zlib.decompressobj().decompress(self.packed[start:stop].tobytes(), size + 1)
        except zlib.error as error:
            raise self._inconsistent() from error
        if len(text) != size:
            raise self._inconsistent()
        self._last = (block, text)
        return first, text

    def _inconsistent(self) -> ModelFileError:
        return ModelFileError(
            self.path or "documents", "is damaged: the compressed texts are inconsistent"
        )


class TextsWriter:
    """Compresses the texts of documents part by part, in memory or in a scratch folder."""

    def __init__(self, scratch: ScratchFolder | None, name: str) -> None:
        self._packed = ArrayCollector(scratch, f"{name}.packed", np.uint8)
        self._ends = ArrayCollector(scratch, f"{name}.ends", np.int64)
        self._blocks = ArrayCollector(scratch, f"{name}.blocks", np.int64, width=2)
        self._waiting: list[bytes] = []
        self._size = 0  # number of bytes that wait
        self._end = 0  # number of bytes of all texts

    def append(self, texts: Iterable[str | None]) -> None:
        ends = []
        for text in texts:
            data = encoded(text or "")
            self._waiting.append(data)
            self._size += len(data)
            self._end += len(data)
            ends.append(self._end)
            if self._size >= BLOCK:
                self._flush()
        self._ends.append(np.array(ends, dtype=np.int64))

    def finish(self) -> Texts:
        if self._size:
            self._flush()
        return Texts(self._packed.finish(), self._ends.finish(), self._blocks.finish())

    def _flush(self) -> None:
        packed = zlib.compress(b"".join(self._waiting), LEVEL)
        self._packed.append(np.frombuffer(packed, np.uint8))
        self._blocks.append([[self._end, self._packed.length]])
        self._waiting, self._size = [], 0
