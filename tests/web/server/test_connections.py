"""Tests of clients that are slow, silent or half-open, with real sockets."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from laconic.web.page_data import PageData
from laconic.web.server import connections
from laconic.web.server.serving import Server

from ..conftest import fit, make_corpus

GET = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server(PageData(fit("slsa"), make_corpus()), 0)
    running.start()
    yield running
    running.stop()


def connect(server: Server) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return client


def send_slowly(client: socket.socket, data: bytes) -> None:
    for byte in data:
        client.sendall(bytes([byte]))
        time.sleep(0.02)


def is_closed(client: socket.socket) -> bool:
    """Return whether the server closes a connection, after what it may still send."""
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_silent_and_slow_clients_do_not_block_others(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(connections, "RECEIVING", 0.5)
    httpx.get(server.url)  # The first page takes longer.
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in range(200)]
        clients[0].sendall(GET % server.port)  # The headers have no end.
        clients[1].sendall(b"POST /api/notes HTTP/1.1\r\nContent-Length: 10\r\n\r\n{")
        start = time.monotonic()
        assert httpx.get(server.url, timeout=20).status_code == 200
        assert time.monotonic() - start < 5
        assert all(map(is_closed, clients))


def test_bytes_that_arrive_slowly_do_not_extend_the_time(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(connections, "RECEIVING", 0.5)
    with connect(server) as client, pytest.raises(ConnectionError):
        send_slowly(client, GET % server.port * 3)


def test_the_connection_that_waits_longest_makes_room(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(connections, "MOST", 3)
    with ExitStack() as stack:
        first, *others = [stack.enter_context(connect(server)) for _ in range(4)]
        assert is_closed(first)
        others[-1].sendall(GET % server.port + b"Connection: close\r\n\r\n")
        assert others[-1].recv(15) == b"HTTP/1.1 200 OK"


def test_a_client_that_stops_reading_is_closed(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(connections, "SENDING", 0.3)
    with connect(server) as client:
        request = GET % server.port + b"\r\n"
        try:
            for _ in range(300):  # Requests without end, whose responses nobody reads
                client.sendall(request)
        except (ConnectionError, TimeoutError):
            pass
        deadline = time.monotonic() + 20
        while server._server.server_state.connections and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not server._server.server_state.connections
        assert httpx.get(server.url, timeout=20).status_code == 200


def test_several_requests_on_one_connection(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(connections, "RECEIVING", 0.3)
    with httpx.Client() as client:
        for _ in range(4):
            assert client.get(server.url, timeout=20).status_code == 200
            time.sleep(0.15)


@pytest.mark.parametrize(
    "head", [b"GET /" + b"a" * 200_000, b"GET / HTTP/1.1\r\nA: " + b"a" * 200_000]
)
def test_a_head_without_end_is_refused(server: Server, head: bytes) -> None:
    with connect(server) as client:
        try:
            client.sendall(head)
            assert b" 400 " in client.recv(100)
        except ConnectionError:
            pass  # closed before all bytes were sent
        assert httpx.get(server.url, timeout=20).status_code == 200
