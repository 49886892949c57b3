"""History of a model: when it was saved, by which version, and how its fit ended.

The history is in ``manifest.json``. A loaded model keeps it, and saving the model again adds an
entry; fitting the model again starts a new history.
"""

from __future__ import annotations

from typing import Any

from laconic import __version__
from laconic.files.manifest import now

ATTRIBUTE = "_history"  # attribute of an estimator that stores its history
MAX_ENTRIES = 100  # older entries are dropped, except the first


def keep_history(estimator: Any, history: Any) -> None:
    """Attach the history of a loaded model; refitting the model drops it."""
    if isinstance(history, list) and all(map(_is_entry, history)):
        setattr(estimator, ATTRIBUTE, (getattr(estimator, "components_", None), history))


def next_history(estimator: Any) -> list[dict[str, Any]]:
    """Return the history of a model that is being saved."""
    topics, history = getattr(estimator, ATTRIBUTE, (None, []))
    entry: dict[str, Any] = {"saved": now(), "laconic": __version__}
    if not history or topics is not getattr(estimator, "components_", None):
        fit = {"passes": "n_iter_", "converged": "converged_"}
        facts = {key: getattr(estimator, name, None) for key, name in fit.items()}
        return [entry | {key: _plain(value) for key, value in facts.items() if value is not None}]
    return [*history[:1], *history[1:][-MAX_ENTRIES + 2 :], entry]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(value, (str, int, float)) for value in entry.values()
    )
