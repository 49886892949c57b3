"""Tests of the load generator: requests are sent on time, and latency includes waiting."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks import explorer, harness, open_loop

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


AT_ONCE = 10


class OneByOne(socketserver.StreamRequestHandler):
    """Answers /together once AT_ONCE requests are waiting, and closes the connection for /gone."""

    def handle(self) -> None:
        while line := self.rfile.readline():
            while self.rfile.readline() != b"\r\n":
                pass
            path = line.split()[1]
            if path == b"/gone":
                return
            if path == b"/together":
                self.server.all_there.wait()  # type: ignore[attr-defined]
            status = b"404 Not Found" if path == b"/missing" else b"200 OK"
            self.wfile.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nhi")


@pytest.fixture
def url() -> Iterator[str]:
    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        all_there = threading.Barrier(AT_ONCE, timeout=open_loop.PATIENCE / 2)

    with Server(("127.0.0.1", 0), OneByOne) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_no_request_waits_for_the_answer_to_another(url: str) -> None:
    due = np.arange(AT_ONCE) / 100
    outcome = open_loop.drive(url, ["/together"] * AT_ONCE, due)
    assert not outcome.failures
    assert np.all(outcome.latencies >= due[-1] - due)  # all wait for the last request
    assert outcome.percentile(100) == 1e3 * outcome.latencies.max()
    assert (outcome.connections, outcome.n_bytes) == (AT_ONCE, 2 * AT_ONCE)


def test_latency_counts_from_the_time_a_request_was_due(url: str) -> None:
    outcome = open_loop.drive(url, ["/quick", "/quick"], np.array([-7.0, -5.0]))  # due in the past
    assert not outcome.failures
    assert np.all(outcome.latencies > [6.5, 4.5])


def test_connections_are_kept(url: str) -> None:
    outcome = open_loop.drive(url, ["/quick"] * 20, np.arange(20) / 50)
    assert 1 <= outcome.connections < 20


def test_failures_are_counted_and_late(url: str) -> None:
    outcome = open_loop.drive(url, ["/missing", "/quick", "/gone"], np.array([0.0, 0.1, 0.2]))
    assert len(outcome.failures) == 2
    assert outcome.failures[0] == "/missing: 404"
    assert outcome.latencies[0] == outcome.latencies[2] == open_loop.PATIENCE
    assert outcome.percentile(99) == 1e3 * open_loop.PATIENCE


def test_arrivals_are_so_many_a_second_and_the_same_each_time() -> None:
    times = open_loop.arrivals(200, 30, seed=0)
    assert len(times) == 6000
    assert times[-1] == pytest.approx(30)
    assert np.all(np.diff(times) > 0)
    assert np.histogram(times, bins=30)[0].std() > 5  # not equally spaced
    np.testing.assert_array_equal(times, open_loop.arrivals(200, 30, seed=0))


def test_requests_are_of_all_kinds_and_mostly_different() -> None:
    corpus = explorer._corpus(harness.Run("explorer", smoke=True))
    paths = explorer.requests(corpus, 5, 2000, seed=0)
    assert paths == explorer.requests(corpus, 5, 2000, seed=0)
    for beginning in ("/static/", "/api/topics/", "/api/documents/", "/api/words/", "/api/search"):
        assert sum(path.startswith(beginning) for path in paths) > 100
    assert all(path.isascii() and " " not in path for path in paths)
    assert len({path for path in paths if path.startswith("/api/search")}) > 150
