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
    """The unit suffix in scenarios: "/s"; empty for dimensionless numbers."""
    start: float
    low: float | None
    """The smallest value its declaration allows; None if unbounded."""
    high: float | None
    in_profiles: bool = True

    def text(self, value: float) -> str:
        """A value in scenario syntax, in full precision."""
        return f"{value!r} {self.suffix}".rstrip()

    def display(self, value: float, digits: int = 6) -> str:
        """A value in scenario syntax with a suitable unit: "1.361 ms"."""
        shown = scale(self.unit, value)
        number = significant(value / shown.factor, digits)
        number = number.rstrip("0").rstrip(".") if "." in number and "e" not in number else number
        return f"{number} {shown.unit if self.suffix else ''}".rstrip()


def fitted(scenario: Scenario, key: str) -> Parameter:
    """The parameter a key names; `UserError` if it cannot be fitted."""
    raw = _read(scenario, key)
    if raw["whole"]:
        raise UserError(f"{key} is an integer, which cannot be fitted; try `sojourn sweep` or `find`")
    values = raw["values"]
    if not values:
        raise UserError(f"{key} has no initial value; set one with --set '{key}=VALUE'")
    if len(values) > 1:
        raise UserError(f"{key} differs between members; name one member, or set all with --set")
    return Parameter(key, raw["unit"], raw["suffix"], values[0], raw["low"], raw["high"], raw["in_profiles"])


def setting(scenario: Scenario, key: str, value: float | str) -> tuple[str, str | None]:
    """A setting of a measured point, from SI units to scenario syntax, and its unit (None for words)."""
    if isinstance(value, str):
        return value, None
    raw = _read(scenario, key)
    text = f"{value:.0f}" if raw["whole"] and value.is_integer() else f"{value!r} {raw['suffix']}".rstrip()
    return text, str(raw["unit"])


def _read(scenario: Scenario, key: str) -> dict[str, Any]:
    found: dict[str, Any] = call_json("parameter", str(scenario.path), list(scenario.changes), key)
    return found
