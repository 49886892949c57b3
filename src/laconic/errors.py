"""What laconic raises when something a user gave it cannot be used, and how it warns."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

BETWEEN = {"laconic", "sklearn", "joblib"}  # packages between a warning and the user's own code


class LaconicError(ValueError):
    """Base of every error that laconic raises about its input."""


class ReadError(LaconicError):
    """A source of documents cannot be read.

    Parameters
    ----------
    path : str, Path or None
        Where the trouble is; ``None`` for data that came from memory.
    line : int or None
        Line number, counted from one.
    problem : str
        What is wrong and what to do, in one sentence.
    """

    def __init__(self, path: str | Path | None, line: int | None, problem: str) -> None:
        super().__init__(path, line, problem)  # all three as args, so that the error pickles
        self.path = None if path is None else str(path)
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        where = [] if self.path is None else [self.path]
        if self.line is not None:
            where.append(f"line {self.line}")
        return f"{', '.join(where)}: {self.problem}" if where else self.problem


class ModelFileError(LaconicError):
    """A saved model or corpus store is damaged, hostile, too new, or cannot be written."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(path, problem)
        self.path = str(path)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


def check_at_least(name: str, value: Any, least: int = 1) -> None:
    """Refuse a number that is too small."""
    if value < least:
        raise LaconicError(f"{name} must be at least {least}; got {value}.")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user that led here, through pipelines and searches too."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame.f_globals) in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
