"""Labels that are years or dates, such as 1999, 1999-12 and 1999-12-31T23:59."""

from __future__ import annotations

import re
from datetime import date

YEAR = re.compile(r"(1[5-9]|20)\d\d(\.0)?")
DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ][\d:.+Z-]*)?)?")
# Dates in other forms, which are not read as dates: 1-MAR-1987, 31/12/99, March 1, 1987, 19991231
OTHER_DATE = re.compile(
    r"(\w{3,9},? )?\d{1,2}[-/. ]([a-z]{3,9}\.?|\d{1,2})[-/., ]+\d{2}(\d\d)?\b.*"
    r"|\d{4}[/.]\d{1,2}([/.]\d{1,2})?\b.*"
    r"|(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])"
    r"|(\w{3,9},? )?[a-z]{3,9}\.? \d{1,2},? \d{4}\b.*",
    re.IGNORECASE,
)


def is_year(label: str) -> bool:
    """Return whether a label is a year."""
    return YEAR.fullmatch(label) is not None


def is_date(label: str) -> bool:
    """Return whether a label is a valid calendar month or day."""
    match = DATE.fullmatch(label)
    if match is None:
        return False
    try:
        date(int(match[1]), int(match[2]), int(match[4] or 1))
    except ValueError:  # for example 31 June
        return False
    return True


def looks_like_date(label: str) -> bool:
    """Return whether a label is written like a date in a form that `is_date` does not accept.

    Examples
    --------
    >>> labels = ["1-MAR-1987 01:49:03", "31/12/1999", "March 1, 1987", "1999-12-31", "rec.autos"]
    >>> [looks_like_date(label) for label in labels]
    [True, True, True, False, False]
    """
    return not is_date(label) and OTHER_DATE.fullmatch(label) is not None
