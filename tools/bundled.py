"""What a bundle of npm packages holds: their versions, and their licences, which have to be permissive."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1] / "web" / "node_modules"
PERMITTED = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD"}
PLACE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/(?!.*node_modules/)")
"""The innermost package of a path."""


@dataclass(frozen=True)
class Package:
    """A package of which a bundle has at least one file."""

    name: str
    version: str
    licence: str
    text: str
    """Of its licence."""


def packages(described: Path) -> list[Package]:
    """The packages of the bundle that esbuild describes in a file; `SystemExit` for a licence that is not permitted."""
    inputs = json.loads(described.read_text(encoding="utf-8"))["inputs"]
    places = {Path(path[: found.end(1)]) for path in inputs if (found := PLACE.search(path))}
    return sorted((_package(PACKAGES.parent / place) for place in places), key=lambda one: (one.name, one.version))


def notices(of: list[Package]) -> str:
    """What goes with every copy of a bundle: the licence of each package, one of several once."""
    named: dict[str, list[str]] = {}
    for one in of:
        named.setdefault(one.text.strip(), []).append(f"{one.name} {one.version} ({one.licence})")
    return "\n\n".join(f"{', '.join(names)}\n\n{text}\n" for text, names in named.items())


def _package(folder: Path) -> Package:
    about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    if about["license"] not in PERMITTED:
        raise SystemExit(f"{about['name']}: its licence is {about['license']}")
    text = next(folder.glob("LICEN[CS]E*")).read_text(encoding="utf-8")
    return Package(about["name"], about["version"], about["license"], text)
