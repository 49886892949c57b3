"""A few chunks of a corpus store, saved as a small store of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.corpus import Corpus
from laconic.corpus.store import METADATA

N_CHUNKS = 3


def spread_chunks(chunks: list[Chunk], n_chosen: int = N_CHUNKS) -> list[Chunk]:
    """Return some chunks that are spread evenly, because a corpus is often sorted.

    The last chunk is not chosen if there are others, because it may be short.
    """
    last = max(len(chunks) - 1, 1)
    chosen = np.unique((np.arange(n_chosen) + 0.5) * last / n_chosen).astype(int)
    return [chunks[i] for i in np.unique(chosen)]


def save_sample(corpus: Corpus, chunks: list[Chunk], path: Path, classes: bool) -> Corpus:
    """Save the documents of some chunks as a store, and return them.

    If `classes`, documents are left out whose class no other document of the sample has.
    """
    parts = [corpus[chunk.start : chunk.stop] for chunk in chunks]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in METADATA
        if corpus.has(name)
    }
    sample = Corpus(
        sp.vstack([part.counts for part in parts], format="csr"),
        corpus.vocabulary,
        vectorizer=corpus.vectorizer,
        **columns,
    )
    if classes and sample.labels is not None:
        _, inverse, counts = np.unique(
            sample.labels.astype(str), return_inverse=True, return_counts=True
        )
        sample = sample[counts[inverse] > 1]
    sample.save(path)
    return sample
