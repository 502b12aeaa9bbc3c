"""Draws figures, and runs slow store queries, in a separate process, so that other pages need not wait."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sojourn.extras import has
from sojourn.workbench.child import end_with

TASKS = 50
"""Figures after which the process is replaced, and its memory freed."""
TIMEOUT_S = 60.0
KEPT = "figures.json"


class Drawing:
    """The process; it begins with the first figure."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._pool: ProcessPoolExecutor | None = None

    @property
    def is_possible(self) -> bool:
        """Whether what draws is installed."""
        return has("vl_convert")

    async def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of an importable function there; one that ends its process raises `BrokenProcessPool`."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1,
                mp_context=get_context("spawn"),
                initializer=_begin,
                initargs=(os.getpid(),),
                max_tasks_per_child=TASKS,
            )
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)
        except (BrokenProcessPool, TimeoutError):
            self.close()
            raise

    def close(self) -> None:
        """Ends the process."""
        if self._pool is not None:
            for process in list((self._pool._processes or {}).values()):
                process.kill()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _begin(parent: int) -> None:
    """Ends with the server. SIGTERM ends the process at once; Ctrl-C in the terminal is the server's."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as a module."""
    from sojourn.report.vega import script  # noqa: PLC0415

    return script()


def vega_version() -> str:
    """What the address of the script changes with; empty where it is not installed."""
    try:
        return version("vl-convert-python")
    except PackageNotFoundError:
        return ""


def figures_of(folder: str) -> str:
    """The figures of results as JSON: title, caption and specification of each; kept beside the results."""
    from sojourn.report.illustrate import illustrate  # noqa: PLC0415
    from sojourn.report.search import judged  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415
    from sojourn.workbench.studies import study_of  # noqa: PLC0415

    place = Path(folder)
    kept = place / KEPT
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    results = read_results(place)
    study = study_of(results)
    drawn = illustrate(results, study, [] if study else judged(place))
    rows = [{"title": one.title, "caption": one.caption, "specification": one.untitled} for one in drawn]
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    part = kept.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(kept)
    return text
