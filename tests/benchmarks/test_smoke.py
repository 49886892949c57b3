"""Every benchmark runs on tiny synthetic data, so that it cannot break unnoticed."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import accuracy, coding, data, harness, likelihood, newsgroups, report
from benchmarks.__main__ import main
from benchmarks.papers import literal_lsa, literal_stc
from benchmarks.registry import BENCHMARKS
from laconic import STC, SparseLSA

ROOT = Path(__file__).resolve().parents[2]

# gensim and its dependencies emit deprecation warnings.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

# These start many processes, clusters or servers, which have tests of their own.
STARTS_PROCESSES = {
    "edited-folders",
    "explorer",
    "explorer-edits",
    "fuzzed-inputs",
    "growth",
    "guard",
    "injected-faults",
    "killed-fits",
    "kills",
    "lost-workers",
    "panel",
    "peers",
    "scale-dask",
    "sctm-memory",
    "stc-compile",
    "stc-memory",
}


def smoke_tests() -> list[Any]:
    thorough = pytest.mark.thorough
    return [pytest.param(n, marks=thorough if n in STARTS_PROCESSES else ()) for n in BENCHMARKS]


@pytest.mark.parametrize("name", smoke_tests())
def test_smoke(name: str, tmp_path: Path) -> None:
    run = harness.Run(name, smoke=True)
    result = harness.execute(BENCHMARKS[name], run)
    written = json.loads(harness.write(result, tmp_path).read_text(encoding="utf-8"))
    assert written == result
    assert written["rows"]
    assert set(written) >= {"name", "rows", "commit", "seed", "date", "machine", "command"}
    for row in written["rows"]:
        assert np.isfinite(row["value"])
        assert row["value"] > 0 or row["unit"] in ("", "%")
        assert (row["goal"] is None) == (row["met"] is None)
        assert row["tolerance"] is None or row["tolerance"] >= 0
        assert row["unit"] not in harness.TIMINGS or row["tolerance"] is None
    assert name in report.result_page(written, {name: written})


def test_list_names_every_benchmark() -> None:
    listed = CliRunner().invoke(main, ["list"])
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(BENCHMARKS)


def test_authors_are_the_addresses_of_the_from_header() -> None:
    headers = ["From: Ann <ANN@x.org>", "Subject: a\nFrom: bob@y.org (Bob)", "From: Cem", "To: d@z"]
    texts = [f"{header}\n\nFrom: eve@w.org" for header in headers]
    posts = data.Posts(texts, [], np.array([]), np.array([]))
    assert posts.authors == ["ann@x.org", "bob@y.org", "cem", ""]


def test_missing_data_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    missing = CliRunner().invoke(main, ["run", "slsa-bytes"])
    assert missing.exit_code == 2
    assert len(missing.stderr.splitlines()) == 1
    assert data.VARIABLE in missing.stderr


def test_gene_example_selects_whole_groups(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location(
        "gene_pathways", ROOT / "examples" / "gene_pathways.py"
    )
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.setattr(sys, "argv", ["gene_pathways.py", "--smoke"])
    assert example.main() == 0
    printed = capsys.readouterr().out
    assert "All measured genes of every selected pathway have weight" in printed
    assert "pathway1 (12 of 13 genes measured)" in printed


def test_literal_algorithm_agrees_with_ours() -> None:
    X = data.two_groups(harness.Run("", smoke=True)).X
    literal = literal_lsa.fit(X, 5, 0.05)
    ours = SparseLSA(5, alpha=0.05, init="identity", stop="paper").fit(X)
    assert abs(literal.n_iter - ours.n_iter_) <= 1
    np.testing.assert_allclose(
        np.linalg.norm(literal.A), np.linalg.norm(ours.components_.toarray()), rtol=1e-3
    )
    np.testing.assert_allclose(literal.U.T @ literal.U, np.eye(5), atol=1e-4)


def test_coding_objective_is_that_of_the_literal_algorithm() -> None:
    X = newsgroups.newsgroup_halves(harness.Run("", smoke=True)).test
    model = STC(4, **coding.INFERENCE).fit(X)
    literal = literal_stc.code_documents(X, model.components_, 1.0, 1.0, 0.1, tol=1e-9)
    np.testing.assert_allclose(
        coding.coding_objective(model, X), literal.objective.sum(), rtol=1e-5
    )


def test_dealt_halves_make_the_document() -> None:
    X = newsgroups.newsgroup_halves(harness.Run("", smoke=True)).test
    seen, hidden = likelihood.deal(X, seed=0)
    assert seen.shape == hidden.shape == X.shape
    assert ((seen + hidden) != X).nnz == 0
    assert 0.4 < seen.sum() / X.sum() < 0.6


def test_perplexity_of_even_topics_is_the_number_of_words() -> None:
    X = newsgroups.newsgroup_halves(harness.Run("", smoke=True)).test
    topics = np.full((3, X.shape[1]), 1 / X.shape[1])
    mixtures = np.full((X.shape[0], 3), 1 / 3)
    np.testing.assert_allclose(likelihood.perplexity(topics, mixtures, X), X.shape[1])


def test_better_than_seed_noise_is_better_than_every_seed() -> None:
    goal = accuracy.above_all([70.0, 72.0])
    assert goal.holds(72.1)
    assert not goal.holds(71.0)


def test_goals() -> None:
    run = harness.Run("goals")
    run.row("time", 1.0, "s", peer="other", peer_value=20.0, goal=harness.faster(15))
    run.row("time", 2.0, "s", peer="other", peer_value=20.0, goal=harness.faster(15))
    run.row("density", 1.45, "%", goal=harness.within(0.1, 1.4))
    run.row("words", 14, "words", goal=harness.at_least(15))
    assert [row.met for row in run.rows] == [True, False, True, False]
    assert run.rows[0].ratio == 0.05


def test_race_takes_turns_and_the_best() -> None:
    order: list[str] = []
    timed = harness.race({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == list("ababab")
    assert all(0 <= best.seconds < 1 for best in timed.values())
