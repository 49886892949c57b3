"""Generate docs/benchmarks.md: first the papers, then the peers, then all results.

The text between a begin mark and an end mark of the page is generated from the committed results;
the other text is written by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.checking import stated_tolerance
from benchmarks.harness import ROOT, show
from benchmarks.papers.claims import RULE, Claim, Judged, Results, Tally, judge
from benchmarks.papers.index import BETTER, ENTRIES
from benchmarks.papers.names import PAPERS
from benchmarks.pictures import CHARTS, drawable
from benchmarks.registry import BENCHMARKS
from benchmarks.scale.tables import scaling_tables
from laconic.models import MODELS

PAGE = ROOT / "docs" / "benchmarks.md"
SCALING = ROOT / "docs" / "scaling.md"
PEERS = "peers"
PANEL = "panel"  # its table has one line per model, because it has hundreds of rows
VERDICTS = ("reproduced", "better", "partly", "not reproduced", "not run", "shown")


def read_results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]


def page(results: Sequence[Mapping[str, Any]], text: str | None = None) -> str:
    """Return the page, in which the text between marks is generated again."""
    text = PAGE.read_text(encoding="utf-8") if text is None else text
    named = {result["name"]: result for result in results}
    judged = [judge(entry, named) for entry in ENTRIES]
    for name, lines in {
        "papers": papers(judged, named),
        "better": better(judged, named),
        "missed": missed(judged, named),
        "peers": peers(named),
        "list": listed(named),
        "results": [markdown(results)],
    }.items():
        text = between(text, name, "\n".join(lines))
    return text


def scaling_page(results: Sequence[Mapping[str, Any]], text: str | None = None) -> str:
    """Return docs/scaling.md, in which the tables of measurements are generated again."""
    text = SCALING.read_text(encoding="utf-8") if text is None else text
    named = {result["name"]: result for result in results}
    for name, lines in scaling_tables(named).items():
        text = between(text, name, "\n".join(lines))
    return text


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


# --- the papers ----------------------------------------------------------------------------------


def papers(judged: Sequence[Judged], results: Results) -> list[str]:
    """Return the number of verdicts of each kind, then a table and the charts of each paper."""
    lines = [RULE, "", *_counts(judged)]
    for name, title in PAPERS.items():
        rows = [entry_row(one, results) for one in judged if one.entry.paper == name]
        headings = ("item", "the paper", "ours", "verdict", "reason for differences", "command")
        lines += ["", f"### {name}", "", f"{title}.", "", *table(headings, rows)]
        lines += pictures(name, results)
    return lines


def _counts(judged: Sequence[Judged]) -> list[str]:
    rows = []
    for name in PAPERS:
        found = Counter(one.verdict for one in judged if one.entry.paper == name)
        rows.append([name, *(str(found[verdict] or "") for verdict in VERDICTS)])
    return table(["paper", *VERDICTS], rows, right=", ".join(VERDICTS))


def entry_row(one: Judged, results: Results) -> list[str]:
    """Return the table row of a table or figure of a paper.

    The columns "the paper" and "ours" list the claims in the same order.
    """
    entry = one.entry
    theirs = _numbered([claim.paper for claim in entry.claims]) or entry.said
    ours = _numbered([f"{finding.ours}{_mark(finding.tally)}" for finding in one.findings])
    commands = "<br>".join(f"`{command}`" for command in entry.commands(results))
    return [
        f"**{entry.item}**: {entry.shows}",
        theirs,
        "not run" if one.verdict == "not run" else ours,
        _verdict(one),
        entry.why,
        commands,
    ]


def _numbered(sentences: Sequence[str]) -> str:
    """Number the claims, so that those of the paper can be matched with our results."""
    if len(sentences) < 2:
        return "".join(sentences)
    return "<br>".join(f"{number}. {one}" for number, one in enumerate(sentences, 1))


def _mark(tally: Tally) -> str:
    if not tally.missed:
        return ""
    return " ✗" if tally.missed == tally.total else f" ({tally.missed} of {tally.total} ✗)"


def _verdict(one: Judged) -> str:
    if not one.tally.total:
        return one.verdict
    held = one.tally.met + one.tally.better
    return f"**{one.verdict}** ({held} of {one.tally.total})"


def pictures(place: str, results: Results) -> list[str]:
    lines = []
    for name in drawable(results):
        picture = CHARTS[name]
        if picture.place == place:
            lines += ["", f"![{picture.caption}](pictures/{name}.svg)", "", f"*{picture.caption}*"]
    return lines


# --- better, and not -----------------------------------------------------------------------------


def better(judged: Sequence[Judged], results: Results) -> list[str]:
    """List the claims of papers that our results exceed, and our own claims that hold."""
    rows = [
        (one.entry.name, claim.paper, finding.ours, _commands(one, results))
        for one in judged
        for claim, finding in zip(one.entry.claims, one.findings, strict=False)
        if finding.tally.better and not finding.tally.missed
    ]
    rows += [
        (claim.paper.split(":")[0], claim.paper.split(": ", 1)[1], said, f"`{command}`")
        for claim, said, command, holds in _own(results)
        if holds
    ]
    return table(("source", "claim", "ours", "command"), rows)


def missed(judged: Sequence[Judged], results: Results) -> list[str]:
    """List the claims of papers that our results do not support, and our own missed goals."""
    rows = [
        (one.entry.name, claim.paper, finding.ours, one.entry.why)
        for one in judged
        for claim, finding in zip(one.entry.claims, one.findings, strict=False)
        if finding.tally.missed
    ]
    rows += [
        (claim.paper.split(":")[0], claim.paper.split(": ", 1)[1], said, "")
        for claim, said, _, holds in _own(results)
        if not holds
    ]
    lines = table(("source", "the paper", "ours", "reason for differences"), rows)
    return [*lines, "", *_missed_goals(results)]


def _missed_goals(results: Results) -> list[str]:
    """List the rows of all benchmarks that miss their goal."""
    rows = [
        (
            f"`{name}`",
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
    lead = "Our own goals that are missed, in all benchmarks:"
    headings = ("benchmark", "result", "ours", "compared with", "ratio", "goal")
    return [lead, "", *table(headings, rows, right="ours, ratio")]


def _own(results: Results) -> list[tuple[Claim, str, str, bool]]:
    found = []
    for claim in BETTER:
        if claim.benchmark in results:
            finding = claim.find(results)
            command = results[claim.benchmark]["command"]
            found.append((claim, finding.ours, command, not finding.tally.missed))
    return found


def _commands(one: Judged, results: Results) -> str:
    return "<br>".join(f"`{command}`" for command in one.entry.commands(results))


# --- peers, and everything -----------------------------------------------------------------------


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
    for name, benchmark in BENCHMARKS.items():
        what = (benchmark.__doc__ or "").strip().splitlines()[0]
        goals = [row["met"] for row in results[name]["rows"]] if name in results else []
        goals = [met for met in goals if met is not None]
        ended = "not run" if name not in results else f"{sum(goals)} of {len(goals)}"
        rows.append(
            (f"`{name}`", what, ended if goals or ended == "not run" else "", _long(name, results))
        )
    return table(("name", "description", "goals met", "minutes"), rows, right="goals met, minutes")


def _long(name: str, results: Results) -> str:
    seconds = results[name].get("seconds") if name in results else None
    return "" if seconds is None else f"{max(1, round(seconds / 60))}"


def markdown(results: Sequence[Mapping[str, Any]]) -> str:
    """Return one section for each benchmark result."""
    return "\n\n".join(_section(result) for result in results)


def _section(result: Mapping[str, Any]) -> str:
    about = result["machine"]
    when = f"{result['date'][:10]}, commit {(result['commit'] or 'unknown')[:10]}"
    where = (
        f"{about['cores']} cores, Python {about['python']}, scikit-learn {about['scikit-learn']}"
    )
    headings = ("result", "value", "peer", "peer's value", "ratio", "goal", "met", "tolerance")
    right = "value, peer's value, ratio"
    cells = [_cells(row) for row in result["rows"]]
    lines = [
        f"### {result['name']}",
        "",
        f"`{result['command']}` ({when}; {where}; seed {result['seed']})",
        "",
        *(wide(result) if result["name"] == PANEL else table(headings, cells, right)),
    ]
    if result["notes"]:
        lines += ["", *(f"- {note}" for note in result["notes"])]
    return "\n".join(lines)


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
