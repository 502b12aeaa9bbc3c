"""Writes what draws the figures of pages into the package: the script with its licences, and of what it is made.

`npm run vega` in web/ bundles it before; `make vega` does both, after a change of the versions in web/package.json.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import deflate

import bundled

ROOT = Path(__file__).resolve().parents[1]
BUNDLE = ROOT / "target" / "vega.js"
TARGET = ROOT / "python" / "sojourn" / "web"
ASKED = ("vega", "vega-lite", "vega-embed")


def main() -> int:
    """Writes both files; with --check it compares them with the bundle instead: 1 where they are of another."""
    found = bundled.packages(BUNDLE.with_suffix(".json"))
    # a page is a copy of it, and has the licences as well
    script = f"/*\n{bundled.notices(found)}*/\n".encode() + BUNDLE.read_bytes()
    about = {
        "versions": {one.name: one.version for one in found if one.name in ASKED},
        "licences": sorted({one.licence for one in found}),
        "sha256": hashlib.sha256(script).hexdigest(),
    }
    text = json.dumps(about, indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if (TARGET / "vega.json").read_text(encoding="utf-8") == text:
            return 0
        print("what draws figures is of other versions than web/package-lock.json: make vega", file=sys.stderr)
        return 1
    (TARGET / "vega.js.gz").write_bytes(bytes(deflate.gzip_compress(script, 12)))
    (TARGET / "vega.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
