"""Charts as the page draws them: Vega-Lite without its looks, which follow the reader's theme."""

from __future__ import annotations

from typing import Any

import laconic.plots
from laconic.errors import LaconicError
from laconic.plots.style import theme
from laconic.web.material import Material
from laconic.web.views.stubs import Missing, check_topic


def chart(
    material: Material, name: str, topic: int | None = None, word: str | None = None
) -> dict[str, Any]:
    """The description of a chart of the model."""
    kind = laconic.plots.CHARTS.get(name)
    drawn = laconic.plots.applicable(material.model)
    if kind is None or (name not in drawn and not kind.needs):
        raise Missing(
            f"There is no chart {name[:50]!r} of this model; there are {', '.join(drawn)}."
        )
    asked: dict[str, Any] = {}
    if topic is not None:
        check_topic(material, topic)
        asked["topics" if name == "words" else "topic"] = [topic] if name == "words" else topic
    if word is not None:
        asked["word"] = word
    try:
        spec: dict[str, Any] = kind.draw(material.model, **asked).to_dict()
    except TypeError as error:
        raise LaconicError(f"The chart {name} takes no {' and no '.join(asked)}.") from error
    spec.pop("config", None)
    return spec


def themes() -> dict[str, Any]:
    """How charts look by day and by night."""
    return {"light": theme(dark=False), "dark": theme(dark=True)}
