"""Records the results of a command. A record that cannot be written causes a note, never a failed run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sojourn.errors import SojournError
from sojourn.store import settings

if TYPE_CHECKING:
    from sojourn.jobs import Outcome

LOAD_EVERY_S = 60.0
"""How often a monitor has its records loaded."""
SYNC_EVERY_S = 1.0
"""How often a monitor has its records written to the disk."""
Note = Callable[[str], None]


def record_run(outcome: Outcome, note: Note) -> None:
    """Records a job, if it has results and recording is not off."""
    if outcome.results is None:
        return
    try:
        place = settings.place()
        if place is None:
            return
        from sojourn.store import spool  # noqa: PLC0415 - needs means that not every platform has
        from sojourn.store.records import of_run  # noqa: PLC0415

        spool.append(place.spool, [of_run(outcome)])
    except (OSError, UnicodeError, SojournError) as error:
        note(f"this {outcome.provenance['request']['command']} is not recorded: {_why(error)}")
        return
    if place.is_postgresql:
        begin_loading(place)


class MonitorRecorder:
    """Records what a monitor writes, and has it loaded while the monitor runs."""

    def __init__(self, request: Mapping[str, Any], place: settings.Place, note: Note) -> None:
        """Opens nothing yet; `request` is that of the monitor."""
        from sojourn.store.records import MonitorRecords, build_and_host  # noqa: PLC0415

        settings.retention()  # a mistake in it is refused here, not in the background
        self._note = note
        self._place = place
        self._records = MonitorRecords(request, build_and_host())
        self._synced_at = -SYNC_EVERY_S
        self._loader: subprocess.Popen[bytes] | None = None
        self._loaded_at = time.monotonic()
        self._lost = 0
        self._owed: list[dict[str, Any]] = []

    def line(self, line: Mapping[str, Any]) -> None:
        """Takes the next line of the monitor."""
        records = [*self._owed, *self._records.of_line(line)]
        if not records:
            return
        from sojourn.store import spool  # noqa: PLC0415

        try:
            spool.append(self._place.spool, records, sync=self._is_sync_due())
        except (OSError, SojournError) as error:
            # what later records refer to is not lost
            self._owed = [record for record in records if record["type"] in ("monitor", "condition")]
            if self._lost == 0:
                self._note(f"windows are not recorded, the monitor goes on: {_why(error)}")
            self._lost += 1
            return
        self._owed = []
        if self._lost:
            self._note(f"windows are recorded again; {self._lost} lines were lost")
            self._lost = 0
        self._load()

    def _is_sync_due(self) -> bool:
        now = time.monotonic()
        is_due = now - self._synced_at >= SYNC_EVERY_S
        self._synced_at = now if is_due else self._synced_at
        return is_due

    def _load(self) -> None:
        if self._loader is not None and self._loader.poll() is not None:
            self._loader = None
        if self._loader is None and time.monotonic() - self._loaded_at >= LOAD_EVERY_S:
            self._loaded_at = time.monotonic()
            self._loader = begin_loading(self._place)


def begin_loading(place: settings.Place) -> subprocess.Popen[bytes] | None:
    """Starts a process that loads what waits and ends; None where what it needs is not installed."""
    if find_spec("sqlalchemy") is None:
        return None
    import os  # noqa: PLC0415

    return subprocess.Popen(
        [sys.executable, "-m", "sojourn.store"],
        env=os.environ | {settings.VARIABLE: place.url.revealed()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
