"""Engines (serial, threads, Dask), which decide where steps run and never change the result."""

from __future__ import annotations

from collections.abc import Callable

from laconic.engines.base import Engine, Serial
from laconic.engines.dask import Dask
from laconic.engines.threads import Threads
from laconic.engines.tree import GROUP
from laconic.errors import LaconicError

ENGINES: dict[str, Callable[[int | None], Engine]] = {
    "serial": lambda n_jobs: Serial(),
    "threads": Threads,
    "dask": Dask,
}

__all__ = ["ENGINES", "Engine", "is_distributed", "make_engine"]


def make_engine(name: str, n_jobs: int | None = None, group: int = GROUP) -> Engine:
    """Return the engine `name`; if `name` is the address of a scheduler, return a Dask engine.

    `group` is the number of chunks per group; see `laconic.engines.tree`.
    """
    engine: Engine
    if name in ENGINES:
        engine = ENGINES[name](n_jobs)
    elif isinstance(name, str) and "://" in name:
        engine = Dask(n_jobs, address=name)
    else:
        raise LaconicError(_unknown(name))
    engine.group = group
    return engine


def is_distributed(name: str) -> bool:
    """Return whether an engine runs steps in other processes; raise if there is no such engine."""
    return isinstance(make_engine(name), Dask)


def _unknown(name: str) -> str:
    names = ", ".join(map(repr, ENGINES))
    return (
        f"The 'engine' parameter must be {names} or the address of a Dask scheduler such as "
        f"'tcp://127.0.0.1:8786'. Got {name!r} instead."
    )
