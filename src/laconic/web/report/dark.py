"""Dark ground: a picture has the colours of the light theme, and a style says what each becomes."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from laconic.plots.files import require

PAINTS = ("fill", "stroke", "stop-color")
RGB = re.compile(r"rgb\((\d+), ?(\d+), ?(\d+)\)")
NO_TEXT = {"value": ""}

Changes = dict[tuple[str, str], str]  # (attribute, colour) -> colour on dark ground


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
