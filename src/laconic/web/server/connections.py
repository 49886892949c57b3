"""Connections with limits, so that slow, silent or half-open clients do not block others."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

RECEIVING = 10.0  # maximum time in seconds from the first byte of a request to the last
SENDING = 30.0  # maximum time in seconds without progress while a client reads a response
MOST = 250  # number of connections above which those that wait for a request are closed

RECEIVED = (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR)


class Connection(H11Protocol):
    """A connection that is closed if its client sends or reads too slowly."""

    _receiving: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._receiving = self.loop.call_later(RECEIVING, self._close)
        if len(self.connections) > MOST:
            self._close_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_receiving()
        self._cancel_sending()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._receiving is None:
            self._receiving = self.loop.call_later(RECEIVING, self._close)
        super().data_received(data)
        self._check_received()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._check_received()

    def pause_writing(self) -> None:
        """Start the clock when the client does not read what was sent."""
        super().pause_writing()
        self._cancel_sending()
        self._sending = self.loop.call_later(SENDING, self._close)

    def resume_writing(self) -> None:
        self._cancel_sending()
        super().resume_writing()

    def _check_received(self) -> None:
        """Stop the clock when the request is complete, or when no request has begun."""
        state, (rest, _) = self.conn.their_state, self.conn.trailing_data
        if state in RECEIVED or (state is h11.IDLE and not rest and self.cycle is not None):
            self._cancel_receiving()

    def _cancel_receiving(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None

    def _cancel_sending(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def _close(self) -> None:
        """Close the connection at once, without sending the rest of a response."""
        self.transport.abort()

    def _close_waiting(self) -> None:
        """Close the connection that has waited longest for a request."""
        waiting: list[Any] = [
            one
            for one in self.connections
            if one is not self and getattr(one, "_receiving", None) is not None
        ]
        if waiting:
            min(waiting, key=lambda one: one._receiving.when())._close()
