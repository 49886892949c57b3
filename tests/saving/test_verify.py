"""Tests of manifests, of ``laconic.verify`` and of the history of a model."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic.corpus.corpus import Corpus
from laconic.errors import ModelFileError
from laconic.files.manifest import SMALL
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.saving.models import load, save
from tests.messages import refused
from tests.saving.examples import fitted, without_manifest


@pytest.fixture(scope="module")
def model(planted: Corpus) -> Any:
    return fitted("plsa", True, planted, None)


@pytest.fixture
def folder(model: Any, tmp_path: Path) -> Path:
    return save(model, tmp_path / "a.model")


@pytest.fixture
def store(planted: Corpus, tmp_path: Path) -> Path:
    return planted.save(tmp_path / "a.corpus")


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def flip(path: Path, place: int = -5) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 2
    path.write_bytes(data)


def test_what_a_manifest_contains(folder: Path, model: Any) -> None:
    tree = manifest(folder)
    assert tree["kind"] == "pipeline"
    assert tree["python"] == platform.python_version()
    assert tree["numpy"] == np.__version__
    assert tree["parameters"]["model"]["n_components"] == 4
    assert "engine" not in tree["parameters"]["model"]
    assert set(tree["files"]) == {path.name for path in folder.iterdir()} - {"manifest.json"}
    entry = tree["files"]["model.components_.npy"]
    assert entry["shape"] == list(model[-1].components_.shape)
    assert entry["bytes"] == (folder / "model.components_.npy").stat().st_size


def test_an_intact_folder_is_verified(folder: Path, store: Path) -> None:
    verified = laconic.verify(folder)
    assert verified.kind == "pipeline"
    assert verified.laconic == laconic.__version__
    assert verified.files == len(manifest(folder)["files"])
    assert "verified" in str(verified)
    assert load(folder, verify=True)[-1].components_.shape[0] == 4
    assert laconic.verify(str(store)).kind == "corpus"
    assert len(laconic.read(store, verify=True)) == 120


def test_damage_of_a_small_file_is_found_on_load(folder: Path, store: Path) -> None:
    flip(folder / "model.components_.npy")
    with refused("model.components_.npy", "checksum", kind=ModelFileError):
        load(folder)
    flip(folder / "model.json")
    with refused("model.json", "checksum", kind=ModelFileError):
        laconic.describe(folder)
    with refused("2 files", "model.components_.npy, model.json", kind=ModelFileError):
        laconic.verify(folder)
    flip(store / "counts.data.npy")
    with refused("counts.data.npy", "checksum", kind=ModelFileError):
        laconic.read(store)


def test_damage_of_a_large_file_is_found_if_asked(tmp_path: Path) -> None:
    counts = np.ones((1, 400_000), dtype=np.int32)
    store = Corpus(counts).save(tmp_path / "large.corpus")
    assert (store / "counts.data.npy").stat().st_size > SMALL
    flip(store / "counts.data.npy", 200 + 4)
    assert laconic.read(store).counts.sum() != counts.sum()
    for look in (laconic.verify, lambda path: laconic.read(path, verify=True)):
        with refused("counts.data.npy", "checksum", kind=ModelFileError):
            look(store)
    (store / "counts.data.npy").write_bytes(b"")
    with refused("counts.data.npy", "0 bytes", kind=ModelFileError):
        laconic.read(store)


def test_damage_of_the_manifest_itself(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"passes": ', '"passes": 1'))
    with refused("manifest.json", "checksum", kind=ModelFileError):
        load(folder)


def test_a_missing_file(folder: Path) -> None:
    (folder / "vocabulary.txt").unlink()
    with refused("vocabulary.txt", "missing", kind=ModelFileError):
        load(folder)


def test_a_folder_without_a_manifest_is_loaded_but_not_verified(folder: Path, store: Path) -> None:
    without_manifest(folder)
    assert load(folder)[-1].components_.shape[0] == 4
    for look in (laconic.verify, lambda path: load(path, verify=True)):
        with refused("no manifest.json", "save it again", kind=ModelFileError):
            look(folder)
    with refused("no manifest.json", kind=ModelFileError):
        laconic.read(without_manifest(store), verify=True)


def test_verify_reads_what_loading_does_not(folder: Path, planted: Corpus, model: Any) -> None:
    from laconic.files.arrays import save_array
    from laconic.files.manifest import write_manifest

    save(model, folder, corpus=planted.replace(titles=["a"] * len(planted)), force=True)
    text = np.load(folder / "documents.titles.text.npy")
    save_array(folder, "documents.titles.text", text | 0x80)
    without_manifest(folder)
    write_manifest(folder, "pipeline")
    load(folder, verify=True)
    with refused("UTF-8", kind=ModelFileError):
        laconic.verify(folder)


def test_what_cannot_be_verified(tmp_path: Path, model: Any) -> None:
    with refused("no such folder", kind=ModelFileError):
        laconic.verify(tmp_path / "nothing")
    with refused("path", "Pipeline"):
        laconic.verify(model)
    with refused("verify=", "saved corpus", kind=laconic.ReadError):
        (tmp_path / "a.txt").write_text("cat\n")
        laconic.read(tmp_path / "a.txt", verify=True)


# --- notes ---------------------------------------------------------------------------------------


def test_notes_have_their_own_checksum(
    model: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loaded = load(save(model, tmp_path / "a.model"))
    keep_notes(loaded, {1: TopicNote("cats")})
    folder = save(loaded, tmp_path / "b.model")
    laconic.verify(folder)
    notes = folder / "notes.json"
    notes.write_text(notes.read_text().replace("cats", "dogs"))
    with refused("notes.json", "edited by hand", kind=ModelFileError):
        laconic.verify(folder)
    assert laconic.topics(load(folder)).frame["name"].to_list()[1] == "dogs"
    assert "edited by hand" in caplog.text
    tree = json.loads(notes.read_text())
    del tree["checksum"]
    notes.write_text(json.dumps(tree))
    laconic.verify(folder)
    notes.write_text(json.dumps({**tree, "checksun": "0"}))
    with refused("notes.json", "checksun", kind=ModelFileError):
        laconic.verify(folder)


# --- history and fingerprints --------------------------------------------------------------------


def test_saving_a_loaded_model_adds_to_its_history(
    model: Any, planted: Corpus, tmp_path: Path
) -> None:
    save(model, tmp_path / "a.model")
    (first,) = manifest(tmp_path / "a.model")["history"]
    assert first["passes"] == model[-1].n_iter_
    assert first["converged"] == model[-1].converged_
    for _ in range(2):
        save(load(tmp_path / "a.model"), tmp_path / "a.model", force=True)
    history = manifest(tmp_path / "a.model")["history"]
    assert history[0] == first
    assert len(history) == 3
    refitted = load(tmp_path / "a.model").fit(planted)
    save(refitted, tmp_path / "a.model", force=True)
    assert len(manifest(tmp_path / "a.model")["history"]) == 1


def test_the_fingerprint_depends_on_counts_and_words_only(planted: Corpus, tmp_path: Path) -> None:
    other = planted.counts.copy()
    other.data[0] += 1
    corpora = {
        "same": planted.replace(titles=["x"] * len(planted)),
        "counts": Corpus(other, planted.vocabulary),
        "words": planted.replace(vocabulary=[f"w{i}" for i in range(planted.shape[1])]),
    }
    first = manifest(planted.save(tmp_path / "first"))["fingerprint"]
    found = {
        name: manifest(corpus.save(tmp_path / name))["fingerprint"] == first
        for name, corpus in corpora.items()
    }
    assert found == {"same": True, "counts": False, "words": False}
