"""Tests of the running server: where it listens, and how it stops."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
import pytest

import laconic
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.server import app as app_module
from laconic.web.server import ports, serving
from laconic.web.server.ports import HOST, listen
from laconic.web.server.serving import Server, serve
from tests.messages import refused
from tests.web.asking import NOTE, PATIENCE, get


@pytest.fixture(scope="module")
def material() -> PageData:
    texts = ["a cat and a kitten", "sail and mast", "kitten, milk, cat", "mast, sail, wind"] * 5
    corpus = laconic.read(texts)
    return PageData.of(laconic.pipeline("plsa", n_components=2).fit(corpus), corpus)


@pytest.fixture(scope="module")
def server(material: PageData) -> Iterator[Server]:
    server = Server(material, 0)
    server.start()
    yield server
    server.stop()


class Held(NamedTuple):
    """A server with a slow view, which ends only after `may_end` is set."""

    server: Server
    begun: threading.Event
    may_end: threading.Event


@pytest.fixture
def held(material: PageData, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """A server whose ``/api/compare`` takes until the test sets `may_end`."""
    begun, may_end = threading.Event(), threading.Event()

    def slow(material: PageData) -> dict[str, Any]:
        begun.set()
        may_end.wait(2 * PATIENCE)
        return {}

    monkeypatch.setitem(app_module.API_ROUTES, "/api/compare", app_module.ApiRoute(slow))
    server = Server(material, 0)
    server.start()
    yield Held(server, begun, may_end)
    may_end.set()
    server.stop()


def connect(server: Server) -> socket.socket:
    return socket.create_connection((HOST, server.port), timeout=PATIENCE)


def is_listening(server: Server) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex((HOST, server.port)) == 0


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


def raw(server: Server, request: bytes) -> bytes:
    """Send raw bytes and return all bytes that the server sends until it closes the connection."""
    with connect(server) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def asking_for_a_comparison(server: Server) -> bytes:
    return f"GET /api/compare HTTP/1.1\r\nHost: {HOST}:{server.port}\r\n\r\n".encode()


# --- where the server listens --------------------------------------------------------------------


def test_it_listens_on_this_machine_only(server: Server) -> None:
    process = psutil.Process()
    connections = getattr(process, "net_connections", None) or process.connections  # old psutil
    mine = connections(kind="inet")
    listening = {(one.laddr.ip, one.laddr.port) for one in mine if one.status == psutil.CONN_LISTEN}
    assert (HOST, server.port) in listening
    assert {ip for ip, port in listening if port == server.port} == {"127.0.0.1"}
    for addresses in psutil.net_if_addrs().values():
        for address in addresses:
            if address.family is socket.AF_INET and not address.address.startswith("127."):
                with socket.socket() as connection:
                    connection.settimeout(2)
                    assert connection.connect_ex((address.address, server.port)) != 0


def test_the_address_answers(server: Server) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/"
    answer = get(f"{server.url}api/overview")
    assert answer.json()["n_topics"] == 2
    assert "server" not in answer.headers


def test_a_port_that_is_taken_is_named(server: Server, material: PageData) -> None:
    with refused(f"port {server.port}", "in use", golden=False):
        Server(material, server.port)


def test_a_port_that_does_not_exist() -> None:
    with refused("port=70000"):
        listen(70000)


def test_without_a_port_the_next_free_one(
    server: Server, material: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "FIRST_PORT", server.port)
    with listen() as found:
        assert server.port < found.getsockname()[1] < server.port + ports.PORTS_TRIED
    monkeypatch.setattr(ports, "PORTS_TRIED", 1)
    with listen() as found:  # every port that is tried is in use
        assert found.getsockname()[1] not in (0, server.port)


def test_two_servers_at_once(server: Server, material: PageData) -> None:
    other = Server(material, 0)
    other.start()
    try:
        for one in (server, other):
            assert get(f"{one.url}api/notes").status_code == 200
        wrong = get(f"{server.url}api/notes", headers={"Host": f"{HOST}:{other.port}"})
        assert wrong.status_code == 421
    finally:
        other.stop()


# --- requests and responses ----------------------------------------------------------------------


def test_answers_do_not_wait_for_the_network(server: Server) -> None:
    """TCP_NODELAY is set; without it, each response on a reused connection takes 40 ms."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        client.get("/api/notes")
        accepted = server._server.server_state.connections
        sockets = [one.transport.get_extra_info("socket") for one in accepted]
        assert sockets
        assert all(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in sockets)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),  # no Host header
        (b"GET / HTTP/1.0\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\nHost: OWN\r\nHost: OWN\r\n\r\n", b"4"),
        (b"GET / HTTP/1.1\r\nHost: OWN\r\nHost: evil\r\n\r\n", b"4"),
        (b"GET http://evil/api/overview HTTP/1.1\r\nHost: OWN\r\n\r\n", b"4"),
        (b"GET //evil/api/overview HTTP/1.1\r\nHost: OWN\r\n\r\n", b"404"),
        (b"GET /static/../app.py HTTP/1.1\r\nHost: OWN\r\n\r\n", b"404"),
        (b"GET /static/%2e%2e/app.py HTTP/1.1\r\nHost: OWN\r\n\r\n", b"404"),
        (b"GET /static/..%2fapp.py HTTP/1.1\r\nHost: OWN\r\n\r\n", b"404"),
        (b"GET /static//etc/passwd HTTP/1.1\r\nHost: OWN\r\n\r\n", b"404"),
        (b"GET /caf\xc3\xa9 HTTP/1.1\r\nHost: OWN\r\n\r\n", b"4"),
        (b"PUT /api/topics/1/notes HTTP/1.1\r\nHost: OWN\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"CONNECT evil:443 HTTP/1.1\r\nHost: OWN\r\n\r\n", b"4"),
    ],
)
def test_requests_that_no_browser_sends(
    server: Server, request_bytes: bytes, status: bytes
) -> None:
    own = f"{HOST}:{server.port}".encode()
    answer = raw(server, request_bytes.replace(b"OWN", own))
    assert answer.startswith(b"HTTP/1.1 " + status), answer[:200]
    assert b"Traceback" not in answer
    assert get(f"{server.url}api/notes").status_code == 200


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_without_end_is_cut_off(server: Server, start: bytes) -> None:
    with (
        connect(server) as connection,
        pytest.raises(ConnectionError),  # closed while the request is being sent
    ):
        connection.sendall(start + b"x" * 50_000_000)
    assert get(f"{server.url}api/notes").status_code == 200


