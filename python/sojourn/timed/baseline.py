"""Baselines: what a test measured before, on the same machine at the same pace.

Times of one machine say little of another's. A baseline keeps the processor and the interpreter it was measured with,
and how long a fixed computation took there: where either differs now, nothing is compared.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from sojourn.errors import UserError
from sojourn.timed.decision import Found
from sojourn.units import percent

SCHEMA = 1
PACE = 0.15
"""By which the pace may differ, as a share."""
TRIALS = 30
PROCESSORS = Path("/proc/cpuinfo")


def file_of(folder: Path, test: str) -> Path:
    """The file of a test, by its name in pytest."""
    return folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', test).strip('-')}.json"


def write(file: Path, test: str, found: list[Found]) -> None:
    """Keeps what was found."""
    fields = {
        one.limit.field: {
            "value_s": one.value_s,
            "low_s": one.low_s,
            "high_s": one.high_s if isfinite(one.high_s) else None,
        }
        for one in found
    }
    kept = {"schema": SCHEMA, "test": test, "machine": machine(), "pace_s": pace_s(), "calls": found[0].samples}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(kept | {"quantiles": fields}, indent=1) + "\n", encoding="utf-8")


def read(file: Path) -> dict[str, Any] | None:
    """A baseline; None where there is none, `UserError` where it cannot be read."""
    if not file.exists():
        return None
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["schema"] != SCHEMA:
            raise UserError(f"{file} is a baseline of schema {kept['schema']}, and {SCHEMA} is read: record it again")
        intervals(kept)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{file} is not a baseline of response times") from None
    return dict(kept)


def intervals(kept: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """The interval of each quantile; one without an upper end has none."""
    return {
        name: (float(one["low_s"]), float(one["high_s"]))
        for name, one in kept["quantiles"].items()
        if one["high_s"] is not None
    }


def why_not(kept: Mapping[str, Any]) -> str:
    """Why this machine is not that of the baseline; empty where it is."""
    now = machine()
    for name, was in dict(kept.get("machine") or {}).items():
        if now.get(name) != was:
            return f"the baseline is of another machine: {name} was {was}, and is {now.get(name)}"
    change = pace_s() / float(kept["pace_s"]) - 1
    if abs(change) <= PACE:
        return ""
    return f"this machine is {percent(abs(change))} {'slower' if change > 0 else 'faster'} than with the baseline"


def machine() -> dict[str, str]:
    """The processor and the interpreter."""
    found = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    found["processors"] = f"{os.cpu_count()} x {_processor()}"
    return found


def pace_s() -> float:
    """How long a fixed computation takes: the fastest of some trials, so that other work hardly matters."""

    def trial() -> float:
        begin = time.perf_counter()
        sum(number * number for number in range(5000))
        return time.perf_counter() - begin

    return min(trial() for _ in range(TRIALS))


def _processor() -> str:
    if PROCESSORS.exists():
        for line in PROCESSORS.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
