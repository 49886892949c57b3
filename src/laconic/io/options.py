"""An object that contains the arguments of ``laconic.read`` and is passed to every reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laconic.errors import ReadError

COLUMNS = ("text", "label", "title", "id")


@dataclass(frozen=True)
class Options:
    """The arguments of `laconic.read`, exactly as the caller passed them."""

    text: str | Sequence[str] | None = None
    label: str | None = None
    title: str | None = None
    id: str | None = None
    encoding: str = "utf-8"
    vocabulary: Any = None
    keep_texts: bool = True
    vectorizer: Mapping[str, Any] = field(default_factory=dict)

    def reject_columns(self, where: str | None, why: str) -> None:
        """Raise if the caller named a column but the source has no columns to choose from."""
        for name in COLUMNS:
            column = getattr(self, name)
            if column is not None:
                raise ReadError(where, None, f"{name}={column!r} names a column, but {why}")

    def reject_settings(self, where: str | None, why: str) -> None:
        """Raise if Vectorizer parameters were set for a source that already contains counts."""
        settings = sorted(set(self.vectorizer) - {"n_jobs"})
        if settings:
            names = ", ".join(f"{name}=" for name in settings)
            single = len(settings) == 1
            verb, them = ("applies", "it") if single else ("apply", "them")
            raise ReadError(where, None, f"{names} {verb} only to text, but {why}; omit {them}")
