"""Operations that write files: each has an old and a new result, which differ, and reads them.

To test another writer, add an `Operation` to `operations`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import laconic
from laconic.cli.code_files import CODE_WRITERS, CodesPart
from laconic.cli.outputs import open_output
from laconic.files.atomic_file import write_bytes
from laconic.fitted.notes import TopicNote, notes_of
from laconic.models.checkpoint import Checkpoint
from laconic.models.passes import Passes
from laconic.models.plsa.mixture import Mixture
from laconic.saving.notes import SharedNotes, read_notes, write_notes

TEXTS = ("the cat sat on the mat", "a dog and a cat", "dogs run after the cat", "stocks rise")
CORPUS_FILES = ("a.mtx", "a.mtx.gz", "a.svm", "a.ldac", "docword.a.txt")


@dataclass
class Operation:
    """An operation that replaces the old result in a folder with the new result.

    Attributes
    ----------
    name : str
    write : callable
        Writes a version (0 is old, 1 is new) in a folder. Replaces what is there.
    read : callable
        Returns a text that is the same for the same version, and "" if there is nothing.
    is_new : bool
        Whether there is nothing before the operation.
    """

    name: str
    write: Callable[[Path, int], Any]
    read: Callable[[Path], str]
    is_new: bool = False


def operations() -> list[Operation]:
    """Return all operations; called once, in the process whose children run them."""
    corpora = [_corpus(version) for version in (0, 1)]
    models = [laconic.SparseLSA(2, alpha=0.01, n_jobs=1).fit(corpus) for corpus in corpora]
    indexes = [laconic.search(models[i], corpora[i]) for i in (0, 1)]
    codes = [models[i].transform(corpora[i]) for i in (0, 1)]

    def save_model(folder: Path, version: int) -> None:
        laconic.save(models[version], folder / "a.model", force=True)

    def save_index(folder: Path, version: int) -> None:
        laconic.save(models[version], folder / "a.model", force=True, index=indexes[version])

    def save_over_notes(folder: Path, version: int) -> None:
        laconic.save(models[version], folder / "a.model", force=True)
        if version == 0:
            write_notes(folder / "a.model", {1: TopicNote(note="keep this")})

    def save_store(folder: Path, version: int) -> None:
        corpora[version].save(folder / "a.corpus", force=True)

    def change_note(folder: Path, version: int) -> None:
        if not (folder / "a.model").exists():
            laconic.save(models[0], folder / "a.model")
        SharedNotes(folder / "a.model").change(0, {"name": f"topic {version}"}, 2)

    def notes(folder: Path, version: int) -> None:
        if not (folder / "a.model").exists():
            laconic.save(models[0], folder / "a.model")
        write_notes(folder / "a.model", {1: TopicNote(note=f"note {version}")})

    def replace_noted_model(folder: Path, version: int) -> None:
        laconic.save(models[version], folder / "a.model", force=True)
        if version == 0:
            write_notes(folder / "a.model", {1: TopicNote(note="a note")})

    def write_page(folder: Path, version: int) -> None:
        write_bytes(b"page %d " % version * 10_000, folder / "a.html")

    def corpus_writer(name: str) -> Callable[[Path, int], Any]:
        return lambda folder, version: laconic.write(
            corpora[version].replace(ids=None, texts=None), folder / name, force=True
        )

    def code_writer(ending: str) -> Callable[[Path, int], Any]:
        def write(folder: Path, version: int) -> None:
            with open_output(str(folder / f"codes{ending}"), force=True) as file:
                part = CodesPart(0, codes[version], np.array(["a", "b", "c", "d"]))
                CODE_WRITERS[ending]([part], file)

        return write

    found = [
        Operation("save a new model", save_model, _read_model, is_new=True),
        Operation("save a model", save_model, _read_model),
        Operation("save a model with an index", save_index, _read_model),
        Operation("save a model over notes", save_over_notes, _read_kept_notes),
        Operation("save a new corpus", save_store, _read_corpus("a.corpus"), is_new=True),
        Operation("save a corpus", save_store, _read_corpus("a.corpus")),
        Operation("change a note", change_note, _read_notes),
        Operation("write notes", notes, _read_notes),
        Operation("replace a model with notes", replace_noted_model, _read_noted_model),
        Operation("write a checkpoint", _write_checkpoint, _read_checkpoint),
        Operation("write a page", write_page, lambda folder: _digest(folder / "a.html")),
    ]
    for name in CORPUS_FILES:
        writer, reader = corpus_writer(name), _read_corpus(name)
        found.append(Operation(f"write a new {name}", writer, reader, is_new=True))
        found.append(Operation(f"write {name}", writer, reader))
    found += [
        Operation(f"write codes{ending}", code_writer(ending), _read_codes(f"codes{ending}"))
        for ending in CODE_WRITERS
    ]
    return found


def _corpus(version: int) -> laconic.Corpus:
    texts = TEXTS if version == 0 else tuple(text.replace("cat", "emu") for text in TEXTS)
    vectorizer = laconic.Vectorizer(n_jobs=1)
    return vectorizer.fit_transform(texts).replace(ids=list("abcd"), texts=list(texts))


def _read_model(folder: Path) -> str:
    if not _exists(folder / "a.model"):
        return ""
    model = laconic.load(folder / "a.model")
    parts: list[Any] = [
        model.components_.tobytes()
        if isinstance(model.components_, np.ndarray)
        else model.components_.toarray().tobytes()
    ]
    parts += [model.feature_names_in_.tolist(), notes_of(model)]
    if laconic.describe(folder / "a.model")["index_bytes"]:
        parts.append(repr(laconic.search(model).query("dogs")))
    return _hash(*parts)


def _read_noted_model(folder: Path) -> str:
    """Read a model, and the notes that are part of it or were copied when it was replaced."""
    if not _exists(folder / "a.model"):
        return ""
    model = laconic.load(folder / "a.model")
    copies = [path.read_text() for path in folder.glob("a.model.notes*.json")]
    kept = bool(notes_of(model)) or any("a note" in copy for copy in copies)
    return _hash(model.components_.toarray().tobytes(), kept)


def _write_checkpoint(folder: Path, version: int) -> None:
    stage = Checkpoint(folder / "states", "fit").next_stage()
    stage.save(Mixture(np.full((30, 2), version + 1.0), 0.0, 0.0, 0.0, 1), Passes(version, []))


def _read_checkpoint(folder: Path) -> str:
    solver = Mixture(np.zeros((30, 2)), 0.0, 0.0, 0.0, 1)
    passes = Checkpoint(folder / "states", "fit").next_stage().restore(solver)
    return "" if passes is None else _hash(passes, solver.word_topics.tobytes())


def _read_corpus(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        if not _exists(folder / name):
            return ""
        corpus = laconic.read(folder / name)
        words = None if corpus.vocabulary is None else corpus.vocabulary.tolist()
        texts = None if corpus.texts is None else list(corpus.texts)
        return _hash(corpus.counts.toarray().tolist(), words, texts)

    return read


def _read_kept_notes(folder: Path) -> str:
    """Return the topics, and whether the notes are in the model or in a file beside it."""
    model = laconic.load(folder / "a.model")
    files = [folder / "a.model" / "notes.json", *folder.glob("a.model.notes*.json")]
    kept = any(path.exists() and "keep this" in path.read_text() for path in files)
    return _hash(model.feature_names_in_.tolist(), kept)


def _read_notes(folder: Path) -> str:
    laconic.load(folder / "a.model")
    return _hash(sorted(read_notes(folder / "a.model", 2).items()))


def _read_codes(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        import polars as pl
        import scipy.sparse as sp

        path = folder / name
        if name.endswith(".npz"):
            with np.load(path) as arrays:
                ids = arrays["ids"].tolist()
            return _hash(sp.load_npz(path).toarray().tolist(), ids)
        table = pl.read_parquet(path) if name.endswith(".parquet") else pl.read_csv(path)
        return _hash(table.rows())

    return read


def _exists(path: Path) -> bool:
    """Return whether a result exists, or was moved aside by a process that was killed."""
    return path.exists() or any(
        name.startswith(f".{path.name}.") and name.endswith(".old")
        for name in os.listdir(path.parent)
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def _hash(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
