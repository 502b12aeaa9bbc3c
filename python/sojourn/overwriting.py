"""Overwriting of files: only those that Sojourn wrote for the same scenario, unless the user says otherwise;
never a file that the command reads.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sojourn.errors import UserError

RESULTS = "results.json"
WRITTEN = (
    RESULTS,
    "samples.csv.gz",
    "samples.parquet",
    "verdicts.json",
    "find.json",
    "scenario.toml",
    "document.json",
    "report.html",
    "measurement.json",
    "requests.csv",
    "seconds.csv",
    "capture.json",
    "flows.csv",
    "stations.csv",
    "conversations.csv",
    "timeline.csv",
)
"""The files of a results folder; figures have a folder of their own in it."""
FIGURES = "figures"
HINT = "choose another name, or use --overwrite"


def refuse(request: Mapping[str, Any]) -> None:
    """Refuses the folder and the capture of a request, before it runs, where they would replace what is not its own."""
    overwrite, out, pcap = bool(request.get("overwrite")), request.get("out"), request.get("pcap")
    read = inputs(request.get("file"), request.get("set") or ())
    if pcap is not None:
        refuse_file(Path(pcap), read, overwrite=overwrite)
    if out is not None:
        refuse_folder(Path(out), name_of(request), read, overwrite=overwrite)


def refuse_file(file: Path, read: Iterable[Path] = (), *, overwrite: bool) -> None:
    """Refuses a file that exists, unless it may be overwritten, and one that is read in any case."""
    _refuse_input(file, read)
    if file.exists() and not overwrite:
        raise UserError(f"{file} exists already; {HINT}")


def refuse_folder(folder: Path, name: str | None, read: Iterable[Path] = (), *, overwrite: bool) -> None:
    """Refuses a folder in which results would replace a file that Sojourn did not write there for the same scenario."""
    existing = [folder / known for known in WRITTEN if (folder / known).exists()]
    for file in existing:
        _refuse_input(file, read)
    if overwrite:
        return
    kept = kept_name(folder)
    if kept is None:
        figures = sorted((folder / FIGURES).iterdir()) if (folder / FIGURES).is_dir() else []
        for file in (*existing, *figures):
            raise UserError(f"{file} would be replaced, and Sojourn did not write it there; {HINT}")
    elif name is not None and kept != name:
        raise UserError(f"{folder / RESULTS} has the results of {kept}, not of {name}; {HINT}")


def kept_name(folder: Path) -> str | None:
    """The scenario or study whose results a folder has; none where there are no results of Sojourn's."""
    try:
        results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = isinstance(results, dict) and {"schema", "sojourn", "study", "points"} <= results.keys()
    return str(results["study"]) if known else None


def name_of(request: Mapping[str, Any]) -> str | None:
    """How the results of a request are called: after the scenario's file or the study; by the extension otherwise."""
    if request.get("study"):
        path = Path(request["study"])
        file = path if path.suffix == ".toml" else path / "study.toml"
        return str(_document(file).get("study", {}).get("name", file.parent.name))
    return Path(request["file"]).stem if request.get("file") else None


def inputs(file: str | Path | None, changes: Iterable[str] = ()) -> list[Path]:
    """A scenario and the files that it names: stations, sizes, profiles."""
    if file is None:
        return []
    path = Path(file)
    texts = [*_texts(_document(path)), *(change.partition("=")[2].strip("\"' ") for change in changes)]
    return [path, *(path.parent / text for text in texts if text and _is_file(path.parent / text))]


def _document(file: Path) -> dict[str, Any]:
    """A TOML file; empty where it cannot be read, which is reported where it is."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _refuse_input(file: Path, read: Iterable[Path]) -> None:
    for other in read:
        if file.exists() and other.exists() and file.samefile(other):
            raise UserError(f"{file} would be replaced, and the scenario is read from it; choose another name")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # a text that cannot be a path


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
