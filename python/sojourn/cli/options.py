"""Options that mean the same on every command that has them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import completion, panels
from sojourn.errors import UserError
from sojourn.extras import require


class Format(StrEnum):
    """Formats of numbers on standard output."""

    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


class MeasureFormat(StrEnum):
    """Formats of a measurement: those of numbers, and lines of JSON as it goes."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


class MonitorFormat(StrEnum):
    """How `monitor` and `mesh` report."""

    table = "table"
    jsonl = "jsonl"


class LiveFormat(StrEnum):
    """How `listen`, `agent` and `relay` report."""

    table = "table"
    json = "json"


LARGEST_SEED = 2**63 - 1
LARGEST_COUNT = 2**32 - 1
UNITS_OF_EVENTS = {"k": 10**3, "M": 10**6, "G": 10**9}


def figure_formats(text: str | None) -> list[str]:
    """The formats of --figures; `UserError` for one that does not exist."""
    formats = [part.strip() for part in (text or "").split(",") if part.strip()]
    unknown = [part for part in formats if part not in ("png", "svg")]
    if unknown:
        raise UserError(f"--figures takes png, svg or png,svg, not {unknown[0]}")
    if formats:
        require("vl_convert", "PNG and SVG files")
    return formats


def format_of_numbers(form: StrEnum) -> StrEnum:
    """The format, refused before anything runs where the package that writes it is missing."""
    if form.value == "parquet":
        require("polars", "Parquet files")
    return form


def _file(path: Path) -> Path:
    """A file that can be read more than once."""
    if str(path) == "-":
        raise typer.BadParameter("a scenario is read from a file, more than once; write standard input to one first")
    return path


def read_again(paths: list[Path]) -> list[Path]:
    """Files that can be read more than once."""
    return [_file(path) for path in paths]


def number_of_events(text: str) -> int:
    """A number of events, `200M`."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS_OF_EVENTS else (text, "")
    try:
        events = float(number) * UNITS_OF_EVENTS.get(unit, 1)
    except ValueError:
        events = -1.0
    if not 0 <= events < LARGEST_SEED:
        raise typer.BadParameter(f"{text} is not a number of events, such as 200M")
    return int(events)


File = Annotated[Path, typer.Argument(metavar="FILE", callback=_file, help="A scenario, such as `sojourn new` writes.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        autocompletion=completion.keys,
        help="Set a key of the scenario: --set 'background.rate=300 /s'. Repeatable.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=LARGEST_SEED,
        help="Seed in place of the scenario's. The same seed gives the same bytes.",
    ),
]
Replications = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=LARGEST_COUNT, help="Replications per point, in place of the scenario's."),
]
Budget = Annotated[
    int | None,
    typer.Option(
        metavar="EVENTS",
        parser=number_of_events,
        help="Add replications until [expect] is decided, or all points together have taken this many events: "
        "200M; 0 for the scenario's number. [50M, 3 to 8 s of a core]",
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Add replications until the half-width of the 95 % CI is within this share of the mean: 0.02.",
    ),
]
PrecisionOf = Annotated[
    str | None,
    typer.Option(metavar="METRIC.FIELD", help="What --precision watches. [the probe's mean]"),
]
ControlVariates = Annotated[
    bool,
    typer.Option(
        "--control-variates",
        help="Queues: correct means by what was drawn, of known expectation; takes 20 replications or more.",
    ),
]
Band = Annotated[
    bool,
    typer.Option(
        "--band",
        help="Also give the band that holds the next measurement 95 % of the time, of a profile that calibrate wrote.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=1024, help="Threads; results do not depend on it. [all processors]"),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Compute on the workers of a Dask scheduler, tcp://HOST:8786, or of local:8 processes; same bytes.",
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER/OF",
        help="Compute one of equal parts, 3/64, into the cache, or with --out into a cache of its own.",
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep finished replications in this file, too: the same command and build go on from it, on any machine.",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Write results, samples and report.html here.")]
NoStore = Annotated[
    bool, typer.Option("--no-store", help="Do not record this in the store of results (`sojourn history`).")
]
Figures = Annotated[
    str | None,
    typer.Option(metavar="FORMATS", help="With --out: write each figure as a file, too: png, svg or png,svg."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files there that are not of this scenario's own results.")
]
All = Annotated[bool, typer.Option("--all", help="Print every table, not the first screen alone.")]
Output = Annotated[
    Format,
    typer.Option("--format", callback=format_of_numbers, help="Format of the numbers on standard output."),
]
HOSTS = ("sojourn://HOST", "stamp://HOST", "udp-echo://HOST", "tcp-echo://HOST", "xtp+udp://HOST:PORT", "xtp+ip://HOST")
SERVICES = (
    "icmp://HOST",
    "dns://SERVER/NAME?type=AAAA",
    "http://HOST/PATH",
    "https://HOST/PATH",
    "modbus://HOST?unit=1",
    "modbus-rtu://DEVICE?unit=1",
    "mstp://DEVICE?mac=MAC&to=MAC",
    "can://INTERFACE?service=uds&request=ID&data=HEX",
    "can-udp://GROUP?service=sdo&node=N&index=HEX",
)
RADIO = ("kiss+tcp://HOST:PORT/CALL", "kiss+serial://DEVICE?baud=RATE/CALL", "axudp://HOST:PORT/CALL")
"""How URLs are written; a test compares them with the registry of transports."""
Url = Annotated[str, typer.Argument(metavar="URL", help=f"{', '.join(HOSTS[1:])}, or of a radio {', '.join(RADIO)}.")]
NoCpuIdle = Annotated[
    bool,
    typer.Option(
        "--no-cpu-idle",
        help="As root: keep this host's processors out of C-states (PM QoS) during a timed test.",
        rich_help_panel=panels.IP,
    ),
]
Pcap = Annotated[Path | None, typer.Option(metavar="FILE", help="Write every frame to a capture file.")]
InjectLoss = Annotated[
    str | None,
    typer.Option(metavar="SHARE", help="For tests: drop this share of this host's own datagrams: '5 %'."),
]
