"""Times as people write and read them: ages, and times in UTC; microseconds since 1970 elsewhere."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from sojourn.errors import UserError

S_US = 1_000_000
_AGE = re.compile(r"(\d{1,9}) ?(min|h|d|w|y)")
_UNITS_S = {"min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}


def moment(text: str | None) -> int | None:
    """An age or a time, in microseconds since 1970."""
    if text is None:
        return None
    if (age := age_s(text)) is not None:
        return int(time.time() * S_US) - age * S_US
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(f"{text!r} is neither an age (90 min, 12 h, 30 d, 8 w, 1 y) nor a time (2026-03-01)") from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * S_US)


def age_s(text: str) -> int | None:
    """An age in seconds: `90 min`, `12 h`, `30 d`, `8 w`, `1 y`; None of another text."""
    age = _AGE.fullmatch(text.strip())
    return int(age[1]) * _UNITS_S[age[2]] if age else None


def clock(at_us: int, *, seconds: bool = False) -> str:
    """A time for people, in UTC."""
    shown = datetime.fromtimestamp(at_us / S_US, UTC)
    return f"{shown:%Y-%m-%d %H:%M:%S}" if seconds else f"{shown:%Y-%m-%d %H:%M}"
