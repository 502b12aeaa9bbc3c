"""Vega, Vega-Lite and Vega-Embed as one script, which draws the figures of a report without a network."""

from __future__ import annotations

import gzip
import os
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path


def script() -> str:
    """The script, which sets `window.vegaEmbed`."""
    return gzip.decompress(compressed()).decode()


def compressed() -> bytes:
    """The script, compressed with gzip.

    Bundling takes seconds, so the script is kept in the cache folder, one for each version of the bundler.
    """
    kept = kept_at()
    with suppress(OSError):
        return kept.read_bytes()
    import vl_convert  # noqa: PLC0415

    found = gzip.compress(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode(), mtime=0)
    with suppress(OSError):
        _keep(kept, found)
    return found


def kept_at() -> Path:
    """The file in the cache folder."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sojourn"
    return folder / f"vega-{version('vl-convert-python')}.js.gz"


def _keep(kept: Path, content: bytes) -> None:
    """Writes the whole file or none, so that a reader at the same time finds no half of it."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as part:
        part.write(content)
    Path(part.name).replace(kept)
