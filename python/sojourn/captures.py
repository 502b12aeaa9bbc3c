"""Captures of real networks, analysed for response times, retries and load, with results like those of a simulation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sojourn import can_logs, overwriting
from sojourn.bindings import translated
from sojourn.errors import Interrupted
from sojourn.jobs import Outcome, Progress, outcome_of, started, wait_for


@dataclass(frozen=True, kw_only=True)
class Analyse:
    """Captures, and what they are analysed for."""

    captures: Sequence[Path]
    """Files of one network, in any order; `-` is standard input."""
    network: str | None = None
    """Kind of the network; without it, the one that most packets are of."""
    bit_rate: str | None = None
    data_bit_rate: str | None = None
    """Of the data phase of CAN FD; that of the bus where there is none."""
    server: Sequence[str] = ()
    """Hosts that answer, or their ports: `10.0.0.1` or `10.0.0.1:2049`."""
    slowest: int = 0
    """How many of the slowest transactions are listed, and of those that were lost or sent again."""
    expect: Sequence[str] = ()
    """Conditions that the capture should meet."""
    scenario: Path | None = None
    """Where a scenario inferred from the capture is written; without it, none is."""
    anonymise: bool = False
    """Whether that scenario leaves out the addresses of the capture."""
    out: Path | None = None
    overwrite: bool = False
    """Whether files that are not this request's own may be replaced."""


def analyse(request: Analyse, on_progress: Callable[[Progress], None] | None = None) -> Outcome:
    """Reads a capture to its end. Ctrl-C ends it there, with results of what was read.

    A second Ctrl-C does not wait for them and raises `Interrupted`: files that were written by then are whole and stay.
    """
    if request.out is not None:
        overwriting.refuse_folder(request.out, None, request.captures, overwrite=request.overwrite)
    if request.scenario is not None:
        overwriting.refuse_file(request.scenario, request.captures, overwrite=request.overwrite)
    given = {key: value for key, value in asdict(request).items() if value not in (None, (), [], False, 0)}
    given.pop("overwrite", None)
    with can_logs.converted(request.captures) as captures, translated():
        given["captures"] = list(captures)
        job = started(given | {"command": "analyse"})
        try:
            text = wait_for(job, on_progress)
        except KeyboardInterrupt:
            job.cancel()
            text = _ended(job, request.out)
    return outcome_of(json.loads(text), job)


def _ended(job: Any, out: Path | None) -> str:
    """The outcome of a job that was cancelled, which writes its results yet."""
    try:
        return wait_for(job, None)
    except KeyboardInterrupt:
        kept = f"; the files written to {out} are kept" if out is not None else ""
        raise Interrupted(f"stopped before the results were complete{kept}") from None
