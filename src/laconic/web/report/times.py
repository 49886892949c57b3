"""A topic over time, as small columns in its card."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import Any

from laconic.web.report.html import Html, h, percent
from laconic.wording import plural

FEW = 5  # documents whose mean says little
WIDEST = 150  # columns, with those that are left empty


def over_time(rows: list[Any]) -> Html:
    """A column for each time; those of few documents are pale."""
    most = max(row[1] for row in rows) or 1.0
    columns = [
        h(
            "i",
            style=f"--h:{max(share, 0) / most:.3g}" + (f";--g:{gap}" if gap else ""),
            class_="few" if size < FEW else None,
            title=f"{name}: {percent(max(share, 0))} of {plural(size, 'document')}",
        )
        for (name, share, size), gap in zip(rows, gaps([row[0] for row in rows]), strict=True)
    ]
    label = f"Share over time, from {rows[0][0]} to {rows[-1][0]}, at most {percent(most)}"
    return h(
        "div",
        h("strong", "Over time"),
        h("span", rows[0][0], class_="quiet"),
        h("span", columns, class_="columns", role="img", aria_label=label),
        h("span", f"{rows[-1][0]}, at most {percent(most)}", class_="quiet"),
        class_="time",
    )


def gaps(times: list[str]) -> list[int]:
    """How many columns stay empty before each time, so that distances are true.

    Examples
    --------
    >>> gaps(["1990", "1995", "2000", "2010"]), gaps(["2021-03-05", "2021-03-08", "2021-03-09"])
    ([0, 0, 0, 1], [0, 2, 0])
    """
    places = [_place(time) for time in times]
    steps = [later - sooner for sooner, later in pairwise(places)]
    unit = min(steps, default=1)
    if unit < 1 or sum(steps) > WIDEST * unit:
        return [0] * len(times)
    return [0, *(round(step / unit) - 1 for step in steps)]


def _place(time: str) -> int:
    """Years, months or days since some beginning."""
    parts = [int(part) for part in time.split("-")]
    if len(parts) == 3:
        return date(*parts).toordinal()
    return parts[0] if len(parts) == 1 else 12 * parts[0] + parts[1]
