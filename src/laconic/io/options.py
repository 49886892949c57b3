"""An object that contains the arguments of ``laconic.read`` and is passed to every reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from laconic.errors import LaconicError, ReadError

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus

COLUMNS = ("text", "label", "title", "id")

# The formats to which an option applies, and how a message describes them
SPECIAL: dict[str, tuple[tuple[str, ...], str]] = {
    "delimiter": (("csv", "tsv", "matrix"), "text files with one row per line, such as CSV"),
    "sheet": (("excel", "matrix"), "Excel files"),
    "layer": (("h5ad",), "AnnData"),
    "transpose": (("matrix", "matrixmarket"), "a matrix"),
    "verify": (("store",), "a saved corpus"),
}
DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


@dataclass(frozen=True)
class Options:
    """The arguments of `laconic.read`, as the caller passed them, and how texts are counted."""

    text: str | Sequence[str] | None = None
    label: str | None = None
    title: str | None = None
    id: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    sheet: str | int | None = None
    layer: str | None = None
    transpose: bool = False
    verify: bool = False
    vocabulary: Any = None
    keep_texts: bool = True
    vectorizer: Mapping[str, Any] = field(default_factory=dict)
    count: Callable[..., Corpus] | None = None  # counts rows of text; by default, in memory
    report: Callable[[str], None] | None = None  # is told how far the conversion to a store is

    def tell(self, progress: str) -> None:
        """Report how far the conversion to a store is."""
        if self.report is not None:
            self.report(progress)

    def reject_columns(self, where: str | None, why: str, names: Sequence[str] = COLUMNS) -> None:
        """Raise if the caller named a column but the source has no columns to choose from."""
        for name in names:
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

    def reject_special(self, where: str | None, kind: str, *allowed: str) -> None:
        """Raise if an option is set that does not apply to data of this kind."""
        for name, (formats, described) in SPECIAL.items():
            is_set = getattr(self, name) not in (None, False)
            if is_set and name not in allowed and kind not in formats:
                raise ReadError(
                    where, None, f"{name}= applies only to {described}, not to {kind}; omit it"
                )

    def separator(self) -> str | None:
        """Return the character that `delimiter` stands for, or None if it is not set."""
        if self.delimiter is None:
            return None
        separator = DELIMITERS.get(self.delimiter, self.delimiter)
        if len(separator) != 1 or separator in '"\r\n':
            raise LaconicError(
                f"delimiter={self.delimiter!r} is not a delimiter; use one character such as ',', "
                "';' or '|', or 'tab'"
            )
        return separator
