"""`analyse`: captures of a real network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.options import Figures, Format, NoStore, Out, Output, Overwrite, figure_formats

if TYPE_CHECKING:
    from sojourn.cli.capturing import Capturing
    from sojourn.cli.progress import ProgressLine
    from sojourn.jobs import Outcome, Progress

NOT_DECIDED = 3


def analyse(
    captures: Annotated[
        list[Path],
        typer.Argument(
            metavar="CAPTURE...",
            help="pcap or pcapng files, or text of axlisten, Dire Wolf, BPQ, tcpdump -n or candump -L, also of gzip or "
            "zstd, or logs of CAN in ASC or BLF, in any order; - is standard input, as of tcpdump -w -.",
        ),
    ],
    network: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="Analyse packets of this kind of network. [the one that most packets are of]"
        ),
    ] = None,
    bit_rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Bit rate of the medium, for utilization. [as the capture states, LonTalk 78.125 kbit/s]",
        ),
    ] = None,
    data_bit_rate: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="Bit rate of the data phase of CAN FD. [--bit-rate]"),
    ] = None,
    server: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS[:PORT]|PORT",
            help="Who answers, over IP: a host, one port of it, or a port of any host, as 2049 or 2049/udp. "
            "Repeatable. [by SYN, port, message, who sent first]",
        ),
    ] = None,
    slowest: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=10_000,
            help="List the N slowest transactions, and of those lost or sent again, each with its frames and what "
            "happened between.",
        ),
    ] = 0,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", help="What the capture should meet: 'response_time.p99 < 20 ms'. Repeatable."
        ),
    ] = None,
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a scenario that reproduces the capture, with reasons."),
    ] = None,
    anonymise: Annotated[
        bool, typer.Option("--anonymise", help="Leave the addresses of the capture out of --scenario.")
    ] = False,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    form: Output = Format.table,
) -> int:
    """Analyses captures of a real network: response times, retries, failures and load, by flow and in all.

    Transactions are found as their protocol defines them: LonTalk, TCP, UDP, ICMP echo, XTP, AX.25, NET/ROM, ROSE,
    UDS over CAN, SDO of CANopen and requests of J1939.
    response_time is from the first packet of a request to the first of its answer, answer_complete to the last; what a
    capture cannot show is stated beside the numbers. Where requests overlap and have no identifier that is read,
    response times are not separable, and none is given.

    Streams of RTP have loss, jitter and a rating (MOS) instead of response times, calls of SIP the times that callers
    wait.

    --slowest lists single transactions: when, their frames as Wireshark numbers them, and what happened between:
    retransmissions, zero windows, requests of others answered first, or a server that was heard and took its time.

    Several files are merged by their time stamps, as of rotating sets and of several interfaces. Files of any length
    are read in bounded memory. With - packets are analysed as they come and a table shows the flows so far, until the
    end of the pipe or Ctrl-C; results in --out are renewed every half minute.

    Of a CAN bus each identifier has its rate, interval, jitter and share of the bus. --bit-rate gives the load, bit by
    bit with the stuff bits of each frame, and by worst cases of stuffing. ASC and BLF need the extra can.

    Monitor text is read in place of captures, as far as it goes: axlisten, Dire Wolf with -T and its log, BPQ and its
    packet log, tcpdump -n, candump -L. It must have times; what else it lacks, such as user data, is stated beside the
    numbers.

    Results have the names of a simulation's and `"world": "captured"`: `sojourn compare` takes them. --out adds flows,
    stations, conversations and a timeline as CSV.

    --scenario infers a scenario (a twin) of a LonTalk, IP or packet-radio network, an MS/TP trunk, a Modbus line or a
    CAN bus: stations, links, routers, and flows with arrivals chosen by fit, or as they were recorded. What the capture
    allows is simulated; the closest scenario is written and compared with the capture: it agrees where the median
    response time and the throughput are within 5 %, and the 99th percentile within 15 %; else the terminal and the file
    say by how much it deviates. Change it and ask what if; a comment beside each value states how it was inferred, and
    flows that the kind of network cannot express are named with their share of the bytes. The report of --out simulates
    it in the browser, beside what was captured.

    Exit code 1: an --expect missed, or no packet of the network; 3: an --expect cannot be decided, because requests
    overlap, or the scenario deviates from the capture or cannot be compared with it.

    \b
    sojourn analyse site.pcap
    sojourn analyse site-*.pcapng.gz --out out/site
    sojourn analyse site.pcap --network lontalk --bit-rate '1.25 Mbit/s'
    sojourn analyse candump.log --bit-rate '500 kbit/s'
    sojourn analyse site.pcap --server 10.0.0.7:2049
    sojourn analyse site.pcap --slowest 20
    sojourn analyse site.pcap --scenario twin.toml
    sojourn analyse site.pcap --expect 'response_time.p99 < 100 ms' --expect 'failures = 0'
    tcpdump -i eth0 -w - udp port 1628 | sojourn analyse -
    axlisten -a -tttt | sojourn analyse -
    """
    from sojourn.captures import Analyse  # noqa: PLC0415
    from sojourn.captures import analyse as begin  # noqa: PLC0415
    from sojourn.cli import capture_tables, interruption, output, simulate  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415
    from sojourn.store.recording import record_run  # noqa: PLC0415

    formats = figure_formats(figures)
    request = Analyse(
        captures=captures,
        network=network,
        bit_rate=bit_rate,
        data_bit_rate=data_bit_rate,
        server=server or (),
        slowest=slowest,
        expect=expect or (),
        scenario=scenario,
        anonymise=anonymise,
        out=out,
        overwrite=overwrite,
    )
    with _view(captures) as progress:
        outcome = begin(request, progress)
    interruption.hold_back()
    if not no_store:
        record_run(outcome, output.note)
    twin = Scenario(scenario) if scenario is not None and scenario.exists() else None
    with simulate.kept(outcome, out, scenario=twin, formats=formats):
        if outcome.results is not None and form is Format.table:
            output.data(capture_tables.of_capture(outcome))
        elif outcome.results is not None:
            output.results(outcome, form)
        output.warnings(outcome)
        output.verdicts(outcome)
        undecidable = capture_tables.undecidable(outcome)
        for sentence in undecidable:
            output.note(sentence)
        doubtful_twin = capture_tables.doubtful_twin(outcome)
        if doubtful_twin is not None:
            output.note(doubtful_twin)
    if out is not None:
        _draw_slowest(outcome, out)
    if not outcome.all_well:
        return 1
    return NOT_DECIDED if undecidable or doubtful_twin else 0


def _draw_slowest(outcome: Outcome, out: Path) -> None:
    """The times over the capture, the slowest marked, where they were asked for."""
    if outcome.capture is None or "slowest" not in outcome.capture:
        return
    from sojourn import outliers  # noqa: PLC0415

    outliers.write(outcome.capture, out)


def _view(captures: list[Path]) -> Capturing | ProgressLine:
    """What shows the progress: of a pipe its flows, of files, and for a program, a line."""
    from sojourn.cli.capturing import Capturing  # noqa: PLC0415
    from sojourn.cli.progress import ProgressLine  # noqa: PLC0415

    line = ProgressLine(words=_words)
    return Capturing() if captures == [Path("-")] and not line.is_for_a_program else line


def _words(progress: Progress, _elapsed_s: float) -> str:
    """How much was read, and the metrics so far."""
    return progress.note or "reading"
