"""Run the server of the explorer, on the loopback interface only."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from laconic.errors import LaconicError
from laconic.web.page_data import PageData
from laconic.web.server.app import make_app
from laconic.web.server.connections import Connection
from laconic.web.server.ports import HOST, listen

logger = logging.getLogger(__name__)

LONGEST_HEAD = 64 * 1024  # maximum size in bytes of the URL and headers; enough for any query
# Interval between thread switches, in seconds; short, so that computations do not delay responses
SWITCH = 0.0005
PATIENCE = 0.4  # time in seconds that pending requests have to finish at shutdown
WAIT = 10.0  # maximum time in seconds to wait for the server thread to start or stop


class Server:
    """HTTP server of the explorer, which runs in a background thread.

    Parameters
    ----------
    page_data : PageData
        The model and its documents.
    port : int, optional
        The port; 0 for any free port. Default: 8484, or the next free port.
    listener : socket, optional
        A socket from `listen`, instead of a port.
    prepared : callable, optional
        Function without arguments that is called after the slow responses have been computed.

    Attributes
    ----------
    url : str
        The URL of the server.
    """

    def __init__(
        self,
        page_data: PageData,
        port: int | None = None,
        *,
        listener: socket.socket | None = None,
        prepared: Callable[[], None] | None = None,
    ) -> None:
        self._socket = listen(port) if listener is None else listener
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}/"
        config = uvicorn.Config(
            make_app(page_data, prepared=prepared),
            http=Connection,  # uvicorn always installs h11, whose limits can be set
            loop="asyncio",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=LONGEST_HEAD,
            timeout_graceful_shutdown=PATIENCE,  # type: ignore[arg-type]
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="laconic-server", daemon=True
        )

    def start(self) -> str:
        """Start the server.

        Returns
        -------
        str
            The URL.
        """
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(WAIT / 0.01)):
            if self._server.started:
                return self.url
            if not self._thread.is_alive():
                break
            waited.wait(0.01)
        raise LaconicError(f"The server at {self.url} did not start.")

    def stop(self) -> None:
        """Stop the server; pending requests have `PATIENCE` seconds to finish."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(WAIT)
        self._socket.close()


def serve(
    page_data: PageData,
    port: int | None = None,
    *,
    browser: bool = True,
    listener: socket.socket | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve the explorer until the process receives Ctrl-C or SIGTERM.

    Parameters
    ----------
    page_data : PageData
        The model and its documents.
    port : int, optional
        The port; 0 for any free port. Default: 8484, or the next free port.
    browser : bool, default=True
        Open the explorer in a browser, if there is a display.
    listener : socket, optional
        A socket from `listen`, instead of a port.
    announce : callable, optional
        Function that is called with the URL when the server is ready. Default: log the URL.
    """
    # `gc.freeze` excludes long-lived objects from garbage collection, which would otherwise block
    # all responses for a third of a second
    server = Server(page_data, port, listener=listener, prepared=gc.freeze)
    old_interval = sys.getswitchinterval()
    with _terminated() as terminated:
        try:
            sys.setswitchinterval(SWITCH)
            url = server.start()
            (announce or _log)(url)
            if browser:
                open_browser(url)
            while not terminated.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass  # users stop the server with Ctrl-C
        finally:
            server.stop()
            sys.setswitchinterval(old_interval)
            gc.unfreeze()


def _log(url: str) -> None:
    logger.info("the explorer is at %s; press Ctrl-C to stop it", url)


def open_browser(url: str) -> bool:
    """Open a URL in the user's browser if there is a display; return whether there is one."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform not in ("win32", "darwin") and not any(map(os.environ.get, variables)):
        return False
    # in a thread, because the call may block until the browser is closed
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    return True


@contextmanager
def _terminated() -> Iterator[threading.Event]:
    """Provide an event that is set on SIGTERM."""
    terminated = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield terminated  # only the main thread can set signal handlers
        return

    def handle(*signal_and_frame: Any) -> None:
        terminated.set()

    old_handler = signal.signal(signal.SIGTERM, handle)
    try:
        yield terminated
    finally:
        signal.signal(signal.SIGTERM, old_handler)
