"""User annotations of topics: a name, a note, a flag that hides the topic, and test scores.

Refitting a model drops its notes, because its topics change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.fitted.pipeline_steps import last_step
from laconic.models.edits.assembly import inverse
from laconic.models.edits.records import edits_of

LONGEST_NAME = 200
LONGEST_NOTE = 10_000
MOST = 1_000_000  # maximum number of questions of a test
ATTRIBUTE = "_notes"  # attribute of an estimator that stores the notes


@dataclass(frozen=True)
class TopicNote:
    """User annotation of a topic.

    Attributes
    ----------
    name : str or None
        Name shown instead of the topic's words.
    hidden : bool
        Whether lists and charts omit the topic.
    note : str
    asked, found : int
        Number of questions of the word-intrusion test about the topic, and of right answers.

    Examples
    --------
    >>> TopicNote("music").changed({"hidden": True})
    TopicNote(name='music', hidden=True, note='', asked=0, found=0)
    """

    name: str | None = None
    hidden: bool = False
    note: str = ""
    asked: int = 0
    found: int = 0

    def changed(self, changes: Mapping[str, Any]) -> TopicNote:
        """Return a copy with some fields replaced; reject unknown fields and invalid values."""
        for key in changes:
            if key not in TopicNote.__dataclass_fields__:
                raise LaconicError(
                    f"A topic note has no field {key!r}; its fields are "
                    f"{', '.join(TopicNote.__dataclass_fields__)}."
                )
        fields = {**asdict(self), **changes}
        name, hidden, note = fields["name"], fields["hidden"], fields["note"]
        if name is not None:
            name = _text("name", name, LONGEST_NAME)
            name = " ".join(name.split()) or None  # a name has only one line
        if not isinstance(hidden, bool):
            raise LaconicError(f"hidden must be true or false; got {hidden!r:.50}.")
        asked, found = fields["asked"], fields["found"]
        if type(asked) is not int or type(found) is not int or not 0 <= found <= asked <= MOST:
            raise LaconicError(
                f"asked and found must be integers from 0 to {MOST:,}, and found at most asked; "
                f"got {asked!r:.50} and {found!r:.50}."
            )
        return TopicNote(name, hidden, _text("note", note, LONGEST_NOTE).strip(), asked, found)


def _text(key: str, value: Any, max_length: int) -> str:
    if not isinstance(value, str):
        raise LaconicError(f"The {key} of a topic must be a string; got {value!r:.50}.")
    if len(value) > max_length:
        raise LaconicError(
            f"The {key} of a topic may have at most {max_length:,} characters; got {len(value):,}."
        )
    return value.encode(errors="replace").decode()  # JSON strings may contain lone surrogates


def notes_of(model: Any) -> dict[int, TopicNote]:
    """Return the notes on the topics of a model; a refit drops the notes.

    Parameters
    ----------
    model : estimator or Pipeline

    Returns
    -------
    dict of int to TopicNote
        The keys are rows of ``components_``; topics without a note are left out.
    """
    estimator = last_step(model)
    topics, notes = getattr(estimator, ATTRIBUTE, (None, {}))
    if not notes or topics is not getattr(estimator, "components_", None):
        return {}
    return dict(notes)


def names_of(model: Any) -> dict[int, str]:
    """Return the names of topics: those that users gave, and otherwise the names of seeds."""
    given = {topic: note.name for topic, note in notes_of(model).items() if note.name}
    return {**seed_names(model), **given}


def seed_names(model: Any) -> dict[int, str]:
    """Return the names of seeds by topic; edits may have renumbered or replaced their topics."""
    estimator = last_step(model)
    names = {
        topic: " ".join(str(name).split())[:LONGEST_NAME]
        for topic, name in enumerate(getattr(estimator, "seed_names_", ()))
    }
    for record in edits_of(estimator):
        numbers = inverse(np.asarray(record["sources"]), record["n_before"])
        names = {int(numbers[old]): name for old, name in names.items() if numbers[old] >= 0}
    return names


def keep_notes(model: Any, notes: Mapping[int, TopicNote]) -> None:
    """Attach notes to a model; refitting the model drops the notes."""
    estimator = last_step(model)
    nonempty = {topic: note for topic, note in sorted(notes.items()) if note != TopicNote()}
    setattr(estimator, ATTRIBUTE, (estimator.components_, nonempty))
