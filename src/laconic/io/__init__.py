"""Readers that build a Corpus from files or from data in memory, with one module per format."""

from __future__ import annotations

from laconic.io.batches import read_batches
from laconic.io.column_names import read_word_list
from laconic.io.formats import BAGS, READERS, format_of, holds_text
from laconic.io.gene_sets import groups_from_sets, read_gmt
from laconic.io.read import convert, read, read_any_size
from laconic.io.seed_files import read_seeds

__all__ = [
    "BAGS",
    "READERS",
    "convert",
    "format_of",
    "groups_from_sets",
    "holds_text",
    "read",
    "read_any_size",
    "read_batches",
    "read_gmt",
    "read_seeds",
    "read_word_list",
]
