"""Monitor a page: a test fails if there is an error, a failed request or a dialog."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, Response

# If a view is left while it is loading, its requests are aborted with this error.
GIVEN_UP = "net::ERR_ABORTED"
LOCAL = ("data", "blob", "about")


class Watch:
    """Collects complaints about a page: console messages, errors, requests and dialogs."""

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
        """Allow complaints that match a pattern, for example when a test opens an invalid URL."""
        self.allowed.append(pattern)

    def check(self) -> None:
        """Fail if there is a complaint that is not allowed."""
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
