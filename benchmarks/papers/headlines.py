"""Headlines: one number or statement of a paper, beside what their algorithm and laconic give.

Nobody types a verdict: it is computed from committed rows. The column "their algorithm" is the
algorithm as the paper prints it, run by us; the column "laconic" is what users get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.harness import is_committed, show

Results = Mapping[str, Mapping[str, Any]]  # name of a benchmark -> its result
MARGIN = 0.1  # a printed number is met if ours differs by at most this share of it


class Verdict(Enum):
    """The five kinds of verdict, and the state of a row without a usable result."""

    EQUAL = "equal"
    READING = "under a reading"
    OURS = "only laconic"
    NO = "no"
    NO_DATA = "no data"
    NOT_RUN = "not run"


MEANING = {
    Verdict.EQUAL: "Their algorithm, run by us, gives their number (within 10 % if it is printed, "
    "unless the table of thresholds says otherwise) or agrees with their statement.",
    Verdict.READING: "The same, but the paper leaves something open, and we chose the reading that "
    "the row names.",
    Verdict.OURS: "Their algorithm does not give it, or was not run; laconic's does.",
    Verdict.NO: "Neither gives it.",
    Verdict.NO_DATA: "The data, or the program to compare with, are not to be had. If the row has "
    "a number, it is from other data, and does not count.",
    Verdict.NOT_RUN: "There is no result from committed code yet.",
}


@dataclass(frozen=True)
class Cell:
    """Rows of a benchmark, and a format string for their values {0}, {1}, …"""

    benchmark: str
    rows: tuple[str, ...]  # glob patterns of row names; see `row_of`
    text: str = "{0}"
    # "value", "peer_value" or "ratio", "pair" (value and peer's), or "percent lower" than the peer
    of: str = "value"

    def usable(self, results: Results) -> bool:
        """Return whether the result exists and was made from committed code."""
        found = results.get(self.benchmark)
        return found is not None and is_committed(found)

    def values(self, results: Results) -> list[float]:
        rows = [row_of(results[self.benchmark], pattern) for pattern in self.rows]
        if self.of == "percent lower":
            return [100 * (1 - float(row["ratio"])) for row in rows]
        keys = ("value", "peer_value") if self.of == "pair" else (self.of,)
        return [float(row[key]) for row in rows for key in keys]

    def shown(self, results: Results) -> str:
        return self.text.format(*map(show, self.values(results))) + self._spread(results)

    def _spread(self, results: Results) -> str:
        """Return the standard deviation of a single value, if the row states it: " (± 0.53)"."""
        why = row_of(results[self.benchmark], self.rows[0]).get("why") or ""
        is_single = self.of == "value" and len(self.rows) == 1
        number = why.split()[1] if is_single and why.startswith("± ") else ""
        return f" (± {number})" if number else ""


@dataclass(frozen=True)
class Headline:
    """One number or statement of a paper."""

    paper: str
    where: str  # such as "table 2 (a)"
    says: str
    theirs: str
    holds: Callable[..., bool] = lambda *_: False  # of the values of a cell
    literal: Cell | None = None  # their algorithm, run by us
    ours: Cell | None = None  # what users of laconic get
    same: str = "yes"  # whether data and protocol are theirs; if not, the difference
    seeds: str = "1"
    reading: str = ""  # what the paper leaves open, and how we read it
    judged: str = ""  # a threshold of our own
    no_data: bool = False  # the data, or the other program, are not to be had

    @property
    def cells(self) -> list[Cell]:
        return [cell for cell in (self.literal, self.ours) if cell is not None]


class Judged(NamedTuple):
    """A headline with its cells as text, and its verdict."""

    headline: Headline
    literal: str
    ours: str
    verdict: Verdict


def judge(headline: Headline, results: Results) -> Judged:
    literal, ours = (_text(cell, results) for cell in (headline.literal, headline.ours))
    return Judged(headline, literal, ours, _verdict(headline, results))


def _text(cell: Cell | None, results: Results) -> str:
    if cell is None:
        return "–"
    return cell.shown(results) if cell.usable(results) else "not run"


def _verdict(headline: Headline, results: Results) -> Verdict:
    if headline.no_data:
        return Verdict.NO_DATA
    for cell in headline.cells:
        if not cell.usable(results):
            return Verdict.NOT_RUN
        if headline.holds(*cell.values(results)):
            equal = Verdict.READING if headline.reading else Verdict.EQUAL
            return equal if cell is headline.literal else Verdict.OURS
    return Verdict.NO


def row_of(result: Mapping[str, Any], pattern: str) -> Mapping[str, Any]:
    """Return the first row that matches; a part after `` | `` is the pattern of the peer's name."""
    what, _, peer = pattern.partition(" | ")
    for row in result["rows"]:
        if fnmatchcase(row["what"], what) and fnmatchcase(row["peer"] or "", peer or "*"):
            return row
    raise LookupError(
        f"Benchmark {result['name']} has no row '{pattern}'; check whether it was renamed."
    )


# --- ways of judging -----------------------------------------------------------------------------


def near(number: float, margin: float = MARGIN) -> Callable[[float], bool]:
    return lambda value: abs(value - number) <= margin * abs(number) + 1e-12


def rising(*values: float) -> bool:
    """Return whether each value is above the one before."""
    return all(low < high for low, high in pairwise(values))


def falling(*values: float) -> bool:
    return rising(*values[::-1])


def at_least(bound: float) -> Callable[[float], bool]:
    return lambda value: value >= bound


def at_most(bound: float) -> Callable[..., bool]:
    return lambda *values: max(values) <= bound


def counted(judged: Sequence[Judged]) -> dict[Verdict, int]:
    verdicts = [one.verdict for one in judged]
    return {verdict: verdicts.count(verdict) for verdict in Verdict}
