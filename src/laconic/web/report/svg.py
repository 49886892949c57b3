"""Convert charts to small inline SVG that contains only shapes, text and links.

One SVG serves both themes: it has the colours of the light theme, and CSS rules replace them in the
dark theme.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

from laconic.extras import require
from laconic.plots.page import drawable
from laconic.web.report.html import Html, h

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LARGE = 250_000  # an SVG with more characters is written without tooltips
TARGET = "__report_target"  # data field with the link of a mark
TO_TOPIC = re.compile(r"#(topic-\d+)$")
SHAPES = {"g", "path", "rect", "line", "circle", "text", "tspan", "a", "title"}
PAINT = {"defs", "clipPath", "linearGradient", "radialGradient", "stop"}
DROPPED = {"role", "class", "pointer-events", "font-family", "stroke-miterlimit", "cursor"}
IDLE = {  # default values, which can be omitted
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("font-weight", "normal"),
}
NO_LENGTH = {("x2", "0"), ("y2", "0")}  # default values of a line; a gradient has other defaults
NUMBER = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
# Attributes with values from 0 to 1
SHARES = {"offset", "opacity", "fill-opacity", "stroke-opacity"}
REFERENCE = re.compile(r"url\(#([^)]+)\)")
# The mark "rect" has no links, because heat maps have too many cells
MARKS_WITH_LINKS = {"circle", "point", "square", "bar", "text", "arc"}
PAINTS = ("fill", "stroke", "stop-color")
RGB = re.compile(r"rgb\((\d+), ?(\d+), ?(\d+)\)")
NO_TEXT = {"value": ""}

Changes = dict[tuple[str, str], str]  # (attribute, colour) -> colour in the dark theme


class InlineChart(NamedTuple):
    """An inline SVG, and its colours in the dark theme."""

    svg: Html
    changes: Changes


def inline_chart(
    spec: dict[str, Any], themes: dict[str, dict[str, Any]], name: str, label: str
) -> InlineChart:
    """Render a chart as inline SVG; a script makes the marks that represent topics clickable.

    The marks are not links, because links would add hundreds of tab stops for keyboard users. The
    table of topics has links to the same topics.

    Parameters
    ----------
    spec : dict
        Vega-Lite specification without ``config``.
    themes : dict
        The ``config`` for "light" and "dark".
    name : str
        Prefix of the ids in the SVG, different for each chart.
    label : str
        Description of the chart for screen readers.
    """
    convert = require("vl_convert")
    clean = drawable(add_links(spec))
    light = str(convert.vegalite_to_svg({**clean, "config": themes["light"]}))
    svg = clean_svg(light, name, label, tooltips_of(spec))
    if len(svg) > LARGE:
        svg = clean_svg(light, name, label)
    return InlineChart(svg, dark_changes(light, {**clean, "config": themes["dark"]}))


# --- links ---------------------------------------------------------------------------------------


def add_links(spec: dict[str, Any]) -> dict[str, Any]:
    """Add a link to each mark of a topic."""
    changed = dict(spec)
    for key in ("layer", "hconcat", "vconcat", "concat"):
        if key in spec:
            changed[key] = [add_links(part) for part in spec[key]]
    if isinstance(spec.get("spec"), dict):
        changed["spec"] = add_links(spec["spec"])
    if "mark" in spec and _may_link(spec):
        target = {"calculate": "'#topic-' + datum.topic", "as": TARGET}
        changed["transform"] = [*spec.get("transform", []), target]
        changed["encoding"] = {**spec.get("encoding", {}), "href": {"field": TARGET}}
    return changed


def _may_link(spec: dict[str, Any]) -> bool:
    mark = spec["mark"]
    kind = mark["type"] if isinstance(mark, dict) else mark
    channels = spec.get("encoding", {}).values()
    sums = any("aggregate" in channel for channel in channels if isinstance(channel, dict))
    return kind in MARKS_WITH_LINKS and not sums


def tooltips_of(spec: Any) -> frozenset[str]:
    """Return the names of the tooltip fields of a chart."""
    if isinstance(spec, list):
        return frozenset().union(*map(tooltips_of, spec))
    if not isinstance(spec, dict):
        return frozenset()
    channel = spec.get("encoding", {}).get("tooltip", [])
    tooltips = channel if isinstance(channel, list) else [channel]
    names = {one.get("title") or one.get("field", "") for one in tooltips}
    inner = (spec.get(key) for key in ("layer", "hconcat", "vconcat", "concat", "spec"))
    return frozenset(names).union(*map(tooltips_of, inner))


# --- cleaning ------------------------------------------------------------------------------------


def clean_svg(svg: str, name: str, label: str, tooltips: frozenset[str] = frozenset()) -> Html:
    """Reduce an SVG to the allowed elements and attributes."""
    root = ElementTree.fromstring(svg)
    ids = {
        element.get("id"): f"{name}-{number}"
        for number, element in enumerate(node for node in root.iter() if node.get("id"))
    }
    cleaner = Cleaner(ids, tooltips)
    # omit the background rectangle, because the page has its own background
    children = [cleaner.element(child) for child in root if child.tag != f"{SVG}rect"]
    width, height = root.get("width"), root.get("height")
    return h(
        "svg",
        *children,
        role="img",
        aria_label=label,
        viewBox=root.get("viewBox"),
        width=width,
        height=height,
    )


class Cleaner(NamedTuple):
    """Convert SVG elements to HTML with the allowed elements and attributes only."""

    ids: dict[str | None, str]  # maps an id in the chart to the id in the report
    tooltips: frozenset[str]  # names of the tooltip fields

    def element(self, element: ElementTree.Element) -> Html | None:
        """Convert an element and its children."""
        name = element.tag.removeprefix(SVG)
        if name not in SHAPES | PAINT or _draws_nothing(element, name):
            return None
        children = [child for child in map(self.element, element) if child]
        if name == "a":
            target = TO_TOPIC.search(element.get(LINK, ""))
            if target is None:
                return Html("".join(children))
            return h("g", *children, data_to=target[1])
        attributes = self.attributes(element)
        if name == "g" and not children:
            return None
        if name == "g" and not attributes:
            return Html("".join(children))
        return h(name, self.tooltip(element), element.text or None, *children, **attributes)

    def attributes(self, element: ElementTree.Element) -> dict[str, str]:
        """Return the attributes of an element, without default values and with short values."""
        attributes = {}
        defaults = IDLE | NO_LENGTH if element.tag == f"{SVG}line" else IDLE
        for key, value in element.attrib.items():
            if key.startswith(("aria-", "{", "on")) or key in DROPPED or (key, value) in defaults:
                continue
            attributes[key] = self.value(key, value)
        empty = ("", "translate(0,0)")
        return {key: value for key, value in attributes.items() if value not in empty}

    def value(self, key: str, value: str) -> str:
        """Shorten the value of an attribute and update references to ids."""
        if key == "id":
            return self.ids[value]
        if "url(" in value:
            return REFERENCE.sub(lambda match: f"url(#{self.ids.get(match[1], '')})", value)
        if key in PAINTS:
            return short_colour(value)
        return NUMBER.sub(_to_thousandths if key in SHARES else _to_tenths, value)

    def tooltip(self, element: ElementTree.Element) -> Html | None:
        """Return the tooltip of a mark."""
        label = element.get("aria-label")
        if not label or element.get("role") != "graphics-symbol" or element.tag == f"{SVG}g":
            return None
        facts: dict[str, str] = {}
        for fact in label.split("; "):
            name, _, value = fact.partition(": ")
            if name in self.tooltips:
                facts[name] = value
        return (
            h("title", "; ".join(f"{name}: {value}" for name, value in facts.items()))
            if facts
            else None
        )


def _draws_nothing(element: ElementTree.Element, name: str) -> bool:
    if name != "path":
        return False
    unpainted = element.get("fill") in (None, "none", "transparent") and not element.get("stroke")
    return element.get("class") in ("background", "foreground") and unpainted


def _to_tenths(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _to_thousandths(match: re.Match[str]) -> str:
    return f"{float(match[0]):.3f}".rstrip("0").removesuffix(".")


# --- dark theme -----------------------------------------------------------------------------------


def dark_changes(light: str, spec: dict[str, Any]) -> Changes:
    """Render `spec` in the dark theme and return the colours that differ from the SVG `light`.

    The chart is rendered without text, because Vega spends nearly all its time on measuring text.
    If the result and `light` differ in the number of colours, it is rendered again with text.
    """
    convert = require("vl_convert")
    dark = str(convert.vega_to_svg(without_text(convert.vegalite_to_vega(spec))))
    if len(_colours(light)) != len(_colours(dark)):
        dark = str(convert.vegalite_to_svg(spec))
    return changed_colours(light, dark)


def without_text(vega: Any) -> Any:
    """Empty all texts and axis labels of a Vega chart.

    Examples
    --------
    >>> without_text({"marks": [{"type": "text", "encode": {"update": {"text": {"value": "x"}}}}]})
    {'marks': [{'type': 'text', 'encode': {'update': {'text': {'value': ''}}}}]}
    """
    if isinstance(vega, list):
        return [without_text(part) for part in vega]
    if not isinstance(vega, dict):
        return vega
    blank = {key: without_text(part) for key, part in vega.items()}
    if blank.get("type") == "text" and "update" in blank.get("encode", {}):
        blank["encode"]["update"]["text"] = NO_TEXT
    for axis in blank.get("axes", ()):
        labels = axis.setdefault("encode", {}).setdefault("labels", {})
        labels.setdefault("update", {})["text"] = NO_TEXT
    return blank


def changed_colours(light: str, dark: str) -> Changes:
    """Map the colours of an SVG to the colours of another SVG with the same shapes.

    Examples
    --------
    >>> changed_colours('<svg><rect fill="#111"/></svg>', '<svg><rect fill="#eee"/></svg>')
    {('fill', '#111'): '#eee'}
    """
    changes: Changes = {}
    for before, after in zip(_colours(light), _colours(dark), strict=False):
        if before != after:
            changes.setdefault(before, after[1])
    return changes


def _colours(svg: str) -> list[tuple[str, str]]:
    """Return the pairs (attribute, colour) of all shapes in document order."""
    shapes = ElementTree.fromstring(svg).iter()
    painted = [(paint, shape.get(paint, "")) for shape in shapes for paint in PAINTS]
    return [
        (paint, short_colour(colour))
        for paint, colour in painted
        if colour and not colour.startswith("url(")
    ]


def short_colour(colour: str) -> str:
    """Return a colour in hexadecimal notation, which is shorter.

    Examples
    --------
    >>> short_colour("rgb(206, 227, 241)"), short_colour("none")
    ('#cee3f1', 'none')
    """
    parts = RGB.fullmatch(colour)
    return "#" + "".join(f"{int(part):02x}" for part in parts.groups()) if parts else colour


def dark_rules(name: str, changes: Changes) -> str:
    """Return CSS rules with the dark colours of the shapes in the element with the id `name`."""
    return "\n".join(
        f'#{name} [{paint}="{before}"] {{ {paint}: {after}; }}'
        for (paint, before), after in changes.items()
    )
