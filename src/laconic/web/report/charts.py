"""The pictures of the report, drawn from the same charts as those of a notebook."""

from __future__ import annotations

from typing import Any, NamedTuple

import laconic.plots
from laconic.errors import LaconicError
from laconic.web import views
from laconic.web.report.html import Html, h
from laconic.web.report.svg import dark_rules, picture

TITLES = {
    "map": "Map of topics",
    "matrix": "Words and topics",
    "groups": "Topics over classes",
    "graph": "Topics that go together",
    "convergence": "Convergence",
}
MATRIX_WORDS = 45  # so that their letters can be read on a sheet of paper
LARGEST = 600_000  # characters of a picture; a larger one is left out, and the page says so


class Drawn(NamedTuple):
    """A picture or a sentence why there is none, its heading, and its style on dark ground."""

    title: str
    content: Html
    dark: str = ""


def drawn_charts(material: Any, overview: dict[str, Any]) -> dict[str, Drawn]:
    """Every picture that this model has, by name."""
    themes = views.themes()
    known = {chart["name"]: chart["about"] for chart in overview["charts"]}
    return {
        name: _drawn(material, name, title, known[name], themes)
        for name, title in titles_of(overview).items()
        if name in known
    }


def titles_of(overview: dict[str, Any]) -> dict[str, str]:
    """Headings of the pictures; groups of documents may be times."""
    over_time = {"groups": "Topics over time"} if overview["has"]["groups"] == "time" else {}
    return {**TITLES, **over_time}


def _drawn(material: Any, name: str, title: str, about: str, themes: dict[str, Any]) -> Drawn:
    try:
        spec = _spec(material, name)
        caption = caption_of(spec.pop("title", None)) or about
        svg, changes = picture(spec, themes, name, spec.get("description") or about)
    except LaconicError as error:
        return Drawn(title, h("p", str(error), class_="quiet"))
    if len(svg) > LARGEST:
        return Drawn(title, h("p", "This picture has too many parts for a page.", class_="quiet"))
    place = f"picture-{name}"
    figure = h(
        "figure", h("div", svg, class_="drawing", tabindex="0"), h("figcaption", caption), id=place
    )
    return Drawn(title, figure, dark_rules(place, changes))


def _spec(material: Any, name: str) -> dict[str, Any]:
    if name != "matrix":
        return views.chart(material, name)
    chart = laconic.plots.topic_word_matrix(material.model, n_words=MATRIX_WORDS)
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    return spec


def caption_of(title: Any) -> str:
    """What stands below the title of a chart, as a sentence.

    Examples
    --------
    >>> caption_of({"text": "Map", "subtitle": ["40 topics", "near is alike"]})
    '40 topics; near is alike.'
    """
    subtitle = title.get("subtitle") if isinstance(title, dict) else None
    text = "; ".join(subtitle) if isinstance(subtitle, list) else subtitle or ""
    return text if not text or text.endswith((".", "…")) else f"{text}."
