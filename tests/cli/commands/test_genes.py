"""Tests of groups of words and of other nouns on the command line, from fit to report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from laconic import Corpus
from tests.cli.running import Run, mentions

GENES = [f"G{number}" for number in range(24)]
SETS = {"growth": [*GENES[:8], "U1"], "repair": [*GENES[6:12], "U2"], "idle": GENES[16:20]}
FIT = ("-m", "slsa", "--signed", "--weighting", "log-z-scores", "-k", 2, "--alpha", 1.8)
NOUNS = ("--terms", "genes", "--items", "samples")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Write an expression matrix in which the genes of one set vary together, and a GMT file."""
    random = np.random.default_rng(0)
    levels = random.normal(8, 0.3, (40, 24))
    levels[:, :8] += random.normal(0, 1.5, (40, 1))
    levels[:, 12:16] += random.normal(0, 1.5, (40, 1))
    labels = np.where(levels[:, 0] > 8, "high", "low").tolist()
    corpus = Corpus(2**levels, GENES, labels=labels, ids=[f"sample{n}" for n in range(40)])
    sets = tmp_path / "sets.gmt"
    sets.write_text("".join("\t".join([name, "na", *genes]) + "\n" for name, genes in SETS.items()))
    return Path(corpus.save(tmp_path / "cells.corpus")), sets


def test_from_a_matrix_to_pathways(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    matrix, sets = files
    result = run("fit", matrix, *FIT, "--groups", sets, *NOUNS, "-o", "m")
    for part in ("samples  40\n", "genes    24\n", " genes per topic", "3 sets with 16 genes"):
        assert part in result.stdout
    mentions(result, "topics m --groups")
    lines = run("topics", "m", "--groups").stdout.splitlines()
    assert "growth (8 of 9 genes measured)" in [line.split("\t")[2] for line in lines]
    groups = json.loads(run("topics", "m", "--groups", "--json").stdout)["groups"]
    assert {"topic", "group", "label", "share", "n_words", "found", "size"} <= set(groups[0])
    words = run("topics", "m", "--groups", "--terms", "words").stdout
    assert "growth (8 of 9 words in the data)" in words
    run("report", "m", "-o", "r.html", "-q")
    page = (tmp_path / "r.html").read_text()
    assert "growth (8 of 9 genes measured)" in page
    assert "24 genes" in page
    run("report", "m", "-o", "cells.html", "--items", "cells", "-q")
    assert "40 cells" in (tmp_path / "cells.html").read_text()
    run("plot", "m", "word-groups", "-o", "g.svg", "-q")
    assert "8 of 9 genes measured" in (tmp_path / "g.svg").read_text()


def test_the_smallest_set_of_each_gene(run: Run, files: tuple[Path, Path]) -> None:
    matrix, sets = files
    run("fit", matrix, *FIT, "--groups", sets, "--overlap", "smallest", "-o", "m", "-q")
    shown = run("topics", "m", "--groups", *NOUNS).stdout
    assert "growth (8 of 9 genes measured, 6 in group)" in shown


def test_mistakes(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    matrix, sets = files
    mentions(run("fit", matrix, *FIT, "--groups", "no.gmt", "-o", "m", status=1), "no such file")
    other = tmp_path / "other.gmt"
    other.write_text("growth\tna\tg0\tg1\n")
    result = run("fit", matrix, *FIT, "--groups", other, "-o", "m", status=1)
    mentions(result, "None of the 24 words", "'G0' and 'g0'")
    result = run("fit", matrix, "-m", "sc", "--groups", sets, "-o", "m", status=2)
    mentions(result, "--groups is not an option of sc; it is an option of slsa")
    run("fit", matrix, *FIT, "-o", "m", "-q")
    mentions(run("topics", "m", "--groups", status=1), "no groups", "--groups FILE")
    mentions(run("topics", "m", "--groups", "--graph", status=2), "--groups cannot be combined")
    mentions(run("topics", "m", "--terms", " ", status=1), "terms must be a plural noun")
