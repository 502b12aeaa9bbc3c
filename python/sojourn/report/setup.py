"""The set-up: experiments, scenarios, scope and limitations of the network model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.bindings import network
from sojourn.reading import text_of
from sojourn.report.table import Table
from sojourn.results import Results
from sojourn.secret import shown_document
from sojourn.units import duration

if TYPE_CHECKING:
    from sojourn.study import Study


@dataclass
class Setup:
    """The contents of the section."""

    experiments: Table | None = None
    measurement: Table | None = None
    """Of a measurement: its peer, its options, and its phases."""
    scenarios: list[tuple[str, str]] = field(default_factory=list)
    """(name, text) of the scenario files."""
    network: dict[str, Any] = field(default_factory=dict)


def setup(results: Results, folder: Path, study: Study | None) -> Setup:
    """The section for these results."""
    if results.raw["world"] == "captured":
        return Setup(measurement=_capture(results), scenarios=_in_full(folder))
    section = Setup(network=network(str(results.raw.get("network"))))
    if results.raw["world"] == "live" and study is None:
        section.measurement = _measurement(results)
    if study is not None:
        section.experiments = _experiments(results, study)
        files = [entry["scenario"] for entry in study.experiments if entry["id"] in results.experiments]
        section.scenarios = [(name, shown_document(text_of(study.folder / name))) for name in dict.fromkeys(files)]
    else:
        section.scenarios = _in_full(folder)
    return section


def _in_full(folder: Path) -> list[tuple[str, str]]:
    """The scenario in a folder of results; empty where there is none."""
    file = folder / "scenario.toml"
    return [(f"{file.name}, in full", shown_document(text_of(file)))] if file.exists() else []


def _capture(results: Results) -> Table:
    """Files and options of an analysed capture."""
    request = results.provenance.get("request") or {}
    rows = [
        ["Files", ", ".join(request.get("captures") or [str(results.raw["study"])])],
        ["Network", str(results.raw["network"])],
        ["Length", duration(results.points[0].raw["duration"])],
        *([["Bit rate", request["bit_rate"]]] if request.get("bit_rate") else []),
    ]
    return Table("Capture", ("", "As analysed"), rows)


def _measurement(results: Results) -> Table | None:
    """Peer, document, options and phases of a measurement, as it was requested."""
    request = results.provenance.get("request")
    if not request or request.get("command") != "measure":
        return None
    options = [option["argument"] for option in request.get("options") or []]
    given = [("--load", "load"), ("--set", "set"), ("--over", "over"), ("--expect", "expect")]
    options += [f"{option} '{value}'" for option, key in given for value in request.get(key) or []]
    phases = [
        f"{phase}, {point.raw['replications']} × {duration(point.raw['duration'])}"
        for phase, point in {point.experiment: point for point in results.points}.items()
    ]
    rows = [
        ["Peer", request.get("peer") or "of the document"],
        *([["Document", request["file"]]] if request.get("file") else []),
        ["Options", "; ".join(options) or "none"],
        ["Measured", "; ".join(phases)],
        ["Measured by", f"{results.provenance['host']}, {results.provenance['platform']}"],
        ["Began", results.provenance["began"]],
    ]
    return Table("Measurement", ("", "As requested"), rows)


def _experiments(results: Results, study: Study) -> Table:
    rows = []
    for entry in study.experiments:
        if entry["id"] in results.experiments:
            axes = "; ".join(f"{axis['key']} = {_values(axis['values'])}" for axis in entry.get("over") or [])
            changes = "; ".join(f"{change['key']} = {change['value']}" for change in entry.get("set") or [])
            runs = results.select(entry["id"])[0].raw
            often = f"{runs['replications']} × {results.at_most}{duration(runs['duration'])}"
            rows.append([entry["id"], str(entry.get("title") or ""), entry["scenario"], changes or "–", axes, often])
    return Table("Experiments", ("Experiment", "Title", "Scenario", "Settings", "Axes", "Replications per point"), rows)


def _values(values: Any) -> str:
    """The values of an axis: a list, or the range as the study writes it."""
    return values if isinstance(values, str) else ", ".join(map(str, values))
