"""Edits of a model that is loaded without its estimators give the same folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from laconic.saving.models import load_to_show
from tests.editing.conftest import MODELS, fit, make_corpus

EDITS = {
    "merge": lambda model: laconic.merge(model, [1, 3]),
    "drop": lambda model: laconic.drop(model, 2),
    "keep": lambda model: laconic.keep(model, [0, 4]),
    "drop_words": lambda model: laconic.drop_words(model, 0, laconic.topics(model)[0].words[:1]),
    "undo": lambda model: laconic.undo(laconic.merge(model, [1, 3])),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_folder_is_the_same(name: str, tmp_path: Path) -> None:
    corpus = make_corpus(40)
    path = laconic.save(fit(name, corpus), tmp_path / "model", corpus=corpus)
    for edit, make in EDITS.items():
        expected = laconic.save(make(laconic.load(path)), tmp_path / f"{edit}-expected")
        got = laconic.save(make(load_to_show(path)), tmp_path / edit)
        assert contents(got) == contents(expected)
        laconic.load(got, verify=True)


def contents(folder: Path) -> dict[str, object]:
    """Return the files of a model without times, which are in the manifest and in the edits."""
    found: dict[str, object] = {}
    for path in sorted(folder.iterdir()):
        if path.name == "model.json":
            found[path.name] = without_times(json.loads(path.read_text()))
        elif path.name != "manifest.json":
            found[path.name] = path.read_bytes()
    return found


def without_times(tree: object) -> object:
    if isinstance(tree, list):
        is_time = len(tree) == 2 and tree[0] == "when"
        return None if is_time else [without_times(item) for item in tree]
    if isinstance(tree, dict):
        return {key: without_times(value) for key, value in tree.items()}
    return tree
