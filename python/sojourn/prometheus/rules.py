"""Alert rules of Prometheus from the conditions of a monitor.

The monitor judges each window itself, and raises and clears alerts with its hysteresis: a rule fires while it has
raised one. Two more fire where a target is away, and where the monitor is.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

GROUP = "sojourn"
AWAY = "1m"
"""How long a target, or the monitor, is away until its alert fires."""
WARNING, CRITICAL = {"severity": "warning"}, {"severity": "critical"}


def conditions(file: Path, more: Sequence[str] = ()) -> list[str]:
    """The conditions of a document, `response_time.p99 < 100 ms`: those of [expect], of targets, and further ones."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [f"{name} {value}" for name, value in _flat(document.get("expect", {}))]
    for target in document.get("target", []):
        found += target.get("expect", [])
    return list(dict.fromkeys([*found, *more]))


def is_mesh(file: Path) -> bool:
    """Whether the document is that of a mesh."""
    return "agent" in tomllib.loads(file.read_text(encoding="utf-8"))


def rules(wanted: Iterable[str], *, mesh: bool) -> str:
    """The rules as YAML, whose strings are written as JSON, which YAML reads."""
    name = "{{ $labels.from }} to {{ $labels.to }}" if mesh else "{{ $labels.target }}"
    found = [_of_condition(condition, name) for condition in wanted]
    found.append(_rule("SojournTargetDown", "sojourn_target_up == 0", AWAY, CRITICAL, f"{name} does not respond"))
    summary = "no monitor of Sojourn is scraped"
    found.append(_rule("SojournMonitorAway", "absent(sojourn_build_info)", AWAY, CRITICAL, summary))
    return "\n".join(["groups:", f"  - name: {GROUP}", "    rules:", *(line for rule in found for line in rule), ""])


def _of_condition(condition: str, name: str) -> list[str]:
    """The rule of a condition; the hysteresis is the monitor's, so that it fires at once."""
    words = re.findall(r"[A-Za-z0-9]+", condition.partition(" ")[0])
    title = "Sojourn" + "".join(word[:1].upper() + word[1:] for word in words)
    expression = f"sojourn_alert_raised{{condition={json.dumps(condition, ensure_ascii=False)}}} == 1"
    # of several conditions on a metric, the label keeps the rules apart
    return _rule(title, expression, "0m", {**WARNING, "condition": condition}, f"{name} misses {condition}")


def _rule(title: str, expression: str, wait: str, labels: Mapping[str, str], summary: str) -> list[str]:
    written = ", ".join(f"{name}: {_quoted(value)}" for name, value in labels.items())
    return [
        f"      - alert: {title}",
        f"        expr: {_quoted(expression)}",
        f"        for: {_quoted(wait)}",
        f"        labels: {{{written}}}",
        f"        annotations: {{summary: {_quoted(summary)}}}",
    ]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _flat(table: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, str]]:
    """Names with dots, whether they were quoted or written as tables."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            for one in value if isinstance(value, list) else [value]:
                yield f"{above}{name}", str(one)
