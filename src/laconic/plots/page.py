"""HTML page with a chart, which can be opened offline because it contains Vega.

The chart specification is embedded as JSON, which is escaped so that no text in it can close the
script element.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from typing import Any

from laconic.extras import require

NOT_DRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
# the colours of the paper, the cards and the lines in identity.css
STYLE = """
:root { color-scheme: light; --paper: #fbfaf7; --card: #ffffff; --line: #e2dfd8; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1rem 4rem; background: var(--paper); }
figure { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  margin: 0; padding: .6rem; overflow-x: auto; }
@media print { body { background: #fff; } figure { break-inside: avoid; } }
"""

ON_DARK = """
:root { color-scheme: dark; --paper: #14171a; --card: #1b1f23; --line: #31373e; }
"""

DRAW = """
vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent), {
  actions: {export: true, source: false, compiled: false, editor: false}, renderer: "svg"});
"""


def drawable(part: Any) -> Any:
    """Replace characters that cannot be drawn, in all texts of a chart or of a part of it.

    The words of a corpus may contain characters that cannot be drawn. Vega cannot parse line and
    paragraph separators; other characters crash vl-convert and therefore the whole program.

    Examples
    --------
    >>> drawable({"word": "a\\x1bb"})
    {'word': 'a\ufffdb'}
    """
    if isinstance(part, str):
        return NOT_DRAWABLE.sub("\ufffd", part)
    if isinstance(part, dict):
        return {drawable(name): drawable(value) for name, value in part.items()}
    return [drawable(item) for item in part] if isinstance(part, list) else part


def page(title: str, chart: Any, *, dark: bool = False) -> str:
    """Return an HTML document with a chart.

    Parameters
    ----------
    title : str
        Title of the document.
    chart : altair.Chart
    dark : bool, default=False
        Whether the page has a dark background. The theme of the chart is not changed.
    """
    style = STYLE + (ON_DARK if dark else "")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style></head>\n<body>\n"
        '<figure><div id="chart"></div></figure>\n'
        f'<script type="application/json" id="spec">{_in_script(chart)}</script>\n'
        f"<script>{_bundle()}</script>\n<script>{DRAW}</script>\n</body></html>\n"
    )


def _in_script(chart: Any) -> str:
    """Return a chart as JSON in which ``</script>`` cannot occur."""
    return json.dumps(drawable(chart.to_dict())).replace("<", "\\u003c")


@cache
def _bundle() -> str:
    """Return the JavaScript bundle of Vega from vl-convert, with closing script tags escaped."""
    return str(require("vl_convert").javascript_bundle()).replace("</script", "<\\/script")
