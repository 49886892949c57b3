"""Every view opens with every model: signed weights or not, word codes or not, keywords or not."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import laconic
from laconic.models import MODELS

from .conftest import Explorer, drawn, follow, settled, shot
from .models import docstrings
from .views import addresses

# Views that differ between models; only these get screenshots, because screenshots take time.
TELLING = ("topic", "document", "pictures")


def open_all(page: Page, name: str, word: str = "sparse") -> None:
    """Open the first view, follow links to all other views, and save screenshots of some."""
    for number, (view, address) in enumerate(addresses(word).items()):
        follow(page, address) if number else page.goto(address)
        drawn(settled(page, view))
        assert page.locator("main h1").inner_text().strip()
        if view in TELLING:
            shot(page, f"{name}-{view}", whole=view == "pictures")


def every_model() -> list[Any]:
    """Return all kinds of models; those whose views have no part of their own are thorough."""
    own = {"sc", "stc", "medstc", "pcp", "signed"}
    thorough = pytest.mark.thorough
    names = [*MODELS, "signed", "correlated"]
    return [pytest.param(n, marks=() if n in own else thorough) for n in names]


@pytest.mark.parametrize("model", every_model())
def test_every_view_opens(visit, explorer, model):
    open_all(visit.open(explorer(model)), f"model-{model}")


@pytest.mark.parametrize(
    "model", ["few words", pytest.param("few words, coded", marks=pytest.mark.thorough)]
)
def test_fourteen_words_are_enough(visit, explorer, model):
    page = visit.open(explorer(model))
    open_all(page, model, "bank")
    settled(follow(page, "/documents/39"), "document")
    shot(page, f"{model}-empty-document", whole=False)


def test_signed_words_have_a_sign(visit, explorer):
    page = visit(explorer("signed"), "/topics/0")
    assert "−" in page.get_by_role("main").inner_text()


def test_a_model_without_documents_shows_its_topics(visit, serve, tmp_path):
    model = laconic.PLSA(6).fit(docstrings())
    page = visit(serve(laconic.save(model, tmp_path / "bare.model")))
    expect(page.get_by_role("navigation", name="Views")).not_to_contain_text("Documents")
    shot(page, "bare-overview")
    for view, address in (("topic", "/topics/0"), ("word", "/words/sparse")):
        page.goto(address)
        settled(page, view)
        shot(page, f"bare-{view}")


def test_two_models_side_by_side(visit, compared):
    page = visit(compared, "/compare")
    settled(page, "compare")
    assert page.locator("main a[href^='/topics/']").count() >= 10
    shot(page, "compare")


def test_a_model_compared_with_itself_is_alike(visit, serve, saved, tmp_path):
    twin = tmp_path / "twin.model"
    shutil.copytree(saved("slsa"), twin)
    served: Explorer = serve(saved("slsa"), other=twin)
    page = visit(served, "/compare")
    settled(page, "compare")
    expect(page.get_by_role("main")).to_contain_text("100 %")
