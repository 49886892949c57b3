"""Charts of models and comparisons: Altair charts for notebooks, HTML, SVG and PNG files.

>>> import laconic.plots
>>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
>>> chart = laconic.plots.topic_map(laconic.PLSA(4).fit(corpus))  # displayed by a notebook
>>> chart.to_dict()["title"]["text"]
'Map of topics'

`CHARTS` maps names to charts, `applicable` lists the charts that can be drawn for a model, and
`write_chart` writes a chart to a file.
"""

from __future__ import annotations

import importlib
from typing import Any

# Maps each public name to the module that defines it. Modules are imported on first use, so that
# code that only writes charts does not import the models. The file __init__.pyi declares the same
# names for type checkers.
_HOMES = {
    "CHARTS": "registry",
    "ChartKind": "registry",
    "applicable": "registry",
    "convergence": "objective",
    "penalty_path": "penalties",
    "singular_values": "spectrum",
    "speed_against_quality": "comparison",
    "topic_dendrogram": "tree",
    "topic_graph": "graph",
    "topic_groups": "word_groups",
    "topic_map": "map",
    "topic_word_matrix": "matrix",
    "topic_words": "words",
    "topics_over_groups": "groups",
    "word_senses": "senses",
    "write_chart": "files",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"laconic.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'laconic.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
