"""Visual identity of the pages that laconic writes or serves: one style sheet for all of them."""

from __future__ import annotations

import re
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


@cache
def group_hues(dark: bool = False) -> tuple[str, ...]:
    """Return the colours of groups of similar topics, for a light or a dark background.

    Examples
    --------
    >>> len(group_hues()), group_hues()[0] != group_hues(dark=True)[0]
    (8, True)
    """
    hues = re.findall(r"--g\d: (#[0-9a-f]{6})", style_sheet())
    half = len(hues) // 2  # the style sheet has the colours of the light theme first
    return tuple(hues[half:] if dark else hues[:half])


@cache
def ungrouped_hue(dark: bool = False) -> str:
    """Return the colour of topics without a group, for a light or a dark background.

    Examples
    --------
    >>> ungrouped_hue() != ungrouped_hue(dark=True)
    True
    """
    return str(re.findall(r"--g-none: (#[0-9a-f]{6})", style_sheet())[dark])
