"""The outcome of a search: the limit of a key up to which a condition holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sojourn.results import Results


@dataclass(frozen=True, repr=False)
class Search:
    """The limit, its interval, and every point that was tried."""

    raw: dict[str, Any]
    results: Results
    """The points tried, as those of a sweep."""

    @property
    def key(self) -> str:
        """The key that was varied."""
        return str(self.raw["key"])

    @property
    def limit(self) -> float | None:
        """The largest (or smallest) value that meets the condition, in SI units; None where there is none."""
        value = self.raw.get("value")
        return None if value is None else float(value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the limit, in SI units; None where it is not decided."""
        ends = self.raw.get("interval")
        return None if not ends or None in ends else (float(ends[0]), float(ends[1]))

    @property
    def verdict(self) -> str | None:
        """Of the value asked for: "met", "missed" or "undecided"; None where none was asked for."""
        asked = self.raw.get("asked")
        return None if asked is None else str(asked["verdict"])

    def __repr__(self) -> str:
        """The answer in sentences."""
        from sojourn.answers.limit import answered  # noqa: PLC0415

        return "\n".join(f"{question}: {text}" for question, text in answered(self.raw))
