"""The loop over the passes of a fit.

A pass has three parts: *step* (compute the statistics of a chunk, given the parameters), *sum*
(merge the statistics of all chunks) and *update* (compute new parameters from the sums). The engine
merges the statistics; the model supplies step and update as a `Solver`. The loop counts passes,
reports progress, calls callbacks, saves checkpoints, and stops on convergence, after the last pass
or on Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.progress import FitProgress, progress


class Update(NamedTuple):
    """Result of updating a solver after a pass."""

    # objective of the pass, or None if it cannot be compared with the previous pass
    objective: float | None
    converged: bool = False
    # whether to discard earlier objectives, because later objectives cannot be compared with them
    restart: bool = False


class Solver(Protocol):
    """Interface of a solver: a step, the parameters of the step, and a method to update them."""

    step: Step
    params: Any
    # a list with one state per chunk, such as codes that warm-start the next pass
    local: list[Any] | None
    # classes and steps that a checkpoint of the solver may refer to by name
    SAVED: tuple[Any, ...]

    def update(self, stats: Any) -> Update:
        """Compute new parameters from the summed statistics."""
        ...


class Passes(NamedTuple):
    """Progress of a solver: completed passes, their objectives, and whether it has finished."""

    n_iter: int
    objective: list[float]
    converged: bool = False
    finished: bool = False

    def after(self, update: Update) -> Passes:
        """Return the progress after another pass with the given result."""
        objective = [] if update.restart else list(self.objective)
        if update.objective is not None:
            objective.append(update.objective)
        return Passes(self.n_iter + 1, objective, bool(update.converged))


def run_passes(
    model: Any,
    name: str,
    solver: Solver,
    engine: Engine,
    chunks: Sequence[Chunk],
    start: Passes,
    last: int,
    batches: Sequence[Sequence[int]] | None = None,
    context: Any = None,
) -> Passes:
    """Run passes up to number `last`, and return how far they came.

    With a checkpoint, continue where an earlier run stopped. After Ctrl-C, return the completed
    passes, unless the model is nested.
    """
    stage = None if model._checkpoint is None else model._checkpoint.next_stage()
    passes = (stage and stage.restore(solver)) or start
    try:
        with progress(name, last, model.verbose) as shown:
            for n_iter in range(passes.n_iter + 1, last + 1):
                if passes.finished:
                    break
                task = None if context is None else context.subcontext(task_name="pass")
                if task is not None:
                    task.call_on_fit_task_begin(estimator=model)
                if batches is None:
                    engine.report = partial(_advance, shown, n_iter)
                    stats = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
                    update = solver.update(stats)
                else:
                    for batch in batches:
                        update = solver.update(_reduce_batch(solver, engine, chunks, batch))
                passes = passes.after(update)
                shown.report(n_iter, None if update.restart else update.objective)
                stop = False
                if task is not None:
                    model.n_iter_, model.converged_ = passes.n_iter, passes.converged
                    stop = task.call_on_fit_task_end(estimator=model)
                if update.converged or stop or n_iter == last:
                    passes = passes._replace(finished=True)
                if stage is not None:
                    stage.save(solver, passes)
    except KeyboardInterrupt:
        if model._nested:
            raise
        if model._checkpoint is not None:
            model._checkpoint.close()
        passes = passes._replace(finished=False)
    return passes


def _advance(shown: FitProgress, n_iter: int, share: float) -> None:
    shown.advance(n_iter - 1 + share)


def _reduce_batch(
    solver: Solver, engine: Engine, chunks: Sequence[Chunk], batch: Sequence[int]
) -> Any:
    """Return the summed statistics of a batch of chunks, and store the chunks' new states."""
    local = None if solver.local is None else [solver.local[i] for i in batch]
    stats = engine.map_reduce(solver.step, solver.params, [chunks[i] for i in batch], local)
    if solver.local is not None and local is not None:
        for i, state in zip(batch, local, strict=True):
            solver.local[i] = state
    return stats
