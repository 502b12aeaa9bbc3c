"""Paths of studies, references, profiles, examples and installations, independent of the working directory."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from sojourn.bindings import call
from sojourn.errors import UnknownName


def folder(kind: str) -> Path:
    """The folder of `studies`, `reference`, `profiles`, `examples` or `installations`."""
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


SESSIONS = {".ipynb": "A notebook.", ".py": "An app of marimo."}
"""Of examples that are programs, by their suffix."""


def examples() -> list[Path]:
    """The files of all examples, by name."""
    return sorted(file for file in folder("examples").iterdir() if file.suffix in (".toml", *SESSIONS))


def described_examples() -> list[tuple[str, str]]:
    """The names of all examples, each with the first sentence of the comment that it begins with."""
    return [
        (file.stem, _first_sentence(file.read_text(encoding="utf-8")))
        if file.suffix == ".toml"
        else (file.name, SESSIONS[file.suffix])
        for file in examples()
    ]


def _first_sentence(text: str) -> str:
    lines = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
    comment = " ".join(line.removeprefix("#").strip() for line in lines)
    return re.split(r"(?<=[.?]) +(?=[A-Z`]|sojourn )", comment, maxsplit=1)[0]


def find_example(name: str) -> Path:
    """The file of an example, by its name with or without `.toml`."""
    import difflib  # noqa: PLC0415

    known = {file.name: file for file in examples()} | {
        file.stem: file for file in examples() if file.suffix == ".toml"
    }
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "`sojourn new example:` lists them"
    raise UnknownName(f"no example {name!r}; {hint}")


def find_reference(name: str) -> Path:
    """A file of published numbers, by its path below `reference/` or any path, or a folder of results."""
    for place in (Path(name), folder("reference") / name):
        if place.is_file() or (place / "results.json").is_file():
            return place
    raise UnknownName(f"no published numbers at {name!r}, neither here nor in {folder('reference')}")
