"""A scenario that was built in Python: its TOML, a file of it, and which argument a mistake is of."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sojourn.errors import RunFailed, UserError
from sojourn.keywords import document, with_files
from sojourn.toml_writer import Written, written

NAME = re.compile(r"[^/\x00-\x1f\ud800-\udfff]{1,60}")
"""What a file can be called, of whatever letters."""


@dataclass(frozen=True)
class Built:
    """A scenario as text, and what is where in it."""

    name: str
    kind: str
    written: Written

    @property
    def text(self) -> str:
        """The scenario as TOML."""
        return self.written.text

    @property
    def summary(self) -> str:
        """Name and kind."""
        return f"{self.name}: {self.kind}"

    def file(self) -> Path:
        """A file with the text, named after the scenario, which lasts as long as the program."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        file = Path(_folder().name) / digest / f"{self.name}.toml"
        if not file.exists():  # at first, or where a process that shares the folder has ended
            _write(file, self.text)
        return file

    def named(self, problem: Mapping[str, Any], _: str) -> str | None:
        """The argument that a problem of the file is of: `Scenario(stations[0].nmae=...)`."""
        if problem.get("file") != str(self.file()) or problem.get("line") is None:
            return None
        place = self.written.place_at(problem["line"], problem["column"])
        if place is None:
            return "Scenario(...)"
        return f"Scenario({place.path})" if place.is_table else f"Scenario({place.path}=...)"


def build(given: Mapping[str, Any]) -> Built:
    """The scenario of arguments; `ScenarioError` for those that there are not."""
    tables = dict(given)
    name = tables.pop("name", "scenario")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise UserError(f"Scenario(name=...): takes a text that can be the name of a file, not {name!r}")
    said, names = document(tables)
    absolute = {key: with_files(value, names.get(key, key), Path.cwd()) for key, value in said.items()}
    return Built(name, str(said["network"]["kind"]), written(absolute, names))


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as part:
            part.write(text)
        Path(part.name).replace(file)
    except OSError as error:
        raise RunFailed(f"a scenario built in Python needs a temporary file: {error}") from None


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="sojourn-", ignore_cleanup_errors=True)