def test_a_slow_view_holds_up_nobody(held: Held) -> None:
    with connect(held.server) as waiting:
        waiting.sendall(asking_for_a_comparison(held.server))
        assert held.begun.wait(PATIENCE)
        assert get(f"{held.server.url}api/topics/1").status_code == 200
        held.may_end.set()
        assert waiting.recv(65536).startswith(b"HTTP/1.1 200")


# --- how the server stops ------------------------------------------------------------------------


def test_it_ends_while_others_hold_on(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "WAIT", 2 * PATIENCE)  # stop() gives up after this time
    server = held.server
    kept = httpx.Client(base_url=server.url, timeout=PATIENCE)
    assert kept.get("/api/notes").status_code == 200
    with connect(server), connect(server) as half, connect(server) as under_way:
        half.sendall(b"GET /api/overview HT")
        under_way.sendall(asking_for_a_comparison(server))
        assert held.begun.wait(PATIENCE)
        start = time.perf_counter()
        server.stop()
        assert time.perf_counter() - start < PATIENCE
    with pytest.raises(httpx.HTTPError):
        kept.get("/api/notes")
    kept.close()
    with listen(server.port):  # the port is free again
        pass
    server.stop()  # stopping again has no effect


def test_a_note_under_way_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = laconic.read(["a cat and a kitten", "sail and mast", "kitten, cat", "mast, sail"] * 5)
    model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    laconic.save(model, tmp_path / "two.model")
    begun = threading.Event()
    set_note = views.set_note

    def slow(*arguments: Any) -> dict[str, Any]:
        begun.set()
        wait_until(lambda: not is_listening(server))  # the server is stopping
        return set_note(*arguments)

    monkeypatch.setattr(views, "set_note", slow)
    server = Server(PageData.open(tmp_path / "two.model", write=True), 0)
    server.start()

    def name_it() -> None:
        with suppress(httpx.HTTPError):  # the server may stop before it responds
            httpx.put(f"{server.url.rstrip('/')}{NOTE}", json={"name": "At sea"}, timeout=PATIENCE)

    writing = threading.Thread(target=name_it)
    writing.start()
    assert begun.wait(PATIENCE)
    server.stop()
    writing.join()
    assert PageData.open(tmp_path / "two.model").notes[1].name == "At sea"


def test_serve_ends_in_another_thread_when_interrupted(material: PageData) -> None:
    """Signals only reach the main thread; in other threads, `announce` can interrupt `serve`."""
    seen: list[str] = []

    def announce(url: str) -> None:
        seen.append(get(f"{url}api/overview").json()["title"])
        raise KeyboardInterrupt

    thread = threading.Thread(
        target=serve, args=(material, 0), kwargs={"browser": False, "announce": announce}
    )
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert seen == ["model"]


def test_without_a_screen_no_browser_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert serving.open_browser("http://127.0.0.1:1/") is False
