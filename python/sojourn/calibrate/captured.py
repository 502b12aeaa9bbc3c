"""Calibration to captures: a scenario is fitted so that its simulated capture resembles the real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from sojourn.captures import Analyse, analyse
from sojourn.errors import RunFailed
from sojourn.jobs import Progress, run_job
from sojourn.results import Results
from sojourn.scenario import Scenario

KINDS = ("lontalk", "packet-radio")
"""Kinds whose simulation writes what a monitor on each medium hears, as a capture of the network does."""


def captured(
    scenario: Scenario, options: Mapping[str, object], watch: Callable[[Progress], None] | None
) -> list[Results]:
    """Simulates, captures and analyses a scenario, once for each replication of the options, with consecutive seeds.

    One replication unless the options have more, since a capture is of one run.
    """
    seed, found = _once(scenario, {**options, "replications": 1}, watch)
    more = range(1, int(str(options.get("replications") or 1)))
    others = (_once(scenario, {**options, "replications": 1, "seed": seed + number}, watch) for number in more)
    return [found, *(results for _, results in others)]


def _once(
    scenario: Scenario, options: Mapping[str, object], watch: Callable[[Progress], None] | None
) -> tuple[int, Results]:
    """The seed of a run, and the results of its capture."""
    with TemporaryDirectory(prefix="sojourn-") as folder:
        pcap = Path(folder) / "simulated.pcap"
        outcome = run_job(scenario.request("run", pcap=pcap, **options), watch)
        if outcome.failures:
            raise RunFailed("; ".join(str(failure["message"]) for failure in outcome.failures))
        analysed = analyse(Analyse(captures=[pcap]))
    assert outcome.results is not None
    assert analysed.results is not None
    return int(outcome.results.raw["seed"]), analysed.results
