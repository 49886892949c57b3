"""Run the server of the explorer on this machine, and on nothing but this machine."""

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
from laconic.web.server.ports import HOST, listen

logger = logging.getLogger(__name__)

LONGEST_HEAD = 64 * 1024  # bytes of an address and its headers; a longest query fits
SWITCH = 0.0005  # seconds after which a thread that computes lets the one that answers go on
PATIENCE = 0.4  # seconds that requests under way get when the server ends
WAIT = 10.0  # seconds until a thread that does not start or end is given up


class Server:
    """The explorer as a server in a thread of its own.

    Parameters
    ----------
    material : PageData
        What it shows.
    port : int, optional
        Where it listens; 0 for any port that is free. Default: 8484, or the next one that is free.
    listener : socket, optional
        What `listen` gave before, instead of a port.
    prepared : callable, optional
        Called once what visitors would wait for is made.

    Attributes
    ----------
    url : str
        Its address, from `start` on.
    """

    def __init__(
        self,
        material: PageData,
        port: int | None = None,
        *,
        listener: socket.socket | None = None,
        prepared: Callable[[], None] | None = None,
    ) -> None:
        self._socket = listen(port) if listener is None else listener
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}/"
        config = uvicorn.Config(
            make_app(material, prepared=prepared),
            http="h11",  # its limits are known; faster ones are not always there
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
        """Begin to answer requests.

        Returns
        -------
        str
            The address.
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
        """End the server; requests under way get a moment to finish."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(WAIT)
        self._socket.close()


def serve(
    material: PageData,
    port: int | None = None,
    *,
    browser: bool = True,
    listener: socket.socket | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve the explorer until Ctrl-C or a signal to end.

    Parameters
    ----------
    material : PageData
        What it shows.
    port : int, optional
        Where it listens; 0 for any port that is free. Default: 8484, or the next one that is free.
    browser : bool, default=True
        Open the page in a browser, where there is a screen.
    listener : socket, optional
        What `listen` gave before, instead of a port.
    announce : callable, optional
        Called with the address as soon as it answers. Default: the log says it.
    """
    # what lasts as long as the server is not looked through for garbage: that takes a third of a
    # second, in which nobody is answered
    server = Server(material, port, listener=listener, prepared=gc.freeze)
    usual = sys.getswitchinterval()
    with _until_told_to_end() as ended:
        try:
            sys.setswitchinterval(SWITCH)
            url = server.start()
            (announce or _log)(url)
            if browser:
                open_browser(url)
            while not ended.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass  # how a server is meant to end
        finally:
            server.stop()
            sys.setswitchinterval(usual)
            gc.unfreeze()


def _log(url: str) -> None:
    logger.info("the explorer is at %s; Ctrl-C ends it", url)


def open_browser(url: str) -> bool:
    """Open an address in the user's browser, where there is a screen to show it on."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform not in ("win32", "darwin") and not any(map(os.environ.get, screens)):
        return False
    # some browsers return only when they are closed
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    return True


@contextmanager
def _until_told_to_end() -> Iterator[threading.Event]:
    """An event that is set when the process is asked to end."""
    ended = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield ended  # signals arrive in the main thread only
        return

    def end(*signal_and_frame: Any) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)
