"""Pages from templates of Jinja; every text is escaped, and a name that a template lacks is an error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


def environment(folder: Path) -> jinja2.Environment:
    """The templates of a folder, whose compiled form is kept beside it, as Python keeps that of modules."""
    import jinja2  # noqa: PLC0415

    kept = folder / "__pycache__"
    is_kept = os.access(kept if kept.is_dir() else folder, os.W_OK)
    if is_kept:
        kept.mkdir(exist_ok=True)
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=jinja2.FileSystemBytecodeCache(str(kept)) if is_kept else None,
    )
