"""Server-sent events: the states of something as they change, and signs of life between them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import StreamingResponse

from sojourn.store.redaction import cleaned

HEARTBEAT_S = 1.0
"""How often a stream without news looks whether the server ends."""
BEATS_OF_SILENCE = 15
"""After which a comment is sent, so that proxies keep the connection."""


def stream(states: AsyncIterator[dict[str, Any] | None]) -> StreamingResponse:
    """The states as events; None is a heartbeat without news."""
    return StreamingResponse(_lines(states), media_type="text/event-stream")


async def _lines(states: AsyncIterator[dict[str, Any] | None]) -> AsyncIterator[bytes]:
    silent = 0
    async for state in states:
        if state is not None:
            silent = 0
            yield f"data: {json.dumps(cleaned(state), allow_nan=False)}\n\n".encode()
        elif (silent := silent + 1) % BEATS_OF_SILENCE == 0:
            yield b": still there\n\n"
