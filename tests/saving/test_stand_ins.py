"""Tests of stand-ins, by which a saved model is shown without its estimators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic.cli.model_summary import model_facts
from laconic.corpus.corpus import Corpus
from laconic.errors import ModelFileError
from laconic.files.manifest import write_manifest
from laconic.fitted.pipeline_steps import last_step, steps_of
from laconic.models import CLASSES, MODELS
from laconic.saving.models import load, load_to_show, save
from laconic.saving.stand_ins import DISTRIBUTIONS, STEPS, StandIn
from tests.saving.examples import fitted, without_manifest


def test_every_class_has_a_stand_in() -> None:
    assert {name: cls.__name__ for name, cls in MODELS.items()} == CLASSES
    assert all(getattr(laconic, cls).__name__ == cls for cls in STEPS.values())
    marked = [n for n in MODELS if getattr(MODELS[n], "TOPICS_ARE_DISTRIBUTIONS", False)]
    assert sorted(marked) == sorted(DISTRIBUTIONS)


@pytest.mark.parametrize("in_pipeline", [False, True])
@pytest.mark.parametrize("name", CLASSES)
def test_a_stand_in_shows_the_same(
    name: str, in_pipeline: bool, planted: Corpus, tmp_path: Path
) -> None:
    model = fitted(name, in_pipeline, planted, planted.labels)
    path = save(model, tmp_path / "a.model", corpus=planted)
    whole, shown = load(path), load_to_show(path)
    assert all(isinstance(step, StandIn) for step in steps_of(shown))
    names = [[type(step).__name__ for step in steps_of(one)] for one in (shown, whole)]
    assert names[0] == names[1]
    assert str(laconic.topics(shown)) == str(laconic.topics(whole))
    assert laconic.topics(shown).frame.equals(laconic.topics(whole).frame)
    assert model_facts(last_step(shown)) == model_facts(last_step(whole))


def edited(model: Any, folder: Path, part: str, **values: Any) -> Path:
    """Save a model, change a part of its last step, and forge the manifest."""
    path = without_manifest(save(model, folder / "a.model"))
    header = json.loads((path / "model.json").read_text())
    header["steps"][-1][part].update(values)
    (path / "model.json").write_text(json.dumps(header))
    write_manifest(path, header["kind"])
    return path


@pytest.mark.parametrize(
    ("part", "values", "message"),
    [
        ("attributes", {"n_iter_": "many"}, "n_iter_"),
        ("attributes", {"n_features_in_": 7}, "different numbers of words"),
        ("attributes", {"get_feature_names_out": 1}, "not a fitted attribute"),
        (
            "attributes",
            {"topic_shares_": {"array": "../x", "dtype": "<f8", "shape": [4]}},
            r"\.\./x",
        ),
        ("params", {"components_": None}, "not a parameter"),
        ("params", {"max_iter": 1e30}, "max_iter"),
    ],
)
def test_forged_folders_are_refused(
    part: str, values: dict[str, Any], message: str, planted: Corpus, tmp_path: Path
) -> None:
    path = edited(fitted("plsa", True, planted, None), tmp_path, part, **values)
    with pytest.raises(ModelFileError, match=message):
        load_to_show(path)


def test_arrays_are_checked(planted: Corpus, tmp_path: Path) -> None:
    path = without_manifest(save(fitted("plsa", True, planted, None), tmp_path / "a.model"))
    shares = np.load(path / "model.topic_shares_.npy")
    np.save(path / "model.topic_shares_.npy", np.full_like(shares, np.nan))
    write_manifest(path, "pipeline")
    with pytest.raises(ModelFileError, match="topic_shares_"):
        load_to_show(path)


def test_a_folder_without_a_manifest_is_loaded_with_all_checks(
    planted: Corpus, tmp_path: Path
) -> None:
    path = edited(fitted("plsa", False, planted, None), tmp_path, "params", tol="small")
    without_manifest(path)
    with pytest.raises(ModelFileError, match="tol"):
        load_to_show(path)
