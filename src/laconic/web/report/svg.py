"""Pictures of charts to stand in a page: small, without anything but shapes, text and links.

One picture serves light and dark: it has the colours of the light theme, and a style says what each
becomes on dark ground.
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
LARGE = 250_000  # characters of a picture; the marks of a larger one do not say what they are
TARGET = "__report_target"  # field of the data that a mark leads to
TO_TOPIC = re.compile(r"#(topic-\d+)$")
SHAPES = {"g", "path", "rect", "line", "circle", "text", "tspan", "a", "title"}
PAINT = {"defs", "clipPath", "linearGradient", "radialGradient", "stop"}
DROPPED = {"role", "class", "pointer-events", "font-family", "stroke-miterlimit", "cursor"}
IDLE = {
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("font-weight", "normal"),
}
NO_LENGTH = {("x2", "0"), ("y2", "0")}  # of a line; a gradient would take another direction
NUMBER = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
SHARES = {"offset", "opacity", "fill-opacity", "stroke-opacity"}  # from 0 to 1
REFERENCE = re.compile(r"url\(#([^)]+)\)")
MARKS_WITH_LINKS = {"circle", "point", "square", "bar", "text", "arc"}  # cells are too many
PAINTS = ("fill", "stroke", "stop-color")
RGB = re.compile(r"rgb\((\d+), ?(\d+), ?(\d+)\)")
NO_TEXT = {"value": ""}

Changes = dict[tuple[str, str], str]  # (attribute, colour) -> colour on dark ground


class Picture(NamedTuple):
    """An inline picture, and what its colours are on dark ground."""

    svg: Html
    changes: Changes


def picture(
    spec: dict[str, Any], themes: dict[str, dict[str, Any]], name: str, label: str
) -> Picture:
    """A chart as an inline picture whose marks of topics lead to the topics by the script.

    Links inside would make a picture hundreds of stops for whoever goes by the keyboard; the same
    topics have links in the table.

    Parameters
    ----------
    spec : dict
        Vega-Lite without ``config``.
    themes : dict
        The ``config`` for "light" and "dark".
    name : str
        Begins the ids inside the picture, which must differ from those of others.
    label : str
        What the picture shows, for those who do not see it.
    """
    convert = require("vl_convert")
    clean = drawable(linked(spec))
    light = str(convert.vegalite_to_svg({**clean, "config": themes["light"]}))
    svg = cleaned(light, name, label, tooltips_of(spec))
    if len(svg) > LARGE:
        svg = cleaned(light, name, label)
    return Picture(svg, dark_changes(light, {**clean, "config": themes["dark"]}))


# --- links ---------------------------------------------------------------------------------------


def linked(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with a link on each mark that stands for a topic."""
    changed = dict(spec)
    for key in ("layer", "hconcat", "vconcat", "concat"):
        if key in spec:
            changed[key] = [linked(part) for part in spec[key]]
    if isinstance(spec.get("spec"), dict):
        changed["spec"] = linked(spec["spec"])
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
    """Names of what the marks of a chart say when one rests on them."""
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


def cleaned(svg: str, name: str, label: str, tooltips: frozenset[str] = frozenset()) -> Html:
    """The picture with what the page needs of it; anything unknown is left out."""
    root = ElementTree.fromstring(svg)
    ids = {
        element.get("id"): f"{name}-{number}"
        for number, element in enumerate(node for node in root.iter() if node.get("id"))
    }
    cleaner = Cleaner(ids, tooltips)
    # without the background: the page has its own
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
    """Makes elements of a page of those of a picture."""

    ids: dict[str | None, str]  # as they are called in the page
    tooltips: frozenset[str]  # names of what a mark says when one rests on it

    def element(self, element: ElementTree.Element) -> Html | None:
        """The element with those inside it."""
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
        return h(name, self.hover(element), element.text or None, *children, **attributes)

    def attributes(self, element: ElementTree.Element) -> dict[str, str]:
        """What says how an element looks, in few characters."""
        kept = {}
        idle = IDLE | NO_LENGTH if element.tag == f"{SVG}line" else IDLE
        for key, value in element.attrib.items():
            if key.startswith(("aria-", "{", "on")) or key in DROPPED or (key, value) in idle:
                continue
            kept[key] = self.value(key, value)
        return {key: value for key, value in kept.items() if value not in ("", "translate(0,0)")}

    def value(self, key: str, value: str) -> str:
        """The value of an attribute; references follow the ids."""
        if key == "id":
            return self.ids[value]
        if "url(" in value:
            return REFERENCE.sub(lambda match: f"url(#{self.ids.get(match[1], '')})", value)
        if key in PAINTS:
            return short_colour(value)
        return NUMBER.sub(_to_thousandths if key in SHARES else _to_tenths, value)

    def hover(self, element: ElementTree.Element) -> Html | None:
        """What a mark says when one rests on it."""
        said = element.get("aria-label")
        if not said or element.get("role") != "graphics-symbol" or element.tag == f"{SVG}g":
            return None
        facts: dict[str, str] = {}
        for fact in said.split("; "):
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
    """What the colours of a picture become in the dark theme of `spec`, drawn from the same chart.

    The other picture is drawn without letters, since Vega spends nearly all its time on measuring
    them. Should that have other shapes, it is drawn again with them.
    """
    convert = require("vl_convert")
    dark = str(convert.vega_to_svg(wordless(convert.vegalite_to_vega(spec))))
    if len(_colours(light)) != len(_colours(dark)):
        dark = str(convert.vegalite_to_svg(spec))
    return changed_colours(light, dark)


def wordless(vega: Any) -> Any:
    """A Vega chart whose texts and labels of axes are there, but empty.

    Examples
    --------
    >>> wordless({"marks": [{"type": "text", "encode": {"update": {"text": {"value": "cat"}}}}]})
    {'marks': [{'type': 'text', 'encode': {'update': {'text': {'value': ''}}}}]}
    """
    if isinstance(vega, list):
        return [wordless(part) for part in vega]
    if not isinstance(vega, dict):
        return vega
    blank = {key: wordless(part) for key, part in vega.items()}
    if blank.get("type") == "text" and "update" in blank.get("encode", {}):
        blank["encode"]["update"]["text"] = NO_TEXT
    for axis in blank.get("axes", ()):
        labels = axis.setdefault("encode", {}).setdefault("labels", {})
        labels.setdefault("update", {})["text"] = NO_TEXT
    return blank


def changed_colours(light: str, dark: str) -> Changes:
    """What each colour of a picture is in the other one, which has the same shapes.

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
    """The colours of all shapes in their order, each with the attribute that it stands in."""
    shapes = ElementTree.fromstring(svg).iter()
    painted = [(paint, shape.get(paint, "")) for shape in shapes for paint in PAINTS]
    return [
        (paint, short_colour(colour))
        for paint, colour in painted
        if colour and not colour.startswith("url(")
    ]


def short_colour(colour: str) -> str:
    """The shortest way to write a colour.

    Examples
    --------
    >>> short_colour("rgb(206, 227, 241)"), short_colour("none")
    ('#cee3f1', 'none')
    """
    parts = RGB.fullmatch(colour)
    return "#" + "".join(f"{int(part):02x}" for part in parts.groups()) if parts else colour


def dark_rules(name: str, changes: Changes) -> str:
    """Style that gives the shapes in the element `name` their colours on dark ground."""
    return "\n".join(
        f'#{name} [{paint}="{before}"] {{ {paint}: {after}; }}'
        for (paint, before), after in changes.items()
    )
