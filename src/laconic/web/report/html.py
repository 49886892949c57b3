"""HTML builder that escapes every string; only the function `h` creates elements."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import floor, log10
from typing import Any

from laconic.plots.page import drawable

VOID = {"meta", "br", "input", "link"}


class Html(str):
    """HTML markup, which must not be escaped again."""


def h(tag: str, /, *children: Any, **attributes: Any) -> Html:
    """Create an element.

    Parameters
    ----------
    tag : str
        Name of the element.
    *children : str, Html, None or iterable of these
        A `str` is escaped and becomes text.
    **attributes : str, number, bool or None
        ``class_`` becomes ``class``, and ``data_topic`` becomes ``data-topic``. An attribute that
        is True has no value in the HTML; an attribute that is None or False is omitted.

    Examples
    --------
    >>> h("p", "1 < 2, ", h("b", "really"), class_="about")
    '<p class="about">1 &lt; 2, <b>really</b></p>'
    """
    opened = f"<{tag}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opened if tag in VOID else f"{opened}{markup(children)}</{tag}>")


def markup(child: Any) -> Html:
    """Join the children of an element into one piece of markup."""
    if child is None:
        return Html("")
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return Html(escape(printable(child), quote=False))
    if isinstance(child, Iterable):
        return Html("".join(map(markup, child)))
    return Html(escape(str(child), quote=False))


def printable(text: str) -> str:
    """Replace the characters that HTML and SVG do not allow."""
    return str(drawable(text))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = escape(printable(str(value)), quote=False)
    if text.count('"') > text.count("'"):  # single quotes are shorter for JSON
        single = text.replace("'", "&#x27;")
        return f" {name}='{single}'"
    double = text.replace('"', "&quot;")
    return f' {name}="{double}"'


def between(pieces: Iterable[Any], separator: str) -> list[Any]:
    """Insert a separator between pieces.

    Examples
    --------
    >>> between(["a", "b"], ", ")
    ['a', ', ', 'b']
    """
    return [part for piece in pieces for part in (separator, piece)][1:]


def css_string(text: str) -> str:
    """Return a CSS string literal, with all special characters escaped.

    Examples
    --------
    >>> css_string("a</style>")
    '"a\\\\3c \\\\2f style\\\\3e "'
    """
    safe = (c if c.isalnum() or c == " " else f"\\{ord(c):x} " for c in printable(text))
    return f'"{"".join(safe)}"'


# --- numbers -------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """Format a share as a percentage, with a narrow space before the sign.

    Examples
    --------
    >>> percent(0.0432), percent(0.0001), percent(0.0), percent(1.0)
    ('4.3\\u202f%', '<0.1\\u202f%', '0\\u202f%', '100\\u202f%')
    """
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1\u202f%"
    return f"{value:.0f}\u202f%" if value >= 99.95 or value == 0 else f"{value:.1f}\u202f%"


def weight(value: float, decimals: int = 2) -> str:
    """Format a weight; a negative weight has a typographic minus sign instead of a hyphen.

    Examples
    --------
    >>> weight(0.8123), weight(-0.00045, 4)
    ('0.81', '−0.0004')
    """
    return ("\u2212" if value < 0 else "") + f"{abs(value):.{decimals}f}"


def decimals_for(largest: float) -> int:
    """Return the number of decimals that shows the largest weight with three significant digits.

    Examples
    --------
    >>> decimals_for(1.2), decimals_for(0.023), decimals_for(5000)
    (2, 4, 0)
    """
    return min(9, max(0, 2 - floor(log10(largest)))) if largest > 0 else 2
