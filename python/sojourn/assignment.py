"""Values as `--set KEY=VALUE` and `--over KEY=VALUES` take them."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.toml_writer import inline


def assignment(key: str, value: object) -> str:
    """A key and its value: `medium.queue={ kind = "fifo" }`."""
    return f"{key}={_written(value)}"


def axis(values: str | Sequence[object]) -> str:
    """The values of an axis; a text is one already."""
    return values if isinstance(values, str) else ",".join(_written(value) for value in values)


def _written(value: object) -> str:
    """A bare word, or anything else as TOML has it."""
    return value if isinstance(value, str) else inline(value)
