"""The pages of a comparison and of a search for the number of topics, opened from disk."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import laconic
from laconic.evaluation.compare import Comparison, Row
from laconic.evaluation.repeats import interval

from .conftest import Explorer, shot
from .measuring import outside, paper_and_ink, too_wide, violations

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
SCRIPT = "<img src=x onerror=alert(1)>"


def rows() -> list[Row]:
    """Return the results of five models, of which one has long numbers and one failed."""
    made = []
    for number, model in enumerate(["sc", "plsa", "lda-tomotopy", "nmf"]):
        runs = {
            "npmi": [0.1 * number + shift for shift in (0.01, 0.02, 0.015)],
            "accuracy": [0.5 + 0.1 * number + shift for shift in (0.2, -0.2, 0.1)],
            "seconds": [10.0**number * factor for factor in (1.0, 1.1, 0.9)],
            "documents_per_second": [2_000_000.0 / 10**number, 1_000.0, 50_000.0],
        }
        words = [[f"{model}word{topic}x{n}" for n in range(10)] for topic in range(12)]
        if number % 2:
            words = [[*list("abc"), SCRIPT], *words[1:]]
        else:
            words = [["a", "b", SCRIPT], *words[1:]]
        means = {name: sum(values) / 3 for name, values in runs.items()}
        made.append(Row(model, 12, **means, words=words, runs=runs))
    return [*made, Row("sctm", 12, error=f"no topics {SCRIPT}")]


ABOUT = {
    "documents": 2000, "words": 30_000, "fitted_to": 1600, "unseen": 400, "classes": 20,
    "window": "texts", "words_of_a_topic": 10, "random_state": 0, "repeats": 3, "n_jobs": None,
    "interrupted": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Explorer]:
    """The pages by name."""
    folder = tmp_path_factory.mktemp("pages")
    corpus, _ = laconic.datasets.make_topics(90, 120, 3, words_per_topic=12, random_state=4)
    tuning = laconic.tune(corpus, "slsa", n_components=[2, 3, 5, 9], folds=2, refit=False)
    paths = {
        "compare": Comparison(rows(), ABOUT).save(folder / "compare.html"),
        "tune": tuning.plot(folder / "tune.html"),
    }
    return {name: Explorer(path.as_uri(), path) for name, path in paths.items()}


@pytest.fixture
def read(visit, files):
    """A function that opens a page."""

    def go(name, **options):
        page = visit.open(files[name], **options)
        page.goto(files[name].url)
        return page

    return go


def unfold(page):
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["compare", "tune"])
def test_a_page_is_for_everyone_in_both_themes(visit, read, name, scheme):
    page = unfold(read(name, color_scheme=scheme))
    paper, ink = paper_and_ink(page)
    assert (paper < 60, ink > 180) == (scheme == "dark",) * 2
    visible = page.locator(".chart svg:visible")
    assert visible.count() == page.locator(".chart").count() > 0
    kind = "night" if scheme == "dark" else "day"
    expect(page.locator(f".chart .{kind} svg").first).to_be_visible()
    assert violations(page) == []
    assert too_wide(page) == []
    assert len(visit.watches[page].responses) <= 1
    shot(page, f"{name}-page-{scheme}")


@pytest.mark.parametrize("name", ["compare", "tune"])
def test_nothing_is_cut_off_on_a_phone(read, name):
    page = unfold(read(name, **PHONE))
    assert too_wide(page) == []
    assert clipped(page) == []
    for chart in page.locator(".chart .day").all():
        assert outside(chart) == []
    for axis in page.locator(".axis").all():
        box = axis.locator("xpath=..").bounding_box()
        for label in axis.locator(".track span:visible").all():
            at = label.bounding_box()
            assert box["x"] < at["x"] < at["x"] + at["width"] < box["x"] + box["width"]
    shot(page, f"{name}-page-narrow")


def clipped(page):
    """Return the visible elements whose content is wider than they are."""
    return page.evaluate(
        """() => [...document.querySelectorAll("main *:not(svg, svg *)")]
            .filter((each) => each.checkVisibility())
            .filter((each) => !each.matches(".unseen, thead, thead *, .axis *"))
            .filter((each) => !["inline", "table"].includes(getComputedStyle(each).display))
            .filter((each) => each.scrollWidth > each.clientWidth + 1)
            .map((each) => `${each.tagName}.${each.className}: ${each.textContent.slice(0, 60)}`)"""
    )


def test_topics_come_before_numbers(read):
    page = read("compare")
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings[:3] == ["Which model is best at what?", "Topics side by side", "Metrics"]
    expect(page.locator(".lead").first).to_contain_text("nmf has the highest NPMI")
    expect(page.locator("main")).to_contain_text(SCRIPT)
    expect(page.locator("img")).to_have_count(0)


def boxes(places):
    """Return the left edges and the widths of elements."""
    return places.evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect()).map((box) => [box.left, box.width])"
    )


def test_dots_and_intervals_are_where_the_numbers_say(read):
    """All cards have the same columns, and positions are proportional to the values."""
    page = read("compare")
    names = boxes(page.locator(".metric .name"))
    card = page.locator(".metric", has=page.get_by_role("heading", name="NPMI"))
    assert len({left for left, _ in boxes(card.locator("li .track"))}) == 1
    assert len({round(left) for left, _ in names}) <= 3  # at most three columns of cards
    dots = [left + width / 2 for left, width in boxes(card.locator("li .dot"))]
    values = [row.npmi for row in rows()[:4]]
    steps = [(dot - dots[0]) / (dots[3] - dots[0]) for dot in dots]
    expected = [(value - values[0]) / (values[3] - values[0]) for value in values]
    assert steps == pytest.approx(expected, abs=0.02)
    ranges = [width for _, width in boxes(card.locator("li .range"))]
    scale = (dots[3] - dots[0]) / (values[3] - values[0])
    for row, width in zip(rows()[:4], ranges, strict=True):
        low, high = interval(row, "npmi", ABOUT)
        assert width == pytest.approx((high - low) * scale, abs=1.5)
        assert f"{low:.3f} to {high:.3f}" in card.inner_text()


def test_on_a_phone_each_row_of_the_table_is_a_card(read):
    page = read("tune", **PHONE)
    row = page.locator("tbody tr").first
    labels = row.locator("td").evaluate_all(
        "all => all.map((each) => getComputedStyle(each, '::before').content)"
    )
    assert labels[:2] == ['"explained share"', '"± explained"']
    lefts = {round(cell.bounding_box()["x"]) for cell in row.locator("td:not(:empty)").all()}
    assert len(lefts) == 1  # one below the other
    assert row.bounding_box()["width"] <= 360


@pytest.mark.parametrize("name", ["compare", "tune"])
def test_a_page_prints_on_white(read, name):
    page = read(name, color_scheme="dark")
    page.emulate_media(media="print")
    assert paper_and_ink(page)[1] < 60
    expect(page.locator(".chart .day svg").first).to_be_visible()
    expect(page.locator(".chart .night svg").first).to_be_hidden()
    page.set_viewport_size({"width": 680, "height": 960})
    assert too_wide(page) == []
