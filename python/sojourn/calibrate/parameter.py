"""The numbers of a scenario that can be fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sojourn.bindings import call_json
from sojourn.errors import UserError
from sojourn.scenario import Scenario
from sojourn.units import scale, significant


@dataclass(frozen=True)
class Parameter:
    """A number of a scenario, in SI units."""

    key: str
    unit: str
    suffix: str
    """What a scenario wants behind the number: "/s"; empty for numbers without unit."""
    start: float
    low: float | None
    """The smallest value its declaration allows; None where that is open."""
    high: float | None
    in_profiles: bool = True

    def text(self, value: float) -> str:
        """A value as a scenario takes it, to the last digit."""
        return f"{value!r} {self.suffix}".rstrip()

    def said(self, value: float, digits: int = 6) -> str:
        """A value in the unit that suits it, as a scenario takes it: "1.361 ms"."""
        shown = scale(self.unit, value)
        number = significant(value / shown.factor, digits)
        number = number.rstrip("0").rstrip(".") if "." in number and "e" not in number else number
        return f"{number} {shown.unit if self.suffix else ''}".rstrip()


def fitted(scenario: Scenario, key: str) -> Parameter:
    """The parameter a key names; `UserError` where there is nothing to fit."""
    raw = _read(scenario, key)
    if raw["whole"]:
        raise UserError(f"{key} counts in whole numbers, which a fit cannot vary; try `sojourn sweep` or `find`")
    values = raw["values"]
    if not values:
        raise UserError(f"{key} has no value to start from; give one with --set '{key}=VALUE'")
    if len(values) > 1:
        raise UserError(f"{key} is not the same for all it speaks of; name one member, or set them all with --set")
    return Parameter(key, raw["unit"], raw["suffix"], values[0], raw["low"], raw["high"], raw["in_profiles"])


def setting(scenario: Scenario, key: str, value: float | str) -> tuple[str, str | None]:
    """A setting of a measured point, which is in SI units, as a scenario takes it; and its unit, None for a word."""
    if isinstance(value, str):
        return value, None
    raw = _read(scenario, key)
    text = f"{value:.0f}" if raw["whole"] and value.is_integer() else f"{value!r} {raw['suffix']}".rstrip()
    return text, str(raw["unit"])


def _read(scenario: Scenario, key: str) -> dict[str, Any]:
    found: dict[str, Any] = call_json("parameter", str(scenario.path), list(scenario.changes), key)
    return found
