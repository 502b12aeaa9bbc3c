"""Serves the workbench until it is ended."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import TYPE_CHECKING

import uvicorn

from sojourn.errors import RunFailed
from sojourn.secret import ShownFormatter
from sojourn.workbench.app import application
from sojourn.workbench.connections import Connection

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from sojourn.workbench.settings import Settings

MOST_CONNECTIONS = 500
MOST_HEADER = 16 * 1024
"""Octets of the head of a request."""
KEEP_ALIVE_S = 15
SHUTDOWN_S = 5
"""How long open requests may take after Ctrl-C."""


def bound(host: str, port: int) -> socket.socket:
    """The listening socket; port 0 takes a free one. `RunFailed` where the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise RunFailed(f"cannot listen at {host}:{port}: {error.strerror or error}") from None


def serve(settings: Settings, listening: socket.socket, on_begin: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM, then stops the jobs."""
    try:
        server_of(settings, on_begin).run(sockets=[listening])
    except (KeyboardInterrupt, asyncio.CancelledError):
        return  # the signals that ended it, which uvicorn raises again: a second one cancels what handles the first


def server_of(settings: Settings, on_begin: Callable[[], None]) -> uvicorn.Server:
    """The server with its limits. Nothing of a request is logged: a link has a token."""
    _log_without_secrets(logging.getLogger("uvicorn.error"))
    config = uvicorn.Config(
        application(settings),
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEADER,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
    )
    return _Server(config, on_begin)


def _log_without_secrets(log: logging.Logger) -> None:
    log.setLevel(logging.ERROR)
    if not any(isinstance(handler.formatter, ShownFormatter) for handler in log.handlers):
        handler = logging.StreamHandler()
        handler.setFormatter(ShownFormatter())
        log.addHandler(handler)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_begin: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_begin = on_begin

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins to end. A second signal changes nothing: uvicorn would leave without stopping the jobs."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_begin()
