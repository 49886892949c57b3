"""The benchmarks by name. A new one is listed, run and smoke-tested by being entered here."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.harness import Run
from benchmarks.papers.sparse_lsa import slsa_accuracy, slsa_density, slsa_paper_algorithm
from benchmarks.peers import cli_help, slsa_bytes, slsa_fit, slsa_transform, text_counts
from benchmarks.quality import slsa_quality
from benchmarks.scaling import growth

BENCHMARKS: dict[str, Callable[[Run], None]] = {
    "slsa-fit": slsa_fit,
    "slsa-paper-algorithm": slsa_paper_algorithm,
    "slsa-transform": slsa_transform,
    "slsa-bytes": slsa_bytes,
    "text-counts": text_counts,
    "growth": growth,
    "cli-help": cli_help,
    "slsa-density": slsa_density,
    "slsa-accuracy": slsa_accuracy,
    "slsa-quality": slsa_quality,
}
