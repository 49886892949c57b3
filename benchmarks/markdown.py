"""Markdown of generated pages: tables, and text between marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def between(text: str, name: str, content: str) -> str:
    """Replace the text between the begin mark and the end mark of a section."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"The page has no section {name}; add the marks {begin} … {end}.")
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> list[str]:
    """Return a Markdown table; columns named in `right` are right-aligned."""
    under = ["---:" if heading in right.split(", ") else "---" for heading in headings]
    return [_line(headings), _line(under), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
