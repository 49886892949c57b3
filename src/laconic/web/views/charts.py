"""Charts as Vega-Lite specifications without a theme; the browser adds the theme."""

from __future__ import annotations

from typing import Any

import laconic.plots
from laconic.plots.labels import SIZE, UNMEASURED
from laconic.plots.map import written
from laconic.plots.page import drawable
from laconic.plots.style import FONT, theme
from laconic.web.page_data import PageData
from laconic.web.views.common import NotFoundError, check_topic


def chart(
    page_data: PageData,
    name: str,
    topic: int | None = None,
    word: str | None = None,
    width: int | None = None,
    letters: int = UNMEASURED,
) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart of the model.

    `width` is the width in pixels of charts whose width can vary. `letters` is the width of text in
    the user's font, in percent of its width in Helvetica.
    """
    available = laconic.plots.applicable(page_data.model)
    kind = laconic.plots.CHARTS.get(name)
    needs = () if kind is None else kind.needs
    if kind is None or (name not in available and needs != ("word",)):
        raise NotFoundError(
            f"This model has no chart {name[:50]!r}; available charts: {', '.join(available)}."
        )
    if topic is not None:
        check_topic(page_data, topic)
    spec: dict[str, Any] = kind.draw(
        page_data.model,
        topics=None if topic is None else [topic],
        word=word,
        width=width,
        letters=letters,
    ).to_dict(validate=False)  # validation would double the time
    spec.pop("config", None)
    return dict(drawable(spec))


def themes() -> dict[str, Any]:
    """Return the light and the dark theme of charts."""
    return {"light": theme(dark=False), "dark": theme(dark=True)}


def letters(page_data: PageData) -> dict[str, Any]:
    """Return the font of the charts, and sample texts with their widths in Helvetica."""
    texts = [[drawable(text), round(width, 2)] for text, width in written(page_data.model).items()]
    return {"font": f"{SIZE:g}px {FONT}", "texts": texts}
