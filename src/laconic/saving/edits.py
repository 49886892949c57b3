"""Check the edits of a saved model."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.models.edits.attributes import FIELDS
from laconic.models.edits.records import removed_topics

OPERATIONS = ("merge", "drop", "keep", "drop_words", "split")
MAX_EDITS = 10_000
PARAMETERS = {"n_components", "topics_per_document"}


def edits_problem(value: Any, sizes: dict[str, int]) -> str | None:
    """Rule for the records of edits; see `laconic.models.edits.records`."""
    if not isinstance(value, list) or not 0 < len(value) <= MAX_EDITS:
        return "be a list of edits"
    n_after = sizes["topics"]
    try:
        for record in reversed(value):
            if not _is_valid(record, n_after, sizes["words"]):
                return "be a list of valid edits"
            n_after = record["n_before"]
    except (LookupError, TypeError, ValueError, AttributeError):
        return "be a list of valid edits"
    return None


def _is_valid(record: dict[str, Any], n_after: int, n_words: int) -> bool:
    sources, n_before, topics = record["sources"], record["n_before"], record["topics"]
    if not (
        record["operation"] in OPERATIONS
        and isinstance(sources, np.ndarray)
        and sources.dtype == np.int64
        and sources.shape == (n_after,)
        and type(n_before) is int
        and 0 < n_before <= 1 << 20
        and sources.min() >= -1
        and sources.max() < n_before
        and len(np.unique(sources[sources >= 0])) == np.count_nonzero(sources >= 0)
        and isinstance(topics, list)
        and all(type(topic) is int and 0 <= topic < n_before for topic in topics)
        and all(isinstance(record[name], str) for name in ("when", "text"))
        and set(record["parameters"]) <= PARAMETERS
        and all(_is_note(key, note, n_before) for key, note in record["notes"].items())
    ):
        return False
    removed = removed_topics(record)
    changes_topics = record["operation"] != "drop" and record["operation"] != "keep"
    n_new = int(np.count_nonzero(sources < 0))
    if changes_topics != (n_new > 0) or not np.array_equal(sorted(topics), removed):
        return False
    return (
        all(_fits(name, rows, removed, n_before, n_words) for name, rows in _rows(record))
        and "components_" in record["removed"]
        and _data_fits(record, n_new, n_words)
    )


def _rows(record: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(record["removed"].items())


def _is_note(key: Any, note: Any, n_topics: int) -> bool:
    return type(key) is int and 0 <= key < n_topics and isinstance(note, dict)


def _fits(name: str, rows: Any, removed: np.ndarray, n_before: int, n_words: int) -> bool:
    """Return whether the values of removed topics are finite and have the right shape."""
    field = FIELDS.get(name)
    if field is None and not name.startswith("statistics_."):
        return False
    values = rows.data if sp.issparse(rows) else rows
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return False
    shape, n = rows.shape, len(removed)
    if field is None:
        fits = n in shape
    elif field.kind == "words":
        fits = shape == (n, n_words)
    elif field.kind == "word amounts":
        fits = shape == (n_words, n)
    elif field.kind == "pairs":
        fits = shape == (2, n, n_before)
    else:
        fits = shape[-1 if field.columns else 0] == n
    return fits and bool(np.all(np.isfinite(values)))


def _data_fits(record: dict[str, Any], n_new: int, n_words: int) -> bool:
    """Return whether the data of an operation is valid."""
    if record["operation"] == "drop_words":
        columns = record["columns"]
        return bool(
            isinstance(columns, np.ndarray)
            and columns.dtype.kind == "i"
            and np.all((columns >= 0) & (columns < n_words))
        )
    if record["operation"] == "split":
        words, shares = record["word_topics"], record["shares"]
        return bool(
            isinstance(words, np.ndarray)
            and words.shape == (n_words, n_new)
            and words.dtype.kind == "f"
            and words.min() >= 0
            and np.all(np.isfinite(words))
            and isinstance(shares, np.ndarray)
            and shares.shape == (n_new,)
            and np.all(np.isfinite(shares))
            and shares.min() > 0
        )
    return True
