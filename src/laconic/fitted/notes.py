"""What people say of topics: names, notes, and which of them are of no use.

Kept in ``notes.json`` in the folder of a saved model, so that they go wherever it goes::

    {"format": 1, "topics": {"4": {"name": "classifiers", "hidden": false, "note": ""}}}

Numbers are rows of ``components_``; a model that is fitted again has other topics and no notes.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json
from laconic.files.atomic import replacing

FORMAT = 1
FILE = "notes.json"
LONGEST_NAME = 200
LONGEST_NOTE = 10_000
KEPT = "_notes"  # attribute of a loaded estimator


@dataclass(frozen=True)
class TopicNote:
    """What someone wrote of a topic.

    Attributes
    ----------
    name : str or None
        Stands for the topic instead of its words.
    hidden : bool
        Whether the topic is left out of lists and pictures.
    note : str

    Examples
    --------
    >>> TopicNote("music").changed({"hidden": True})
    TopicNote(name='music', hidden=True, note='')
    """

    name: str | None = None
    hidden: bool = False
    note: str = ""

    def changed(self, changes: Mapping[str, Any]) -> TopicNote:
        """The note with some of its parts replaced; refuses what is no part or of another kind."""
        for part in changes:
            if part not in ("name", "hidden", "note"):
                raise LaconicError(
                    f"A note of a topic has no {part!r}; it has name, hidden and note."
                )
        whole = {**asdict(self), **changes}
        name, hidden, note = whole["name"], whole["hidden"], whole["note"]
        if name is not None:
            name = _text("name", name, LONGEST_NAME)
            name = " ".join(name.split()) or None  # a name is one line
        if not isinstance(hidden, bool):
            raise LaconicError(f"hidden is true or false, not {hidden!r:.50}.")
        return TopicNote(name, hidden, _text("note", note, LONGEST_NOTE).strip())


def _text(part: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise LaconicError(f"The {part} of a topic is a text, not {value!r:.50}.")
    if len(value) > longest:
        raise LaconicError(
            f"The {part} of a topic has at most {longest:,} characters; got {len(value):,}."
        )
    return value.encode(errors="replace").decode()  # JSON can spell half of a surrogate pair


def notes_of(model: Any) -> dict[int, TopicNote]:
    """What was written of the topics of a model; nothing once it was fitted again.

    Parameters
    ----------
    model : estimator or Pipeline

    Returns
    -------
    dict of int to TopicNote
        By the topic's row of ``components_``; topics without a note are left out.
    """
    estimator = model[-1] if isinstance(model, Pipeline) else model
    topics, notes = getattr(estimator, KEPT, (None, {}))
    if not notes or topics is not getattr(estimator, "components_", None):
        return {}
    return dict(notes)


def names_of(model: Any, topics: Iterable[int]) -> list[str | None] | None:
    """The names that someone gave these topics; None where no topic of the model has one."""
    given = {topic: note.name for topic, note in notes_of(model).items() if note.name}
    return [given.get(topic) for topic in topics] if given else None


def keep_notes(model: Any, notes: Mapping[int, TopicNote]) -> None:
    """Let a model have notes until it is fitted again."""
    estimator = model[-1] if isinstance(model, Pipeline) else model
    written = {topic: note for topic, note in sorted(notes.items()) if note != TopicNote()}
    setattr(estimator, KEPT, (estimator.components_, written))


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
