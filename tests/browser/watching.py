"""A page under watch: whatever a visitor must never meet fails the test that met it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, Response

# a view that is left while it loads gives up its requests
GIVEN_UP = "net::ERR_ABORTED"
LOCAL = ("data", "blob", "about")


class Watch:
    """Gathers complaints about a page: its console, its errors, its requests, its dialogs."""

    def __init__(self, page: Page, home: str) -> None:
        self.home = urlsplit(home)
        self.complaints: list[str] = []
        self.allowed: list[str] = []
        self.responses: list[Response] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._complain(f"uncaught: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def allow(self, pattern: str) -> None:
        """Expect complaints that match a pattern: a test that asks for what does not exist."""
        self.allowed.append(pattern)

    def check(self) -> None:
        """Fail if anything happened that nobody expected."""
        unexpected = [
            complaint
            for complaint in self.complaints
            if not any(re.search(pattern, complaint) for pattern in self.allowed)
        ]
        assert not unexpected, "\n".join(unexpected)

    def _complain(self, complaint: str) -> None:
        self.complaints.append(complaint)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            place = message.location
            self._complain(f"console {message.type}: {message.text} ({place.get('url')})")

    def _dialog(self, dialog: Dialog) -> None:
        self._complain(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        there = urlsplit(request.url)
        if there.scheme in LOCAL or (there.scheme, there.netloc) == self.home[:2]:
            return
        self._complain(f"request to somewhere else: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != GIVEN_UP:
            self._complain(f"failed: {request.url}: {request.failure}")

    def _response(self, response: Response) -> None:
        self.responses.append(response)
        if response.status >= 400:
            self._complain(f"status {response.status}: {response.url}")
