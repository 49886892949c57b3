"""HTML page with charts, which can be opened offline because it contains Vega.

Callers must escape the text of the body. The chart specifications are embedded as JSON, which is
escaped so that no text in it can close the script element.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from laconic.extras import require

NOT_DRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
STYLE = """
:root { color-scheme: light; --ink: #1b1f24; --quiet: #5c6672; --paper: #fbfaf7; --card: #ffffff;
  --line: #e2dfd8; --best: #e3f1e9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.about, caption, .quiet { color: var(--quiet); font-size: .9rem; }
figure { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  margin: 1.2rem 0; padding: .6rem; overflow-x: auto; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; padding: .4rem 1rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .55rem; text-align: right;
  vertical-align: top; white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; }
td:first-child, th:first-child, td.words { text-align: left; }
td.words { white-space: normal; min-width: 24rem; }
td.best { background: var(--best); box-shadow: inset 0 -2px #009e73; }
tr:last-child td { border-bottom: 0; }
details { margin: .5rem 0; } summary { cursor: pointer; }
@media print { body { background: #fff; } figure, .scroll { break-inside: avoid; } }
"""

ON_DARK = """
:root { color-scheme: dark; --ink: #e8e5de; --quiet: #a2abb5; --paper: #14171a; --card: #1b1f23;
  --line: #31373e; --best: #1d3329; }
"""

DRAW = """
for (const place of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  vegaEmbed(place, spec, {actions: {export: true, source: false, compiled: false, editor: false},
    renderer: "svg"});
}
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


def page(
    title: str, charts: Mapping[str, Any], body: str | None = None, *, dark: bool = False
) -> str:
    """Return an HTML document with charts.

    Parameters
    ----------
    title : str
        Title of the document.
    charts : mapping of str to altair.Chart
        Maps names to charts. To include a chart in `body`, insert the HTML of ``figure(name)``.
    body : str, optional
        HTML of the body. Default: the charts, one below the other.
    dark : bool, default=False
        Whether the page has a dark background. The theme of the charts is not changed.
    """
    content = "\n".join(map(figure, charts)) if body is None else body
    style = STYLE + (ON_DARK if dark else "")
    specs = "\n".join(
        f'<script type="application/json" id="spec-{escape(name)}">{_in_script(chart)}</script>'
        for name, chart in charts.items()
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style></head>\n<body>\n{content}\n"
        f"{specs}\n<script>{_bundle()}</script>\n<script>{DRAW}</script>\n</body></html>\n"
    )


def figure(name: str) -> str:
    """Return the HTML element in which a chart is drawn."""
    return f'<figure><div data-chart="spec-{escape(name)}"></div></figure>'


def _in_script(chart: Any) -> str:
    """Return a chart as JSON in which ``</script>`` cannot occur."""
    return json.dumps(drawable(chart.to_dict())).replace("<", "\\u003c")


@cache
def _bundle() -> str:
    """Return the JavaScript bundle of Vega from vl-convert, with closing script tags escaped."""
    return str(require("vl_convert").javascript_bundle()).replace("</script", "<\\/script")
