"""A Dask cluster of separate processes, which can be killed one by one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from distributed import Client

PATIENCE = 60  # maximum time to wait for a process to start, in seconds


class ProcessCluster:
    """A scheduler and workers, which are separate processes; all are killed at the end.

    Parameters
    ----------
    folder : str or Path
        Existing folder for the address of the scheduler.
    n_workers : int
        Number of workers to start. Each worker has one thread.
    nanny : bool
        Whether a nanny process restarts each worker that dies.
    allowed_failures : int
        A task that kills more workers than this number fails.
    """

    def __init__(
        self, folder: str | Path, n_workers: int, *, nanny: bool = False, allowed_failures: int = 3
    ) -> None:
        failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(allowed_failures)}
        self._environment = {**os.environ, **failures}
        self._nanny = nanny
        self._processes: list[subprocess.Popen[bytes]] = []
        file = Path(folder, "scheduler.json")
        file.unlink(missing_ok=True)
        options = "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        self.scheduler = self._start("scheduler", *options, "--scheduler-file", str(file))
        end = time.monotonic() + PATIENCE
        self.address = ""
        while not self.address:
            if time.monotonic() > end:
                raise RuntimeError("The Dask scheduler did not start.")
            time.sleep(0.05)
            with suppress(OSError, ValueError):  # The file is missing or not complete yet.
                self.address = json.loads(file.read_text(encoding="utf-8"))["address"]
        self.client = Client(self.address, set_as_default=False)
        for _ in range(n_workers):
            self.add_worker()
        self.wait_for(n_workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.scheduler.send_signal(signal.SIGCONT)  # It may be frozen.
        with suppress(OSError, TimeoutError):
            self.client.close(timeout=2)
        for process in self._processes:
            process.terminate()  # A nanny then stops its worker.
        for process in self._processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def add_worker(self) -> None:
        """Start another worker."""
        nanny = "--nanny" if self._nanny else "--no-nanny"
        self._start("worker", self.address, nanny, "--nthreads", "1", "--no-dashboard")

    def kill_workers(self) -> None:
        """Kill all workers; only for clusters without nannies."""
        for process in self._processes[1:]:
            process.kill()

    def wait_for(self, n_workers: int) -> None:
        """Wait until the cluster has at least this number of workers."""
        self.client.wait_for_workers(n_workers, timeout=PATIENCE)

    def workers(self) -> list[int]:
        """Return the process numbers of the workers."""
        return list(self.client.run(os.getpid).values())

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        process = subprocess.Popen(
            command,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.append(process)
        return process
