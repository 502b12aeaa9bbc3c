"""Paths of studies, references, profiles and examples, independent of the working directory."""

from __future__ import annotations

from pathlib import Path

from sojourn.bindings import call
from sojourn.errors import UnknownName


def folder(kind: str) -> Path:
    """The folder of `studies`, `reference`, `profiles` or `examples`."""
    return Path(call("library", kind))


def studies() -> list[Path]:
    """The folders of all studies, by name."""
    return sorted(file.parent for file in folder("studies").glob("*/study.toml"))


def find_study(name: str) -> Path:
    """The folder of a study, by its name or by a path to it."""
    for place in (Path(name), folder("studies") / name):
        if (place / "study.toml").is_file():
            return place
    import difflib  # noqa: PLC0415

    names = [study.name for study in studies()]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}, and any folder with a study.toml"
    raise UnknownName(f"no study {name!r}; {hint}")


def find_reference(name: str) -> Path:
    """A file of published numbers, by its path below `reference/` or any path, or a folder of results."""
    for place in (Path(name), folder("reference") / name):
        if place.is_file() or (place / "results.json").is_file():
            return place
    raise UnknownName(f"no published numbers at {name!r}, neither here nor in {folder('reference')}")
