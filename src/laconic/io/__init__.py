"""Readers, one format in each file: whatever holds documents becomes a Corpus."""

from __future__ import annotations

from laconic.io.formats import READERS
from laconic.io.genesets import groups_from_sets, read_gmt
from laconic.io.read import read

__all__ = ["READERS", "groups_from_sets", "read", "read_gmt"]
