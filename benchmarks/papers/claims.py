"""Claims of the papers, judged automatically by the rows of a benchmark.

A claim is a number that the paper prints, or a statement in its text. A number is *met* if our
number differs by at most the margin; a statement is met if our rows agree with it. A number is
*better* if ours is on the good side by more than the margin. All other claims are *missed*. The
verdict on a table or figure is:

- reproduced: no claim is missed;
- better: no claim is missed, and at least one claim is better;
- partly: some claims are missed, but not all;
- not reproduced: all claims are missed;
- not run: a required benchmark has no committed result;
- shown: the paper makes no claim that can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from benchmarks.harness import show

Results = Mapping[str, Mapping[str, Any]]  # name of a benchmark -> its result
MARGIN = 0.1  # default margin of a printed number, as a fraction of the number
RULE = (
    "A number printed in a paper is met if our number differs by at most the margin (10 % unless "
    "stated otherwise). A statement is met if our results agree with it. Reproduced: no claim is "
    "missed. Better: no claim is missed, and at least one of our numbers is better than the "
    "printed number by more than the margin. Partly: some claims are missed (✗). Not reproduced: "
    "all claims are missed. In brackets: the number of claims that hold."
)


class Tally(NamedTuple):
    """Number of claims with each outcome."""

    met: int = 0
    better: int = 0
    missed: int = 0

    def __add__(self, other: Tally) -> Tally:  # type: ignore[override]
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def total(self) -> int:
        return sum(self)


class Finding(NamedTuple):
    """A claim compared with our rows."""

    paper: str
    ours: str
    tally: Tally


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, the benchmark and rows that it is compared with, and a judge function."""

    paper: str
    benchmark: str
    rows: tuple[str, ...]  # glob patterns of row names
    judge: Callable[[Sequence[float]], tuple[str, Tally]]
    of: str = "value"  # "value" of a row, its "ratio" to the peer, or the "inverse" of the ratio

    def find(self, results: Results) -> Finding:
        rows = [row_of(results[self.benchmark], pattern) for pattern in self.rows]
        values = [_number(row, self.of) for row in rows]
        return Finding(self.paper, *self.judge(values))


def row_of(result: Mapping[str, Any], pattern: str) -> Mapping[str, Any]:
    """Return the first row that matches; a part after `` | `` is the pattern of the peer's name."""
    what, _, peer = pattern.partition(" | ")
    for row in result["rows"]:
        if fnmatchcase(row["what"], what) and fnmatchcase(row["peer"] or "", peer or "*"):
            return row
    raise LookupError(
        f"Benchmark {result['name']} has no row '{pattern}'; check whether it was renamed."
    )


def _number(row: Mapping[str, Any], of: str) -> float:
    return 1 / float(row["ratio"]) if of == "inverse" else float(row[of])


# --- kinds of claims -----------------------------------------------------------------------------


def printed(
    benchmark: str,
    numbers: Mapping[str, float],
    *,
    label: str = "",
    about: str = "",
    margin: float = MARGIN,
    good: str | None = None,
    unit: str = "",
) -> Claim:
    """Return a claim about printed numbers; `numbers` maps the pattern of our row to the number.

    `good` is "lower" or "higher" if such a number is better. `about` is a word that the paper puts
    before the number, such as "around".
    """

    def judge(values: Sequence[float]) -> tuple[str, Tally]:
        tally = Tally()
        for value, number in zip(values, numbers.values(), strict=True):
            tally += _one(value, number, margin, good)
        return f"{label} {_list(values)}{unit}".strip(), tally

    stated = "" if margin == MARGIN else f" (margin {100 * margin:.3g} %)"
    paper = f"{label} {about}{_list(list(numbers.values()))}{unit}{stated}".strip()
    return Claim(paper, benchmark, tuple(numbers), judge)


def _one(value: float, number: float, margin: float, good: str | None) -> Tally:
    away = value - number
    if abs(away) <= margin * abs(number) + 1e-12:
        return Tally(met=1)
    is_better = (good == "lower" and away < 0) or (good == "higher" and away > 0)
    return Tally(better=1) if is_better else Tally(missed=1)


def stated(
    paper: str,
    benchmark: str,
    rows: Sequence[str],
    holds: Callable[..., bool],
    ours: str,
    of: str = "value",
) -> Claim:
    """Return a claim about rows; `ours` is a format string for the row values {0}, {1}, …"""

    def judge(values: Sequence[float]) -> tuple[str, Tally]:
        said = ours.format(*(show(value) for value in values))
        return said, Tally(met=1) if holds(*values) else Tally(missed=1)

    return Claim(paper, benchmark, tuple(rows), judge, of)


def above(paper: str, benchmark: str, high: str, low: str, unit: str = "") -> Claim:
    """Return the claim that the value of the row `high` is above the value of the row `low`."""
    return stated(paper, benchmark, (high, low), lambda a, b: a > b, f"{{0}} against {{1}}{unit}")


def below(
    paper: str, benchmark: str, low: str, high: str, unit: str = "", times: float = 1
) -> Claim:
    """Return the claim that the row `high` is at least `times` as large as the row `low`."""

    def holds(a: float, b: float) -> bool:
        return a < b if times == 1 else times * a <= b

    return stated(paper, benchmark, (low, high), holds, f"{{0}} against {{1}}{unit}")


def _list(values: Sequence[float]) -> str:
    return ", ".join(show(value) for value in values)


# --- tables and figures --------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A table or figure of a paper."""

    paper: str
    item: str
    shows: str
    benchmarks: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    why: str = ""  # reason for differences between the paper and our results
    said: str = ""  # text for the column "the paper" if there are no claims

    @property
    def name(self) -> str:
        return f"{self.paper}, {self.item}"

    def commands(self, results: Results) -> list[str]:
        return [
            str(results[name]["command"]) if name in results else f"python -m benchmarks run {name}"
            for name in self.benchmarks
        ]


class Judged(NamedTuple):
    """A table or figure with the verdict on its claims."""

    entry: Entry
    findings: list[Finding]
    verdict: str
    tally: Tally


def judge(entry: Entry, results: Results) -> Judged:
    """Judge an entry by the rules in the docstring of this module."""
    if any(name not in results for name in entry.benchmarks):
        return Judged(entry, [], "not run", Tally())
    findings = [claim.find(results) for claim in entry.claims]
    tally = sum((finding.tally for finding in findings), Tally())
    return Judged(entry, findings, verdict(tally), tally)


def verdict(tally: Tally) -> str:
    """Return the verdict on a table or figure."""
    if not tally.total:
        return "shown"
    if not tally.missed:
        return "better" if tally.better else "reproduced"
    return "partly" if tally.met + tally.better else "not reproduced"
