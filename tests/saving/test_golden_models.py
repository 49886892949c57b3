"""Tests that models and corpora saved by every release can still be loaded and used."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic.models import MODELS
from laconic.models.stc.solver import CODE_TOL
from tests.saving.golden_models import dense, make_texts, write_golden

ARCHIVES = sorted((Path(__file__).parent / "golden").glob("*.zip"))
WITHOUT_MANIFEST = "0.1.0-first"


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.stem)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param.stem)
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def expected(release: Path) -> dict[str, Any]:
    return json.loads((release / "expected.json").read_text())


def test_every_release_has_every_model(expected: dict[str, Any]) -> None:
    # Models that came after a release are missing from its archive.
    assert set(expected) - {"counts"} <= set(MODELS)
    assert len(expected) >= 7


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_the_codes_that_it_gave(
    name: str, release: Path, expected: dict[str, Any]
) -> None:
    if name not in expected:
        pytest.skip("the release has no such model")
    model, texts = laconic.load(release / name), make_texts()[0]
    codes = dense(model.transform(texts[:6]))
    # The codes of STC are computed up to a tolerance, and later releases stop at other steps.
    atol = CODE_TOL * np.max(codes) if name in ("stc", "medstc") else 1e-6
    np.testing.assert_allclose(codes, expected[name]["codes"], atol=atol)
    hits = laconic.search(model).query("rain and wind")
    assert {hit.id for hit in hits} == set(expected[name]["hits"])
    assert len(laconic.topics(model)) == model[-1].components_.shape[0]
    assert laconic.describe(release / name)["documents"] == len(texts)
    if "classes" in expected[name]:
        assert model.predict(texts[:6]).tolist() == expected[name]["classes"]


def test_a_corpus_is_the_corpus_that_it_was(release: Path, expected: dict[str, Any]) -> None:
    corpus = laconic.read(release / "corpus")
    texts, labels = make_texts()
    assert corpus.counts.toarray().tolist() == expected["counts"]
    assert corpus.texts.tolist() == texts
    assert corpus.labels.tolist() == labels


@pytest.mark.parametrize("name", [*MODELS, "corpus"])
def test_folders_with_a_manifest_are_intact(name: str, release: Path) -> None:
    if not (release / name).exists():
        pytest.skip("the release has no such model")
    if release.name.startswith(WITHOUT_MANIFEST):
        with pytest.raises(laconic.ModelFileError, match="no manifest"):
            laconic.verify(release / name)
    else:
        assert laconic.verify(release / name).files >= 5


def test_the_script_writes_what_this_version_loads(tmp_path: Path) -> None:
    write_golden(tmp_path / "new.zip", ["slsa"])
    with zipfile.ZipFile(tmp_path / "new.zip") as archive:
        archive.extractall(tmp_path / "new")
    assert laconic.verify(tmp_path / "new" / "slsa").kind == "pipeline"
