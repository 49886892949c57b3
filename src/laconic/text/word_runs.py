"""Sorted runs of words in files, which are merged in memory that does not grow with their size.

A run contains the distinct words of some documents: their UTF-8 bytes in ascending order, their
numbers in a Lexicon, the number of documents that contain them, and their total counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from laconic.files.tables import disk_errors
from laconic.text.counting import Lexicon

BLOCK = 1 << 15
"""Number of words of a run that are in memory at once."""


class Run:
    """Files that contain the words of a Lexicon in ascending order.

    Parameters
    ----------
    folder : Path
        A new folder for the files.
    lexicon : Lexicon
    frequency, totals : ndarray
        Number of documents that contain each word of the lexicon, and the count of each word.
    """

    def __init__(
        self, folder: Path, lexicon: Lexicon, frequency: np.ndarray, totals: np.ndarray
    ) -> None:
        self.n_words = lexicon.size
        self._files: list[Path] = []
        folder.mkdir()
        numbers = lexicon.sort(np.arange(lexicon.size))
        for start in range(0, lexicon.size, BLOCK):
            block = numbers[start : start + BLOCK]
            table = pl.DataFrame(
                {
                    "word": pl.Series(lexicon.encoded(block), dtype=pl.Binary),
                    "number": block,
                    "frequency": frequency[block],
                    "total": totals[block],
                }
            )
            self._files.append(folder / f"{len(self._files)}.ipc")
            with disk_errors(), self._files[-1].open("wb") as file:
                table.write_ipc(file)

    def blocks(self) -> Iterator[pl.DataFrame]:
        """Yield the words in ascending order."""
        for path in self._files:
            with path.open("rb") as file:
                yield pl.read_ipc(file)


def merge_runs(runs: Sequence[Run]) -> Iterator[pl.DataFrame]:
    """Yield the distinct words of all runs in ascending order, with the sums of their counts."""
    readers = [run.blocks() for run in runs]
    blocks = [next(reader, None) for reader in readers]
    while any(block is not None for block in blocks):
        # All words up to the first end of a block are in the blocks that have been read.
        bound = min(block["word"][-1] for block in blocks if block is not None)
        complete = []
        for i, block in enumerate(blocks):
            if block is None:
                continue
            n_complete = bisect_right(block["word"], bound)
            complete.append(block[:n_complete])
            rest = block[n_complete:]
            blocks[i] = rest if len(rest) else next(readers[i], None)
        yield (
            pl.concat(complete)
            .group_by("word")
            .agg(pl.col("frequency").sum(), pl.col("total").sum())
            .sort("word")
        )
