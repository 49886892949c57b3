"""Visual identity of the pages that laconic writes or serves: one style sheet for all of them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

NAME = "identity.css"


@cache
def style_sheet() -> str:
    """Return the style sheet with the colours, fonts, spacing and basic components of all pages.

    Examples
    --------
    >>> "--ink" in style_sheet()
    True
    """
    return files(__name__).joinpath(NAME).read_text(encoding="utf-8")
