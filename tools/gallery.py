"""A page of every kind of figure with real data, in target/gallery/index.html: `make gallery`.

Results that are there already are drawn again without computing them. `--live` (`make gallery LIVE=1`) adds what root
alone can measure: a study on this host beside its simulation, eight minutes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from sojourn import web
from sojourn.catalogue import figure_kinds
from sojourn.figures import history
from sojourn.report.illustrate import illustrate
from sojourn.results import read_results
from sojourn.study import load_study
from sojourn.testbed import side_by_side, with_measured

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "target" / "gallery"
HERE = Path(__file__).parent
REPORT = ROOT / "python" / "sojourn" / "report"
TOOL = (sys.executable, "-m", "sojourn")
ENVIRONMENT = os.environ | {"XDG_DATA_HOME": str(PLACE / "data")}
QUEUE = "examples/queue-mm1.toml"
RATE = "flow.customers.arrivals.rate"
PEER = "sojourn://127.0.0.1:18625"
DAILY = "customers"
"""The scenario whose runs are shown over time."""
RUNS = 12
"""Runs of one scenario in the store, the second half at a higher load."""


@dataclass(frozen=True)
class Source:
    """A command that computes results, and which of their figures are shown, by id."""

    name: str
    command: tuple[str, ...]
    shown: tuple[str, ...]
    study: str | None = None


SOURCES = (
    Source(
        "site", ("study", "lontalk-response-time", "--quick"), ("2", "7", "8", "9", "budget"), "lontalk-response-time"
    ),
    Source("ring", ("study", "voice-over-fddi", "--quick"), ("7", "8", "13"), "voice-over-fddi"),
    Source(
        "cells", ("study", "atm-lan-response-time", "--quick"), ("queue-ubr", "assumptions-e1"), "atm-lan-response-time"
    ),
    Source("adapter", ("study", "fddi-adapter", "--quick"), ("9", "stages-receive"), "fddi-adapter"),
    Source("floors", ("run", "examples/lontalk-site.toml"), ("members-utilisation",)),
    Source("queue", ("run", QUEUE), ("response-time", "percentiles")),
    Source("outage", ("run", "examples/outage.toml"), ("timeline",)),
    Source("hills", ("run", "examples/packet-radio-outage.toml"), ("timeline",)),
    Source("ethernet", ("bound", "examples/ethernet-voice.toml"), ("bounds",)),
    Source("load", ("sweep", QUEUE, "--over", f"{RATE}=20:90:10 /s"), ("response-time", "budget")),
    Source("loopback", ("measure", PEER, "--load", "tcp:2", "--duration", "5 s"), ("timeseries", "response-time")),
)
LIVE = Source(
    "parity",
    (
        "study",
        "linux-lan-response-time",
        "--live",
        "--quick",
        "--experiment",
        "fifo-reno",
        "--experiment",
        "borrow-reno",
    ),
    ("measured",),
    "linux-lan-response-time",
)


@dataclass(frozen=True)
class Shown:
    """A figure of the page."""

    kind: str
    title: str
    caption: str
    embedded: str
    command: str


def main() -> int:
    """Computes what is missing, draws, writes the page; 1 where a kind of figure is not among its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--live", action="store_true", help="measure a study on this host as well, as root")
    options = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    found = [shown for source in (*SOURCES, *([LIVE] if options.live else [])) for shown in figures_of(source)]
    found += over_time()
    found.sort(key=lambda shown: shown.kind)
    (PLACE / "index.html").write_text(page(found), encoding="utf-8")
    print(PLACE / "index.html")
    missing = figure_kinds().keys() - {shown.kind for shown in found} - (set() if options.live else {"parity"})
    if missing:
        print(f"no figure of kind {', '.join(sorted(missing))}", file=sys.stderr)
    return bool(missing)


def figures_of(source: Source) -> Iterator[Shown]:
    """The chosen figures of a command's results."""
    folder = PLACE / source.name
    command = " ".join(("sojourn", *source.command))
    if not (folder / "results.json").exists():
        print(command, flush=True)
        with agent() if PEER in source.command else nothing():
            run(*source.command, "--out", str(folder))
    study = load_study(source.study) if source.study else None
    results = read_results(folder)
    combined = with_measured(results, folder)
    if study is not None and len(combined) > len(results):
        study = side_by_side(study)
    for drawn in illustrate(combined, study):
        if drawn.figure.id in source.shown:
            yield Shown(drawn.figure.kind, drawn.title, drawn.caption, drawn.embedded, command)


def over_time() -> Iterator[Shown]:
    """A metric over the runs of a scenario in the store."""
    os.environ["XDG_DATA_HOME"] = ENVIRONMENT["XDG_DATA_HOME"]
    from sojourn.store import series  # noqa: PLC0415
    from sojourn.store.changes import changes  # noqa: PLC0415
    from sojourn.store.queries import Selection  # noqa: PLC0415
    from sojourn.workbench.history import History  # noqa: PLC0415

    scenario = PLACE / f"{DAILY}.toml"
    scenario.write_text((ROOT / QUEUE).read_text(encoding="utf-8"), encoding="utf-8")
    kept = History()
    chosen = Selection(scenario=DAILY)

    def stored() -> list[Any]:
        with kept.reading() as connection:
            return series.of_runs(connection, chosen, "response_time.p99")

    if not any(one.values for one in stored()):
        for number in range(RUNS):
            rate = 60 if number < RUNS // 2 else 72
            settings = ("--seed", str(number), "--set", f"{RATE}={rate} /s")
            run("run", str(scenario), *settings)
    drawn = history.draw([(one, changes(one)) for one in stored() if one.values]).to_dict()
    title = drawn.pop("title")
    packed = web.packed(json.dumps(drawn).encode())
    command = "sojourn history compare --scenario customers --metric response_time.p99 --figure p99.html"
    yield Shown("history", title["text"], " ".join(title["subtitle"]), packed, command)


def run(*arguments: str) -> None:
    """Runs the tool; an expectation may be missed."""
    done = subprocess.run([*TOOL, *arguments], cwd=ROOT, env=ENVIRONMENT, check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        raise SystemExit(f"sojourn {' '.join(arguments)} failed")


@contextmanager
def agent() -> Iterator[None]:
    """What the measurement talks to."""
    server = subprocess.Popen([*TOOL, "agent", PEER], stdout=subprocess.DEVNULL)
    time.sleep(2)
    try:
        yield
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def nothing() -> Iterator[None]:
    """No server."""
    yield


def page(found: list[Shown]) -> str:
    """The page, which requests nothing."""
    library, script = (
        web.vega(),
        web.script("packed.js", "uncertainty.js", "numbers.js", "shown.js", "chart.js", "figures.js")
        + "\nawait figures();\n",
    )
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader([HERE, REPORT]), autoescape=True)
    kinds = {name: kind["help"] for name, kind in figure_kinds().items()} | {"history": history.__doc__}
    return environment.get_template("gallery.html.j2").render(
        figures=found,
        kinds=kinds,
        library=web.encoded(library),
        script=script,
        policy=web.policy(gzip.decompress(library).decode(), script),
    )


if __name__ == "__main__":
    sys.exit(main())
