"""Vega, Vega-Lite and Vega-Embed as one script, which draws the figures of a report without a network."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path


def script() -> str:
    """The script, which sets `window.vegaEmbed`.

    Bundling takes seconds, so the script is kept in the cache folder, one for each version of the bundler.
    """
    import vl_convert  # noqa: PLC0415

    kept = _folder() / f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError):
        return kept.read_text(encoding="utf-8")
    text = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    with suppress(OSError):
        _keep(kept, text)
    return text


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sojourn"


def _keep(kept: Path, text: str) -> None:
    """Writes the whole file or none, so that a reader at the same time finds no half of it."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as part:
        part.write(text)
    Path(part.name).replace(kept)
