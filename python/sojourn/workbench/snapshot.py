"""A job's snapshot: the text of its scenario and the files that it names, as they were when it was asked for.

What was checked is what runs, however long a job waits and whatever is saved meanwhile. Files of keys stay where they
are: a link leads to them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from sojourn.errors import UserError

MOST_OCTETS = 256 << 20
"""Of all files of a snapshot."""


def freeze(folder: Path, into: Path, name: str, text: str, files: Iterable[tuple[str, bool]]) -> None:
    """Copies a text to `name`, and files by their paths from the folder; a link to each that is a secret."""
    into.mkdir(mode=0o700)
    if name:
        handle = os.open(into / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
    octets = 0
    for path, is_secret in files:
        source, target = folder / path, into / path
        # a path through `..` needs the folder that it leaves again
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            continue
        if is_secret:
            target.symlink_to(source.resolve())
            continue
        octets += source.stat().st_size
        if octets > MOST_OCTETS:
            raise UserError(
                f"a job keeps the files that its scenario names: they have more than {MOST_OCTETS >> 20} MiB"
            )
        shutil.copyfile(source, target)
        target.chmod(0o600)


def copy(source: Path, into: Path) -> None:
    """The same snapshot once more."""
    shutil.copytree(source, into, symlinks=True)
