"""Count the words of texts in memory that does not grow with the number of texts.

The counts are appended to files. Their columns are word numbers in a Lexicon, which is written to a
sorted run of words when it is full. The next documents are then another part, with an empty
Lexicon. At the end, the runs are merged to select the words of the vocabulary, and the counts of
each part are mapped to the columns of the selected words. The result is the same as in memory.

In memory are a Lexicon, a batch of texts and the selected words. To merge forms of words, all
distinct words are in memory; to find phrases, all single words and all pairs that are frequent
enough (with both settings, all pairs).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.files.array_reader import ArrayReader
from laconic.files.array_writer import ArrayWriter
from laconic.text.counting import (
    Analyzer,
    Batch,
    Lexicon,
    Tally,
    count_batches,
    decoded,
    encoded_spans,
)
from laconic.text.selection import Candidates
from laconic.text.word_runs import Run, merge_runs

PART_WORDS = 1_000_000
"""Number of distinct words from which a new part starts; a Lexicon takes 50 to 100 bytes a word."""

BLOCK_ENTRIES = 2_000_000
"""Number of counts that are mapped to columns at once."""

ARRAYS = {"ends": np.int64, "indices": np.int32, "data": np.int32}


class Part(NamedTuple):
    """Counts of consecutive documents in a folder, and the words that their columns stand for."""

    folder: Path
    run: Run
    blocks: list[tuple[int, int]]  # numbers of documents and of counts that are mapped at once

    def matrices(
        self, lexicon: Lexicon, columns: np.ndarray, n_columns: int
    ) -> Iterator[sp.csr_matrix]:
        """Yield the counts, with the given column for each word of a lexicon."""
        targets = _targets(self.run, lexicon, columns)
        row = first = 0
        with ExitStack() as stack:
            ends, indices, data = (
                stack.enter_context(ArrayReader(self.folder / f"{name}.npy")) for name in ARRAYS
            )
            for n_documents, n_entries in self.blocks:
                last = first + n_entries
                indptr = np.empty(n_documents + 1, np.int64)
                indptr[0], indptr[1:] = 0, ends.read(row, row + n_documents) - first
                tally = Tally(indptr, indices.read(first, last), data.read(first, last), 0, 0)
                yield tally.renumber(targets).csr(n_columns)
                row, first = row + n_documents, last


class CountsOnDisk:
    """Counts of all words, in files in an empty folder.

    An object can be pickled and joined to another one, so several processes can count documents.
    """

    def __init__(self, folder: Path) -> None:
        self.n_documents = self.n_tokens = self.n_kept = 0
        self.parts: list[Part] = []
        self._folder = folder

    @property
    def n_words(self) -> int:
        """Number of words in all parts; a word may be in several parts."""
        return sum(part.run.n_words for part in self.parts)

    def add(self, texts: Iterator[str], analyzer: Analyzer, n_threads: int) -> None:
        """Count texts; this method is called once."""
        writer: _PartWriter | None = None
        try:
            for batch in count_batches(texts, analyzer, n_threads):
                if writer is None:
                    writer = _PartWriter(self._folder / f"part-{len(self.parts)}")
                writer.append(batch)
                self.n_documents += len(batch.ends)
                self.n_tokens += batch.n_tokens
                self.n_kept += batch.n_kept
                if writer.lexicon.size >= PART_WORDS:
                    self.parts.append(writer.finish())
                    writer = None
            if writer is not None:
                self.parts.append(writer.finish())
        finally:
            if writer is not None:
                writer.close()

    def join(self, other: CountsOnDisk) -> None:
        """Append the documents of another object, whose files must not be deleted."""
        self.n_documents += other.n_documents
        self.n_tokens += other.n_tokens
        self.n_kept += other.n_kept
        self.parts += other.parts

    def candidates(self, low: float, high: float, low_of_pairs: float = 0) -> Candidates:
        """Merge the words of all parts, and keep the words in `low` to `high` documents."""
        n_rare = n_common = n_words = 0
        kept: list[pl.DataFrame] = []
        is_pair = pl.col("word").bin.contains(b" ")
        wanted = pl.col("frequency").is_between(low, high)
        if low_of_pairs:
            wanted &= ~is_pair | (pl.col("frequency") >= low_of_pairs)
        for block in merge_runs([part.run for part in self.parts]):
            n_words += len(block)
            n_rare += int((block["frequency"] < low).sum())
            n_common += int((block["frequency"] > high).sum())
            kept.append(block.filter(wanted))
        found = pl.concat(kept)
        words = decoded(found["word"].to_list())
        frequency, totals = found["frequency"].to_numpy(), found["total"].to_numpy()

        def matrices(columns: np.ndarray, n_columns: int) -> Iterator[sp.csr_matrix]:
            return self._matrices(words, columns, n_columns)

        return Candidates(words, frequency, totals, n_rare, n_common, n_words, matrices)

    def _matrices(
        self, words: np.ndarray, columns: np.ndarray, n_columns: int
    ) -> Iterator[sp.csr_matrix]:
        """Yield the counts of all documents, with the given column for each word."""
        selected = columns >= 0
        lexicon, columns = Lexicon(words[selected]), np.append(columns[selected], -1)
        for part in self.parts:
            yield from part.matrices(lexicon, columns, n_columns)


class _PartWriter:
    """Writes the counts of one part into a new folder, and collects its words."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.lexicon = Lexicon(None)
        self._frequency = np.zeros(0, np.int64)
        self._totals = np.zeros(0, np.int64)
        self._folder = folder
        self._blocks: list[tuple[int, int]] = []
        self._files = ExitStack()
        self._ends, self._indices, self._data = (
            self._files.enter_context(ArrayWriter(folder / f"{name}.npy", dtype))
            for name, dtype in ARRAYS.items()
        )

    def append(self, batch: Batch) -> None:
        n_documents, n_entries = len(batch.ends), len(batch.counts)
        self._ends.append(batch.ends + self._data.length)
        self._indices.append(self._numbers(batch))
        self._data.append(batch.counts)
        if self._blocks and self._blocks[-1][1] < BLOCK_ENTRIES:
            before = self._blocks.pop()
            n_documents, n_entries = n_documents + before[0], n_entries + before[1]
        self._blocks.append((n_documents, n_entries))

    def _numbers(self, batch: Batch) -> np.ndarray:
        """Add the words of a batch; return the word number of each count."""
        numbers = self.lexicon.match(batch.words)
        if self.lexicon.size > len(self._frequency):
            more = np.zeros(max(self.lexicon.size, len(self._frequency)), np.int64)
            self._frequency = np.concatenate([self._frequency, more])
            self._totals = np.concatenate([self._totals, more])
        n_words = len(numbers)
        self._frequency[numbers] += np.bincount(batch.identifiers, minlength=n_words)
        totals = np.bincount(batch.identifiers, weights=batch.counts, minlength=n_words)
        self._totals[numbers] += totals.astype(np.int64)
        return numbers[batch.identifiers]

    def finish(self) -> Part:
        """Write the sorted words, and return the part."""
        self.close()
        size = self.lexicon.size
        words = self.lexicon, self._frequency[:size], self._totals[:size]
        return Part(self._folder, Run(self._folder / "words", *words), self._blocks)

    def close(self) -> None:
        self._files.close()


def _targets(run: Run, lexicon: Lexicon, columns: np.ndarray) -> np.ndarray:
    """Return the column of each word of a part; `columns` are the columns of the lexicon."""
    targets = np.full(run.n_words, -1, np.int32)
    for block in run.blocks():
        found = lexicon.match(encoded_spans(block["word"].to_list()))
        targets[block["number"].to_numpy()] = columns[found]
    return targets
