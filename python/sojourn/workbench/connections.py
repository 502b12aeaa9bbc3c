"""Time limits of connections, which uvicorn lacks: a connection is closed if its request does not arrive in time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import Transport

REQUEST_TIMEOUT_S = 10.0
"""From the first octet of a request, or from the begin of a connection, to the last octet of its body."""
MOST_OF_ADDRESS = 100
"""Connections of one remote address; a reverse proxy on this host has them all from one."""


class Connection(H11Protocol):
    """A connection whose requests have to arrive in time, however slowly their octets trickle."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begins the time of the first request; refuses an address with too many connections."""
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = None
        if self._is_one_too_many():
            transport.abort()
            return
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Takes octets; the time ends when the request is whole, and begins with the next one."""
        if self._deadline is None and not self._is_answering():
            self._begin()
        super().data_received(data)
        if self.conn.their_state not in _ARRIVING:
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the time."""
        self._end()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """A request that has arrived in part is on time again from here."""
        super().on_response_complete()
        if self._deadline is None and self.conn.trailing_data[0]:
            self._begin()

    def _is_answering(self) -> bool:
        return self.conn.their_state not in _ARRIVING

    def _begin(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_TIMEOUT_S, self._expired)

    def _end(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expired(self) -> None:
        self._deadline = None
        self.transport.abort()

    def _is_one_too_many(self) -> bool:
        if self.client is None or self.client[0] in ("127.0.0.1", "::1"):
            return False
        others: set[Any] = self.connections
        return sum(1 for other in others if other.client and other.client[0] == self.client[0]) > MOST_OF_ADDRESS


def _arriving() -> tuple[Any, ...]:
    import h11  # noqa: PLC0415

    return h11.IDLE, h11.SEND_BODY


_ARRIVING = _arriving()
"""States of a peer whose request is not whole."""
