"""Local Dask clusters of real processes that start quickly."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

METHODS = ("forkserver", "spawn")  # the first that the system has is used


@contextmanager
def local_cluster(n_workers: int, **options: Any) -> Iterator[Any]:
    """Start a cluster of processes with one thread each; other arguments go to LocalCluster.

    The processes are forked from a server that has imported Dask once. By default, Dask would start
    a new interpreter for each worker, also for each worker that replaces one that was killed.
    """
    import dask
    from distributed import LocalCluster

    method = next(one for one in METHODS if one in multiprocessing.get_all_start_methods())
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": method}),
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **options
        ) as cluster,
    ):
        yield cluster
