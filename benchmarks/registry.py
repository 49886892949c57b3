"""Registry of the benchmarks that can be listed and run and that have a smoke test."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.accuracy import medstc_accuracy, stc_accuracy
from benchmarks.coding import (
    medstc_fit,
    stc_compile,
    stc_fit,
    stc_inference,
    stc_memory,
)
from benchmarks.coherence import coherence_counting
from benchmarks.counting_words import counting_words
from benchmarks.edits import edits
from benchmarks.explorer import explorer
from benchmarks.explorer_edits import explorer_edits
from benchmarks.guard import guard
from benchmarks.harness import Run
from benchmarks.keywords import keywords, keywords_mass, keywords_speed
from benchmarks.likelihood import plsa_perplexity
from benchmarks.names import names
from benchmarks.panel import panel
from benchmarks.papers.genes import genes
from benchmarks.papers.genes_printed import genes_printed
from benchmarks.papers.pcp import (
    pcp_perplexity,
    pcp_precision,
    pcp_singular_values,
    pcp_titles,
    pcp_topic_space,
)
from benchmarks.papers.pcp_distances import pcp_distances
from benchmarks.papers.pcp_gibbs import pcp_gibbs
from benchmarks.papers.pcp_large import pcp_large
from benchmarks.papers.pcp_retrieval import pcp_retrieval
from benchmarks.papers.pcp_stories import pcp_stories
from benchmarks.papers.pcp_svds import pcp_svds
from benchmarks.papers.sctm import sctm_perplexity_paper, sctm_similar, sctm_topics
from benchmarks.papers.sctm_documents import sctm_documents
from benchmarks.papers.sctm_figures import sctm_figures
from benchmarks.papers.sparse_lsa import slsa_accuracy, slsa_density, slsa_paper_algorithm
from benchmarks.papers.sparse_lsa_accuracy import slsa_effective_dimension, slsa_over_dimension
from benchmarks.papers.sparse_lsa_path import slsa_path, slsa_path_between
from benchmarks.papers.sparse_lsa_projection import slsa_projection
from benchmarks.papers.sparse_lsa_rcv1 import slsa_rcv1
from benchmarks.papers.sparse_lsa_reuters import slsa_reuters
from benchmarks.papers.sparse_lsa_topics import slsa_lda_topics, slsa_topics
from benchmarks.papers.stc_classes import stc_classes
from benchmarks.papers.stc_dirichlet import stc_dirichlet
from benchmarks.papers.stc_figure_5 import stc_figure_5
from benchmarks.papers.stc_sparsity import stc_sparsity
from benchmarks.papers.stc_times import stc_times
from benchmarks.papers.stc_underflow import stc_underflow
from benchmarks.papers.stc_words import stc_words
from benchmarks.peers import peers
from benchmarks.pursuit import pcp_exact, pcp_factored, search_index
from benchmarks.quality import slsa_quality
from benchmarks.reliability.checkpoints import killed_fits
from benchmarks.reliability.files import bit_flips, edited_folders
from benchmarks.reliability.fuzzing import fuzzed_inputs
from benchmarks.reliability.kills import injected_faults, kills
from benchmarks.reliability.workers import lost_workers
from benchmarks.retrieval import retrieval
from benchmarks.scale.commands import scale_commands
from benchmarks.scale.fits import scale_documents, scale_nonzeros, scale_sizes, scale_wikipedia
from benchmarks.scale.workers import scale_dask
from benchmarks.scaling import growth, sctm_memory
from benchmarks.search_speed import search_latency
from benchmarks.seeds import seeds
from benchmarks.sparse_coding import sctm_coding, sctm_fit
from benchmarks.speed import cli_help, slsa_bytes, slsa_fit, slsa_transform, text_counts
from benchmarks.topic_graphs import sctm_graph
from benchmarks.topic_likelihood import sctm_perplexity
from benchmarks.tuning import tune_planted
from benchmarks.two_threads import two_threads

BENCHMARKS: dict[str, Callable[[Run], None]] = {
    "guard": guard,
    "peers": peers,
    "panel": panel,
    "seeds": seeds,
    "names": names,
    "edits": edits,
    "slsa-fit": slsa_fit,
    "slsa-paper-algorithm": slsa_paper_algorithm,
    "slsa-transform": slsa_transform,
    "slsa-bytes": slsa_bytes,
    "text-counts": text_counts,
    "growth": growth,
    "cli-help": cli_help,
    "slsa-density": slsa_density,
    "slsa-path": slsa_path,
    "slsa-path-between": slsa_path_between,
    "slsa-accuracy": slsa_accuracy,
    "slsa-over-dimension": slsa_over_dimension,
    "slsa-effective-dimension": slsa_effective_dimension,
    "slsa-projection": slsa_projection,
    "slsa-reuters": slsa_reuters,
    "slsa-rcv1": slsa_rcv1,
    "slsa-topics": slsa_topics,
    "slsa-lda-topics": slsa_lda_topics,
    "genes": genes,
    "genes-printed": genes_printed,
    "slsa-quality": slsa_quality,
    "stc-inference": stc_inference,
    "stc-fit": stc_fit,
    "medstc-fit": medstc_fit,
    "stc-memory": stc_memory,
    "stc-compile": stc_compile,
    "stc-sparsity": stc_sparsity,
    "stc-words": stc_words,
    "stc-dirichlet": stc_dirichlet,
    "stc-classes": stc_classes,
    "stc-figure-5": stc_figure_5,
    "stc-times": stc_times,
    "stc-underflow": stc_underflow,
    "plsa-perplexity": plsa_perplexity,
    "stc-accuracy": stc_accuracy,
    "medstc-accuracy": medstc_accuracy,
    "sctm-coding": sctm_coding,
    "sctm-fit": sctm_fit,
    "sctm-memory": sctm_memory,
    "sctm-perplexity": sctm_perplexity,
    "sctm-graph": sctm_graph,
    "sctm-topics": sctm_topics,
    "sctm-perplexity-paper": sctm_perplexity_paper,
    "sctm-similar": sctm_similar,
    "sctm-documents": sctm_documents,
    "sctm-figures": sctm_figures,
    "pcp-exact": pcp_exact,
    "pcp-factored": pcp_factored,
    "pcp-topic-space": pcp_topic_space,
    "pcp-distances": pcp_distances,
    "pcp-svds": pcp_svds,
    "pcp-large": pcp_large,
    "pcp-singular-values": pcp_singular_values,
    "pcp-titles": pcp_titles,
    "pcp-precision": pcp_precision,
    "pcp-perplexity": pcp_perplexity,
    "pcp-gibbs": pcp_gibbs,
    "pcp-stories": pcp_stories,
    "pcp-retrieval": pcp_retrieval,
    "keywords": keywords,
    "keywords-mass": keywords_mass,
    "keywords-speed": keywords_speed,
    "retrieval": retrieval,
    "search-index": search_index,
    "search-latency": search_latency,
    "coherence-counting": coherence_counting,
    "tune-planted": tune_planted,
    "two-threads": two_threads,
    "counting-words": counting_words,
    "explorer": explorer,
    "explorer-edits": explorer_edits,
    "killed-fits": killed_fits,
    "bit-flips": bit_flips,
    "edited-folders": edited_folders,
    "kills": kills,
    "injected-faults": injected_faults,
    "fuzzed-inputs": fuzzed_inputs,
    "lost-workers": lost_workers,
    "scale-commands": scale_commands,
    "scale-wikipedia": scale_wikipedia,
    "scale-documents": scale_documents,
    "scale-sizes": scale_sizes,
    "scale-nonzeros": scale_nonzeros,
    "scale-dask": scale_dask,
}
