"""Writes the editor of the workbench, python/sojourn/web/editor.js.gz, with the licences of what it contains.

It was bundled before (`npm run bundle-editor` in web/); `make editor` does both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import deflate

import bundled

ROOT = Path(__file__).resolve().parents[1]
BUNDLED = ROOT / "target" / "editor.js"
TARGET = ROOT / "python" / "sojourn" / "web" / "editor.js.gz"


def main() -> int:
    """Writes the file; 1 where the bundle is missing."""
    if not BUNDLED.exists():
        print(f"editor: {BUNDLED} is missing: make editor", file=sys.stderr)
        return 1
    licences = bundled.notices(bundled.packages(BUNDLED.with_suffix(".json"))).replace("*/", "* /")
    whole = f"/*\n{licences}*/\n{BUNDLED.read_text(encoding='utf-8')}"
    part = TARGET.with_suffix(".part")
    part.write_bytes(deflate.gzip_compress(whole.encode(), 12))
    part.replace(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
