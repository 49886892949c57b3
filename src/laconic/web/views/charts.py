"""Charts as the page draws them: Vega-Lite without its looks, which follow the reader's theme."""

from __future__ import annotations

from typing import Any

import laconic.plots
from laconic.plots.labels import SIZE, UNMEASURED
from laconic.plots.map import written
from laconic.plots.page import drawable
from laconic.plots.style import FONT, theme
from laconic.web.page_data import PageData
from laconic.web.views.common import Missing, check_topic


def chart(
    material: PageData,
    name: str,
    topic: int | None = None,
    word: str | None = None,
    width: int | None = None,
    letters: int = UNMEASURED,
) -> dict[str, Any]:
    """The description of a chart of the model, so many dots wide where the chart can be.

    `letters` says how wide those of the reader's font are, in percent of Helvetica's.
    """
    drawn = laconic.plots.applicable(material.model)
    kind = laconic.plots.CHARTS.get(name)
    needs = () if kind is None else kind.needs
    if kind is None or (name not in drawn and needs != ("word",)):
        raise Missing(
            f"There is no chart {name[:50]!r} of this model; there are {', '.join(drawn)}."
        )
    if topic is not None:
        check_topic(material, topic)
    spec: dict[str, Any] = kind.draw(
        material.model,
        topics=None if topic is None else [topic],
        word=word,
        width=width,
        letters=letters,
    ).to_dict(validate=False)  # checked by tests; it takes half of the time
    spec.pop("config", None)
    return dict(drawable(spec))


def themes() -> dict[str, Any]:
    """How charts look by day and by night."""
    return {"light": theme(dark=False), "dark": theme(dark=True)}


def letters(material: PageData) -> dict[str, Any]:
    """The font of charts, and texts of theirs with the widths that they have in Helvetica."""
    texts = [[drawable(text), round(width, 2)] for text, width in written(material.model).items()]
    return {"font": f"{SIZE:g}px {FONT}", "texts": texts}
