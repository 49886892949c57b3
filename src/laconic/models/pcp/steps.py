"""Engine steps of a fitted PCP: split the documents of a chunk into codes and keywords."""

from __future__ import annotations

from typing import Any, TypeAlias

from laconic.corpus.chunks import Chunk
from laconic.models.base import as_codes
from laconic.models.pcp.exact import RowPursuit
from laconic.models.pcp.factored import Basis

Splitter: TypeAlias = Basis | RowPursuit  # splitters of the factored and the exact solver


def split_chunk(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: compute the codes and sparse part of a chunk."""
    return splitter.split(chunk.load()), None


def find_keywords(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: find the keywords of a chunk."""
    return splitter.keywords(chunk.load()), None


def find_keywords_and_codes(basis: Basis, chunk: Chunk, state: None) -> tuple[Any, Any]:
    """Step: find the keywords of a chunk, with its codes as the state."""
    codes, keywords = basis.split(chunk.load())
    return keywords, codes


def encode_chunk(params: tuple[Splitter, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: compute the codes of a chunk."""
    splitter, sparse = params
    return as_codes(splitter.split(chunk.load())[0], sparse), None
