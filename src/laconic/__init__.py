"""Sparse, readable topic models: much about a document collection in few words."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic import datasets as datasets
    from laconic import metrics as metrics
    from laconic import plots as plots
    from laconic.comparison.compare import Comparison as Comparison
    from laconic.comparison.compare import compare as compare
    from laconic.corpus import Corpus as Corpus
    from laconic.corpus import Document as Document
    from laconic.corpus import Vocabulary as Vocabulary
    from laconic.errors import LaconicError as LaconicError
    from laconic.errors import ModelFileError as ModelFileError
    from laconic.errors import ReadError as ReadError
    from laconic.evaluation import Evaluation as Evaluation
    from laconic.evaluation import evaluate as evaluate
    from laconic.index import Hit as Hit
    from laconic.index import SearchIndex as SearchIndex
    from laconic.index import search as search
    from laconic.io.read import read as read
    from laconic.models.keywords import Keyword as Keyword
    from laconic.models.keywords import keywords as keywords
    from laconic.models.medstc import MedSTC as MedSTC
    from laconic.models.pcp import PCP as PCP
    from laconic.models.pipeline import pipeline as pipeline
    from laconic.models.plsa import PLSA as PLSA
    from laconic.models.sctm import SCTM as SCTM
    from laconic.models.senses import senses as senses
    from laconic.models.similar import similar as similar
    from laconic.models.similar import top_documents as top_documents
    from laconic.models.sparse_lsa import SparseLSA as SparseLSA
    from laconic.models.stc import STC as STC
    from laconic.models.topic_graph import topic_graph as topic_graph
    from laconic.models.topics import topics as topics
    from laconic.penalties import project_simplex as project_simplex
    from laconic.persistence import describe as describe
    from laconic.persistence import load as load
    from laconic.persistence import save as save
    from laconic.text import Vectorizer as Vectorizer
    from laconic.tuning.foretelling import held_out_score as held_out_score
    from laconic.tuning.result import Tuning as Tuning
    from laconic.tuning.tune import tune as tune
    from laconic.web.explore import Explorer as Explorer
    from laconic.web.explore import explore as explore
    from laconic.web.report import report as report
    from laconic.weighting import Weighting as Weighting

__version__ = "0.1.0"

# Public name -> module that defines it. Imported on first use, so that `laconic --help` stays fast.
_HOMES = {
    "PCP": "laconic.models.pcp",
    "PLSA": "laconic.models.plsa",
    "SCTM": "laconic.models.sctm",
    "STC": "laconic.models.stc",
    "Comparison": "laconic.comparison.compare",
    "Corpus": "laconic.corpus",
    "Document": "laconic.corpus",
    "Evaluation": "laconic.evaluation",
    "Explorer": "laconic.web.explore",
    "Hit": "laconic.index",
    "Keyword": "laconic.models.keywords",
    "LaconicError": "laconic.errors",
    "MedSTC": "laconic.models.medstc",
    "ModelFileError": "laconic.errors",
    "ReadError": "laconic.errors",
    "SearchIndex": "laconic.index",
    "SparseLSA": "laconic.models.sparse_lsa",
    "Tuning": "laconic.tuning.result",
    "Vectorizer": "laconic.text",
    "Vocabulary": "laconic.corpus",
    "Weighting": "laconic.weighting",
    "compare": "laconic.comparison.compare",
    "describe": "laconic.persistence",
    "evaluate": "laconic.evaluation",
    "explore": "laconic.web.explore",
    "held_out_score": "laconic.tuning.foretelling",
    "keywords": "laconic.models.keywords",
    "load": "laconic.persistence",
    "pipeline": "laconic.models.pipeline",
    "project_simplex": "laconic.penalties",
    "read": "laconic.io.read",
    "report": "laconic.web.report",
    "save": "laconic.persistence",
    "search": "laconic.index",
    "senses": "laconic.models.senses",
    "similar": "laconic.models.similar",
    "top_documents": "laconic.models.similar",
    "topic_graph": "laconic.models.topic_graph",
    "topics": "laconic.models.topics",
    "tune": "laconic.tuning.tune",
}

__all__ = [
    "PCP",
    "PLSA",
    "SCTM",
    "STC",
    "Comparison",
    "Corpus",
    "Document",
    "Evaluation",
    "Explorer",
    "Hit",
    "Keyword",
    "LaconicError",
    "MedSTC",
    "ModelFileError",
    "ReadError",
    "SearchIndex",
    "SparseLSA",
    "Tuning",
    "Vectorizer",
    "Vocabulary",
    "Weighting",
    "compare",
    "datasets",
    "describe",
    "evaluate",
    "explore",
    "held_out_score",
    "keywords",
    "load",
    "metrics",
    "pipeline",
    "plots",
    "project_simplex",
    "read",
    "report",
    "save",
    "search",
    "senses",
    "similar",
    "top_documents",
    "topic_graph",
    "topics",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in ("datasets", "metrics", "plots"):
        return importlib.import_module(f"laconic.{name}")
    raise AttributeError(f"module 'laconic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
