"""Progress bars and status lines, which are shown only if standard error is a terminal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

logger = logging.getLogger(__name__)

Update = Callable[..., None]


class FitProgress:
    """Shows the progress of a fit."""

    def __init__(self, name: str, verbose: int, update: Update) -> None:
        self._name, self._verbose, self._update = name, verbose, update

    def advance(self, passes: float) -> None:
        """Show that a number of passes, which may be a fraction, has been completed."""
        self._update(completed=passes)

    def report(self, n_iter: int, objective: float | None) -> None:
        """Show the result of pass number `n_iter`."""
        value = "" if objective is None else f"objective {objective:.6g}"
        self._update(completed=n_iter, objective=value)
        if self._verbose >= 2:
            logger.info("%s: pass %d%s", self._name, n_iter, value and f", {value}")


@contextmanager
def progress(name: str, max_iter: int, verbose: int) -> Iterator[FitProgress]:
    """Show the progress of a fit.

    If `verbose` is 0, nothing is shown. If `verbose` is 1 and standard error is a terminal, a
    progress bar is shown. If `verbose` is 2, one line per pass is also logged.
    """
    description = f"fitting {name}, passes"
    with progress_bar(description, max_iter, shown=bool(verbose), objective="") as update:
        yield FitProgress(name, verbose, update)


@contextmanager
def progress_bar(
    description: str, total: int, *, shown: bool = True, **fields: Any
) -> Iterator[Update]:
    """Show a progress bar on standard error; yield ``update(completed=..., description=...)``.

    `fields` are texts shown between the bar and the time. Calls of ``update`` can change these
    texts.
    """
    console = _terminal() if shown else None
    if console is None:
        yield lambda **values: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        *(TextColumn(f"{{task.fields[{name}]}}") for name in fields),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=total, **fields)
        yield lambda **values: bar.update(task, **values)


@contextmanager
def status(text: str, *, shown: bool = True) -> Iterator[Any]:
    """Show a status line during slow work; yield a ``Status`` of rich, or None if not shown."""
    console = _terminal() if shown else None
    if console is None:
        yield None
        return
    from rich.markup import escape

    with console.status(f"{escape(text)} …") as line:
        yield line


def _terminal() -> Any:
    """Return a rich Console for standard error, or None if standard error is not a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal else None
