"""The code that runs in a page: the simulator as WebAssembly, its worker, the JavaScript around them, and Vega.

The scripts are modules that run as they are; `script` joins some of them to one that a page can contain.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from importlib.resources import files

ENGINE = "sojourn.wasm.gz"
CAPTURES = "captures.wasm.gz"
VEGA = "vega.js.gz"
EDITOR = "editor.js.gz"
WORKER = "worker.js"
HOW = "`make wasm` in a clone of Sojourn builds the simulation for pages; wheels have it"
IMPORT = re.compile(r'^import .* from "\./[^"]+";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)

WITHOUT_MARKUP = bytes.maketrans(b"<>&", b",:.")
"""Letters of base 85 that a page would read as markup become others; `packed.js` has the same alphabet."""


def engine() -> bytes | None:
    """The simulation, compressed with gzip; None where it was not built."""
    file = files(__name__) / ENGINE
    return file.read_bytes() if file.is_file() else None


def captures() -> bytes | None:
    """The simulation that reads captures as well, compressed with gzip; None where it was not built.

    Reports have the one without: a third smaller, and in a file of each run.
    """
    file = files(__name__) / CAPTURES
    return file.read_bytes() if file.is_file() else None


def vega() -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, compressed with gzip, which sets `window.vegaEmbed`.

    `vega.json` has their versions, licences and the digest of the script; `make vega` writes both.
    """
    return (files(__name__) / VEGA).read_bytes()


def editor() -> bytes | None:
    """The editor of the workbench, compressed with gzip; None where `make editor` has not bundled it."""
    file = files(__name__) / EDITOR
    return file.read_bytes() if file.is_file() else None


def packed(content: bytes) -> str:
    """Bytes as a page holds them for `packed.js`: compressed with gzip, in the letters of `encoded`."""
    return encoded(gzip.compress(content, mtime=0))


def encoded(compressed: bytes) -> str:
    """Bytes that are compressed with gzip already, five letters for four of them (base64: five and a third)."""
    return base64.b85encode(compressed).translate(WITHOUT_MARKUP).decode()


def script(*names: str) -> str:
    """Modules of this folder as one, each after those that it imports."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", source(name))) for name in names)


def loader() -> str:
    """The script that runs what a page holds packed in #program."""
    return script("packed.js", "load.js")


def source(name: str) -> str:
    """The text of one file."""
    return (files(__name__) / name).read_text(encoding="utf-8")


def policy(*scripts: str) -> str:
    """The content security policy of a page that contains these scripts and requests nothing.

    Styles are not hashed: the library that draws the figures makes them while it draws.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    rules = {
        "default-src": "'none'",
        "script-src": f"{hashes} 'wasm-unsafe-eval'",
        "worker-src": "blob:",
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())
