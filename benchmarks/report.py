"""Written results as Markdown, and the page of the documentation that shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, show

PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def read_results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]


def markdown(results: Sequence[dict[str, Any]]) -> str:
    """One section for each result."""
    return "\n\n".join(_section(result) for result in results)


def _section(result: dict[str, Any]) -> str:
    about = result["machine"]
    when = f"{result['date'][:10]}, commit {(result['commit'] or 'unknown')[:10]}"
    where = (
        f"{about['cores']} cores, Python {about['python']}, scikit-learn {about['scikit-learn']}"
    )
    lines = [
        f"### {result['name']}",
        "",
        f"`{result['command']}` ({when}; {where}; seed {result['seed']})",
        "",
        "| what | value | peer | peer's value | ratio | goal | met |",
        "| --- | ---: | --- | ---: | ---: | --- | --- |",
    ]
    for row in result["rows"]:
        met = {None: "", True: "yes", False: "**no**"}[row["met"]]
        cells = (
            row["what"],
            f"{show(row['value'])} {row['unit']}".strip(),
            row["peer"] or "",
            show(row["peer_value"]),
            show(row["ratio"]),
            row["goal"] or "",
            met,
        )
        lines.append(f"| {' | '.join(cells)} |")
    if result["notes"]:
        lines += ["", *(f"- {note}" for note in result["notes"])]
    return "\n".join(lines)


def write_page(results: Sequence[dict[str, Any]], page: Path = PAGE) -> None:
    """Replace what stands between the two marks of the page."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} has no place for results: {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n\n{markdown(results)}\n\n{END}{after}", encoding="utf-8")
