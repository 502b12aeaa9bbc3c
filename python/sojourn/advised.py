"""The outcome of `advise`: which of several changes is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sojourn.results import Results


@dataclass(frozen=True, repr=False)
class Advice:
    """The answer, and the alternatives that were compared."""

    raw: dict[str, Any]
    results: Results
    """The alternatives, as the points of a sweep: the first is the scenario as it is."""

    @property
    def outcome(self) -> str:
        """ "selected", "none" where no alternative meets the conditions, or "undecided"."""
        return str(self.raw["outcome"])

    @property
    def best(self) -> str | None:
        """The name of the selected alternative: "as it is", or its options; None without one."""
        place = self.raw["selected"]
        return None if place is None else str(self.raw["alternatives"][place]["name"])

    @property
    def alternatives(self) -> dict[str, dict[str, Any]]:
        """What became of each alternative, by name: its value, cost, runs and status, in SI units."""
        return {str(one["name"]): one for one in self.raw["alternatives"]}

    def __repr__(self) -> str:
        """The answer in sentences."""
        from sojourn import advice  # noqa: PLC0415

        return "\n".join(advice.sentences(self.raw))
