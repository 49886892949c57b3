"""What a caller of ``laconic.read`` asked for, in one value that every reader takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laconic.errors import ReadError

COLUMNS = ("text", "label", "title", "id")


@dataclass(frozen=True)
class Options:
    """The arguments of `laconic.read`, as they were given."""

    text: str | Sequence[str] | None = None
    label: str | None = None
    title: str | None = None
    id: str | None = None
    encoding: str = "utf-8"
    vocabulary: Any = None
    keep_texts: bool = True
    vectorizer: Mapping[str, Any] = field(default_factory=dict)

    def refuse_columns(self, where: str | None, why: str) -> None:
        """Say so when a column was named for a source that has none."""
        for name in COLUMNS:
            given = getattr(self, name)
            if given is not None:
                raise ReadError(where, None, f"{name}={given!r} names a column, but {why}")

    def refuse_settings(self, where: str | None, why: str) -> None:
        """Say so when words are to be counted in another way in a source that has no text."""
        given = sorted(set(self.vectorizer) - {"n_jobs"})
        if given:
            names = ", ".join(f"{name}=" for name in given)
            raise ReadError(where, None, f"{names} says how to count words in text, but {why}")
