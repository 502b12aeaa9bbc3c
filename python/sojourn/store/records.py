"""Records of finished runs and monitors, as plain data without secrets."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.reading import text_of
from sojourn.secret import shown, shown_document
from sojourn.store import histogram
from sojourn.store.redaction import cleaned

if TYPE_CHECKING:
    from sojourn.jobs import Outcome

VERSION = 3
"""Version of records. A spool may be loaded by a later version of Sojourn, never by an earlier one.

1 has the histogram of a window as pairs of bin and count, 2 as the octets of the store; 3 has a checksum.
"""
CHECKED = 3
"""The first version whose records have a checksum."""
MONITOR, MESH = "monitor", "mesh"
"""The commands that measure without an end."""
DIGITS = 6
"""Significant digits of the metrics of a window beside its response time."""


def of_run(outcome: Outcome, document: str | None = None) -> dict[str, Any]:
    """The record of a job with results; `document` in place of the file that was asked for."""
    assert outcome.results is not None, "a job without results is not recorded"
    raw, provenance = outcome.results.raw, outcome.provenance
    request = provenance["request"]
    out = request.get("out") or (request.get("computing") or {}).get("out")
    return {
        "record": VERSION,
        "type": "run",
        "uuid": uuid.uuid4().hex,
        "command": request["command"],
        "name": shown(raw["study"]),
        "network": raw["network"],
        "world": raw["world"],
        "peer": cleaned(request.get("peer")),
        "text": _text(request) if document is None else document,
        "scenario_hash": raw["scenario_hash"],
        "began": provenance["began"],
        "elapsed_s": provenance["elapsed_s"],
        **_host(provenance),
        "regime": provenance.get("circumstances"),
        "settings": cleaned(_given(request)),
        "seed": raw["seed"],
        "well": outcome.all_well,
        "answer": cleaned(outcome.answer),
        "folder": str(Path(out).resolve()) if out else None,
        "points": [_point(point) for point in raw["points"]],
        "verdicts": [{name: row[name] for name in ("point", "text", "verdict", "value")} for row in outcome.verdicts],
    }


class MonitorRecords:
    """The records of a monitor, from its lines."""

    def __init__(self, request: Mapping[str, Any], provenance: Mapping[str, Any], identity: str | None = None) -> None:
        """A monitor that begins: its request, the build and the host, and its identity, by default a new one."""
        self._uuid = identity or uuid.uuid4().hex
        self._number = 0
        self._begin = {
            "record": VERSION,
            "type": "monitor",
            "uuid": self._uuid,
            "command": request.get("command", MONITOR),
            "name": Path(request["file"]).stem if request.get("file") else request.get("command", MONITOR),
            "text": _text(request),
            "settings": cleaned(_given({name: value for name, value in request.items() if name != "command"})),
            "folder": str(Path(request["folder"]).resolve()) if request.get("folder") else None,
            **_host(provenance),
        }
        self._conditions: set[tuple[str, str]] = set()

    def of_line(self, line: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The records of a line: one of its own, and those of conditions not seen before."""
        self._number += 1
        kind = line["type"]
        if kind == "monitor" and line["event"] == "begin":
            yield self._begin | {"began": line["time"], "targets": cleaned(_targets(line))}
        elif kind == "window":
            yield from self._new_conditions(line)
            yield self._head(line) | _window(line)
        elif kind == "outage":
            yield self._head(line) | {name: cleaned(line[name]) for name in ("begin", "end", "duration_s", "cause")}
        elif kind == "alert":
            yield self._head(line) | {name: line[name] for name in ("event", "condition", "value", "end")}

    def _head(self, line: Mapping[str, Any]) -> dict[str, Any]:
        return {"record": VERSION, "type": line["type"], "run": self._uuid, "number": self._number, "target": _of(line)}

    def _new_conditions(self, line: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for condition in line["conditions"]:
            key = _of(line), condition["text"]
            if key not in self._conditions:
                self._conditions.add(key)
                yield self._head(line) | {"type": "condition", "condition": condition["text"]}


def pair(measuring: str, measured: str) -> str:
    """The name of what one agent of a mesh measures of another, which no name of a target has: it has a slash."""
    return f"{measuring}/{measured}"


def of_pair(name: str) -> tuple[str, str]:
    """The agent that measures, and the one that is measured, of a `pair`."""
    measuring, _, measured = name.partition("/")
    return measuring, measured


def _of(line: Mapping[str, Any]) -> str:
    """The target of a line, or the pair of agents."""
    return pair(line["from"], line["target"]) if "from" in line else str(line["target"])


def _targets(line: Mapping[str, Any]) -> list[list[str]]:
    """Name and URL of each target, or of each pair of agents."""
    listed = [list(one) for one in line["targets"]]
    if not line.get("mesh"):
        return listed
    return [[pair(measuring, name), url] for measuring, _ in listed for name, url in listed if name != measuring]


def build_and_host() -> dict[str, Any]:
    """What a provenance says of the build and of this host."""
    import os  # noqa: PLC0415
    import platform  # noqa: PLC0415

    from sojourn.bindings import call  # noqa: PLC0415

    version, _, commit = str(call("version")).partition(" ")
    return {
        "sojourn": version,
        "commit": commit.strip("()"),
        "host": platform.node(),
        "platform": f"{platform.machine()} {platform.system().lower()}",
        "processors": os.cpu_count(),
    }


def _host(provenance: Mapping[str, Any]) -> dict[str, Any]:
    build = {"version": provenance["sojourn"], "commit": provenance["commit"], "build": provenance.get("identity")}
    return build | {name: provenance[name] for name in ("host", "platform", "processors")}


def _point(point: Mapping[str, Any]) -> dict[str, Any]:
    names = ("experiment", "set", "status", "replications", "scenario_hash")
    metrics = {
        name: {field: value for field, value in metric.items() if field != "by_replication" and value is not None}
        for name, metric in point["metrics"].items()
    }
    return {name: point.get(name) for name in names} | {"metrics": metrics}


def _window(line: Mapping[str, Any]) -> dict[str, Any]:
    names = ("begin", "end", "in_outage", "loaded", "sent", "answered")
    metrics = dict(line["metrics"])
    response = metrics.pop("response_time", None) or {}
    fields = ("mean", "min", "max", "p50", "p90", "p95", "p99", "p999")
    others = {}
    for name, metric in metrics.items():
        for field, key in (("value", name), ("mean", name), ("p99", f"{name}.p99")):
            if metric.get(field) is not None:
                others[key] = float(f"{metric[field]:.{DIGITS}g}")
    return {
        **{name: line[name] for name in names},
        "response_time": {field: response[field] for field in fields if response.get(field) is not None},
        "metrics": others,
        "histogram": histogram.encode(dict(line["histogram"])).hex(),
    }


def _given(value: Any) -> Any:
    """A request without the options that were not given."""
    if isinstance(value, Mapping):
        members = {name: _given(member) for name, member in value.items()}
        return {name: member for name, member in members.items() if member not in (None, [], {}, (), False)}
    return value


def _text(request: Mapping[str, Any]) -> str | None:
    """The text of the document, or of a study with its scenarios; None where there is none."""
    if request.get("file"):
        return shown_document(text_of(Path(request["file"])))
    if not request.get("study"):
        return None
    folder = Path(request["study"])
    files = [folder / "study.toml", *sorted(file for file in folder.rglob("*.toml") if file.name != "study.toml")]
    return shown_document("\n".join(f"# {file.relative_to(folder)}\n{text_of(file)}" for file in files))
