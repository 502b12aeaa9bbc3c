"""The licences of the packages that a bundle of scripts contains."""

from __future__ import annotations

import json
import re
from pathlib import Path

WEB = Path(__file__).resolve().parents[1] / "web"
PERMITTED = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD"}
PACKAGE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/")


def licences(described: Path) -> str:
    """Names and texts of the licences, from what esbuild wrote of a bundle; one that is not permitted is an error."""
    inputs = json.loads(described.read_text(encoding="utf-8"))["inputs"]
    packages = sorted({found[1] for path in inputs if (found := PACKAGE.search(path))})
    parts = []
    for name in packages:
        folder = WEB / "node_modules" / name
        package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        if package["license"] not in PERMITTED:
            raise SystemExit(f"the licence of {name} is {package['license']}")
        text = next(folder.glob("LICEN[CS]E*")).read_text(encoding="utf-8")
        parts.append(f"{name} {package['version']} ({package['license']})\n\n{text.strip()}\n")
    return "\n\n".join(parts)
