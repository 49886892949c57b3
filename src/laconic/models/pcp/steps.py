"""Engine steps of a fitted PCP, which split the documents of a chunk into codes and keywords."""

from __future__ import annotations

from typing import Any, TypeAlias

from laconic.corpus.chunks import Chunk
from laconic.models.base import as_codes
from laconic.models.pcp.factored import Basis
from laconic.models.pcp.rows import RowPursuit

Splitter: TypeAlias = Basis | RowPursuit  # factored or exact solver


def split_chunk(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: compute the codes, the sparse part (keywords) and the background of a chunk.

    The background is None if it is the product of the codes and the basis.
    """
    X = chunk.load()
    codes, sparse = splitter.split(X)
    background = splitter.background(X, sparse) if isinstance(splitter, RowPursuit) else None
    return (codes, sparse, background), None


def find_keywords(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: find the keywords of a chunk."""
    return splitter.keywords(chunk.load()), None


def find_keywords_and_codes(basis: Basis, chunk: Chunk, state: None) -> tuple[Any, Any]:
    """Engine step: return the keywords of a chunk, and store its codes as the chunk's state."""
    codes, keywords = basis.split(chunk.load())
    return keywords, codes


def encode_chunk(params: tuple[Splitter, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: compute the codes of a chunk."""
    splitter, sparse = params
    return as_codes(splitter.split(chunk.load())[0], sparse), None
