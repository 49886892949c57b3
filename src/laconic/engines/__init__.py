"""Engines (serial, threads, Dask), which decide where steps run and never change the result."""

from __future__ import annotations

from collections.abc import Callable

from laconic.engines.base import Engine, Serial
from laconic.engines.dask import Dask
from laconic.engines.threads import Threads
from laconic.errors import LaconicError

ENGINES: dict[str, Callable[[int | None], Engine]] = {
    "serial": lambda n_jobs: Serial(),
    "threads": Threads,
    "dask": Dask,
}

__all__ = ["ENGINES", "Engine", "make_engine"]


def make_engine(name: str, n_jobs: int | None = None) -> Engine:
    """Return the engine `name`; if `name` is the address of a scheduler, return a Dask engine."""
    if name in ENGINES:
        return ENGINES[name](n_jobs)
    if isinstance(name, str) and "://" in name:
        return Dask(n_jobs, address=name)
    names = ", ".join(map(repr, ENGINES))
    raise LaconicError(
        f"The 'engine' parameter must be {names} or the address of a Dask scheduler such as "
        f"'tcp://127.0.0.1:8786'. Got {name!r} instead."
    )
