"""The schema of scenarios as a file that editors find: its URL is the first line of what `sojourn new` writes.

It lies in the user's data folder, whose path is the same for each environment and version of Sojourn: scenarios that
were written before an upgrade find the schema after it, which `sojourn new` and `sojourn schema --out` write anew.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from sojourn.bindings import call
from sojourn.store.settings import data_folder

DIRECTIVE = "#:schema "
ALL = "sojourn"
"""Name of the schema of all kinds."""


def text(kind: str | None) -> str:
    """The schema of one kind of network, or of all, which says what wrote it."""
    schema = json.loads(call("schema", kind))
    version = str(call("version")).partition(" ")[0]
    command = f"sojourn schema {kind} --out FILE" if kind else "sojourn schema --out FILE"
    about = f"Written by sojourn {version}; after an upgrade `sojourn new` or `{command}` writes it anew."
    return json.dumps({"$schema": schema.pop("$schema"), "$comment": about, **schema}) + "\n"


def directive(document: str) -> str:
    """The line with the schema of a document, which is written for it; empty where that cannot be."""
    try:
        kind = tomllib.loads(document).get("network", {}).get("kind")
        file = _written(kind if isinstance(kind, str) else None)
    except (tomllib.TOMLDecodeError, OSError):
        return ""
    return f"{DIRECTIVE}{file.as_uri()}\n"


def _written(kind: str | None) -> Path:
    file = data_folder() / "schemas" / f"{kind or ALL}.schema.json"
    new = text(kind)
    if not file.exists() or file.read_text(encoding="utf-8", errors="replace") != new:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(".new")
        temporary.write_text(new, encoding="utf-8")
        temporary.replace(file)
    return file.absolute()
