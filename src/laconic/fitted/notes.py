"""What people say of topics: names, notes, and which of them are of no use.

A model that is fitted again has other topics and no notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.pipeline_steps import last_step

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
    estimator = last_step(model)
    topics, notes = getattr(estimator, KEPT, (None, {}))
    if not notes or topics is not getattr(estimator, "components_", None):
        return {}
    return dict(notes)


def keep_notes(model: Any, notes: Mapping[int, TopicNote]) -> None:
    """Let a model have notes until it is fitted again."""
    estimator = last_step(model)
    written = {topic: note for topic, note in sorted(notes.items()) if note != TopicNote()}
    setattr(estimator, KEPT, (estimator.components_, written))
