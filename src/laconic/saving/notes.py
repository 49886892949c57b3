"""The file ``notes.json`` in the folder of a saved model: names and notes of topics.

Users choose these names and notes. The file is part of the folder, so it is copied with the model.
Several programs may write the file. The file contains::

    {"format": 1, "topics": {"4": {"name": "classifiers", "hidden": false, "note": ""}},
     "checksum": "…"}

A topic of the word-intrusion test also has the fields "asked" and "found".

The keys of ``topics`` are row numbers of ``components_``. Users may edit the file by hand: a wrong
checksum is reported, but the notes are used; without a checksum, nothing is reported.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json
from laconic.files.atomic_file import replacing, write_bytes
from laconic.files.atomic_folder import hold
from laconic.files.leftovers import clean_up, write_problem
from laconic.files.manifest import checksum_of_tree
from laconic.fitted.notes import TopicNote

logger = logging.getLogger(__name__)

FORMAT = 1
FILE = "notes.json"
CHANGED = (
    "is damaged or was edited by hand, because its checksum differs; if you edited the file, "
    'delete the line "checksum"'
)

Stamp = tuple[int, int, int] | None


def read_notes(folder: Path, n_topics: int) -> dict[int, TopicNote]:
    """Read the notes in the folder of a model; raise if they do not match the model."""
    if not os.path.lexists(folder / FILE):
        return {}
    file = load_json(folder, "notes", newest=FORMAT)
    tree = file.get("topics")
    if "checksum" in file and file["checksum"] != checksum_of_tree(tree):
        logger.warning("%s", ModelFileError(folder / FILE, CHANGED))
    if not isinstance(tree, dict):
        raise _damaged(folder, 'is damaged: it has no JSON object with the key "topics"')
    return {
        _number(folder, key, n_topics): _note(folder, key, value) for key, value in tree.items()
    }


def check_notes(folder: Path) -> None:
    """Raise if the notes in a folder were damaged, or changed by another program than laconic."""
    if not os.path.lexists(folder / FILE):
        return
    file = load_json(folder, "notes", newest=FORMAT)
    unknown = sorted(file.keys() - {"format", "topics", "checksum"})
    if unknown:
        raise _damaged(folder, f"it has an unknown field {unknown[0]!r:.50}")
    if "checksum" in file and file["checksum"] != checksum_of_tree(file["topics"]):
        raise ModelFileError(folder / FILE, CHANGED)


def _number(folder: Path, key: str, n_topics: int) -> int:
    short = len(key) < 10  # int() raises an error for very long numbers
    if not (short and key.isascii() and key.isdecimal()) or int(key) >= n_topics:
        raise _damaged(
            folder,
            f"the model has no topic {key!r:.20}; topics are numbered from 0 to {n_topics - 1}",
        )
    return int(key)


def _note(folder: Path, key: str, value: Any) -> TopicNote:
    if not isinstance(value, dict):
        raise _damaged(folder, f"the note of topic {key} is not a JSON object")
    try:
        return TopicNote().changed(value)
    except LaconicError as error:
        raise _damaged(folder, f"topic {key}: {str(error).rstrip('.')}") from error


def _damaged(folder: Path, problem: str) -> ModelFileError:
    return ModelFileError(folder / FILE, f"{problem}; fix or delete the file")


def write_notes(folder: Path, notes: Mapping[int, TopicNote]) -> None:
    """Replace the notes in the folder of a model atomically."""
    tree = as_tree(notes)
    tree["checksum"] = checksum_of_tree(tree["topics"])
    text = json.dumps(tree, indent=2, ensure_ascii=False)
    try:
        # The suffix lets laconic recognise a leftover temporary file as a file that it wrote.
        with replacing(folder / FILE, "json") as file:
            file.write(text.encode())
    except OSError as error:
        raise ModelFileError(folder / FILE, write_problem(error)) from error


def keep_old_notes(folder: str | Path) -> tuple[Path, bool] | None:
    """Copy the notes of a model that is about to be replaced to a file next to its folder.

    Returns
    -------
    tuple of (Path, bool) or None
        The file, and whether it is new; a file with the same notes is used again. None if the model
        has no notes.
    """
    home, endings = Path(os.path.realpath(folder)), itertools.count(2)
    path = home.with_name(f"{home.name}.notes.json")
    try:
        clean_up(home)  # A killed process may have moved the model aside.
        if not (home / FILE).is_file():
            return None
        data = (home / FILE).read_bytes()
        while os.path.lexists(path):
            if path.is_file() and path.read_bytes() == data:
                return path, False
            path = home.with_name(f"{home.name}.notes-{next(endings)}.json")
    except OSError as error:
        raise ModelFileError(home / FILE, f"cannot be read: {error.strerror}; try again") from error
    return write_bytes(data, path), True


def as_tree(notes: Mapping[int, TopicNote]) -> dict[str, Any]:
    """Convert notes to the JSON object that the file contains."""
    topics = {str(topic): _fields(note) for topic, note in sorted(notes.items())}
    return {"format": FORMAT, "topics": topics}


def _fields(note: TopicNote) -> dict[str, Any]:
    """Return the fields of a note; those of the test only if the topic was tested."""
    fields = asdict(note)
    return fields if note.asked else {key: fields[key] for key in ("name", "hidden", "note")}


class SharedNotes:
    """Notes in the folder of a saved model; other programs may change the notes at any time.

    Parameters
    ----------
    folder : Path
        Folder of the model. Create this object before loading the model, so that the object can
        detect that the folder was replaced. In that case, the new notes do not belong to the loaded
        model.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._model = _stamp(folder / "model.json")
        self._read = _stamp(folder / FILE)

    def news(self, n_topics: int) -> dict[int, TopicNote] | None:
        """Return the notes if another program changed them since they were last read, else None."""
        stamp = _stamp(self.folder / FILE)
        if stamp == self._read or self._is_replaced():
            return None
        self._read = stamp
        try:
            return read_notes(self.folder, n_topics)
        except ModelFileError as error:  # perhaps a user is editing the file
            logger.warning("%s; until then the explorer shows the previous notes", error)
            return None

    def change(self, topic: int, changes: Mapping[str, Any], n_topics: int) -> dict[int, TopicNote]:
        """Change the note of one topic and return all notes."""
        with hold(self.folder):
            self._check_folder()
            notes = changed(read_notes(self.folder, n_topics), topic, changes)
            write_notes(self.folder, notes)
            self._read = _stamp(self.folder / FILE)
        return notes

    def replace(self, save: Callable[[Path], Any]) -> SharedNotes:
        """Replace the model of the folder by a call of `save`, and return its notes."""
        with hold(self.folder):
            self._check_folder()
            save(self.folder)
            return SharedNotes(self.folder)

    def _check_folder(self) -> None:
        if self._is_replaced():
            raise LaconicError(
                f"The folder {self.folder} was replaced or deleted after it was opened; open it "
                "again."
            )

    def _is_replaced(self) -> bool:
        return _stamp(self.folder / "model.json") != self._model


def changed(
    notes: Mapping[int, TopicNote], topic: int, changes: Mapping[str, Any]
) -> dict[int, TopicNote]:
    """Return a copy of the notes in which the note of one topic is changed.

    Examples
    --------
    >>> changed({}, 2, {"hidden": True})
    {2: TopicNote(name=None, hidden=True, note='', asked=0, found=0)}
    >>> changed({1: TopicNote("pets")}, 1, {"name": None})
    {}
    """
    note = notes.get(topic, TopicNote()).changed(changes)
    others = {number: other for number, other in notes.items() if number != topic}
    return others if note == TopicNote() else {**others, topic: note}


def _stamp(path: Path) -> Stamp:
    """Return the inode, modification time and size, which identify a version of a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
