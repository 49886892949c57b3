"""Sets of genes (GMT files), and groups of words made from them.

A line of a GMT file is a name, a description and the genes of the set, separated by tabs. Real sets
overlap; a penalty over groups wants each word in one group. The rule ``"smallest"`` gives each word
to the smallest of its sets, since a small set says most about its members; of sets of one size the
first in the file wins. A word in no set is a group of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.vocabulary import as_strings
from laconic.errors import LaconicError
from laconic.io.column_names import known_columns
from laconic.io.source import Source

logger = logging.getLogger(__name__)

RULES = ("smallest",)


def read_gmt(path: str | Path, *, encoding: str = "utf-8") -> dict[str, list[str]]:
    """Read sets of genes from a GMT file.

    Parameters
    ----------
    path : str or Path
        The file; ``.gz`` too, and ``"-"`` for standard input.
    encoding : str, default="utf-8"
        How the file is encoded.

    Returns
    -------
    dict of str to list of str
        Name of each set to its genes, each gene once, in the order of the file.

    Raises
    ------
    ReadError
        A line is not a set, or a name stands twice; the sentence names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "sets.gmt")
    ...     _ = file.write_text("growth\\tna\\tEGFR\\tMYC\\nrepair\\tna\\tBRCA1\\n")
    ...     read_gmt(file)
    {'growth': ['EGFR', 'MYC'], 'repair': ['BRCA1']}
    """
    source = Source(path, encoding)
    source.require()
    sets: dict[str, list[str]] = {}
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            continue
        name, *rest = (field.strip() for field in line.split("\t"))
        genes = list(dict.fromkeys(gene for gene in rest[1:] if gene))
        if not name or not genes:
            raise source.error(
                number,
                "expected name, description and genes separated by tabs, "
                f"found {len(rest) + 1} field{'s' if rest else ''} and {len(genes)} genes",
            )
        if name in sets:
            raise source.error(number, f"the set {name!r} was there before; give each its own name")
        sets[name] = genes
    if not sets:
        raise source.error(None, "holds no sets")
    return sets


def groups_from_sets(
    sets: Mapping[str, Iterable[str]], vocabulary: Any, rule: str = "smallest"
) -> np.ndarray:
    """One group for each word, from sets that may overlap.

    Parameters
    ----------
    sets : mapping of str to iterable of str
        Members of each set, as `read_gmt` gives them.
    vocabulary : sequence of str, Corpus, Vectorizer, pipeline or model
        The words to be grouped.
    rule : {"smallest"}, default="smallest"
        A word goes to the smallest of its sets (by the number of members in `sets`); of sets of one
        size to the first. A word in no set is a group of its own, named like the word.

    Returns
    -------
    ndarray of str, one for each word
        The name of the word's group.

    Examples
    --------
    >>> sets = {"all": ["EGFR", "MYC", "TP53"], "growth": ["EGFR", "MYC"]}
    >>> groups_from_sets(sets, ["MYC", "TP53", "ACTB"]).tolist()
    ['growth', 'all', 'ACTB']
    """
    if rule not in RULES:
        raise LaconicError(f"rule must be one of {', '.join(map(repr, RULES))}; got {rule!r}")
    words = known_columns(vocabulary).words
    if words is None:
        raise LaconicError("the columns have no names, so no set can be matched to them")
    members = {name: set(genes) for name, genes in sets.items()}
    home: dict[str, str] = {}
    for name in sorted(members, key=lambda name: len(members[name])):  # stable: ties by order
        for gene in members[name]:
            home.setdefault(gene, name)
    known = sum(word in home for word in words)
    if not known:
        raise LaconicError(
            f"none of the {len(words)} words is in a set (the sets have {_some(home)}); "
            "are the names of one kind?"
        )
    logger.info("%d of %d words are in a set", known, len(words))
    return as_strings(home[word] if word in home else _alone(word, members) for word in words)


def _some(genes: Mapping[str, str]) -> str:
    return ", ".join(sorted(genes)[:3]) + ", ..." if genes else "no members"


def _alone(word: str, sets: Mapping[str, Any]) -> str:
    """Name of a group of one, which must not be mistaken for a set."""
    return f"{word} (alone)" if word in sets else word
