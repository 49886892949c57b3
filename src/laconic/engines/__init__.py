"""Engines: serial, threads, Dask. An engine decides where steps run, never what they give."""

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
    """The engine of that name, or a Dask client of that address."""
    if name in ENGINES:
        return ENGINES[name](n_jobs)
    if isinstance(name, str) and "://" in name:
        return Dask(n_jobs, address=name)
    known = ", ".join(repr(known) for known in ENGINES)
    raise LaconicError(
        f"The 'engine' parameter must be {known} or the address of a Dask scheduler such as "
        f"'tcp://127.0.0.1:8786'. Got {name!r} instead."
    )
