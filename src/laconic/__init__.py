"""Sparse, readable topic models: much about a document collection in few words."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic import datasets as datasets
    from laconic import metrics as metrics
    from laconic import plots as plots
    from laconic.corpus.corpus import Corpus as Corpus
    from laconic.corpus.corpus import Document as Document
    from laconic.corpus.vocabulary import Vocabulary as Vocabulary
    from laconic.errors import LaconicError as LaconicError
    from laconic.errors import ModelFileError as ModelFileError
    from laconic.errors import ReadError as ReadError
    from laconic.evaluation.compare import Comparison as Comparison
    from laconic.evaluation.compare import compare as compare
    from laconic.evaluation.evaluate import Evaluation as Evaluation
    from laconic.evaluation.evaluate import evaluate as evaluate
    from laconic.fitted.graph import topic_graph as topic_graph
    from laconic.fitted.senses import senses as senses
    from laconic.fitted.similar import similar as similar
    from laconic.fitted.similar import top_documents as top_documents
    from laconic.fitted.topics import topics as topics
    from laconic.io.read import read as read
    from laconic.keyphrases.keywords import Keyword as Keyword
    from laconic.keyphrases.keywords import keywords as keywords
    from laconic.models.pcp.estimator import PCP as PCP
    from laconic.models.penalties import project_simplex as project_simplex
    from laconic.models.pipeline import pipeline as pipeline
    from laconic.models.plsa.estimator import PLSA as PLSA
    from laconic.models.sctm.estimator import SCTM as SCTM
    from laconic.models.sparse_lsa.estimator import SparseLSA as SparseLSA
    from laconic.models.stc.medstc import MedSTC as MedSTC
    from laconic.models.stc.stc import STC as STC
    from laconic.retrieval.index import Hit as Hit
    from laconic.retrieval.index import SearchIndex as SearchIndex
    from laconic.retrieval.index import search as search
    from laconic.saving.describe import describe as describe
    from laconic.saving.models import load as load
    from laconic.saving.models import save as save
    from laconic.text.vectorizer import Vectorizer as Vectorizer
    from laconic.tuning.prediction import held_out_score as held_out_score
    from laconic.tuning.result import Tuning as Tuning
    from laconic.tuning.tune import tune as tune
    from laconic.web.explore import Explorer as Explorer
    from laconic.web.explore import explore as explore
    from laconic.web.report import report as report
    from laconic.weighting import Weighting as Weighting

__version__ = "0.1.0"

# Public name -> module that defines it. Imported on first use, so that `laconic --help` stays fast.
_HOMES = {
    "PCP": "laconic.models.pcp.estimator",
    "PLSA": "laconic.models.plsa.estimator",
    "SCTM": "laconic.models.sctm.estimator",
    "STC": "laconic.models.stc.stc",
    "Comparison": "laconic.evaluation.compare",
    "Corpus": "laconic.corpus.corpus",
    "Document": "laconic.corpus.corpus",
    "Evaluation": "laconic.evaluation.evaluate",
    "Explorer": "laconic.web.explore",
    "Hit": "laconic.retrieval.index",
    "Keyword": "laconic.keyphrases.keywords",
    "LaconicError": "laconic.errors",
    "MedSTC": "laconic.models.stc.medstc",
    "ModelFileError": "laconic.errors",
    "ReadError": "laconic.errors",
    "SearchIndex": "laconic.retrieval.index",
    "SparseLSA": "laconic.models.sparse_lsa.estimator",
    "Tuning": "laconic.tuning.result",
    "Vectorizer": "laconic.text.vectorizer",
    "Vocabulary": "laconic.corpus.vocabulary",
    "Weighting": "laconic.weighting",
    "compare": "laconic.evaluation.compare",
    "describe": "laconic.saving.describe",
    "evaluate": "laconic.evaluation.evaluate",
    "explore": "laconic.web.explore",
    "held_out_score": "laconic.tuning.prediction",
    "keywords": "laconic.keyphrases.keywords",
    "load": "laconic.saving.models",
    "pipeline": "laconic.models.pipeline",
    "project_simplex": "laconic.models.penalties",
    "read": "laconic.io.read",
    "report": "laconic.web.report",
    "save": "laconic.saving.models",
    "search": "laconic.retrieval.index",
    "senses": "laconic.fitted.senses",
    "similar": "laconic.fitted.similar",
    "top_documents": "laconic.fitted.similar",
    "topic_graph": "laconic.fitted.graph",
    "topics": "laconic.fitted.topics",
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
