"""Compare the rows of a re-run with the committed rows, within tolerances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any

from benchmarks.harness import Run, execute, show, tolerance_of

Result = Mapping[str, Any]


def tolerance(row: Mapping[str, Any]) -> float | None:
    """Return the tolerance of a row, or the tolerance of its unit if the row states none."""
    return row["tolerance"] if "tolerance" in row else tolerance_of(row["unit"])


def stated_tolerance(row: Mapping[str, Any]) -> str:
    """Return the tolerance of a row as text for a table."""
    share = tolerance(row)
    return "" if share is None else f"{100 * share:g} %"


def rerun(committed: Result, benchmark: Callable[[Run], None]) -> Result:
    """Run the benchmark again with the settings of the committed result."""
    run = Run(
        committed["name"],
        smoke=committed["smoke"],
        full="--full" in committed["command"].split(),
        seed=committed["seed"],
    )
    return execute(benchmark, run, committed["command"])


def differences(committed: Result, new: Result) -> list[str]:
    """Describe each row that is missing, new, or differs by more than its tolerance."""
    before, after = _by_key(committed), _by_key(new)
    gone = [f"{_name(key)}: committed, but not in the re-run" for key in before.keys() - after]
    extra = [f"{_name(key)}: in the re-run, but not committed" for key in after.keys() - before]
    apart = [
        message
        for key in before
        if key in after and (message := _difference(before[key], after[key])) is not None
    ]
    return sorted(gone) + sorted(extra) + apart


# Name, peer, and a number that distinguishes rows with the same name and peer
Key = tuple[str, str | None, int]


def _by_key(result: Result) -> dict[Key, Mapping[str, Any]]:
    rows: dict[Key, Mapping[str, Any]] = {}
    for row in result["rows"]:
        number = 0
        while (row["what"], row["peer"], number) in rows:
            number += 1
        rows[row["what"], row["peer"], number] = row
    return rows


def _name(key: Key) -> str:
    what, peer, _ = key
    return what if peer is None else f"{what} (compared with {peer})"


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    share = tolerance(before)
    if share is None:
        return None
    old, new = before["value"], after["value"]
    if new == old or (isnan(new) and isnan(old)):
        return None
    if isfinite(old) and abs(new - old) <= share * abs(old) + 1e-12:
        return None
    unit = f" {before['unit']}".rstrip()
    return (
        f"{before['what']}: {show(new)}{unit} now, {show(old)}{unit} committed "
        f"(tolerance {100 * share:g} %)"
    )
