"""Steps of a fitted PCP: documents of a chunk as codes of the background and keywords."""

from __future__ import annotations

from typing import Any, TypeAlias

from laconic.corpus.chunks import Chunk
from laconic.models.base import as_codes
from laconic.models.pcp.exact import RowPursuit
from laconic.models.pcp.factored import Basis

Splitter: TypeAlias = Basis | RowPursuit  # of the factored and the exact solver


def parts_of(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: codes and sparse part of a chunk."""
    return splitter.split(chunk.load()), None


def keywords_in(splitter: Splitter, chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: keywords of a chunk."""
    return splitter.keywords(chunk.load()), None


def keywords_and_codes(basis: Basis, chunk: Chunk, state: None) -> tuple[Any, Any]:
    """Step: keywords of a chunk, and its codes as the state."""
    codes, keywords = basis.split(chunk.load())
    return keywords, codes


def codes_of(params: tuple[Splitter, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: codes of a chunk."""
    splitter, sparse = params
    return as_codes(splitter.split(chunk.load())[0], sparse), None
