"""What axe, the accessibility checker, finds in every view, by day and by night."""

from __future__ import annotations

import pytest

from .conftest import settled
from .measuring import grave
from .views import addresses

by_day_and_night = pytest.mark.parametrize("scheme", ["light", "dark"])


@by_day_and_night
@pytest.mark.parametrize("view", addresses())
def test_nothing_grave_in_any_view(visit, explorer, view, scheme):
    page = visit(explorer("stc"), addresses()[view], color_scheme=scheme)
    settled(page, view)
    assert grave(page) == []


@by_day_and_night
def test_nothing_grave_where_topics_are_renamed(visit, writable, scheme):
    page = visit(writable, "/topics/1", color_scheme=scheme)
    page.get_by_role("button", name="Rename, hide or note").click()
    assert grave(page) == []


@by_day_and_night
def test_nothing_grave_in_the_comparison_of_two_models(visit, compared, scheme):
    assert grave(visit(compared, "/compare", color_scheme=scheme)) == []


@by_day_and_night
def test_nothing_grave_in_the_card_of_a_word(visit, explorer, scheme):
    page = visit(explorer("stc"), "/documents/3", color_scheme=scheme)
    page.locator(".text [data-word]").first.focus()
    assert grave(page) == []


@by_day_and_night
def test_nothing_grave_among_completions(visit, explorer, scheme):
    page = visit(explorer("stc"), color_scheme=scheme)
    page.get_by_role("combobox", name="Search documents").press_sequentially("spar")
    page.get_by_role("option").first.wait_for()
    assert grave(page) == []
