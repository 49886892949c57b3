"""Headlines: one number or statement of a paper, beside what their algorithm and laconic give.

Verdicts are computed from committed rows. The column "their method" is the algorithm as the paper
prints it, or a system that the paper compares with, run by us; the column "laconic" is what users
get.
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


def never(_: float) -> bool:
    """Judge a number that does not count."""
    return False


class Verdict(Enum):
    """The five kinds of verdict, and the state of rows that cannot be judged."""

    EQUAL = "equal"
    READING = "under a reading"
    OURS = "with laconic"
    NO = "no"
    MISSING = "not available"
    WAITING = "no result"


MEANING = {
    Verdict.EQUAL: "Their method, run by us, gives their number (within 10 %, or as the threshold "
    "says) or agrees with their statement.",
    Verdict.READING: "The same, but only under one reading of what the paper leaves open; the row "
    "names it. *Fitted* marks a reading that we chose because it gives this number.",
    Verdict.OURS: "laconic gives it. Their method does not, or was not run.",
    Verdict.NO: "Neither gives it, or laconic does not and their method was not run.",
    Verdict.MISSING: "The data or the program are not available. Numbers in the row are from other "
    "data, and do not count.",
    Verdict.WAITING: "There is no result from committed code yet.",
}


# --- how one number follows from the values of rows ----------------------------------------------


def first(value: float, *_: float) -> float:
    return value


def lead(value: float, *others: float) -> float:
    """Return by how much the first value is above all others."""
    return value - max(others)


def smallest_step(*values: float) -> float:
    """Return by how much each value is at least above the one before."""
    return min(after - before for before, after in pairwise(values))


@dataclass(frozen=True)
class Cell:
    """Rows of a benchmark, and the one number that follows from their values."""

    benchmark: str
    rows: tuple[str, ...]  # glob patterns of row names; see `row_of`
    text: str = "{n}"  # {n} is the number, {0}, {1}, … are the values of the rows
    number: Callable[..., float] = first
    of: str = "value"  # "value", "ratio", "pair" (value and peer's) or "percent lower" (than peer)
    digits: int | None = None  # significant digits, if fewer than usual

    def usable(self, results: Results) -> bool:
        """Return whether the result exists and was made from committed code."""
        found = results.get(self.benchmark)
        return found is not None and is_committed(found)

    def judged(self, results: Results) -> float:
        """Return the number that the verdict depends on."""
        return self.number(*self.values(results))

    def values(self, results: Results) -> list[float]:
        rows = [row_of(results[self.benchmark], pattern) for pattern in self.rows]
        if self.of == "percent lower":
            return [100 * (1 - float(row["ratio"])) for row in rows]
        keys = ("value", "peer_value") if self.of == "pair" else (self.of,)
        return [float(row[key]) for row in rows for key in keys]

    def shown(self, results: Results) -> str:
        values = map(self._show, self.values(results))
        text = self.text.format(*values, n=self._show(self.judged(results)))
        return text + self._spread(results)

    def _show(self, value: float) -> str:
        return show(value) if self.digits is None else f"{value:.{self.digits}g}"

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
    holds: Callable[[float], bool] = never  # whether the number of a cell is theirs
    literal: Cell | None = None  # their algorithm, run by us
    ours: Cell | None = None  # what users of laconic get
    same: str = "yes"  # whether data and protocol are theirs; if not, the difference
    seeds: str = ""  # if more than one
    reading: str = ""  # what the paper leaves open, and how we read it
    fitted: bool = False  # the reading was chosen because it gives the number
    judged: str = ""  # a threshold of our own
    uncounted: str = ""  # why a row that holds says nothing, and does not count
    missing: bool = False  # the data or the program are not available
    main: bool = True  # whether the row is on the first page, or only on the page of all numbers

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
    return cell.shown(results) if cell.usable(results) else Verdict.WAITING.value


def _verdict(headline: Headline, results: Results) -> Verdict:
    if headline.missing:
        return Verdict.MISSING
    for cell in headline.cells:
        if not cell.usable(results):
            return Verdict.WAITING
        if headline.holds(cell.judged(results)):
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


def between(low: float, high: float) -> Callable[[float], bool]:
    return lambda value: low <= value <= high


def above(bound: float) -> Callable[[float], bool]:
    return lambda value: value > bound


def at_least(bound: float) -> Callable[[float], bool]:
    return lambda value: value >= bound


def at_most(bound: float) -> Callable[[float], bool]:
    return lambda value: value <= bound


def counted(judged: Sequence[Judged]) -> dict[Verdict, int]:
    """Return how many numbers and statements of the papers have each verdict."""
    counts = dict.fromkeys(Verdict, 0)
    for one in judged:
        counts[one.verdict] += not one.headline.uncounted
    return counts
