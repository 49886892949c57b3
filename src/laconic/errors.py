"""Exceptions for invalid input, and warnings that point to the caller's code."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

# Warnings do not point to code in these packages, but to the code that called these packages.
SKIPPED_PACKAGES = {"laconic", "sklearn", "joblib"}


class LaconicError(ValueError):
    """Base class of all errors that laconic raises for invalid input.

    Examples
    --------
    >>> import laconic
    >>> try:
    ...     laconic.Corpus([[1, -2]])
    ... except laconic.LaconicError as error:
    ...     print(error)
    Document 0 has a negative count; counts must not be negative.
    """


class ReadError(LaconicError):
    """Documents cannot be read from a file, a folder or memory.

    Parameters
    ----------
    path : str, Path or None
        Path of the file or folder, or ``None`` for data in memory.
    line : int or None
        Line number, which starts at one, or ``None`` if no line is known.
    problem : str
        One sentence that states the problem and how to solve it.

    Examples
    --------
    >>> import laconic
    >>> try:
    ...     laconic.read("missing.csv")
    ... except laconic.ReadError as error:
    ...     print(error.path, error.line, error.problem, sep="; ")
    missing.csv; None; no such file or folder; check the path
    """

    def __init__(self, path: str | Path | None, line: int | None, problem: str) -> None:
        super().__init__(path, line, problem)  # Pickling needs all arguments.
        self.path = None if path is None else str(path)
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        where = [] if self.path is None else [self.path]
        if self.line is not None:
            where.append(f"line {self.line}")
        return f"{', '.join(where)}: {self.problem}" if where else self.problem


class ModelFileError(LaconicError):
    """A saved model or store is missing, damaged, written by a newer laconic, or not writable.

    Examples
    --------
    >>> import laconic
    >>> try:
    ...     laconic.load("missing.model")
    ... except laconic.ModelFileError as error:
    ...     print(error)
    missing.model: no such folder; check the path
    """

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(path, problem)
        self.path = str(path)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


def check_at_least(name: str, value: Any, least: int = 1) -> None:
    """Raise if `value` is less than `least`."""
    if value < least:
        raise LaconicError(f"{name} must be at least {least}; got {value}.")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points to the user's code, even inside pipelines and grid searches."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame.f_globals) in SKIPPED_PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
