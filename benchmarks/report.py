"""Generate the pages of results: docs/papers*.md, docs/benchmarks.md, docs/results, and tables of
docs/scaling.md.

The text between a begin mark and an end mark of a page is generated from the committed results;
the other text is written by hand. The pages in docs/results are generated whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.checking import stated_tolerance
from benchmarks.harness import ROOT, is_committed, show
from benchmarks.markdown import between, table
from benchmarks.papers.page import all_numbers, sections, thresholds
from benchmarks.pictures import CHARTS, drawable
from benchmarks.registry import BENCHMARKS
from benchmarks.scale.tables import scaling_tables
from laconic.models import MODELS

DOCS = ROOT / "docs"
PAGE = DOCS / "benchmarks.md"
PAPERS = DOCS / "papers.md"
NUMBERS = DOCS / "papers-numbers.md"
THRESHOLDS = DOCS / "papers-thresholds.md"
SCALING = DOCS / "scaling.md"
RESULT_PAGES = DOCS / "results"
PEERS = "peers"
PANEL = "panel"  # its table has one line per model, because it has hundreds of rows
Results = Mapping[str, Mapping[str, Any]]


def read_results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]


def pages(results: Sequence[Mapping[str, Any]]) -> dict[Path, str]:
    """Return the text of every generated page."""
    named = {result["name"]: result for result in results}
    benchmarks = {"missed": missed(named), "peers": peers(named), "list": listed(named)}
    found = {
        PAPERS: filled(PAPERS, sections(named)),
        NUMBERS: filled(NUMBERS, all_numbers(named)),
        THRESHOLDS: filled(THRESHOLDS, thresholds()),
        PAGE: filled(PAGE, benchmarks),
        SCALING: filled(SCALING, scaling_tables(named)),
    }
    for name, result in named.items():
        found[RESULT_PAGES / f"{name}.md"] = result_page(result, named)
    return found


def write_pages(results: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Write every generated page, and delete pages of results that no longer exist."""
    written = pages(results)
    RESULT_PAGES.mkdir(exist_ok=True)
    for file in set(RESULT_PAGES.glob("*.md")) - set(written):
        file.unlink()
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return list(written)


def filled(path: Path, content: Mapping[str, Sequence[str]]) -> str:
    """Return a page in which the text between marks is generated again."""
    text = path.read_text(encoding="utf-8")
    for name, lines in content.items():
        text = between(text, name, "\n".join(lines))
    return text


# --- docs/benchmarks.md --------------------------------------------------------------------------


def missed(results: Results) -> list[str]:
    """List the rows of all benchmarks that miss their goal."""
    rows = [
        (
            _link(name),
            row["what"],
            f"{show(row['value'])} {row['unit']}".strip(),
            _peer(row),
            show(row["ratio"]),
            row["goal"],
        )
        for name, result in results.items()
        for row in result["rows"]
        if row["met"] is False
    ]
    headings = ("benchmark", "result", "ours", "compared with", "ratio", "goal")
    return table(headings, rows, right="ours, ratio")


def peers(results: Results) -> list[str]:
    """Return the comparison of all models with their peers: a table and a chart."""
    if PEERS not in results:
        return [f"Not run: `python -m benchmarks run {PEERS}`."]
    result = results[PEERS]
    lines = [
        f"`{result['command']}`; models of laconic are bold. In brackets: time relative to NMF.",
        "",
        *wide(result),
    ]
    return [*lines, *pictures(PEERS, results), "", *(f"- {note}" for note in result["notes"])]


def wide(result: Mapping[str, Any]) -> list[str]:
    """Return a table with one line per model and one column per metric."""
    measured = by_model(result)
    measures = list(dict.fromkeys(what for row in measured.values() for what in row))
    headings = ("model", "topics", *(_with_unit(what, measured) for what in measures))
    rows = [
        (_bold(name), topics, *(_measure(row.get(what), what) for what in measures))
        for (name, topics), row in measured.items()
    ]
    return table(headings, rows, right=", ".join(headings[1:]))


