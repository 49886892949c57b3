"""Read gene sets from GMT files, and build disjoint groups of words from gene sets.

A line of a GMT file contains the name, the description and the genes of one set, separated by tabs.
Real sets overlap, and ``SparseLSA(groups=...)`` accepts sets that overlap. For methods that need
each word to be in exactly one group, the rule ``"smallest"`` assigns each word to the smallest set
that contains it, which is the most specific set. If several sets have the same size, the first set
in the file is used. A word that is in no set forms its own group.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.vocabulary import as_strings
from laconic.errors import LaconicError
from laconic.io.column_names import column_info
from laconic.io.source import Source
from laconic.wording import plural, some

logger = logging.getLogger(__name__)

RULES = ("smallest",)
IDENTIFIERS = {
    "Ensembl ids": re.compile(r"ENS[A-Z]*[GTP]\d{6,}(\.\d+)?"),
    "numbers, which may be Entrez ids": re.compile(r"\d+"),
    "Affymetrix probes": re.compile(r"\w+_at"),
}


def read_gmt(path: str | Path, *, encoding: str = "utf-8") -> dict[str, list[str]]:
    """Read gene sets from a GMT file.

    Parameters
    ----------
    path : str or Path
        Path of the file, which may be gzipped, or ``"-"`` for standard input.
    encoding : str, default="utf-8"
        Encoding of the file.

    Returns
    -------
    dict of str to list of str
        Maps the name of each set to its genes, without duplicates and in the order of the file.

    Raises
    ------
    ReadError
        A line is not a valid gene set, or the name of a set occurs twice. The message gives the
        line number.

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
                "expected a name, a description and genes separated by tabs, "
                f"found {len(rest) + 1} field{'s' if rest else ''} and {len(genes)} genes",
            )
        if name in sets:
            raise source.error(
                number, f"the name {name!r} is used for two gene sets; rename one of the sets"
            )
        sets[name] = genes
    if not sets:
        raise source.error(None, "contains no gene sets")
    return sets


def groups_from_sets(
    sets: Mapping[str, Iterable[str]], vocabulary: Any, rule: str = "smallest"
) -> np.ndarray:
    """Assign each word to exactly one group, based on sets that may overlap.

    Parameters
    ----------
    sets : mapping of str to iterable of str
        Members of each set, as returned by `read_gmt`.
    vocabulary : sequence of str, Corpus, Vectorizer, pipeline or model
        The words to group.
    rule : {"smallest"}, default="smallest"
        Each word is assigned to the smallest set that contains it, where the size is the number of
        members in `sets`. If several sets have the same size, the first set is used. A word that is
        in no set forms its own group, named after the word.

    Returns
    -------
    ndarray of str of shape (n_words,)
        Name of the group of each word.

    Examples
    --------
    >>> sets = {"all": ["EGFR", "MYC", "TP53"], "growth": ["EGFR", "MYC"]}
    >>> groups_from_sets(sets, ["MYC", "TP53", "ACTB"]).tolist()
    ['growth', 'all', 'ACTB']
    """
    if rule not in RULES:
        raise LaconicError(f"rule must be one of {', '.join(map(repr, RULES))}; got {rule!r}")
    words = column_info(vocabulary).words
    if words is None:
        raise LaconicError(
            "the corpus or model in vocabulary= contains no words, so gene sets cannot be matched "
            "to its columns; pass a list of gene names"
        )
    members = {name: list(genes) for name, genes in sets.items()}
    groups = smallest_sets(members)
    n_matched = sum(word in groups for word in words)
    if not n_matched:
        raise no_common_word("the gene sets", members, words)
    logger.info("%d of %d words are in at least one gene set", n_matched, len(words))
    return as_strings(groups[word] if word in groups else _alone(word, members) for word in words)


def smallest_sets(sets: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the name of the smallest set that contains each word, or the first of equal sets."""
    members = {name: set(genes) for name, genes in sets.items()}
    smallest: dict[str, str] = {}
    for name in sorted(members, key=lambda name: len(members[name])):  # Python sorts stably.
        for gene in members[name]:
            smallest.setdefault(gene, name)
    return smallest


def no_common_word(
    what: str, sets: Mapping[str, Iterable[str]], words: Iterable[str]
) -> LaconicError:
    """Return the error for sets that contain none of the words; it suggests the reason."""
    names = list(map(str, words))
    genes = list(dict.fromkeys(str(gene) for members in sets.values() for gene in members))
    return LaconicError(
        f"None of the {plural(len(names), 'word')} of the data ({some(names, 3)}) is in {what}, "
        f"which {f'contain {some(genes, 3)}' if genes else 'are empty'}. {_reason(names, genes)}"
    )


def _reason(words: list[str], genes: list[str]) -> str:
    """Return a sentence about why words and genes do not match, and what to do."""
    known = set(genes)
    upper = {gene.upper(): gene for gene in genes}
    for word in words:
        if (gene := upper.get(word.upper())) is not None:
            return f"The case differs, as in {word!r} and {gene!r}; rename the columns of the data."
    for word in words:
        for part in (word.strip(), word.partition(".")[0], *re.split(r"[|_ ]", word)):
            if part and part != word and part in known:
                return (
                    f"The data contains {word!r} and the sets {part!r}; rename the columns of the "
                    "data."
                )
    ids = [kind for kind, form in IDENTIFIERS.items() if any(map(form.fullmatch, words))]
    if ids and not any(map(IDENTIFIERS[ids[0]].fullmatch, genes)):
        return f"The data contains {ids[0]}; convert them to the names that the sets use."
    return "The data and the sets must use the same names."


def _alone(word: str, sets: Mapping[str, Any]) -> str:
    """Return a name for the group of a single word, which differs from the names of all sets."""
    return f"{word} (alone)" if word in sets else word
