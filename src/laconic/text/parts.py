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


class _Block(NamedTuple):
    """Consecutive documents of one part, whose counts are mapped at once."""

    part: int
    n_documents: int
    n_entries: int


class CountsOnDisk:
    """Counts of all words, in files in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.n_documents = self.n_tokens = self.n_kept = 0
        self.runs: list[Run] = []
        self._folder = folder
        self._blocks: list[_Block] = []

    @property
    def n_words(self) -> int:
        """Number of words in all runs; a word may be in several runs."""
        return sum(run.n_words for run in self.runs)

    def add(self, texts: Iterator[str], analyzer: Analyzer, n_threads: int) -> None:
        """Count texts; this method is called once."""
        part = _Part()
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(ArrayWriter(self._path(name), dtype))
                for name, dtype in ARRAYS.items()
            }
            for batch in count_batches(texts, analyzer, n_threads):
                files["indices"].append(part.add(batch))
                files["data"].append(batch.counts)
                files["ends"].append(batch.ends + (files["data"].length - len(batch.counts)))
                self._note(batch)
                if part.lexicon.size >= PART_WORDS:
                    self._end(part)
                    part = _Part()
        self._end(part)

    def _note(self, batch: Batch) -> None:
        self.n_documents += len(batch.ends)
        self.n_tokens += batch.n_tokens
        self.n_kept += batch.n_kept
        part, n_documents, n_entries = len(self.runs), len(batch.ends), len(batch.counts)
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last.part == part and last.n_entries < BLOCK_ENTRIES:
            self._blocks.pop()
            n_documents, n_entries = n_documents + last.n_documents, n_entries + last.n_entries
        self._blocks.append(_Block(part, n_documents, n_entries))

    def _end(self, part: _Part) -> None:
        folder = self._folder / f"run-{len(self.runs)}"
        self.runs.append(Run(folder, part.lexicon, *part.statistics()))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.npy"

    def candidates(self, low: float, high: float, low_of_pairs: float = 0) -> Candidates:
        """Merge the words of all parts, and keep the words in `low` to `high` documents."""
        n_rare = n_common = n_words = 0
        kept: list[pl.DataFrame] = []
        is_pair = pl.col("word").bin.contains(b" ")
        wanted = pl.col("frequency").is_between(low, high)
        if low_of_pairs:
            wanted &= ~is_pair | (pl.col("frequency") >= low_of_pairs)
        for block in merge_runs(self.runs):
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
        part, first, target = -1, 0, columns
        with ExitStack() as stack:
            files = {name: stack.enter_context(ArrayReader(self._path(name))) for name in ARRAYS}
            row = 0
            for block in self._blocks:
                if block.part != part:
                    part = block.part
                    target = _targets(self.runs[part], lexicon, columns)
                last = first + block.n_entries
                indptr = np.empty(block.n_documents + 1, np.int64)
                indptr[0], indptr[1:] = 0, files["ends"].read(row, row + block.n_documents) - first
                indices, data = files["indices"].read(first, last), files["data"].read(first, last)
                yield Tally(indptr, indices, data, 0, 0).renumber(target).csr(n_columns)
                row, first = row + block.n_documents, last


class _Part:
    """The words of the documents of one part."""

    def __init__(self) -> None:
        self.lexicon = Lexicon(None)
        self._frequency = np.zeros(0, np.int64)
        self._totals = np.zeros(0, np.int64)

    def add(self, batch: Batch) -> np.ndarray:
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

    def statistics(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of documents that contain each word, and the count of each word."""
        return self._frequency[: self.lexicon.size], self._totals[: self.lexicon.size]


def _targets(run: Run, lexicon: Lexicon, columns: np.ndarray) -> np.ndarray:
    """Return the column of each word of a part; `columns` are the columns of the lexicon."""
    targets = np.full(run.n_words, -1, np.int32)
    for block in run.blocks():
        found = lexicon.match(encoded_spans(block["word"].to_list()))
        targets[block["number"].to_numpy()] = columns[found]
    return targets
