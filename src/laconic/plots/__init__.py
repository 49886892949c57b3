"""Charts of models and of measurements: Altair objects for a notebook, a page or a picture.

>>> import laconic.plots
>>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
>>> chart = laconic.plots.topic_map(laconic.PLSA(4).fit(corpus))  # shows itself in a notebook
>>> chart.to_dict()["title"]["text"]
'Map of topics'

`CHARTS` has all of them by name, `applicable` says which a model has, `write_chart` makes a file.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.plots.comparison import speed_against_quality as speed_against_quality
    from laconic.plots.files import write_chart as write_chart
    from laconic.plots.graph import topic_graph as topic_graph
    from laconic.plots.groups import topics_over_groups as topics_over_groups
    from laconic.plots.map import topic_map as topic_map
    from laconic.plots.matrix import topic_word_matrix as topic_word_matrix
    from laconic.plots.objective import convergence as convergence
    from laconic.plots.penalties import penalty_path as penalty_path
    from laconic.plots.registry import CHARTS as CHARTS
    from laconic.plots.registry import ChartKind as ChartKind
    from laconic.plots.registry import applicable as applicable
    from laconic.plots.senses import word_senses as word_senses
    from laconic.plots.spectrum import singular_values as singular_values
    from laconic.plots.words import topic_words as topic_words

# Public name -> module that defines it, imported on first use: what writes files needs no models.
_HOMES = {
    "CHARTS": "registry",
    "ChartKind": "registry",
    "applicable": "registry",
    "convergence": "objective",
    "penalty_path": "penalties",
    "singular_values": "spectrum",
    "speed_against_quality": "comparison",
    "topic_graph": "graph",
    "topic_map": "map",
    "topic_word_matrix": "matrix",
    "topic_words": "words",
    "topics_over_groups": "groups",
    "word_senses": "senses",
    "write_chart": "files",
}

__all__ = [
    "CHARTS",
    "ChartKind",
    "applicable",
    "convergence",
    "penalty_path",
    "singular_values",
    "speed_against_quality",
    "topic_graph",
    "topic_map",
    "topic_word_matrix",
    "topic_words",
    "topics_over_groups",
    "word_senses",
    "write_chart",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"laconic.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'laconic.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
