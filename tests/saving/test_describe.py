"""Tests of the description of a saved folder."""

from __future__ import annotations

from pathlib import Path

import laconic
from laconic.corpus.corpus import Corpus
from laconic.errors import ModelFileError
from laconic.saving.describe import describe
from laconic.saving.models import save
from tests.messages import refused
from tests.saving.examples import fitted


def test_describe_a_pipeline(planted: Corpus, tmp_path: Path) -> None:
    model = fitted("slsa", True, planted, None)
    path = save(model, tmp_path / "a.model")
    facts = describe(path)
    assert facts["kind"] == "pipeline"
    assert facts["class"] == "SparseLSA"
    assert facts["parameters"]["n_components"] == 4
    assert facts["shapes"]["components_"] == list(model[-1].components_.shape)
    assert facts["words"] == 150
    assert facts["laconic"] == laconic.__version__
    assert facts["bytes"] == sum(file.stat().st_size for file in path.iterdir())
    assert set(facts["steps"]) == {"text", "weighting"}


def test_describe_reads_no_arrays(planted: Corpus, tmp_path: Path) -> None:
    path = save(fitted("slsa", False, planted, None), tmp_path / "a.model")
    for file in path.glob("*.npy"):
        file.unlink()
    assert describe(path)["class"] == "SparseLSA"


def test_describe_a_corpus(planted: Corpus, tmp_path: Path) -> None:
    planted.save(tmp_path / "a.corpus")
    facts = describe(tmp_path / "a.corpus")
    assert facts["kind"] == "corpus"
    assert (facts["documents"], facts["words"]) == planted.shape
    assert facts["nonzeros"] == planted.counts.nnz
    assert facts["columns"] == ["labels"]
    assert facts["bytes"] > 0
    (tmp_path / "a.corpus" / "corpus.json").write_text('{"format": 1}')
    with refused("corpus.json", "damaged", kind=ModelFileError):
        describe(tmp_path / "a.corpus")


def test_describe_shows_the_settings_that_a_pipeline_adopted(
    texts: list[str], tmp_path: Path
) -> None:
    model = laconic.pipeline("slsa", n_components=4).fit(laconic.read(texts, min_df=3))
    assert describe(save(model, tmp_path / "a.model"))["steps"]["text"]["min_df"] == 3


def test_describe_needs_a_path(planted: Corpus) -> None:
    with refused("path", "SparseLSA", "laconic.topics(model)"):
        describe(laconic.SparseLSA(2).fit(planted))  # type: ignore[arg-type]
