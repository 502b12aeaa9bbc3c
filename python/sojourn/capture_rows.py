"""Rows of `capture.json` as the terminal, the report and figures write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CALL_TIMES = ("first_response_s", "post_dial_delay_s", "ring_time_s", "setup_s", "call_time_s")
"""The times of a call, in their order."""


IDENTIFIER_TIMES = ("interval_s", "interval_min_s", "interval_max_s", "jitter_s")
"""The times between frames of an identifier of CAN, in their order."""


def lengths(row: Mapping[str, Any]) -> str:
    """The data of an identifier's frames in bytes: `8`, or `2-8`."""
    if row["length_min"] is None:
        return ""
    least, most = row["length_min"], row["length_max"]
    return str(most) if least == most else f"{least}-{most}"


def frames(row: Mapping[str, Any]) -> str:
    """The frames of a request and of its answer: `146-148`; those that were forgotten are left out."""
    return "-".join(str(frame) for frame in row["frames"] if frame is not None)