def by_model(result: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Mapping[str, Any]]]:
    """Group rows named "metric, model, K=topics" by model and topics, then by metric."""
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in result["rows"]:
        what, _, rest = row["what"].partition(", ")
        name, _, topics = rest.rpartition(", K=")
        found.setdefault((name, topics), {})[what] = row
    return found


def _bold(name: str) -> str:
    return f"**{name}**" if name.partition(",")[0] in MODELS else name


def _with_unit(what: str, measured: Mapping[Any, Mapping[str, Mapping[str, Any]]]) -> str:
    unit = next(row[what]["unit"] for row in measured.values() if what in row)
    return f"{what} ({unit})" if unit in ("MB", "documents/s") else what


def _measure(row: Mapping[str, Any] | None, what: str) -> str:
    if row is None:
        return ""
    is_clock = what.startswith("seconds") and row["ratio"] is not None
    return show(row["value"]) + (f" ({show(row['ratio'])})" if is_clock else "")


def listed(results: Results) -> list[str]:
    """List every benchmark with its description and the number of goals that it meets."""
    rows = []
    for name in BENCHMARKS:
        goals = [row["met"] for row in results[name]["rows"]] if name in results else []
        goals = [met for met in goals if met is not None]
        ended = "not run" if name not in results else f"{sum(goals)} of {len(goals)}"
        rows.append(
            (
                _link(name) if name in results else f"`{name}`",
                _description(name),
                ended if goals or ended == "not run" else "",
                _long(name, results),
            )
        )
    return table(("name", "description", "goals met", "minutes"), rows, right="goals met, minutes")


def _long(name: str, results: Results) -> str:
    seconds = results[name].get("seconds") if name in results else None
    return "" if seconds is None else f"{max(1, round(seconds / 60))}"


def _link(name: str) -> str:
    return f"[{name}](results/{name}.md)"


# --- docs/results --------------------------------------------------------------------------------


def result_page(result: Mapping[str, Any], results: Results) -> str:
    """Return the page of one result: where it is from, all rows, notes and charts."""
    name, about = result["name"], result["machine"]
    headings = ("result", "value", "peer", "peer's value", "ratio", "goal", "met", "tolerance")
    cells = [_cells(row) for row in result["rows"]]
    lines = [
        "---",
        "orphan: true",
        "---",
        f"# {name}",
        "",
        _description(name),
        "",
        f"`{result['command']}`: {result['date'][:10]}, {_commit(result)}, {about['cores']} cores, "
        f"Python {about['python']}, scikit-learn {about['scikit-learn']}, seed {result['seed']}.",
        "",
        *(wide(result) if name == PANEL else table(headings, cells, "value, peer's value, ratio")),
    ]
    if result["notes"]:
        lines += ["", *(f"- {note}" for note in result["notes"])]
    lines += pictures(name, results, "../")
    return "\n".join(lines) + "\n"


def _description(name: str) -> str:
    return (BENCHMARKS[name].__doc__ or "").strip().splitlines()[0]


def _commit(result: Mapping[str, Any]) -> str:
    changed = "" if is_committed(result) else " with changes that were not committed"
    return f"commit {str(result['commit'] or 'unknown')[:10]}{changed}"


def pictures(benchmark: str, results: Results, up: str = "") -> list[str]:
    """Return the charts that are drawn from the rows of a benchmark."""
    lines = []
    for name in drawable(results):
        chart = CHARTS[name]
        if chart.benchmark == benchmark:
            path = f"{up}pictures/{name}.svg"
            lines += ["", f"![{chart.caption}]({path})", "", f"*{chart.caption}*"]
    return lines


def _cells(row: Mapping[str, Any]) -> list[str]:
    why = f" ({row['why']})" if row.get("why") else ""
    return [
        row["what"] + why,
        f"{show(row['value'])} {row['unit']}".strip(),
        row["peer"] or "",
        show(row["peer_value"]),
        show(row["ratio"]),
        row["goal"] or "",
        {None: "", True: "yes", False: "**no**"}[row["met"]],
        stated_tolerance(row),
    ]


def _peer(row: Mapping[str, Any]) -> str:
    return "" if row["peer"] is None else f"{row['peer']}: {show(row['peer_value'])}"
