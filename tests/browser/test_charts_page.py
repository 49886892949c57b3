"""Charts in the page: fitted to its width and font, redrawn, or replaced by an error message."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from .conftest import drawn, follow, settled, shot
from .measuring import covering, outside

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FITTED = ("map", "graph", "words", "convergence")
# CSS fonts of the charts: the default, a font with wide letters, a font with narrow letters.
FONTS = ("", "monospace", "serif")


def use_font(page: Page, font: str) -> None:
    """Use another font to draw the charts of a page and to measure their texts."""

    def themes(route: Route) -> None:
        answer = route.fetch()
        told = {name: {**theme, "font": font} for name, theme in answer.json().items()}
        route.fulfill(response=answer, json=told)

    def letters(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        route.fulfill(response=answer, json={**told, "font": f"{told['font'].split()[0]} {font}"})

    if font:
        page.route("**/api/themes", themes)
        page.route("**/api/letters", letters)


def opened(visit, explorer, address, font="", **options) -> Page:
    page = visit.open(explorer, **options)
    use_font(page, font)
    page.goto(address)
    return settled(page)


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("address", ["/topics/0", "/pictures"])
def test_charts_of_a_phone_are_made_for_it(visit, explorer, address, font):
    page = drawn(opened(visit, explorer("correlated"), address, font, **PHONE))
    for name in FITTED:
        for place in page.locator(f"figure[data-chart={name}] .chart").all():
            room, needed = place.evaluate("(node) => [node.clientWidth, node.scrollWidth]")
            assert needed <= room, name
            natural, seen = place.locator("svg").evaluate(
                "(svg) => [Number(svg.getAttribute('width')), svg.getBoundingClientRect().width]"
            )
            assert seen == pytest.approx(natural, rel=0.04), name  # texts are not shrunk
            assert outside(place) == []
    shot(page, f"phone-charts-{address}-{font}")


@pytest.mark.parametrize("font", FONTS)
def test_names_on_the_map_keep_to_their_places(visit, explorer, font):
    page = drawn(opened(visit, explorer("slsa"), "/pictures", font))
    place = page.locator("figure[data-chart=map] .chart")
    assert outside(place) == []
    assert covering(place) == []
    shot(page, f"map-{font}", whole=False)


def test_a_phone_that_is_turned_gets_another_map(visit, explorer):
    page = visit(explorer("slsa"), **PHONE)
    page.get_by_text("Map of topics").first.click()
    place = drawn(page).locator(".topic-map")
    width = "(svg) => svg.getBoundingClientRect().width"
    upright = place.locator("svg").evaluate(width)
    place.locator("svg").evaluate("(svg) => svg.dataset.first = 1")
    page.set_viewport_size({"width": 740, "height": 360})
    expect(place.locator("svg:not([data-first])")).to_be_visible()
    seen = place.locator("svg").evaluate(width)
    assert 1.8 * upright < seen <= place.evaluate("(node) => node.clientWidth")
    assert outside(place) == []


def test_a_chart_that_the_server_cannot_make_is_a_sentence(visit, explorer):
    page = visit.open(explorer("slsa"))
    visit.watches[page].allow("500")
    said = {"error": "The chart cannot be made today."}
    page.route("**/api/charts/map*", lambda route: route.fulfill(status=500, json=said))
    page.goto("/pictures")
    place = settled(page, "pictures").locator("figure[data-chart=map] .chart")
    place.scroll_into_view_if_needed()
    expect(place.get_by_role("alert")).to_have_text(said["error"])
    words = page.locator("figure[data-chart=words]")
    words.scroll_into_view_if_needed()
    expect(words).to_have_attribute("data-drawn", "true")  # other charts are drawn


def test_a_chart_that_does_not_come_at_another_width_stays(visit, explorer):
    page = drawn(visit(explorer("slsa"), "/pictures"))
    visit.watches[page].allow("500")
    page.locator("figure[data-chart=map] svg").evaluate("(svg) => svg.dataset.first = 1")
    page.route("**/api/charts/map*", lambda route: route.fulfill(status=500, body="no JSON"))
    with page.expect_response("**/api/charts/map*"):
        page.set_viewport_size({"width": 600, "height": 800})
    page.unroute("**/api/charts/map*")
    expect(page.locator("figure[data-chart=map] svg[data-first]")).to_be_visible()
    expect(page.locator("figure[data-chart=map] [role=alert]")).to_have_count(0)
    page.set_viewport_size({"width": 1200, "height": 800})
    expect(page.locator("figure[data-chart=map] svg:not([data-first])")).to_be_visible()


def test_a_chart_may_change_its_theme_and_width_while_it_is_drawn(visit, explorer):
    page = visit(explorer("correlated"), "/pictures")
    for number in range(6):
        page.emulate_media(color_scheme=("dark", "light")[number % 2])
        page.set_viewport_size({"width": (700, 1100)[number % 2], "height": 800})
    for figure in drawn(page).locator("figure[data-chart]").all():
        expect(figure.locator("svg.marks")).to_have_count(1)
    for view in ("/", "/pictures", "/topics/0", "/"):
        follow(page, view)  # before the charts of the previous view are drawn
    drawn(settled(page, "overview"))


def test_the_page_asks_for_the_letters_that_it_has(visit, explorer):
    page = drawn(opened(visit, explorer("slsa"), "/pictures", "monospace"))
    asked = [each.url for each in visit.watches[page].responses if "/api/charts/map" in each.url]
    measured = int(asked[-1].split("letters=")[1])
    assert measured > 100  # because monospace is wider than Helvetica
    told = json.loads(page.request.get(f"{explorer('slsa').url}api/letters").text())
    widest = page.evaluate(
        """(texts) => {
            const pen = document.createElement("canvas").getContext("2d");
            pen.font = "11px monospace";
            return Math.max(...texts.map(([text, width]) => pen.measureText(text).width / width));
        }""",
        told["texts"],
    )
    assert min(100 * widest, 200) - 1 <= measured <= min(100 * widest, 200) + 5
