"""Tables of docs/scaling.md, which are generated from the results of the benchmarks of scale."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.harness import show

Results = Mapping[str, Mapping[str, Any]]


def scaling_tables(results: Results) -> dict[str, list[str]]:
    """Return the lines of each section of the page."""
    return {
        "scale-commands": _commands(results.get("scale-commands")),
        "scale-documents": _documents(results.get("scale-documents")),
        "scale-sizes": _sizes(results.get("scale-sizes")),
        "scale-wikipedia": _plain("scale-wikipedia", results),
        "scale-nonzeros": _plain("scale-nonzeros", results),
        "scale-dask": _plain("scale-dask", results),
    }


def _commands(result: Mapping[str, Any] | None) -> list[str]:
    """One line per command, and one column of time and memory per number of documents."""
    if result is None:
        return _missing("scale-commands")
    pattern = r"(?P<line>.+), (?P<column>[\d,]+) documents: (?P<part>time|peak memory|output)"
    cells = _cells(result, pattern)
    parts = {"time": "{} s", "peak memory": "{} MB", "output": "{} MB"}
    return _grid("command", cells, "{} documents", parts)


def _documents(result: Mapping[str, Any] | None) -> list[str]:
    if result is None:
        return _missing("scale-documents")
    cells = _cells(result, r"(?P<line>\w+), (?P<column>[\d,]+) documents(: (?P<part>[a-z ]+))?")
    exponents = _cells(result, r"(?P<line>\w+): (?P<column>exponent)(?P<part>)?")
    parts = {"": "{} s", "passes": "{} passes", "peak memory": "{} MB"}
    lines = _grid("model", cells, "{} documents", parts)
    lines[0] += " exponent of time |"
    lines[1] += " ---: |"
    for place, name in enumerate(cells, 2):
        lines[place] += f" {show(exponents[name]['exponent'][''])} |"
    return lines


def _sizes(result: Mapping[str, Any] | None) -> list[str]:
    if result is None:
        return _missing("scale-sizes")
    cells = _cells(
        result, r"(?P<column>\w+), (?P<line>[\d,]+ words, \d+ topics)(: (?P<part>[a-z ]+))?"
    )
    return _grid("size", cells, "{}", {"": "{} s", "peak memory": "{} MB"})


def _plain(name: str, results: Results) -> list[str]:
    """Return all rows of a benchmark."""
    if name not in results:
        return _missing(name)
    lines = ["| what | value | compared with |", "| --- | ---: | --- |"]
    for row in results[name]["rows"]:
        peer = f"{row['peer']}: {show(row['peer_value'])} {row['unit']}" if row["peer"] else ""
        lines.append(f"| {row['what']} | {show(row['value'])} {row['unit']} | {peer} |")
    return lines


def _missing(name: str) -> list[str]:
    return [f"Not measured yet: `python -m benchmarks run {name}`, then `… report`."]


def _cells(result: Mapping[str, Any], pattern: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return the values of the rows whose name matches, by line, column and part."""
    cells: dict[str, dict[str, dict[str, float]]] = {}
    for row in result["rows"]:
        if found := re.fullmatch(pattern, row["what"]):
            cell = cells.setdefault(found["line"], {}).setdefault(found["column"], {})
            cell[found["part"] or ""] = row["value"]
    return cells


def _grid(
    heading: str,
    cells: Mapping[str, Mapping[str, Mapping[str, float]]],
    column: str,
    parts: Mapping[str, str],
) -> list[str]:
    """Return a table with all parts of a cell in one place, such as "9.5 s, 498 MB"."""
    names = list(dict.fromkeys(name for line in cells.values() for name in line))
    rows: list[Sequence[str]] = [
        [heading, *(column.format(name) for name in names)],
        ["---", *["---:"] * len(names)],
    ]
    for line, found in cells.items():
        texts = [
            ", ".join(
                form.format(show(found[name][part]))
                for part, form in parts.items()
                if part in found.get(name, {})
            )
            for name in names
        ]
        rows.append([line, *texts])
    return [f"| {' | '.join(row)} |" for row in rows]
