"""Open-loop load generator: requests at scheduled times, whether or not the server keeps up.

A client that waits for each response before it sends the next request puts less load on a slow
server. Here, each request has a scheduled time. Its latency is the time from the scheduled time to
the last byte of the response, so it includes waiting in a queue, as it would for a person.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np

PATIENCE = 30.0  # time in seconds after which a request counts as failed


@dataclass
class Outcome:
    """Latencies and failures of all requests, in order."""

    latencies: np.ndarray  # seconds from the scheduled time; PATIENCE if the request failed
    failures: list[str] = field(default_factory=list)
    n_bytes: int = 0
    connections: int = 0

    def percentile(self, share: float) -> float:
        """Return a percentile of the latencies in milliseconds."""
        return 1e3 * float(np.percentile(self.latencies, share, method="higher"))


def arrivals(rate: float, seconds: float, seed: int) -> np.ndarray:
    """Draw random times of independent requests with the given average rate per second."""
    n = max(1, round(rate * seconds))
    gaps = np.random.default_rng(seed).exponential(1.0, n)
    return np.cumsum(gaps) * seconds / gaps.sum()


def drive(url: str, paths: Sequence[str], times: np.ndarray) -> Outcome:
    """Request each path at its scheduled time."""
    gc.collect()
    gc.disable()  # a pause of the client must not count as latency of the server
    try:
        return asyncio.run(_Client(url).drive(paths, times))
    finally:
        gc.enable()


class _Client:
    """HTTP client that keeps connections open, like a browser, and opens as many as needed."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self.host, self.port = place.hostname or "", place.port or 80
        self.idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self.outcome = Outcome(np.empty(0))

    async def drive(self, paths: Sequence[str], times: np.ndarray) -> Outcome:
        self.outcome.latencies = np.full(len(paths), PATIENCE)
        start = time.perf_counter() + 0.05
        tasks = []
        for number, (path, due) in enumerate(zip(paths, times.tolist(), strict=True)):
            await asyncio.sleep(max(0.0, start + due - time.perf_counter()))
            tasks.append(asyncio.create_task(self._timed(number, path, start + due)))
        await asyncio.gather(*tasks)
        for _, writer in self.idle:
            writer.close()
        return self.outcome

    async def _timed(self, number: int, path: str, due: float) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                status = await self._ask(path)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.outcome.failures.append(f"{path}: {type(error).__name__} {error}")
            return
        if status != 200:
            self.outcome.failures.append(f"{path}: {status}")
            return
        self.outcome.latencies[number] = time.perf_counter() - due

    async def _ask(self, path: str) -> int:
        while self.idle:
            reader, writer = self.idle.pop()
            if reader.at_eof():  # the server closed the idle connection
                writer.close()
                continue
            try:
                return await self._exchange(path, reader, writer)
            except EOFError:  # the server just closed the connection; retry like a browser
                continue
        self.outcome.connections += 1
        return await self._exchange(path, *await asyncio.open_connection(self.host, self.port))

    async def _exchange(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> int:
        try:
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
                "Accept-Encoding: gzip\r\n\r\n".encode("ascii")
            )
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            self.outcome.n_bytes += len(await reader.readexactly(length))
        except BaseException:
            writer.close()
            raise
        self.idle.append((reader, writer))
        return status
