"""A job runs on the extension's threads; Python polls its progress, so Ctrl-C takes effect at once."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sojourn import overwriting
from sojourn.bindings import extension, translated
from sojourn.errors import Interrupted, RunFailed, UserError
from sojourn.results import Results, Samples

POLL_INTERVAL_S = 0.05
STOPPED = "stopped; finished replications are kept and the same command continues from them"
RUNS = ("seed", "replications", "precision", "precision_of", "control_variates", "budget")
"""Options in place of what a scenario says of its runs."""
COMPUTING = ("jobs", "cluster", "shard", "out", "cache", "checkpoint", "traces")
"""Options of what computes, and where results go."""


@dataclass(frozen=True)
class Progress:
    """The progress of a job."""

    points_done: int
    points_total: int
    replications_done: int
    note: str = ""
    live: dict[str, Any] = field(default_factory=dict)
    """Of a live job: phase, done, total, unit, rate and left_s."""
    survey: dict[str, Any] | None = None
    """Of a monitor of a radio channel: the frames heard so far."""
    standing: dict[str, Any] | None = None
    """Of a timed test: its metrics so far."""
    capture: dict[str, Any] | None = None
    """Of a capture that is read from a pipe: packets, and the flows with the most requests."""
    replications_total: int = 0
    """Replications known of so far: a search and `precision` add to them."""
    from_cache: int = 0
    """Of the finished replications, those that were read from the cache."""
    begun_with_others: int = 0
    """Of them, those whose beginning was simulated with that of another."""
    rate: dict[str, Any] | None = None
    """Of the estimate of a rare event: its rate so far, per second, the interval, and left_s."""


@dataclass(frozen=True)
class Outcome:
    """The results of a job, with verdicts, failures and warnings."""

    results: Results | None
    provenance: dict[str, Any] = field(default_factory=dict)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    answer: dict[str, Any] | None = None
    capture: dict[str, Any] | None = None
    """The tables of an analysed capture: flows, stations, conversations, steps, interfaces."""
    results_text: str = ""
    """The exact bytes of results.json."""

    @property
    def all_well(self) -> bool:
        """Whether every point was computed and no expectation was missed."""
        return not self.failures and all(verdict["verdict"] != "missed" for verdict in self.verdicts)


def run_job(
    request: Mapping[str, object],
    watch: Callable[[Progress], None] | None = None,
    warn: Callable[[str], None] = warnings.warn,
    ended: Callable[[], None] = lambda: None,
) -> Outcome:
    """Runs a request to its end; an option that is None, false or empty is not given.

    Ctrl-C, or a `KeyboardInterrupt` raised by `watch`, cancels the job, waits until its threads have stopped and
    raises `Interrupted`, unless everything was computed by then. `RunFailed` when results could not be written.
    `UserError` where `out` or `pcap` would replace a file that is not this request's own, unless `overwrite` is true.
    `warn` gets a line for each worker of a cluster that is refused; `ended` is called once everything is computed.
    """
    overwriting.refuse(request)
    with translated():
        job = started(_nested(request))
        cluster = request.get("cluster")
        try:
            text = _computed_on(str(cluster), job, watch, warn) if cluster else wait_for(job, watch)
        except BaseException as error:
            job.cancel()
            text = wait_for(job, None)
            if not isinstance(error, KeyboardInterrupt):
                raise
            # where its last replication had ended, nothing was left to stop
            if json.loads(text).get("status") == "cancelled":
                raise Interrupted(STOPPED) from None
        ended()
    return outcome_of(json.loads(text), job)


def _computed_on(cluster: str, job: Any, watch: Callable[[Progress], None] | None, warn: Callable[[str], None]) -> str:
    """The outcome of a job that a cluster computes."""
    from sojourn.cluster import Driver  # noqa: PLC0415

    with Driver(job, cluster, warn) as driver:
        return wait_for(job, watch, 0.0, driver.turn)


def started(request: Mapping[str, object]) -> Any:
    """The job of a request; `UserError` where a value does not fit its option."""
    try:
        return extension().start(json.dumps(request, default=str, allow_nan=False))
    except ValueError as error:
        if isinstance(error, UnicodeError):
            raise
        raise UserError(f"an option has a value out of its range: {error}") from None


def _nested(request: Mapping[str, object]) -> dict[str, object]:
    """The request as the extension reads it: what runs and what computes in groups of their own."""
    given = {key: value for key, value in request.items() if value not in (None, [], (), False) and key != "overwrite"}
    groups = {
        name: {key: given.pop(key) for key in keys if key in given}
        for name, keys in (("runs", RUNS), ("computing", COMPUTING))
    }
    return given | {name: group for name, group in groups.items() if group}


def wait_for(
    job: Any,
    watch: Callable[[Progress], None] | None,
    interval_s: float = POLL_INTERVAL_S,
    turn: Callable[[], str] | None = None,
) -> str:
    """The outcome of a job of the extension, as JSON; `watch` gets its progress until then, and once more.

    `turn` is called at each interval and may wait, too; what it returns is part of the progress. The first intervals
    are shorter, for jobs of some milliseconds.
    """
    wait_s = interval_s / 32
    while (text := job.outcome()) is None:
        note = turn() if turn is not None else ""
        if watch is not None:
            progress = _progress(json.loads(job.progress()))
            watch(replace(progress, note=", ".join(filter(None, (progress.note, note)))))
        time.sleep(wait_s)
        wait_s = min(interval_s, 2 * wait_s)
    if watch is not None:
        watch(_progress(json.loads(job.progress())))
    return str(text)


def _progress(raw: dict[str, Any]) -> Progress:
    live, survey, standing = raw.get("live") or {}, raw.get("survey"), raw.get("standing")
    return Progress(
        points_done=raw["done"],
        points_total=raw["total"],
        replications_done=raw["replications_done"],
        note=raw.get("note") or "",
        live=live,
        survey=survey,
        standing=standing,
        capture=raw.get("capture"),
        replications_total=raw.get("replications_total") or 0,
        from_cache=raw.get("from_cache") or 0,
        begun_with_others=raw.get("begun_with_others") or 0,
        rate=raw.get("rate"),
    )


def outcome_of(raw: dict[str, Any], job: Any) -> Outcome:
    """Parses the outcome of a job of the extension."""
    if raw.get("error"):
        raise RunFailed(raw["error"])
    if raw.get("status") == "cancelled":
        raise Interrupted(STOPPED)
    text = raw.get("results_json")
    results = None
    if text:
        results = Results.parse(
            text, samples=Samples.of_job(job, raw.get("points", [])), provenance=raw.get("provenance")
        )
    return Outcome(
        results=results,
        provenance=raw.get("provenance") or {},
        verdicts=raw.get("verdicts") or [],
        failures=raw.get("failures") or [],
        warnings=raw.get("warnings") or [],
        answer=raw.get("find"),
        capture=raw.get("capture"),
        results_text=text or "",
    )
