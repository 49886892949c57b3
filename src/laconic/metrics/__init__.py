"""Evaluation metrics of topics, codes and rankings: plain functions, and a registry METRICS."""

from __future__ import annotations

from laconic.corpus.sampling import deal
from laconic.metrics.classification import accuracy, train_test_accuracy
from laconic.metrics.coherence import coherence
from laconic.metrics.evaluation_data import NotApplicableError, Subject
from laconic.metrics.likelihood import (
    completion_perplexity,
    reconstruction_error,
    unexplained,
)
from laconic.metrics.registry import METRICS, Metric
from laconic.metrics.retrieval import (
    average_precision,
    mean_average_precision,
    ndcg,
    neighbour_precision,
    precision_at,
)
from laconic.metrics.sources import lone_topics, merge_sources
from laconic.metrics.stability import agreement, match_topics, rank_biased_overlap, stability
from laconic.metrics.subspace import principal_angles, subspace_distance
from laconic.metrics.support import effective_documents, minimum_support, weak_topics
from laconic.metrics.topics import diversity, effective_dimension, redundancy, zeros

__all__ = [
    "METRICS",
    "Metric",
    "NotApplicableError",
    "Subject",
    "accuracy",
    "agreement",
    "average_precision",
    "coherence",
    "completion_perplexity",
    "deal",
    "diversity",
    "effective_dimension",
    "effective_documents",
    "lone_topics",
    "match_topics",
    "mean_average_precision",
    "merge_sources",
    "minimum_support",
    "ndcg",
    "neighbour_precision",
    "precision_at",
    "principal_angles",
    "rank_biased_overlap",
    "reconstruction_error",
    "redundancy",
    "stability",
    "subspace_distance",
    "train_test_accuracy",
    "unexplained",
    "weak_topics",
    "zeros",
]
