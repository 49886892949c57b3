"""Tests of SVG charts in the report: small, without scripts, in light and dark themes."""

from __future__ import annotations

import re

import pytest
import vl_convert

from laconic.plots.style import theme
from laconic.web.report.svg import (
    add_links,
    changed_colours,
    clean_svg,
    dark_changes,
    dark_rules,
    inline_chart,
)

VALUES = [
    {"topic": 3, "x": 1.23456789, "y": 2.0, "label": "<b>&amp;]]>"},
    {"topic": 7, "x": 3.0, "y": 4.0, "label": "plain"},
]
THEMES = {"light": theme(dark=False), "dark": theme(dark=True)}


def spec_of(mark="circle", **encoding):
    return {
        "data": {"values": VALUES},
        "mark": mark,
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "y": {"field": "y", "type": "quantitative"},
            **encoding,
        },
    }


def svg_of(inner):
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} width="1" height="1">{inner}</svg>'


def test_marks_of_topics_lead_to_them():
    svg = inline_chart(spec_of(), THEMES, "one", "A chart").svg
    assert re.findall(r'<g data-to="(.*?)">', svg) == ["topic-3", "topic-7"]
    assert 'role="img" aria-label="A chart"' in svg


def test_marks_without_a_topic_lead_nowhere():
    spec = spec_of()
    spec["data"] = {"values": [{"x": 1, "y": 2}]}
    svg = inline_chart(spec, THEMES, "one", "A chart").svg
    assert "data-to" not in svg
    assert "<path" in svg


def test_sums_and_lines_are_left_alone():
    summed = spec_of(y={"field": "y", "aggregate": "mean", "type": "quantitative"})
    assert add_links(summed) == summed
    assert add_links(spec_of("line")) == spec_of("line")
    layered = {"layer": [spec_of("line"), spec_of("text")]}
    assert "href" not in add_links(layered)["layer"][0]["encoding"]
    assert "href" in add_links(layered)["layer"][1]["encoding"]


def test_the_same_picture_twice():
    clipped = spec_of({"type": "circle", "clip": True})
    first, second = (inline_chart(clipped, THEMES, "one", "A chart") for _ in range(2))
    assert first == second
    assert 'id="one-0"' in first.svg
    assert "url(#one-0)" in first.svg


def test_text_stays_text():
    svg = inline_chart(spec_of("text", text={"field": "label"}), THEMES, "one", "A chart").svg
    assert "&lt;b&gt;&amp;amp;]]&gt;" in svg
    assert "<b>" not in svg


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        '<image href="http://elsewhere/x.png"/>',
        "<foreignObject><p>x</p></foreignObject>",
        "<style>* { fill: url(http://elsewhere) }</style>",
    ],
)
def test_anything_but_shapes_is_left_out(inner):
    assert (
        clean_svg(svg_of(f'{inner}<g><path d="M1,1"/></g>'), "one", "label").partition(">")[2]
        == '<path d="M1,1"></path></svg>'
    )


def test_handlers_and_foreign_links_are_left_out():
    svg = svg_of('<a xlink:href="http://elsewhere"><path onclick="x()" d="M1,1"/></a>')
    assert clean_svg(svg, "one", "label").partition(">")[2] == '<path d="M1,1"></path></svg>'


def test_a_ramp_beside_a_chart_runs_upwards():
    heat = spec_of("rect", color={"field": "y", "type": "quantitative"})
    ramp = re.search(r"<linearGradient (.*?)>", inline_chart(heat, THEMES, "one", "A chart").svg)[1]
    for way in ('x1="0"', 'y1="1"', 'x2="0"', 'y2="0"'):
        assert way in ramp


def test_ramps_and_opacities_are_fine_graded():
    stops = "".join(
        f'<stop offset="{share}" stop-color="#123"/>' for share in (0.0625, 0.123456, 1)
    )
    inner = f'<defs><linearGradient id="a">{stops}</linearGradient></defs>'
    found = clean_svg(svg_of(f'{inner}<path d="M1.26,2" opacity="0.85"/>'), "one", "label")
    assert re.findall(r'offset="(.*?)"', found) == ["0.062", "0.123", "1"]
    assert '<path d="M1.3,2" opacity="0.85">' in found


def test_colours_follow_the_theme():
    drawn = inline_chart(spec_of(), THEMES, "one", "A chart")
    for part, key in (("mark", "color"), ("axis", "labelColor")):
        assert drawn.changes["fill", theme()[part][key]] == theme(dark=True)[part][key]
    rules = dark_rules("place", drawn.changes)
    light, dark = theme()["axis"]["gridColor"], theme(dark=True)["axis"]["gridColor"]
    assert f'#place [stroke="{light}"] {{ stroke: {dark}; }}' in rules


def test_a_ramp_of_colours_is_turned_too():
    heat = spec_of("rect", color={"field": "y", "type": "quantitative"})
    changes = inline_chart(heat, THEMES, "one", "A chart").changes
    assert len(changes) > 5


@pytest.mark.parametrize("mark", ["rect", "text", "bar"])
def test_without_letters_the_colours_are_the_same(mark):
    spec = spec_of(mark, color={"field": "label"}, text={"field": "label"})
    light, dark = (vl_convert.vegalite_to_svg({**spec, "config": THEMES[g]}) for g in THEMES)
    changes = changed_colours(light, dark)
    assert changes
    assert dark_changes(light, {**spec, "config": THEMES["dark"]}) == changes


def test_where_letters_make_shapes_they_are_drawn(monkeypatch):
    spec = {**spec_of(), "config": THEMES["dark"]}
    light = vl_convert.vegalite_to_svg({**spec, "config": THEMES["light"]})
    expected = dark_changes(light, spec)
    monkeypatch.setattr("laconic.web.report.svg.without_text", lambda vega: {**vega, "axes": []})
    assert dark_changes(light, spec) == expected


def test_marks_say_what_their_tooltips_say():
    spec = spec_of(tooltip=[{"field": "label"}, {"field": "x", "title": "place", "format": ".1f"}])
    svg = inline_chart(spec, THEMES, "one", "A chart").svg
    assert "<title>label: plain; place: 3.0</title>" in svg
    assert "<title>" not in inline_chart(spec_of(), THEMES, "one", "A chart").svg


def test_large_pictures_say_less(monkeypatch):
    spec = spec_of(tooltip=[{"field": "label"}])
    assert "<title>" in inline_chart(spec, THEMES, "one", "A chart").svg
    monkeypatch.setattr("laconic.web.report.svg.LARGE", 1000)
    assert "<title>" not in inline_chart(spec, THEMES, "one", "A chart").svg


def test_equal_pictures_change_no_colour():
    svg = '<svg><rect fill="#111"/></svg>'
    assert changed_colours(svg, svg) == {}
