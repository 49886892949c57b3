"""Protection against other websites that are open in the same browser.

The server listens on this machine only, but any website in a local browser can send requests to it.
Therefore, the server checks the Host header (which stops DNS rebinding), sends headers that keep
other websites from reading its responses, and accepts changes only from its own page.
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
from laconic.web.server.responses import error_response

logger = logging.getLogger(__name__)

NAMES = ("127.0.0.1", "localhost", "[::1]")
HTTP = 80  # default port of HTTP, which the Host header may omit
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
# Allowed values of Sec-Fetch-Site; "none" means that the user typed the URL
OWN_PAGE = (None, "same-origin", "none")
INTERNAL_ERROR = "Internal server error; see the server log."


class SecurityMiddleware:
    """ASGI middleware that checks requests, adds security headers and hides tracebacks."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            rejection = _rejection(scope)
            await (rejection or self.app)(scope, receive, send_with_headers)
        except Exception as error:
            request = f"{scope['method']} {shown(scope['path'])}"
            logger.exception("error in %s: %s: %s", request, type(error).__name__, error)
            if not started:
                await error_response(500, INTERNAL_ERROR)(scope, receive, send_with_headers)


def _rejection(scope: Scope) -> Response | None:
    """Return an error response if the request is not allowed, else None."""
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or hosts[0].lower() not in own_hosts(scope):
        host = shown(hosts[0]) if len(hosts) == 1 else f"{len(hosts)} Host headers"
        return error_response(421, f"This server is {_name(scope)}, but the Host is {host}.")
    try:
        path = read_path(scope.get("raw_path") or scope["path"].encode())
    except LaconicError as error:
        return error_response(400, str(error))
    if path.startswith("/api/") and headers.get("sec-fetch-site") not in OWN_PAGE:
        return error_response(403, "Only the explorer's own page may request this URL.")
    return None


def own_hosts(scope: Scope) -> set[str]:
    """Return the allowed values of the Host header."""
    port = _port(scope)
    hosts = {f"{name}:{port}" for name in NAMES}
    return hosts | set(NAMES) if port == HTTP else hosts


def _name(scope: Scope) -> str:
    return f"{NAMES[0]}:{_port(scope)}"


def _port(scope: Scope) -> Any:
    server = scope.get("server")
    return server[1] if server else None


def write_rejection(request: Request) -> Response | None:
    """Return an error response if another website requests the change, else None."""
    origin = request.headers.get("origin")
    is_own = origin is None or origin == f"http://{request.headers['host']}"
    if not is_own or request.headers.get("sec-fetch-site") not in OWN_PAGE:
        return error_response(403, "Only the explorer's own page may change notes.")
    return None
