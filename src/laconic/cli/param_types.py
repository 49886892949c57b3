"""Parameter types that click uses to convert the values of options."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import click


def did_you_mean(value: str, choices: Iterable[str]) -> str:
    """Return a question that suggests the most similar choice, or an empty string.

    Examples
    --------
    >>> did_you_mean("mpa", ["map", "words"])
    ' Did you mean map?'
    """
    from difflib import get_close_matches

    close = get_close_matches(value.lower(), list(choices), n=1)
    return f" Did you mean {close[0]}?" if close else ""


class RegistryChoice(click.ParamType):
    """A name in a registry of the library, which is imported only when a value is converted.

    `hints` maps names that users may expect in the registry to advice.
    """

    def __init__(self, registry: str, noun: str, hints: Mapping[str, str] | None = None) -> None:
        self.registry = registry
        self.name = noun
        self.hints = hints or {}

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        module, _, attribute = self.registry.partition(":")
        choices = list(getattr(importlib.import_module(module), attribute))
        if value not in choices:
            hint = self.hints.get(str(value).lower()) or did_you_mean(str(value), choices)
            self.fail(f"{value!r} is not one of {', '.join(choices)}.{hint}", param, ctx)
        return str(value)


class RegistryChoices(RegistryChoice):
    """Several names in a registry, separated by commas."""

    def __init__(self, registry: str) -> None:
        super().__init__(registry, "name,…")

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        convert = super().convert
        if isinstance(value, list):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        if not names:
            self.fail("the list is empty; pass at least one name.", param, ctx)
        return [convert(name, param, ctx) for name in names]


class PositiveIntegers(click.ParamType):
    """Integers of at least 1, separated by commas."""

    name = "n,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        if isinstance(value, list):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"{value!r} is not a list of positive integers such as 20,50.", param, ctx)
        return [int(part) for part in parts]


class DocumentLimit(click.ParamType):
    """A number of documents or, if it has a decimal point, a share of the documents."""

    name = "n|share"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            limit = float(value) if "." in str(value) else int(value)
        except ValueError:
            limit = -1
        if limit < 0 or (isinstance(limit, float) and limit > 1):
            self.fail(
                f"{value!r} is neither an integer such as 2 nor a share such as 0.5.", param, ctx
            )
        return limit


class NumberAtLeast(click.ParamType):
    """A finite number of at least `minimum`; unlike click's ranges, this type rejects NaN."""

    name = "n"

    def __init__(self, kind: type[int] | type[float], minimum: int) -> None:
        self.kind = kind
        self.minimum = minimum

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            number = self.kind(value)
        except ValueError:
            number = self.minimum - 1
        if not self.minimum <= number < float("inf"):
            noun = "an integer" if self.kind is int else "a number"
            self.fail(f"{value!r} is not {noun} of {self.minimum} or more.", param, ctx)
        return number


class NumberAbove(click.ParamType):
    """A finite number greater than `limit`."""

    name = "n"

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            number = float(value)
        except ValueError:
            number = self.limit
        if not self.limit < number < float("inf"):
            self.fail(f"{value!r} is not a number greater than {self.limit}.", param, ctx)
        return number


class Smoothing(click.ParamType):
    """A number greater than -1, or the word ``kl`` or ``none``."""

    name = "n|kl|none"

    def convert(self, value: Any, param: Any, ctx: Any) -> float | str:
        if value in ("kl", "none"):
            return str(value)
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'kl' nor 'none'.", param, ctx)
        if not -1 < number < float("inf"):
            self.fail(f"{value!r} is not a number greater than -1.", param, ctx)
        return number


class PositiveOr(click.ParamType):
    """A positive number, or one of a few names."""

    def __init__(self, kind: type[int] | type[float], *names: str) -> None:
        self.kind = kind
        self.names = names
        self.name = "|".join(("n", *names))

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float | str:
        if value in self.names:
            return str(value)
        try:
            number = self.kind(value)
        except ValueError:
            number = self.kind(0)
        if not 0 < number < float("inf"):
            noun = "a positive integer" if self.kind is int else "a positive number"
            *others, last = (noun, *self.names)
            self.fail(f"{value!r} is not {', '.join(others)} or {last}.", param, ctx)
        return number


class Workers(click.ParamType):
    """A number of workers; a negative number counts back from all cores, as in the library."""

    name = "n"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number == 0:
            self.fail(
                f"{value!r} is neither a positive number of workers nor a negative number, which "
                "counts back from all cores (-1 means all cores).",
                param,
                ctx,
            )
        return number


class NgramRange(click.ParamType):
    """A range of n-gram lengths, such as ``1-2`` for words and pairs, or ``2`` for pairs."""

    name = "n[-m]"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        match = re.fullmatch(r"([1-9]\d*)(?:-([1-9]\d*))?", str(value))
        if not match:
            self.fail(
                f"{value!r} is neither a number such as 2 nor a range such as 1-2.", param, ctx
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            self.fail(f"{value!r} is not a valid range; put the smaller number first.", param, ctx)
        return low, high


POSITIVE_INT = NumberAtLeast(int, 1)
NON_NEGATIVE_INT = NumberAtLeast(int, 0)
POSITIVE_FLOAT = NumberAbove(0)
NON_NEGATIVE_FLOAT = NumberAtLeast(float, 0)
WORKERS = Workers()
MODEL_NAME = RegistryChoice(
    "laconic.models:MODELS",
    "name",
    hints={
        "lda": " plsa is the most similar model; 'laconic compare --models lda,plsa' fits both.",
        "nmf": " sc is the most similar model; 'laconic compare --models nmf,sc' fits both.",
        "lsa": " slsa is the most similar model; 'laconic compare --models lsa,slsa' fits both.",
    },
)
SEED = click.IntRange(0, 2**32 - 1)
