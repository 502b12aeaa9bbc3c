"""Measurements simulated with drawn parameters, by the same jobs as any run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from sojourn.bands.draws import Draw
from sojourn.bands.fitted import Gaussian
from sojourn.errors import RunFailed
from sojourn.jobs import Progress, run_job
from sojourn.point import Point

Place = tuple[str, tuple[tuple[str, object], ...]]
"""The experiment of a point and its settings."""
OF_ONE = (
    "cluster",
    "control_variates",
    "out",
    "pcap",
    "tail",
    "shard",
    "checkpoint",
    "traces",
    "precision",
    "precision_of",
    "budget",
    "overwrite",
    "jobs",
)
"""Options of a run that its draws do not have."""


def measurements(
    request: Mapping[str, object], gaussian: Gaussian, drawn: Sequence[Draw], seed: int, done: Callable[[int], None]
) -> list[dict[Place, Point]]:
    """The points of one simulated measurement for each draw, by what they are of; `done` gets how many have ended.

    Each has random numbers of its own: the seed after the one before.
    """
    own = {key: value for key, value in request.items() if key not in OF_ONE}
    if gaussian.experiments:
        asked = _listed(own.get("experiments")) or gaussian.experiments
        own["experiments"] = [name for name in asked if name in gaussian.experiments]
    stopped = threading.Event()
    with TemporaryDirectory(prefix="sojourn-") as folder:

        def watch(_: Progress) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt

        def one(number: int) -> dict[Place, Point]:
            profile = Path(folder) / f"{number}.toml"
            profile.write_text(gaussian.text(drawn[number].parameters), encoding="utf-8")
            changes = [*_listed(own.get("set")), *(f"{place}={profile}" for place in gaussian.places)]
            of_draw = {"set": changes, "seed": seed + 1 + number, "replications": 1, "jobs": 1}
            outcome = run_job({**own, **of_draw}, watch)
            if outcome.failures or outcome.results is None:
                raise RunFailed("; ".join(str(failure["message"]) for failure in outcome.failures))
            return {point.key: point for point in outcome.results.points}

        found: list[dict[Place, Point]] = []
        jobs = int(str(request.get("jobs") or os.cpu_count() or 1))
        with ThreadPoolExecutor(jobs) as threads:
            try:
                for points in threads.map(one, range(len(drawn))):
                    found.append(points)
                    done(len(found))
            except BaseException:
                stopped.set()
                threads.shutdown(cancel_futures=True)
                raise
    return found


def _listed(changes: object) -> list[str]:
    return [str(change) for change in changes] if isinstance(changes, list | tuple) else []
