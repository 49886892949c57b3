"""Tests of `laconic.plan`: what is measured on a sample, and how it is extrapolated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic import Corpus
from laconic.corpus.chunks import memory_chunks
from laconic.datasets import make_topics
from laconic.engines import ENGINES
from laconic.planning.measuring import MeasuringEngine
from laconic.planning.result import Seconds, duration
from laconic.planning.sample import save_sample, spread_chunks
from laconic.weighting.transformer import document_frequencies
from tests.messages import refused


@pytest.fixture
def store(tmp_path: Path) -> Path:
    corpus, _ = make_topics(300, 60, 3, words_per_topic=12)
    labels = np.where(np.arange(300) % 2, "odd", "even")
    return corpus.replace(labels=labels).save(tmp_path / "posts.corpus")


def test_the_engine_measures_chunks_on_disk_and_in_memory(store: Path, small_chunks: None) -> None:
    corpus = Corpus.open(store)
    engine = MeasuringEngine()
    chunks = corpus.chunks()
    total = engine.map_reduce(document_frequencies, None, chunks)
    in_memory = engine.map_reduce(document_frequencies, None, memory_chunks(corpus.counts))
    assert np.array_equal(total.sums, in_memory.sums)
    assert [call.on_disk for call in engine.calls] == [True, False]
    assert engine.calls[0].n_chunks == len(chunks) > 5
    assert engine.calls[0].stats == total.sums.nbytes
    assert engine.calls[0].read > 0
    assert engine.calls[1].read == 0


def test_the_sample_is_spread_over_the_corpus(
    store: Path, tmp_path: Path, small_chunks: None
) -> None:
    corpus = Corpus.open(store)
    chosen = spread_chunks(corpus.chunks())
    assert len(chosen) == 3
    assert chosen[0].start < 100 < chosen[1].start < 200 < chosen[2].start
    sample = save_sample(corpus, chosen, tmp_path / "sample", classes=True)
    assert len(sample) == sum(chunk.stop - chunk.start for chunk in chosen)
    rows = corpus.counts[chosen[1].start]
    first = chosen[0].stop - chosen[0].start
    assert (sample.counts[first] != rows).nnz == 0


def test_documents_whose_class_is_alone_are_left_out(store: Path, tmp_path: Path) -> None:
    labels = np.array(["rare", *["usual"] * 299])
    corpus = Corpus.open(store).replace(labels=labels)
    sample = save_sample(corpus, spread_chunks(corpus.chunks()), tmp_path / "sample", True)
    assert len(sample) == 299


@pytest.mark.parametrize("name", ["slsa", "medstc"])
def test_a_plan_of_a_larger_corpus_is_extrapolated(
    name: str, store: Path, small_chunks: None
) -> None:
    before = set(ENGINES)
    plan = laconic.plan(store, name, 3, workers=4)
    assert set(ENGINES) == before
    assert (plan.name, plan.n_components) == (name, 3)
    assert (plan.n_documents, plan.n_words) == (300, 60)
    assert plan.n_chunks > 5
    assert plan.sample_documents < 300
    assert plan.passes >= 3
    assert plan.stats_bytes >= 60 * 3 * 4
    assert plan.network_bytes == 3 * plan.stats_bytes + 4 * plan.params_bytes
    assert plan.alone.total >= plan.here.total > 0
    assert plan.model_bytes > 0
    assert plan.document_bytes > 0
    assert plan.memory_here > 10**7


def test_a_plan_prints_a_table_and_can_be_written_as_json(store: Path) -> None:
    plan = laconic.plan(store, "slsa", 3, workers=2)
    told = str(plan)
    for part in ("300 documents", "slsa, 3 topics", "passes", "← largest", "2 workers", "Gbit/s"):
        assert part in told
    assert "only 1 chunk" in told
    facts = json.loads(json.dumps(plan.to_dict()))
    assert facts["here"]["total"] == pytest.approx(plan.here.total)
    assert facts["warnings"] == plan.warnings
    assert plan.frame.columns == ["part", "one_core", "here", "workers"]
    assert plan.frame["here"].sum() == pytest.approx(plan.here.total)


def test_warnings_about_memory_and_disk_space(store: Path) -> None:
    plan = laconic.plan(store, "slsa", 3, workers=1)
    assert plan.with_warnings(10**12, 10**12).warnings == []
    memory, disk = plan.with_warnings(1000, 1000).warnings
    assert "memory" in memory
    assert "1.0 kB" in memory
    assert "--no-documents" in disk


def test_workers_share_everything_but_the_update() -> None:
    alone = Seconds(4.0, 8.0, 2.0, 3.0)
    assert alone.shared(2, network=1.0) == Seconds(2.0, 4.0, 1.0, 3.0, 1.0)
    assert alone.total == 17.0


def test_durations() -> None:
    assert [duration(s) for s in (0.5, 42, 600, 7200)] == ["0.5 s", "42 s", "10 min", "2.0 h"]


def test_what_cannot_be_planned_is_refused(store: Path, tmp_path: Path) -> None:
    (tmp_path / "posts.jsonl").write_text('{"text": "cats purr"}\n')
    with refused("posts.jsonl", "laconic convert"):
        laconic.plan(tmp_path / "posts.jsonl", "slsa")
    with refused("nothing.corpus", "does not exist"):
        laconic.plan(tmp_path / "nothing.corpus", "slsa")
    with refused("corpus.save"):
        laconic.plan(Corpus([[1, 2]]), "slsa")
    with refused("workers", "0"):
        laconic.plan(store, "slsa", workers=0)
    with refused("network", "-1"):
        laconic.plan(store, "slsa", network=-1)
    with refused("pipeline itself"):
        laconic.plan(store, laconic.pipeline("slsa"), 3)
    with refused("no words"):
        laconic.plan(Corpus([[0, 0]]).save(tmp_path / "empty"), "slsa")
