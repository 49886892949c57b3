"""Parameter types of options: what is read from their text, and what is refused."""

from __future__ import annotations

import importlib
import re
from typing import Any

import click


class Known(click.ParamType):
    """A name in one of the library's registries, which is imported when a name is given."""

    def __init__(self, registry: str, noun: str) -> None:
        self.registry = registry
        self.name = noun

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        module, _, attribute = self.registry.partition(":")
        known = list(getattr(importlib.import_module(module), attribute))
        if value not in known:
            self.fail(f"{value!r} is not known; give one of {', '.join(known)}.", param, ctx)
        return str(value)


class Names(Known):
    """Names in a registry, separated by commas."""

    def __init__(self, registry: str) -> None:
        super().__init__(registry, "name,…")

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        convert = super().convert
        if isinstance(value, list):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        if not names:
            self.fail("name at least one.", param, ctx)
        return [convert(name, param, ctx) for name in names]


class Numbers(click.ParamType):
    """Whole numbers of 1 or more, separated by commas."""

    name = "n,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        if isinstance(value, list):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"{value!r} is not a list of whole numbers such as 20,50.", param, ctx)
        return [int(part) for part in parts]


class Limit(click.ParamType):
    """Documents a word may occur in: a number of them, or with a point a share."""

    name = "n|share"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            limit = float(value) if "." in str(value) else int(value)
        except ValueError:
            limit = -1
        if limit < 0 or (isinstance(limit, float) and limit > 1):
            self.fail(f"{value!r} is neither a whole number nor a share such as 0.5.", param, ctx)
        return limit


class AtLeast(click.ParamType):
    """A number from a limit on."""

    name = "n"

    def __init__(self, kind: type[int] | type[float], least: int) -> None:
        self.kind = kind
        self.least = least

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            number = self.kind(value)
        except ValueError:
            number = self.least - 1
        if not self.least <= number < float("inf"):
            noun = "whole number" if self.kind is int else "number"
            self.fail(f"{value!r} is not a {noun} of {self.least} or more.", param, ctx)
        return number


class Above(click.ParamType):
    """A number greater than a limit."""

    name = "n"

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            number = float(value)
        except ValueError:
            number = self.limit
        if not self.limit < number < float("inf"):
            self.fail(f"{value!r} is not a number above {self.limit}.", param, ctx)
        return number


class Smoothing(click.ParamType):
    """A number above -1, or one of the words that some models know instead."""

    name = "n|kl|none"

    def convert(self, value: Any, param: Any, ctx: Any) -> float | str:
        if value in ("kl", "none"):
            return str(value)
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor kl or none.", param, ctx)
        if not -1 < number < float("inf"):
            self.fail(f"{value!r} is not a number above -1.", param, ctx)
        return number


class Ngrams(click.ParamType):
    """``1-2`` for words and pairs, ``2`` for pairs alone."""

    name = "n[-m]"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        found = re.fullmatch(r"([1-9]\d*)(?:-([1-9]\d*))?", str(value))
        if not found:
            self.fail(f"{value!r} is not a range such as 1-2.", param, ctx)
        low, high = int(found[1]), int(found[2] or found[1])
        if low > high:
            self.fail(f"{value!r} is not a range; the smaller number comes first.", param, ctx)
        return low, high


POSITIVE = AtLeast(int, 1)
SEED = click.IntRange(0, 2**32 - 1)
NOT_NEGATIVE = AtLeast(float, 0)
