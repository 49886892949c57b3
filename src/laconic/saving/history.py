"""History of a model: when it was saved and edited, by which version, and how its fit ended.

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
        return [entry | _fit_facts(estimator)]
    return _shortened([*history, entry])


def continue_history(before: Any, after: Any, edit: str) -> None:
    """Attach the history of an estimator to an edited copy of it, with an entry for the edit."""
    topics, history = getattr(before, ATTRIBUTE, (None, []))
    if not history or topics is not before.components_:
        history = [_fit_facts(before)]
    entry = {"edited": now(), "laconic": __version__, "edit": edit}
    setattr(after, ATTRIBUTE, (after.components_, _shortened([*history, entry])))


def _shortened(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*history[:1], *history[1:][-MAX_ENTRIES + 1 :]]


def _fit_facts(estimator: Any) -> dict[str, Any]:
    """Return how the fit of an estimator ended."""
    fit = {"passes": "n_iter_", "converged": "converged_"}
    facts = {key: getattr(estimator, name, None) for key, name in fit.items()}
    return {key: _plain(value) for key, value in facts.items() if value is not None}


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(value, (str, int, float)) for value in entry.values()
    )
