"""Where a server listens: on this machine, and on nothing but this machine."""

from __future__ import annotations

import errno
import os
import socket

from laconic.errors import LaconicError

HOST = "127.0.0.1"
FIRST_PORT = 8484
PORTS_TRIED = 100


def listen(port: int | None = None) -> socket.socket:
    """A socket on this machine's own address, so that a port is had before the work begins."""
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
        raise LaconicError(f"port={port} is not a port; give one from 1 to 65535")
    # asyncio knows by the protocol that it may send at once; else every answer waits for 40 ms
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen()  # else a port could be promised to two servers
    except OSError as error:
        made.close()
        taken = error.errno in (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", None))
        why = "is taken by another program" if taken else f"cannot be used ({error.strerror})"
        raise LaconicError(f"port {port} {why}; give another, or none for one that is free") from (
            error
        )
    return made
