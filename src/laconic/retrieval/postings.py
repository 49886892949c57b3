"""Postings: for each stem, the documents that contain it and how often.

The arrays are in memory or in files. A query reads only the postings of its stems. BM25 weights are
computed from the counts when postings are read, which takes less space than storing them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.errors import ModelFileError
from laconic.files.array_collector import ArrayCollector
from laconic.files.array_reader import ArrayReader
from laconic.files.scratch_folder import ScratchFolder
from laconic.kernels.postings import add_weights

K1, B = 1.5, 0.75
ENTRIES = 1 << 20  # approximate number of postings per block


class Postings:
    """Documents of each stem, with their BM25 weights.

    Parameters
    ----------
    documents : array of int32
        Documents of all stems, one stem after the other, in ascending order.
    counts : array of numbers
        How often a document contains the stem; the weights themselves if `norms` is None.
    ends : ndarray of int64
        Position where the postings of each stem end.
    norms : ndarray of float32 or None
        ``k1 (1 - b + b · length / mean length)`` of each document.
    n_documents : int
    path : Path, optional
        Folder of the files; None if the arrays need no checks.

    `documents` and `counts` are arrays, or readers of arrays in files.
    """

    def __init__(
        self,
        documents: Any,
        counts: Any,
        ends: np.ndarray,
        norms: np.ndarray | None,
        n_documents: int,
        path: Path | None = None,
    ) -> None:
        self.documents, self.counts = documents, counts
        self.ends = ends
        self.norms = norms
        self.path = path
        self.shape = (len(ends), n_documents)

    def frequency(self, stems: np.ndarray) -> np.ndarray:
        """Return the number of documents that contain each stem."""
        stems = np.asarray(stems)
        starts = np.where(stems > 0, self.ends[stems - 1], 0) if len(self.ends) else stems
        return self.ends[stems] - starts

    def idf(self, stems: np.ndarray) -> np.ndarray:
        """Return the inverse document frequency of each stem."""
        return idf(self.frequency(stems).astype(np.float64), self.shape[1])

    def documents_of(self, stem: int) -> np.ndarray:
        """Return the documents that contain a stem, in ascending order."""
        start, stop = self._bounds(stem)
        return self._checked(np.asarray(self.documents[start:stop]))

    def entries(self, stem: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the documents that contain a stem, and its weights in the documents (float32)."""
        start, stop = self._bounds(stem)
        documents = self._checked(np.asarray(self.documents[start:stop]))
        return documents, self._weights(documents, self.counts[start:stop], np.array([stem]))

    def add(self, stems: np.ndarray, scores: np.ndarray) -> None:
        """Add the weights of stems to the scores of the documents (float32) that contain them."""
        if self.norms is None:
            for stem in stems.tolist():
                documents, weights = self.entries(stem)
                scores[documents] += weights
            return
        idf = self.idf(stems).astype(np.float32)
        if self.path is None and isinstance(self.documents, np.ndarray):
            stops = self.ends[stems]
            starts = stops - self.frequency(stems)
            add_weights(self.documents, self.counts, self.norms, starts, stops, idf, scores)
            return
        for number, stem in enumerate(stems.tolist()):
            start, stop = self._bounds(stem)
            documents = self._checked(np.asarray(self.documents[start:stop]))
            counts = self._checked_counts(self.counts[start:stop])
            bounds = np.array([0, stop - start])
            part = slice(number, number + 1)
            add_weights(documents, counts, self.norms, bounds[:1], bounds[1:], idf[part], scores)

    def document(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the stems of a document in ascending order, and their weights."""
        positions = [np.zeros(0, np.int64)]
        for start in range(0, len(self.documents), ENTRIES):
            block = np.asarray(self.documents[start : start + ENTRIES])
            positions.append(np.flatnonzero(block == row) + start)
        found = np.concatenate(positions)
        stems = np.searchsorted(self.ends, found, side="right")
        counts = np.array([self.counts[position] for position in found.tolist()])
        return stems, self._weights(np.full(len(found), row), counts, stems)

    def matrix(self) -> sp.csr_matrix:
        """Return all weights as a matrix of stems x documents."""
        parts = [self.entries(stem) for stem in range(self.shape[0])]
        data = np.concatenate([np.zeros(0, np.float32), *(weights for _, weights in parts)])
        indices = np.concatenate([np.zeros(0, np.int32), *(documents for documents, _ in parts)])
        return sp.csr_matrix((data, indices, np.concatenate([[0], self.ends])), self.shape)

    def check(self) -> None:
        """Read all postings, and raise an error if a file is damaged."""
        for stem in range(self.shape[0]):
            self.entries(stem)

    def _bounds(self, stem: int) -> tuple[int, int]:
        return int(self.ends[stem - 1]) if stem else 0, int(self.ends[stem])

    def _weights(self, documents: np.ndarray, counts: Any, stems: np.ndarray) -> np.ndarray:
        tf = self._checked_counts(counts)
        if self.norms is None:
            return tf
        weights = tf / (tf + self.norms[documents])
        weights *= self.idf(stems).astype(np.float32)
        return weights

    def _checked_counts(self, counts: Any) -> np.ndarray:
        tf = np.asarray(counts, np.float32)
        # The comparison is also false if a value is NaN.
        if self.path is not None and tf.size and not (tf.min() >= 0 and tf.max() < np.inf):
            raise self._damaged("some weights of words are not positive numbers")
        return tf

    def _checked(self, documents: np.ndarray) -> np.ndarray:
        if self.path is not None and documents.size:
            if not (documents[0] >= 0 and documents[-1] < self.shape[1]):
                raise self._damaged("the postings of a word refer to unknown documents")
            if not np.all(documents[1:] > documents[:-1]):
                raise self._damaged("the documents of a word are not sorted or occur twice")
        return documents

    def _damaged(self, problem: str) -> ModelFileError:
        return ModelFileError(
            self.path or "index", f"is damaged: its search index is not valid: {problem}"
        )


def idf(frequency: np.ndarray, n_documents: int) -> np.ndarray:
    """Return the inverse document frequency of BM25."""
    return np.log1p((n_documents - frequency + 0.5) / (frequency + 0.5))


class _Run(NamedTuple):
    """Postings of a part of the documents: arrays, or paths of arrays in files.

    The files are opened only when they are read, because there may be many parts.
    """

    first: int  # number of the first document
    documents: Any  # numbered from 0 in each part
    counts: Any
    indptr: Any


class PostingsBuilder:
    """Builds postings from parts of the documents, in memory or in a scratch folder.

    The postings of each part are sorted by stem and written to files. At the end, the files are
    merged, one block of stems after the other.
    """

    def __init__(self, scratch: ScratchFolder | None) -> None:
        self.scratch = scratch
        self.n_documents = 0
        self._runs: list[_Run] = []
        self._lengths: list[np.ndarray] = []
        self._largest = 0.0
        self._is_whole = True

    def append(self, counts: sp.csr_matrix) -> None:
        """Add the next documents: a matrix of stems x documents, with the stems found so far."""
        counts.sum_duplicates()
        self._lengths.append(np.bincount(counts.indices, counts.data, minlength=counts.shape[1]))
        if counts.nnz:
            self._largest = max(self._largest, float(counts.data.max()))
            is_float = counts.dtype.kind == "f"
            self._is_whole &= not is_float or bool((counts.data == np.rint(counts.data)).all())
        arrays = (counts.indices, counts.data, counts.indptr.astype(np.int64))
        self._runs.append(_Run(self.n_documents, *self._stored(arrays)))
        self.n_documents += counts.shape[1]

    def finish(self, order: np.ndarray) -> Postings:
        """Return the postings; `order` has the number of each stem in the final order."""
        self._runs = [self._sorted(run, order) for run in self._runs]
        frequency = np.zeros(len(order), np.int64)
        for run in self._runs:
            frequency += np.diff(_opened(run.indptr)[:])
        ends = np.cumsum(frequency)
        documents = ArrayCollector(self.scratch, "postings.documents", np.int32)
        counts = ArrayCollector(self.scratch, "postings.counts", self._dtype())
        for start, stop in _blocks(ends):
            merged = self._merged(start, stop)
            documents.append(merged[0])
            counts.append(merged[1])
        lengths = np.concatenate([np.zeros(0), *self._lengths])
        mean = float(lengths.mean()) if len(lengths) else 0.0
        norms = K1 * (1 - B + B * lengths / max(mean, 1e-300))
        return Postings(
            documents.finish(), counts.finish(), ends, norms.astype(np.float32), self.n_documents
        )

    def _dtype(self) -> Any:
        """Return the smallest type for the counts."""
        sizes = {np.uint8: 255, np.uint16: 65_535}
        small = [kind for kind, most in sizes.items() if self._is_whole and self._largest <= most]
        return small[0] if small else np.float32

    def _stored(self, arrays: tuple[np.ndarray, ...]) -> tuple[Any, ...]:
        if self.scratch is None:
            return arrays
        stored: list[Path] = []
        for name, array in zip(("documents", "counts", "indptr"), arrays, strict=True):
            path = self.scratch.path / f"run-{len(self._runs)}.{name}.npy"
            np.save(path, array)
            stored.append(path)
        return tuple(stored)

    def _sorted(self, run: _Run, order: np.ndarray) -> _Run:
        """Return a part with the stems in their final order."""
        indptr = _opened(run.indptr)[:]
        known = np.append(np.diff(indptr), np.zeros(len(order) - len(indptr) + 1, np.int64))
        starts = np.append(indptr[:-1], np.zeros(len(order) - len(indptr) + 1, np.int64))
        lengths, starts = known[order], starts[order]
        ends = np.cumsum(lengths)
        positions = np.arange(ends[-1] if len(ends) else 0)
        positions += np.repeat(starts - (ends - lengths), lengths)
        arrays = (
            _opened(run.documents)[:][positions],
            _opened(run.counts)[:][positions],
            np.concatenate([np.zeros(1, np.int64), ends]),
        )
        if self.scratch is None:
            return _Run(run.first, *arrays)
        for path, array in zip(run[1:], arrays, strict=True):
            np.save(path, array)
        return run

    def _merged(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the documents and counts of the stems ``start:stop``."""
        documents, counts, stems = [], [], []
        for run in self._runs:
            bounds = _opened(run.indptr)[start : stop + 1]
            first, last = int(bounds[0]), int(bounds[-1])
            documents.append(_opened(run.documents)[first:last] + np.int32(run.first))
            counts.append(_opened(run.counts)[first:last])
            stems.append(np.repeat(np.arange(stop - start, dtype=np.int32), np.diff(bounds)))
        if len(self._runs) == 1:
            return documents[0], counts[0]
        # The sort is stable, and each part is sorted, so the documents of a stem stay sorted.
        order = np.argsort(np.concatenate(stems), kind="stable")
        return np.concatenate(documents)[order], np.concatenate(counts)[order]


def _opened(array: np.ndarray | Path) -> Any:
    return ArrayReader(array) if isinstance(array, Path) else array


def _blocks(ends: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the first and last stem of blocks of about `ENTRIES` postings."""
    total = int(ends[-1]) if len(ends) else 0
    limits = np.arange(ENTRIES, total, ENTRIES)
    starts = np.unique(np.concatenate([[0], np.searchsorted(ends, limits, "right"), [len(ends)]]))
    return pairwise(starts.tolist())
