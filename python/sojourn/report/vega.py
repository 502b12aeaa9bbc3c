"""Vega, Vega-Lite and Vega-Embed as one script, which draws the figures of a report without a network."""

from __future__ import annotations

import gzip
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from sojourn import framing


def script() -> str:
    """The script, which sets `window.vegaEmbed`."""
    return gzip.decompress(compressed()).decode()


def compressed() -> bytes:
    """The script, compressed with gzip.

    Bundling takes seconds, so the script is kept in the cache folder, one for each version of the bundler. One that
    does not match the digest beside it is made again.
    """
    kept = kept_at()
    if (content := framing.kept_whole(kept)) is not None:
        return content
    import vl_convert  # noqa: PLC0415

    found = gzip.compress(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode(), mtime=0)
    with suppress(OSError):
        framing.keep_whole(kept, found, has_digest=True)
    return found


def kept_at() -> Path:
    """The file in the cache folder."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sojourn"
    return folder / f"vega-{version('vl-convert-python')}.js.gz"
