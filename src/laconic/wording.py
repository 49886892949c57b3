"""Wording of messages: numbers, lists and common phrases."""

from __future__ import annotations

from collections.abc import Iterable

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
