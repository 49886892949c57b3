"""The notes in the folder of a saved model, which other programs may write as well."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ModelFileError
from laconic.files.folders import hold
from laconic.fitted.notes import FILE, TopicNote, read_notes, write_notes

logger = logging.getLogger(__name__)

Stamp = tuple[int, int, int] | None


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
