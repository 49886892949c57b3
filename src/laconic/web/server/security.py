"""What keeps other pages in the same browser out: who may ask, and what a browser may do with it.

The server listens on this machine only, but every page that is open in a browser here can send
requests to it. So it answers only to its own name (a foreign name that was made to point here is
turned away), tells browsers that answers are for its own page alone, and takes changes only from
that page.
"""

from __future__ import annotations

import logging
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from laconic.errors import LaconicError
from laconic.web.server.requests import read_path, shown
from laconic.web.server.responses import refusal

logger = logging.getLogger(__name__)

NAMES = ("127.0.0.1", "localhost", "[::1]")
HTTP = 80  # the port that an address need not name
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OWN_PAGE = (None, "same-origin", "none")  # of Sec-Fetch-Site; none: typed by a person
SORRY = "The server made a mistake with this; what went wrong is in its log."


class Guard:
    """Stands before the whole server: checks each request, completes each answer.

    Nothing that goes wrong inside reaches the client but one sentence.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_completed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            refused = _refused(scope)
            await (refused or self.app)(scope, receive, send_completed)
        except Exception as error:
            asked = f"{scope['method']} {shown(scope['path'])}"
            logger.exception("no answer to %s: %s: %s", asked, type(error).__name__, error)
            if not started:
                await refusal(500, SORRY)(scope, receive, send_completed)


def _refused(scope: Scope) -> Response | None:
    """Why a request is not looked at any further."""
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or hosts[0].lower() not in own_hosts(scope):
        named = shown(hosts[0]) if len(hosts) == 1 else "no name, or several"
        return refusal(421, f"This server is called {_name(scope)}, not {named}.")
    try:
        path = read_path(scope.get("raw_path") or scope["path"].encode())
    except LaconicError as error:
        return refusal(400, str(error))
    if path.startswith("/api/") and headers.get("sec-fetch-site") not in OWN_PAGE:
        return refusal(403, "Only the explorer's own page may ask for this.")
    return None


def own_hosts(scope: Scope) -> set[str]:
    """What a Host header may say."""
    port = _port(scope)
    hosts = {f"{name}:{port}" for name in NAMES}
    return hosts | set(NAMES) if port == HTTP else hosts


def _name(scope: Scope) -> str:
    return f"{NAMES[0]}:{_port(scope)}"


def _port(scope: Scope) -> Any:
    server = scope.get("server")
    return server[1] if server else None


def why_not_written(request: Request) -> Response | None:
    """Why a request may not change anything; None if it may."""
    origin = request.headers.get("origin")
    own = origin is None or origin == f"http://{request.headers['host']}"
    if not own or request.headers.get("sec-fetch-site") not in OWN_PAGE:
        return refusal(403, "Only the explorer's own page may change notes.")
    return None
