"""``notes.json`` in the folder of a saved model: what people say of its topics.

The notes go wherever the model goes, and several programs may write them::

    {"format": 1, "topics": {"4": {"name": "classifiers", "hidden": false, "note": ""}}}

Numbers are rows of ``components_``.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json
from laconic.files.atomic_file import replacing
from laconic.files.atomic_folder import hold
from laconic.fitted.notes import TopicNote

logger = logging.getLogger(__name__)

FORMAT = 1
FILE = "notes.json"

Stamp = tuple[int, int, int] | None


def read_notes(folder: Path, n_topics: int) -> dict[int, TopicNote]:
    """The notes in the folder of a model; refuses what does not fit it."""
    if not os.path.lexists(folder / FILE):
        return {}
    tree = load_json(folder, "notes", newest=FORMAT).get("topics")
    if not isinstance(tree, dict):
        raise _damaged(folder, "it has no topics")
    return {
        _number(folder, key, n_topics): _note(folder, key, value) for key, value in tree.items()
    }


def _number(folder: Path, key: str, n_topics: int) -> int:
    few = len(key) < 10  # Python turns only so many digits into a number
    if not (few and key.isascii() and key.isdecimal()) or int(key) >= n_topics:
        raise _damaged(folder, f"the model has no topic {key!r:.20}; it has {n_topics}")
    return int(key)


def _note(folder: Path, key: str, value: Any) -> TopicNote:
    if not isinstance(value, dict):
        raise _damaged(folder, f"the note of topic {key} is no object")
    try:
        return TopicNote().changed(value)
    except LaconicError as error:
        raise _damaged(folder, f"topic {key}: {str(error).rstrip('.')}") from error


def _damaged(folder: Path, problem: str) -> ModelFileError:
    return ModelFileError(folder / FILE, f"{problem}; mend the file or delete it")


def write_notes(folder: Path, notes: Mapping[int, TopicNote]) -> None:
    """Replace the notes in the folder of a model, whole or not at all."""
    text = json.dumps(as_tree(notes), indent=2, ensure_ascii=False)
    try:
        with replacing(folder / FILE, "json") as file:  # laconic's own, should it be left
            file.write(text.encode())
    except OSError as error:
        raise ModelFileError(
            folder / FILE, f"cannot be written: {error.strerror or error}"
        ) from error


def notes_file(folder: str | Path) -> bytes | None:
    """What the file of notes in a folder holds, if there is one."""
    path = Path(folder) / FILE
    return path.read_bytes() if path.is_file() else None


def keep_file_beside(folder: str | Path, data: bytes) -> Path:
    """Keep the notes of a model that was replaced, under a name that nothing has."""
    home, endings = Path(os.path.realpath(folder)), itertools.count(2)
    path = home.with_name(f"{home.name}.notes.json")
    while True:
        try:
            with path.open("xb") as file:
                file.write(data)
            return path
        except FileExistsError:
            path = home.with_name(f"{home.name}.notes-{next(endings)}.json")


def as_tree(notes: Mapping[int, TopicNote]) -> dict[str, Any]:
    """The notes as they lie in the file."""
    topics = {str(topic): asdict(note) for topic, note in sorted(notes.items())}
    return {"format": FORMAT, "topics": topics}


class SharedNotes:
    """Notes that are read anew whenever someone else has written them.

    Parameters
    ----------
    folder : Path
        Of the model. Make this before the model is loaded: should it be replaced afterwards, its
        notes are no longer those of the model at hand.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._model = _stamp(folder / "model.json")
        self._read = _stamp(folder / FILE)

    def news(self, n_topics: int) -> dict[int, TopicNote] | None:
        """The notes, if they have changed since they were last read here."""
        stamp = _stamp(self.folder / FILE)
        if stamp == self._read or self._is_replaced():
            return None
        self._read = stamp
        try:
            return read_notes(self.folder, n_topics)
        except ModelFileError as error:  # someone is at it by hand
            logger.warning("%s; until then the page shows the notes that it had", error)
            return None

    def change(self, topic: int, changes: Mapping[str, Any], n_topics: int) -> dict[int, TopicNote]:
        """Change the note of a topic and nothing else; gives all notes."""
        with hold(self.folder):
            if self._is_replaced():
                raise LaconicError(
                    f"{self.folder} was replaced or deleted since it was opened; open it again."
                )
            notes = changed(read_notes(self.folder, n_topics), topic, changes)
            write_notes(self.folder, notes)
            self._read = _stamp(self.folder / FILE)
        return notes

    def _is_replaced(self) -> bool:
        return _stamp(self.folder / "model.json") != self._model


def changed(
    notes: Mapping[int, TopicNote], topic: int, changes: Mapping[str, Any]
) -> dict[int, TopicNote]:
    """Notes with that of one topic changed.

    Examples
    --------
    >>> changed({}, 2, {"hidden": True})
    {2: TopicNote(name=None, hidden=True, note='')}
    >>> changed({1: TopicNote("pets")}, 1, {"name": None})
    {}
    """
    note = notes.get(topic, TopicNote()).changed(changes)
    others = {other: kept for other, kept in notes.items() if other != topic}
    return others if note == TopicNote() else {**others, topic: note}


def _stamp(path: Path) -> Stamp:
    """What tells a file from others that had or get its name."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
