"""Format numbers, lists and nouns for messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WEAK_LEGEND = "* shared by few documents, so often the signature of one author"


def plural(count: int, thing: str, things: str | None = None) -> str:
    """Format a number and a noun, in the singular if the number is 1.

    Examples
    --------
    >>> plural(1, "topic"), plural(1200, "topic"), plural(2, "pass", "passes")
    ('1 topic', '1,200 topics', '2 passes')
    """
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"


def some(names: Iterable[object], n: int = 5) -> str:
    """Join the first `n` names with commas; if there are more names, append "…".

    Examples
    --------
    >>> some("abc"), some("abc", 2)
    ('a, b, c', 'a, b, …')
    """
    texts = [str(name) for name in names]
    return ", ".join(texts if len(texts) <= n else [*texts[:n], "…"])


def size(n_bytes: int) -> str:
    """Format a number of bytes with a suitable unit, such as MB.

    Examples
    --------
    >>> size(831), size(12_345_678)
    ('831 bytes', '12.3 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    value, unit = float(n_bytes), 0
    while value >= 999.95:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {('', 'kB', 'MB', 'GB', 'TB', 'PB')[unit]}"


def percent(share: float) -> str:
    """Format a share between 0 and 1 as a percentage with up to two decimals.

    Examples
    --------
    >>> percent(0.5), percent(0.99968), percent(1.0)
    ('50 %', '99.97 %', '100 %')
    """
    digits = f"{100 * share:.2f}".rstrip("0").rstrip(".")
    return f"{digits} %"


@dataclass(frozen=True)
class Nouns:
    """Plural nouns for the columns and rows of the data, such as "genes" and "samples".

    Examples
    --------
    >>> nouns = Nouns("genes", "samples")
    >>> nouns.term, nouns.n_terms(1), nouns.n_items(50)
    ('gene', '1 gene', '50 samples')
    >>> nouns.fill("{Terms} of each {item}")
    'Genes of each sample'
    """

    terms: str = "words"
    items: str = "documents"

    @property
    def term(self) -> str:
        return singular(self.terms)

    @property
    def item(self) -> str:
        return singular(self.items)

    def n_terms(self, count: int, adjective: str = "") -> str:
        return plural(count, adjective + self.term, adjective + self.terms)

    def n_items(self, count: int) -> str:
        return plural(count, self.item, self.items)

    def fill(self, text: str) -> str:
        """Replace {term}, {terms}, {item} and {items}, which may be capitalised, by the nouns."""
        names = {name: getattr(self, name) for name in ("term", "terms", "item", "items")}
        capitals = {name.title(): noun[:1].upper() + noun[1:] for name, noun in names.items()}
        return text.format(**names, **capitals)

    def found(self, found: int, size: int) -> str:
        """Say how many terms of a set are in the data.

        Examples
        --------
        >>> Nouns("genes").found(2, 37), Nouns().found(3, 3)
        ('2 of 37 genes measured', 'all 3 words in the data')
        """
        where = "in the data" if self.terms == Nouns.terms else "measured"
        if found == size:
            return f"{'all ' if size > 1 else ''}{self.n_terms(size)} {where}"
        return f"{found:,} of {self.n_terms(size)} {where}"


def singular(noun: str) -> str:
    """Return the singular of a regular English plural; other nouns are returned unchanged.

    Examples
    --------
    >>> [singular(noun) for noun in ("genes", "studies", "boxes", "species", "mice")]
    ['gene', 'study', 'box', 'species', 'mice']
    """
    if noun.endswith(("species", "series", "ss")) or not noun.endswith("s"):
        return noun
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[: -2 if noun.endswith(("xes", "ches", "shes", "sses")) else -1]
