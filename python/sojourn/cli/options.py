"""Options that mean the same on every command that has them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How numbers are written to standard output."""

    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


class LiveFormat(StrEnum):
    """How `listen` and `agent` tell of what happened."""

    table = "table"
    json = "json"


File = Annotated[Path, typer.Argument(help="A scenario, as `sojourn new` writes one.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change a key of the scenario: --set 'background.rate=300 /s'. Repeatable."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Instead of the scenario's seed. The same seed gives the same bytes.")]
Replications = Annotated[int | None, typer.Option(min=1, help="Independent runs per point, instead of the scenario's.")]
Precision = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE", help="Add runs until the 95 % interval's half-width is within this share of the mean: 0.02."
    ),
]
PrecisionOf = Annotated[
    str | None,
    typer.Option(metavar="METRIC.FIELD", help="What --precision watches; the probe's mean unless told otherwise."),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Threads; all processors unless told otherwise. Never changes a result.")
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Write results, samples, figures and report.html here.")]
Output = Annotated[Format, typer.Option("--format", help="How to write the numbers to standard output.")]
Url = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="stamp://HOST, udp-echo://HOST, tcp-echo://HOST, xtp+udp://HOST:PORT, xtp+ip://HOST, "
        "kiss+tcp://HOST:PORT/CALL, kiss+serial://DEVICE?baud=RATE/CALL, or axudp://HOST:PORT/CALL.",
    ),
]
NoCpuIdle = Annotated[
    bool,
    typer.Option(
        "--no-cpu-idle",
        help="Timed tests, as root: disable this host's CPU idle states (C-states, PM QoS) during the test.",
    ),
]
Callsign = Annotated[
    str | None, typer.Option(metavar="CALL", help="On the air: the callsign you hold. Nothing is sent without it.")
]
Airtime = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="On the air: how much of any minute to transmit at most: '6 s'. Nothing is sent without it.",
    ),
]
Identify = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="On the air: say who you are at least this often while transmitting. [10 min]"),
]
Profile = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="On the air: the channel's profile: afsk-1200, g3ruh-9600, hf-300, or a file."),
]
Pcap = Annotated[Path | None, typer.Option(metavar="FILE", help="Write every frame to a capture file.")]
PacketSize = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Data bytes of a packet. [1440 B, which fills an Ethernet frame]")
]
InjectLoss = Annotated[
    str | None, typer.Option(metavar="SHARE", help="For tests: drop this share of the datagrams sent from here: '5 %'.")
]
