"""Write charts to HTML, SVG, PNG and PDF files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.files.atomic_file import write_bytes
from laconic.plots.page import drawable, page

ENDINGS = (".html", ".svg", ".png", ".pdf")
PNG_SCALE = 2.0  # number of pixels per point, for high-resolution screens


def ending_of(path: str | Path) -> str:
    """Return the ending of a file name, which determines the file format, in lower case.

    Examples
    --------
    >>> ending_of("curve.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise LaconicError(f"{path}: the file name must end in one of {', '.join(ENDINGS)}")
    return ending


def render(chart: Any, ending: str, title: str = "laconic", dark: bool = False) -> bytes:
    """Render a chart in the file format that belongs to an ending, and return the bytes."""
    if dark:
        from laconic.plots.style import styled

        chart = styled(chart, dark=True)
    if ending == ".html":
        return page(title, chart, dark=dark).encode(errors="replace")
    convert = require("vl_convert")
    spec = drawable(chart.to_dict())
    try:
        if ending == ".svg":
            return str(convert.vegalite_to_svg(spec)).encode()
        if ending == ".pdf":
            return bytes(convert.vegalite_to_pdf(spec))
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
    """Write a chart to an .html, .svg, .png or .pdf file; the file is written atomically.

    Parameters
    ----------
    chart : altair.Chart
        Any Altair chart.
    path : str or Path
        The output file. Its ending determines the format. An HTML file can be opened offline.
    title : str, default="laconic"
        Title of an HTML file.
    dark : bool, default=False
        Whether to use the dark theme.
    force : bool, default=False
        Replace an existing file.

    Returns
    -------
    Path
        The output file.

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> chart = laconic.plots.topic_words(laconic.SparseLSA(2, alpha=0.1).fit(corpus))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_chart(chart, f"{folder}/words.svg").name
    'words.svg'
    """
    ending = ending_of(path)
    if not hasattr(chart, "to_dict"):
        raise LaconicError(f"{path}: chart must be an Altair chart; got {type(chart).__name__}.")
    if not force and os.path.lexists(path):
        raise LaconicError(f"{path}: already exists; set force=True (--force) to replace it")
    return write_bytes(render(chart, ending, title, dark), path)
