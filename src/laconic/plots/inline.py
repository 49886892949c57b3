"""Charts as inline SVG, once for a light and once for a dark ground, for pages without scripts."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from laconic.extras import require
from laconic.plots.page import drawable
from laconic.plots.style import theme

THEMES = {"day": False, "night": True}
ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')  # the label describes the whole chart
REFERENCE = re.compile(r'(\bid="|url\(#|href="#)')


def inline_chart(chart: Any, name: str, label: str) -> str:
    """Return HTML with a chart that follows the theme of the page; see ``identity/document.css``.

    Parameters
    ----------
    chart : altair.Chart
        The chart; its own configuration is replaced by the theme.
    name : str
        Prefix of the ids in the SVG, different for each chart of a page.
    label : str
        Description of the chart for screen readers.
    """
    convert = require("vl_convert")
    spec = drawable(chart.to_dict())
    pictures = []
    for kind, dark in THEMES.items():
        config = {**theme(dark), "background": None, "aria": False}
        svg = str(convert.vegalite_to_svg({**spec, "config": config}))
        svg = ROLES.sub("", REFERENCE.sub(rf"\g<1>{name}-{kind}-", svg))
        pictures.append(f'<div class="{kind}">{svg}</div>')
    return f'<div class="chart" role="img" aria-label="{escape(label)}">{"".join(pictures)}</div>'
