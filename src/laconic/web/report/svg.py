"""Pictures of charts to stand in a page: small, without anything but shapes, text and links.

One picture serves light and dark: it has the colours of the light theme, and a style says what each
of them is in the dark one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

from laconic.plots.files import require
from laconic.web.report.html import Html, h

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
TARGET = "__report_target"  # field of the data that a mark leads to
TO_TOPIC = re.compile(r"#topic-\d+$")
SHAPES = {"g", "path", "rect", "line", "circle", "text", "tspan", "a", "title"}
PAINT = {"defs", "clipPath", "linearGradient", "radialGradient", "stop"}
DROPPED = {"role", "class", "pointer-events", "font-family", "stroke-miterlimit", "cursor"}
IDLE = {
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("font-weight", "normal"),
    ("x2", "0"),
    ("y2", "0"),
}
NUMBER = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
PAINTS = ("fill", "stroke", "stop-color")
MARKS_WITH_LINKS = {"circle", "point", "square", "rect", "bar", "text", "arc"}


class Picture(NamedTuple):
    """An inline picture, and what its colours are on dark ground."""

    svg: Html
    changes: dict[str, str]


def picture(
    spec: dict[str, Any], themes: dict[str, dict[str, Any]], name: str, label: str
) -> Picture:
    """A chart as an inline picture whose marks of topics lead to the topics.

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
    light, dark = (
        str(convert.vegalite_to_svg({**linked(spec), "config": themes[ground]}))
        for ground in ("light", "dark")
    )
    return Picture(cleaned(light, name, label), changed_colours(light, dark))


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


# --- cleaning ------------------------------------------------------------------------------------


def cleaned(svg: str, name: str, label: str) -> Html:
    """The picture with what the page needs of it; anything unknown is left out."""
    root = ElementTree.fromstring(svg)
    ids = {
        element.get("id"): f"{name}-{number}"
        for number, element in enumerate(node for node in root.iter() if node.get("id"))
    }
    children = [_element(child, ids) for child in root if not _is_background(child)]
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


def _is_background(element: ElementTree.Element) -> bool:
    """The page has its own."""
    return element.tag == f"{SVG}rect"


def _element(element: ElementTree.Element, ids: dict[str | None, str]) -> Html | None:
    name = element.tag.removeprefix(SVG)
    if name not in SHAPES | PAINT or _draws_nothing(element, name):
        return None
    children = [child for child in (_element(child, ids) for child in element) if child]
    if name == "a":
        target = TO_TOPIC.search(element.get(LINK, ""))
        if target is None:
            return Html("".join(children))
        return h("a", *children, href=target.group())
    attributes = _attributes(element, ids)
    if name == "g":
        if not children:
            return None
        if not attributes:
            return Html("".join(children))
    return h(name, _hover(element), element.text or None, *children, **attributes)


def _draws_nothing(element: ElementTree.Element, name: str) -> bool:
    if name != "path":
        return False
    unpainted = element.get("fill") in (None, "none", "transparent") and not element.get("stroke")
    return element.get("class") in ("background", "foreground") and unpainted


def _attributes(element: ElementTree.Element, ids: dict[str | None, str]) -> dict[str, str]:
    kept = {}
    for key, value in element.attrib.items():
        if key.startswith(("aria-", "{", "on")) or key in DROPPED or (key, value) in IDLE:
            continue
        if key == "id":
            value = ids[value]
        elif "url(" in value:
            value = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{ids.get(m[1], m[1])})", value)
        else:
            value = NUMBER.sub(_rounded, value)
        kept[key] = "" if value == "translate(0,0)" else value
    return {key: value for key, value in kept.items() if value}


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _hover(element: ElementTree.Element) -> Html | None:
    """What a mark says when one rests on it."""
    said = element.get("aria-label")
    if not said or element.get("role") != "graphics-symbol" or element.tag == f"{SVG}g":
        return None
    facts = [fact for fact in said.split("; ") if not fact.startswith(TARGET)]
    return h("title", "; ".join(facts))


# --- dark ----------------------------------------------------------------------------------------


def changed_colours(light: str, dark: str) -> dict[str, str]:
    """What each colour of a picture is in the other one, which has the same shapes.

    Examples
    --------
    >>> changed_colours('<svg><rect fill="#111"/></svg>', '<svg><rect fill="#eee"/></svg>')
    {'#111': '#eee'}
    """
    pairs = zip(_colours(light), _colours(dark), strict=False)
    changes: dict[str, str] = {}
    for before, after in pairs:
        if before != after:
            changes.setdefault(before, after)
    return changes


def _colours(svg: str) -> list[str]:
    """The colours of all shapes in their order."""
    shapes = ElementTree.fromstring(svg).iter()
    return [value for shape in shapes for paint in PAINTS if (value := shape.get(paint))]


def dark_rules(name: str, changes: dict[str, str]) -> str:
    """Style that gives the shapes in the element `name` their colours on dark ground."""
    return "\n".join(
        f'#{name} [{paint}="{before}"] {{ {paint}: {after}; }}'
        for before, after in changes.items()
        for paint in PAINTS
    )
