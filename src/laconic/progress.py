"""How far a fit is, for people: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

Report = Callable[[int, float | None], None]


@contextmanager
def progress(name: str, max_iter: int, verbose: int) -> Iterator[Report]:
    """Yield ``report(n_iter, objective)``.

    `verbose` 0 is silent, 1 draws a bar on standard error if that is a terminal, 2 also logs one
    line for each pass.
    """

    def log(n_iter: int, objective: float | None) -> None:
        if verbose >= 2:
            value = "" if objective is None else f", objective {objective:.6g}"
            logger.info("%s: pass %d%s", name, n_iter, value)

    if not verbose:
        yield log
        return

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield log
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[objective]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"fitting {name}, passes", total=max_iter, objective="")

        def draw(n_iter: int, objective: float | None) -> None:
            shown = "" if objective is None else f"objective {objective:.6g}"
            bar.update(task, completed=n_iter, objective=shown)
            log(n_iter, objective)

        yield draw
