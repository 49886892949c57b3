"""Listening sockets on the loopback interface."""

from __future__ import annotations

import errno
import os
import socket

from laconic.errors import LaconicError

HOST = "127.0.0.1"
FIRST_PORT = 8484
PORTS_TRIED = 100


def listen(port: int | None = None) -> socket.socket:
    """Return a listening socket, which reserves a port before the model is loaded."""
    if port is not None:
        return _bind(port)
    for candidate in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        try:
            return _bind(candidate)
        except LaconicError:
            continue
    return _bind(0)


def _bind(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise LaconicError(f"port={port} is not valid; use 1 to 65535, or 0 for any free port")
    # IPPROTO_TCP is passed because otherwise asyncio would not set TCP_NODELAY, and each response
    # would be delayed by 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows, this option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()  # until listen() is called, another server could also bind this port
    except OSError as error:
        listener.close()
        in_use = error.errno in (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", None))
        reason = "is in use by another program" if in_use else f"is unusable ({error.strerror})"
        raise LaconicError(
            f"port {port} {reason}; choose another port, or omit the port to use a free port"
        ) from error
    return listener
