"""Short, readable topics from large document collections."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Maps each public name to the module that defines it, or to the module that has this name. Modules
# are imported on first use, so that `laconic --help` is fast. The file __init__.pyi lists the same
# names for type checkers.
_HOMES = {
    "PCP": "laconic.models.pcp.estimator",
    "PLSA": "laconic.models.plsa.estimator",
    "SCTM": "laconic.models.sctm.estimator",
    "STC": "laconic.models.stc.stc",
    "Comparison": "laconic.evaluation.compare",
    "Corpus": "laconic.corpus.corpus",
    "Document": "laconic.corpus.corpus",
    "Edit": "laconic.editing.undo",
    "Evaluation": "laconic.evaluation.evaluate",
    "Explorer": "laconic.web.explore",
    "Hit": "laconic.retrieval.hits",
    "Hits": "laconic.retrieval.hits",
    "Keyword": "laconic.keyphrases.keyword",
    "Keywords": "laconic.keyphrases.keyword",
    "LaconicError": "laconic.errors",
    "MedSTC": "laconic.models.stc.medstc",
    "ModelFileError": "laconic.errors",
    "ReadError": "laconic.errors",
    "Plan": "laconic.planning.result",
    "SearchIndex": "laconic.retrieval.index",
    "SparseCoding": "laconic.models.sparse_coding.estimator",
    "SparseLSA": "laconic.models.sparse_lsa.estimator",
    "Topic": "laconic.fitted.topic_list",
    "TopicNames": "laconic.keyphrases.topic_names",
    "TopicTree": "laconic.fitted.tree",
    "Topics": "laconic.fitted.topic_list",
    "Tuning": "laconic.tuning.result",
    "Vectorizer": "laconic.text.vectorizer",
    "Vocabulary": "laconic.corpus.vocabulary",
    "Weighting": "laconic.weighting",
    "compare": "laconic.evaluation.compare",
    "datasets": "laconic.datasets",
    "describe": "laconic.saving.describe",
    "drop": "laconic.editing.drop",
    "drop_words": "laconic.editing.drop_words",
    "edits": "laconic.editing.undo",
    "evaluate": "laconic.evaluation.evaluate",
    "explore": "laconic.web.explore",
    "held_out_score": "laconic.tuning.prediction",
    "io": "laconic.io",
    "keep": "laconic.editing.drop",
    "keywords": "laconic.keyphrases.keywords",
    "load": "laconic.saving.models",
    "merge": "laconic.editing.merge",
    "metrics": "laconic.metrics",
    "name_topics": "laconic.keyphrases.topic_names",
    "pipeline": "laconic.models.pipeline",
    "plan": "laconic.planning.plan",
    "plots": "laconic.plots",
    "project_simplex": "laconic.models.penalties",
    "read": "laconic.io.read",
    "report": "laconic.web.report",
    "save": "laconic.saving.models",
    "search": "laconic.retrieval.search",
    "senses": "laconic.fitted.senses",
    "similar": "laconic.fitted.similar_documents",
    "split": "laconic.editing.split",
    "top_documents": "laconic.fitted.similar_documents",
    "topic_graph": "laconic.fitted.graph",
    "topic_groups": "laconic.fitted.word_groups",
    "topic_stability": "laconic.evaluation.topic_stability",
    "topic_tree": "laconic.fitted.tree",
    "topics": "laconic.fitted.topics",
    "tune": "laconic.tuning.tune",
    "undo": "laconic.editing.undo",
    "verify": "laconic.saving.verify",
    "with_nouns": "laconic.fitted.nouns",
    "write": "laconic.io.write",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'laconic' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return home if home.__name__ == f"laconic.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
