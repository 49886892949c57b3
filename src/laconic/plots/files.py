"""Charts as files: a page that opens without a network, or a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.files.atomic_file import write_bytes
from laconic.plots.page import drawable, page

ENDINGS = (".html", ".svg", ".png")
PNG_SCALE = 2.0  # pixels for each point: sharp on a screen of today


def ending_of(path: str | Path) -> str:
    """The ending that says what a file is to hold.

    Examples
    --------
    >>> ending_of("curve.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise LaconicError(f"{path}: has none of the endings {', '.join(ENDINGS)}")
    return ending


def render(chart: Any, ending: str, title: str = "laconic", dark: bool = False) -> bytes:
    """The bytes of a file with this ending."""
    if dark:
        from laconic.plots.style import styled

        chart = styled(chart, dark=True)
    if ending == ".html":
        return page(title, {"chart": chart}, dark=dark).encode(errors="replace")
    convert = require("vl_convert")
    spec = drawable(chart.to_dict())
    try:
        if ending == ".svg":
            return str(convert.vegalite_to_svg(spec)).encode()
        return bytes(convert.vegalite_to_png(spec, scale=PNG_SCALE))
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise LaconicError(f"The chart cannot be drawn: {reason}") from error


def write_chart(
    chart: Any,
    path: str | Path,
    title: str = "laconic",
    *,
    dark: bool = False,
    force: bool = False,
) -> Path:
    """Write a chart to a file that ends in .html, .svg or .png, whole or not at all.

    Parameters
    ----------
    chart : altair.Chart
        Any Altair chart.
    path : str or Path
        What it ends in says what is written; a page needs no network to open.
    title : str, default="laconic"
        Title of the page.
    dark : bool, default=False
        Whether to draw light on dark ground.
    force : bool, default=False
        Replace a file that is there.

    Returns
    -------
    Path
        The file.
    """
    ending = ending_of(path)
    if not hasattr(chart, "to_dict"):
        raise LaconicError(f"A chart is needed to write {path}; got {type(chart).__name__}.")
    if not force and os.path.lexists(path):
        raise LaconicError(f"{path}: exists; give force=True (--force) to replace it")
    return write_bytes(render(chart, ending, title, dark), path)
