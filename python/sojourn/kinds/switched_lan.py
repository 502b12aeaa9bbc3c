# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""Switched LANs: response time of an echo during bulk transfers over ATM or Ethernet, with queues, EFCI and ABR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Required, TypeAlias, TypedDict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Time: TypeAlias = str
"""A time, as "500 ms"."""
Rate: TypeAlias = str
"""A rate, as "20 /s"."""
Size: TypeAlias = str
"""A size, as "100 B"."""
BitRate: TypeAlias = str
"""A bit rate, as "50 Mbit/s"."""
Length: TypeAlias = str
"""A length, as "2 km"."""
Quantity: TypeAlias = str
"""A number with its unit, as "10 %"."""


class Abr(TypedDict, total=False):
    """Cells: parameters of ABR sources and destinations."""

    adtf: Time
    """ACR decrease time factor (ADTF), reset: idle time after which ACR falls to ICR. (0 s to 200 day; default 500
    ms)"""
    air: BitRate
    """Additive increase rate (AIR): ACR rises by Nrm x AIR on a backward RM cell without congestion. (0 bit/s to 1000
    Gbit/s; default 0.01892 Mbit/s)"""
    backward_bypasses: bool
    """Whether backward RM cells are sent at once, regardless of the source's ACR. (default False)"""
    cdf: Quantity | float
    """Cutoff decrease factor (CDF, Xdf in the drafts): share of ACR that each further unanswered forward RM cell cuts.
    (0 % to 100 %; default 50 %)"""
    coded_rates: bool
    """Whether RM cells carry rates in the 16-bit floating-point format, rounded down. (default False)"""
    crm: int
    """CRM (Xrm in the drafts): forward RM cells without a backward RM cell before ACR is cut. (1 to 1000000; default
    32)"""
    decreases: Literal["on-congestion", "with-every-cell"]
    """When ACR falls. (on-congestion, with-every-cell; default on-congestion)"""
    forward_without_data: bool
    """Whether a forward RM cell is sent after Trm even when no data wait. (default True)"""
    icr: BitRate
    """Initial cell rate (ICR): ACR at the start and after an idle period. (0 bit/s to 1000 Gbit/s; default 10
    Mbit/s)"""
    idle: Literal["decay", "reset", "keep"]
    """Use-it-or-lose-it: what happens to an ACR above ICR that is not used. (decay, reset, keep; default decay)"""
    keeps_congestion: bool
    """Whether a backward RM cell that replaces a waiting one takes over its CI. (default False)"""
    keeps_indication: bool
    """Whether a destination indicates congestion (CI) until a cell without EFCI arrives, rather than once per marked
    cell. (default False)"""
    mcr: BitRate
    """Minimum cell rate (MCR): lower bound of ACR. (0 bit/s to 1000 Gbit/s; default 0.5 Mbit/s)"""
    mrm: int
    """Mrm: minimum cells between two forward RM cells when Trm is over. (1 to 255; default 2)"""
    nrm: int
    """Nrm: one cell in this many is a forward RM cell. (2, 4, 8, 16, 32, 64, 128, 256; default 32)"""
    pcr: BitRate
    """Peak cell rate (PCR): upper bound of the allowed cell rate (ACR). (above 0 bit/s, up to 1000 Gbit/s; default 155
    Mbit/s)"""
    rates_count: Literal["cells", "payload"]
    """Which bits of a cell these rates count. (cells, payload; default cells)"""
    rdf: float
    """Rate decrease factor (RDF): ACR falls by ACR x Nrm / RDF on a backward RM cell with congestion. (2 to 65536;
    default 512)"""
    reschedules: bool
    """Whether a new ACR also reschedules the next cell. (default True)"""
    tcr: Rate
    """Tagged cell rate (TCR): rate of out-of-rate forward RM cells, cells per second, when ACR is at most this. (0 /s
    to 1000000 /s; default 10 /s)"""
    tdff: float
    """TDFF, decay: per second, ACR falls by ACR x TDFF / RDF x the smallest power of two not below PCR in cells per
    second. (0 to 1000; default 0.5)"""
    tof: float
    """Time-out factor (TOF), decay: the decay begins after TOF x Nrm / ACR. (0 to 1000; default 2)"""
    trm: Time
    """Trm: maximum interval between forward RM cells of an active source. (0 s to 200 day; default 100 ms)"""


Background = TypedDict(
    "Background",
    {
        # Bulk: how its TCP connection is established. (handshake, established; default handshake)
        "connection": 'Literal["handshake", "established"]',
        # Direction of the transfers. (forward, backward, alternating; default forward)
        "direction": 'Literal["forward", "backward", "alternating"]',
        # The senders, in turn; without it there is no background traffic.
        "from": "str | Sequence[str]",
        # Cells: service category of its virtual circuit; by default the LAN's. (ubr, abr)
        "service_category": 'Literal["ubr", "abr"]',
        # Time of the first write. (0 s to 200 day; default 0 s)
        "start": "Time",
        # A uniform random time up to this is added to `start`; none by default where arrivals start at-once. (0 s to
        # 200 day; default 100 ms)
        "start_spread": "Time",
        # Number of transfers: the first from the first sender to the first receiver, the second from the second to the
        # second, . (0 to 10000; default 1)
        "streams": "int",
        # The receivers, in turn.
        "to": "str | Sequence[str]",
        # Cells: virtual channel identifier (VCI), the same on all links; of several circuits, the first's. By default a
        # free one from 100 on. (32 to 65535)
        "vci": "int",
        # Bulk: bytes per write call. (1 B to 1024 MiB; default 8192 B)
        "write": "Size",
    },
    total=False,
)
"""Bulk transfers that load the network during the probe."""


class Event(TypedDict, total=False):
    """Event."""

    action: Required[Literal["down", "up", "power-down", "power-up", "start", "stop", "set"]]
    """What happens. (down, up, power-down, power-up, start, stop, set)"""
    at: Time | Sequence[Time]
    """When it happens, from the start of the run, warm-up included; or a list of times. (0 s to 200 day)"""
    duration: Time
    """How long it lasts, in place of `until`. (above 0 s, up to 200 day)"""
    every: Time
    """It happens again each time this has passed since `at`. (above 0 s, up to 200 day)"""
    flows: str | Sequence[str]
    """The flows it affects, by name."""
    mean_time_between: Time
    """Mean operating time between failures (MTBF, IEC 60050-192): from the end of one to the next, exponential; each of
    what is named fails on its own. (above 0 s, up to 200 day)"""
    mean_time_to_repair: Time
    """Mean time from a failure to its end (MTTR), exponential. (above 0 s, up to 200 day)"""
    media: str | Sequence[str]
    """The media it affects, with all their links."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    set: Mapping[str, Any]
    """Keys with the values that they take, by their paths: { "medium.backbone.loss" = "5 %" }."""
    stations: str | Sequence[str]
    """The stations it affects."""
    until: Time
    """When it ends, from the start of the run; without it and `duration` it does not end. (above 0 s, up to 200 day)"""


class PoissonArrivals(TypedDict, total=False):
    """Poisson process: exponential interarrival times."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    kind: Required[Literal["poisson"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class PeriodicArrivals(TypedDict, total=False):
    """One per interval."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    jitter: Time
    """Uniform random delay of each message, up to this. (0 s to 200 day; default 0 s)"""
    kind: Required[Literal["periodic"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class NormalArrivals(TypedDict, total=False):
    """Normally distributed interarrival times, truncated at zero."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    deviation: Required[Time]
    """Standard deviation, at most 0.3 of the mean: truncated at zero, more would shift it. (0 s to 200 day)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    kind: Required[Literal["normal"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class GammaArrivals(TypedDict, total=False):
    """Gamma-distributed interarrival times."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    kind: Required[Literal["gamma"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    shape: Required[float]
    """Shape: the coefficient of variation is 1 / sqrt(shape); 1 is exponential, a whole number Erlang. (0.05 to
    10000)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class LognormalArrivals(TypedDict, total=False):
    """Lognormally distributed interarrival times."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    deviation: Required[Time]
    """Standard deviation, at most 5 times the mean. (0 s to 200 day)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    kind: Required[Literal["lognormal"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class WeibullArrivals(TypedDict, total=False):
    """Weibull-distributed interarrival times."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Mean interarrival time of messages. (above 0 s, up to 200 day)"""
    kind: Required[Literal["weibull"]]
    """Which of the forms it is."""
    rate: Rate
    """Messages per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    shape: Required[float]
    """Shape: below 1 the tail is heavier than an exponential one, 1 is exponential, 3.6 nearly normal. (0.3 to 100)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class EmpiricalArrivals(TypedDict, total=False):
    """Interarrival times drawn from measured ones."""

    column: str
    """The column of the file, by its title; by default its only one."""
    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    file: str
    """A CSV file with the values in seconds, relative to the scenario; in place of values."""
    kind: Required[Literal["empirical"]]
    """Which of the forms it is."""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""
    values: Time | Sequence[Time]
    """The values, each as likely as the others; in place of a file. (0 s to 200 day)"""


class BurstArrivals(TypedDict, total=False):
    """Several messages at once; bursts are Poisson."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    gap: Time
    """Interval between the messages of a burst, which lasts less than the interval between bursts. (0 s to 200 day;
    default 0 s)"""
    interval: Time
    """Mean interarrival time of bursts. (above 0 s, up to 200 day)"""
    kind: Required[Literal["burst"]]
    """Which of the forms it is."""
    rate: Rate
    """Bursts per second of each sender; in place of interval. (above 0 /s, up to 1e9 /s)"""
    size: Required[int]
    """Messages in a burst. (1 to 1000000)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class OnOffArrivals(TypedDict, total=False):
    """On-off source: periodic while on, silent while off, both periods exponential."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Interval between the messages of an on period. (above 0 s, up to 200 day)"""
    kind: Required[Literal["on-off"]]
    """Which of the forms it is."""
    off: Required[Time]
    """Mean length of an off period. (above 0 s, up to 200 day)"""
    on: Required[Time]
    """Mean length of an on period. (above 0 s, up to 200 day)"""
    rate: Rate
    """Messages per second of each sender while it is on; in place of interval. (above 0 /s, up to 1e9 /s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class ExponentialInterval(TypedDict, total=False):
    """Exponentially distributed."""

    kind: Required[Literal["exponential"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class DeterministicInterval(TypedDict, total=False):
    """Constant."""

    kind: Required[Literal["deterministic"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class NormalInterval(TypedDict, total=False):
    """Normally distributed, truncated at zero."""

    deviation: float
    """Coefficient of variation: standard deviation divided by the mean. (0 to 0.3; default 0.1)"""
    kind: Required[Literal["normal"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class GammaInterval(TypedDict, total=False):
    """Gamma-distributed."""

    kind: Required[Literal["gamma"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""
    shape: Required[float]
    """Shape: the coefficient of variation is 1 / sqrt(shape); 1 is exponential, a whole number Erlang. (0.05 to
    10000)"""


class LognormalInterval(TypedDict, total=False):
    """Lognormally distributed."""

    deviation: Required[float]
    """Coefficient of variation: standard deviation divided by the mean. (0 to 5)"""
    kind: Required[Literal["lognormal"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class WeibullInterval(TypedDict, total=False):
    """Weibull-distributed."""

    kind: Required[Literal["weibull"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""
    shape: Required[float]
    """Shape: below 1 the tail is heavier than an exponential one, 1 is exponential, 3.6 nearly normal. (0.3 to 100)"""


class EmpiricalInterval(TypedDict, total=False):
    """Drawn from measured times."""

    column: str
    """The column of the file, by its title; by default its only one."""
    file: str
    """A CSV file with the values in seconds, relative to the scenario; in place of values."""
    kind: Required[Literal["empirical"]]
    """Which of the forms it is."""
    values: Time | Sequence[Time]
    """The values, each as likely as the others; in place of a file. (0 s to 200 day)"""


class RecordedInterval(TypedDict, total=False):
    """Measured times in their order, over and over."""

    column: str
    """The column of the file, by its title; by default its only one."""
    file: str
    """A CSV file with the values in seconds, relative to the scenario; in place of values."""
    kind: Required[Literal["recorded"]]
    """Which of the forms it is."""
    values: Time | Sequence[Time]
    """The values, each as likely as the others; in place of a file. (0 s to 200 day)"""


class SingleRateMarking(TypedDict, total=False):
    """Single rate three color marker (RFC 2697), color-blind."""

    burst: Size
    """Committed burst size (CBS). (0 B to 1 GiB; default 3000 B)"""
    excess_burst: Size
    """Excess burst size (EBS). (0 B to 1 GiB; default 0 B)"""
    kind: Required[Literal["single-rate"]]
    """Which of the forms it is."""
    rate: Required[BitRate]
    """Committed information rate (CIR), bits of IP packets per second. (1 kbit/s to 1000 Gbit/s)"""
    red: Literal["mark", "drop"]
    """What becomes of red packets. (mark, drop; default mark)"""


class TwoRateMarking(TypedDict, total=False):
    """Two rate three color marker (RFC 2698), color-blind."""

    burst: Size
    """Committed burst size (CBS). (0 B to 1 GiB; default 3000 B)"""
    kind: Required[Literal["two-rate"]]
    """Which of the forms it is."""
    peak_burst: Size
    """Peak burst size (PBS). (64 B to 1 GiB; default 3000 B)"""
    peak_rate: Required[BitRate]
    """Peak information rate (PIR), at least the committed rate. (1 kbit/s to 1000 Gbit/s)"""
    rate: Required[BitRate]
    """Committed information rate (CIR), bits of IP packets per second. (1 kbit/s to 1000 Gbit/s)"""
    red: Literal["mark", "drop"]
    """What becomes of red packets. (mark, drop; default mark)"""


class Shaping(TypedDict, total=False):
    """Packets: token bucket shaper at each sender of the flow: a packet waits until the bucket holds tokens for all of
    it."""

    burst: Size
    """Bucket size, at least the longest packet. (64 B to 1 GiB; default 3200 B)"""
    limit: int
    """Packets that wait at most; further ones are dropped. (1 to 10000000; default 1000)"""
    rate: Required[BitRate]
    """Token rate, bits of IP packets per second. (1 kbit/s to 1000 Gbit/s)"""


class Voice(TypedDict, total=False):
    """Voice: its calls, their codec and jitter buffers."""

    buffer: Time
    """Speech that the jitter buffer holds, at least one packet. (125 us to 60 s; default 200 ms)"""
    channels: int
    """Simultaneous calls of each sender, in both directions. (1 to 10000; default 1)"""
    codec: Literal["g711", "g711-plain", "g729a", "g722", "amr-wb-12.65", "amr-wb-23.05", "amr-wb-23.85", "evs-9.6", "evs-13.2", "evs-16.4", "evs-24.4", "evs-32", "evs-48", "opus-16", "opus-28", "opus-40"]
    """Codec. (g711, g711-plain, g729a, g722, amr-wb-12.65, amr-wb-23.05, amr-wb-23.85, evs-9.6, evs-13.2, evs-16.4,
    evs-24.4, evs-32, evs-48, opus-16, opus-28, opus-40; default g711)"""
    direction: Literal["both", "forward"]
    """Who speaks. (both, forward; default both)"""
    duration: Time
    """How long a call lasts from its first packet, pauses included; by default until the run ends. (above 0 s, up to
    200 day)"""
    jitter_buffer: Literal["fixed", "adaptive"]
    """Jitter buffer. (fixed, adaptive; default fixed)"""
    packet_time: Time
    """Speech in a packet, and the interval between packets. (125 us to 200 ms; default 20 ms)"""
    pause: Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance
    """Talkspurts: mean length of a pause, exponentially distributed, or its distribution. (above 0 s, up to 1 h;
    default 1.587 s)"""
    playout_delay: Time
    """Playout delay of the first packet. (0 s to 60 s; default 40 ms)"""
    speech: Literal["continuous", "talkspurts"]
    """When packets are sent. (continuous, talkspurts; default continuous)"""
    talkspurt: Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance
    """Talkspurts: mean length of one, exponentially distributed, or its distribution. (above 0 s, up to 1 h; default
    1.004 s)"""


Flow = TypedDict(
    "Flow",
    {
        # Stream: arrival process of its datagrams.
        "arrivals": "PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | DataclassInstance",
        # Bulk, request: how its TCP connection is established. (handshake, established, per-request; default handshake)
        "connection": 'Literal["handshake", "established", "per-request"]',
        # Packets: differentiated services code point of both directions: 46 EF, 34 AF41, 26 AF31, 8 CS1; by default 0.
        # (0 to 63)
        "dscp": "int",
        # The client or sender; each of several has a transfer or echo of its own.
        "from": "Required[str | Sequence[str]]",
        # Echo, request: time from a request to the next one, or its distribution, in place of `think`; a request that
        # is due before the response waits for it and does not delay those behind it. (0 s to 200 day)
        "interval": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the interval; by default 0 s. (0 s to 200 day)
        "interval_spread": "Time",
        # Packets: meter at each sender, behind `shaping`, that marks the drop precedence of assured forwarding: green
        # AFx1, yellow AFx2, red AFx3.
        "marking": "SingleRateMarking | TwoRateMarking | DataclassInstance",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Packets: priority code point (IEEE 802.1Q), the class of strict priority; by default dscp / 8. (0 to 7)
        "pcp": "int",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # Echo, request: user data of a response, of a datagram at most 65507 B; by default as long as the request. (1 B
        # to 1024 MiB)
        "response_size": "Size",
        # Echo, request: minimum time from a whole request at the server to its response, or its distribution; by
        # default 0 s. (0 s to 200 day)
        "server_time": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the server time; by default 0 s. (0 s to 200 day)
        "server_time_spread": "Time",
        # What the flow carries. (echo, request, stream, bulk, voice)
        "service": 'Required[Literal["echo", "request", "stream", "bulk", "voice"]]',
        # Cells: service category of its virtual circuit; by default the LAN's. (ubr, abr)
        "service_category": 'Literal["ubr", "abr"]',
        # Packets: token bucket shaper at each sender of the flow: a packet waits until the bucket holds tokens for all
        # of it.
        "shaping": "Shaping | DataclassInstance",
        # Echo, request, stream: user data of a request or datagram, bytes; of a datagram at most 65507 B. (1 B to 1024
        # MiB; default 64 B)
        "size": "Size",
        # Time of the first write. (0 s to 200 day; default 0 s)
        "start": "Time",
        # A uniform random time up to this is added to `start`; none by default where arrivals start at-once. (0 s to
        # 200 day; default 100 ms)
        "start_spread": "Time",
        # Echo, request: minimum think time between a response and the next request, or its distribution. (0 s to 200
        # day; default 0 s)
        "think": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the think time. (0 s to 200 day; default 0 s)
        "think_spread": "Time",
        # Echo: time after which a request without a response counts as lost. (above 0 s, up to 1 h; default 2 s)
        "timeout": "Time",
        # The server or receiver; several are assigned in turn: to the first sender, the second sender, ...
        "to": "Required[str | Sequence[str]]",
        # Cells: virtual channel identifier (VCI), the same on all links; of several circuits, the first's. By default a
        # free one from 100 on. (32 to 65535)
        "vci": "int",
        # Voice: its calls, their codec and jitter buffers.
        "voice": "Voice | DataclassInstance",
        # Bulk: bytes per write call. (1 B to 1024 MiB; default 8192 B)
        "write": "Size",
    },
    total=False,
)
"""."""


class Lan(TypedDict, total=False):
    """Parameters of all links and virtual circuits."""

    capture: Literal["frames", "cells"]
    """Cells: format of a capture; without encapsulation, and for packets, IP datagrams only (LINKTYPE_RAW). (frames,
    cells; default frames)"""
    circuits: Literal["per-pair", "per-flow"]
    """Cells: how flows share virtual circuits, each bidirectional. (per-pair, per-flow; default per-pair)"""
    encapsulation: Literal["llc", "null"]
    """Cells: encapsulation of datagrams. (llc, null; default llc)"""
    framing: Literal["cells", "packets"]
    """Framing on all links. (cells, packets; default cells)"""
    mtu: Size
    """Cells: MTU, the largest IP datagram on a virtual circuit, bytes. (576 B to 65527 B; default 9188 B)"""
    service: Literal["ubr", "abr"]
    """Cells: default service category of virtual circuits. (ubr, abr; default ubr)"""
    slotted: bool
    """Cells: whether cells start only at multiples of the cell time, as on a real link with idle cells. (default
    False)"""


class RecordedJitter(TypedDict, total=False):
    """Measured times of the packets of a direction in their order, over and over."""

    column: str
    """The column of the file, by its title; by default its only one."""
    file: str
    """A CSV file with the values in seconds, relative to the scenario; in place of values."""
    kind: Required[Literal["recorded"]]
    """Which of the forms it is."""
    lost: str
    """The column of the file that is 1 where the packet is lost and 0 where it is not; by default none is."""
    values: Time | Sequence[Time]
    """The values, each as likely as the others; in place of a file. (0 s to 200 day)"""


class Shaping2(TypedDict, total=False):
    """Token bucket filter for all packets of the queue."""

    burst: Size
    """Bucket size: bytes that may be sent in a burst. (64 B to 1 MiB; default 3200 B)"""
    rate: Required[BitRate]
    """Token rate, bits per second; `link_overhead` counts. (1 kbit/s to 1000 Gbit/s)"""


class Wred(TypedDict, total=False):
    """Random early detection by drop precedence of assured forwarding (RFC 2597), of priority in each class; packets
    without one are dropped at the limit alone."""

    ecn: bool
    """Whether packets of senders that understand it are marked (CE) in place of drops; the full queue drops all the
    same. (default False)"""
    green_max: int
    """Average queue length from which all green packets are dropped. (1 to 10000000; default 40)"""
    green_min: int
    """Average queue length, packets, from which green packets (AFx1) are dropped at random. (1 to 10000000; default
    32)"""
    mean_packet: Size
    """While the queue is idle, the average decays as if packets of this size were sent. (64 B to 65535 B; default 1000
    B)"""
    probability: float
    """Drop probability just below the upper thresholds (max_p). (above 0, up to 1; default 0.1)"""
    red_max: int
    """As `green_max`, of red packets (AFx3). (1 to 10000000; default 40)"""
    red_min: int
    """As `green_min`, of red packets (AFx3). (1 to 10000000; default 24)"""
    weight: float
    """Weight of an arrival in the average queue length (w_q). (above 0, up to 1; default 0.002)"""
    yellow_max: int
    """As `green_max`, of yellow packets (AFx2). (1 to 10000000; default 40)"""
    yellow_min: int
    """As `green_min`, of yellow packets (AFx2). (1 to 10000000; default 28)"""


class FifoQueue(TypedDict, total=False):
    """First in, first out, with tail drop."""

    kind: Required[Literal["fifo"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    wred: Wred | DataclassInstance
    """Random early detection by drop precedence of assured forwarding (RFC 2597), of priority in each class; packets
    without one are dropped at the limit alone."""


class CodelQueue(TypedDict, total=False):
    """First in, first out, with controlled delay (RFC 8289)"""

    ce_threshold: Time
    """Sojourn time beyond which every packet of a sender that understands it is marked (CE), whatever the controlled
    delay; by default none. (0 s to 10 s)"""
    ecn: bool
    """Whether packets of senders that understand it are marked (CE) in place of drops (RFC 3168). (default False)"""
    interval: Time
    """CoDel interval: how long the sojourn time may exceed the target before packets are dropped; about the worst-case
    RTT. (above 0 s, up to 60 s; default 100 ms)"""
    kind: Required[Literal["codel"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    target: Time
    """CoDel target: acceptable minimum sojourn time. (above 0 s, up to 10 s; default 5 ms)"""


class PieQueue(TypedDict, total=False):
    """First in, first out, with drops at random by a controller of the delay (PIE, RFC 8033)"""

    alpha: float
    """Weight of the delay beyond the target, per second. (0 to 32; default 0.125)"""
    beta: float
    """Weight of the delay's growth since the last update, per second. (0 to 32; default 1.25)"""
    ecn: bool
    """Whether packets of senders that understand it are marked (CE) in place of drops, as long as the probability is 10
    % at most. (default False)"""
    kind: Required[Literal["pie"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    max_burst: Time
    """How long nothing is dropped early after the queue was at rest. (0 s to 10 s; default 150 ms)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    target: Time
    """Queueing delay that the controller aims at (QDELAY_REF). (above 0 s, up to 10 s; default 15 ms)"""
    tupdate: Time
    """Time between updates of the drop probability (T_UPDATE). (100 us to 10 s; default 15 ms)"""


class RedQueue(TypedDict, total=False):
    """First in, first out, with random early detection by bytes (Floyd and Jacobson, 1993; tc-red)"""

    avpkt: Size
    """Mean packet: for the weight of an arrival, and for the decay of the average while the queue is idle. (64 B to
    65535 B; default 1000 B)"""
    burst: int
    """Packets of a burst that pass undropped, which sets the weight of an arrival; by default (2 min + max) / (3
    avpkt). (1 to 1000000)"""
    ecn: bool
    """Whether packets of senders that understand it are marked (CE) in place of drops; the full queue drops all the
    same. (default False)"""
    harddrop: bool
    """Whether beyond `max` packets are dropped, not marked. (default False)"""
    kind: Required[Literal["red"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    max: Size
    """Average queue length, bytes, from which all packets are dropped. (64 B to 1024 MiB; default 90 kB)"""
    min: Size
    """Average queue length, bytes, from which packets are dropped at random. (64 B to 1024 MiB; default 30 kB)"""
    probability: float
    """Drop probability just below `max` (max_p). (above 0, up to 1; default 0.02)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""


class Dualpi2Queue(TypedDict, total=False):
    """A queue of low latency for ECT(1) beside a classic one, coupled by one controller of the delay (RFC 9332)"""

    alpha: float
    """Weight of the delay beyond the target, per second (integral gain). (0 to 1000; default 0.16)"""
    beta: float
    """Weight of the delay's growth, per second (proportional gain). (0 to 1000; default 3.2)"""
    classic_protection: Quantity | float
    """Share of the classic queue while both have packets, in whole percent. (0 % to 100 %; default 10 %)"""
    coupling_factor: int
    """What the base probability is multiplied with for marks of the queue of low latency; the classic queue has its
    square. (1 to 255; default 2)"""
    drop_at: Literal["dequeue", "enqueue"]
    """When the controller drops or marks. (dequeue, enqueue; default dequeue)"""
    kind: Required[Literal["dualpi2"]]
    """Which of the forms it is."""
    limit: int
    """Limit in packets of both its queues together. (1 to 10000000; default 10000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    low_latency: Literal["l4s-ect", "any-ect"]
    """Which packets have low latency. (l4s-ect, any-ect; default l4s-ect)"""
    min_qlen_step: int
    """Packets that the queue of low latency must have had at a packet's arrival for `step_thresh` to mark it; 1 spares
    a packet alone (RFC 9332, A.1). (0 to 1000000; default 0)"""
    on_overload: Literal["drop", "overflow"]
    """What happens once marks alone do not hold the delay. (drop, overflow; default drop)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    step_thresh: Time
    """Sojourn time beyond which a packet of the queue of low latency is marked. (0 s to 10 s; default 1 ms)"""
    target: Time
    """Queueing delay of the classic queue that the controller aims at. (above 0 s, up to 10 s; default 15 ms)"""
    tupdate: Time
    """Time between updates of the base probability. (100 us to 10 s; default 16 ms)"""


class DrrQueue(TypedDict, total=False):
    """Deficit round robin among flows (Shreedhar and Varghese, 1996)"""

    flow_limit: int
    """Queue limit per flow in packets; by default only the total is limited. (1 to 10000000)"""
    kind: Required[Literal["drr"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    overflow: Literal["longest-queue", "arriving"]
    """Which packet is dropped when the limit is reached. (longest-queue, arriving; default longest-queue)"""
    quantum: Size
    """Bytes a flow may send per round. (64 B to 1 MiB; default 1514 B)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""


class FqCodelQueue(TypedDict, total=False):
    """Flow queuing: deficit round robin, new flows first, CoDel in each (RFC 8290)"""

    ce_threshold: Time
    """Sojourn time beyond which every packet of a sender that understands it is marked (CE), whatever the controlled
    delay; by default none. (0 s to 10 s)"""
    ce_threshold_selector: Literal["any", "ect1"]
    """Which packets `ce_threshold` marks; by default any. (any, ect1)"""
    ecn: bool
    """Whether packets of senders that understand it are marked (CE) in place of drops (RFC 3168). (default True)"""
    interval: Time
    """CoDel interval: how long the sojourn time may exceed the target before packets are dropped; about the worst-case
    RTT. (above 0 s, up to 60 s; default 100 ms)"""
    kind: Required[Literal["fq-codel"]]
    """Which of the forms it is."""
    limit: int
    """Limit in packets of all its queues together. (1 to 10000000; default 10240)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    quantum: Size
    """Bytes a flow may send per round. (64 B to 1 MiB; default 1514 B)"""
    queues: Literal["exact"] | Quantity | float
    """Number of queues that flows are hashed to. (1 to 1000000; default 1024)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    target: Time
    """CoDel target: acceptable minimum sojourn time. (above 0 s, up to 10 s; default 5 ms)"""


class CakeQueue(TypedDict, total=False):
    """A shaper, tins by code point, flows under COBALT and fair between hosts (CAKE, tc-cake)"""

    bandwidth: Literal["unlimited"] | BitRate
    """Rate of its shaper, which lets nothing go in a burst. (1 kbit/s to 1000 Gbit/s; default unlimited)"""
    framing: Literal["noatm", "atm", "ptm"]
    """What carries packets behind the shaper; by default that of the kind of link, or noatm. (noatm, atm, ptm)"""
    isolation: Literal["triple-isolate", "dual-srchost", "dual-dsthost", "flows", "hosts", "srchost", "dsthost", "flowblind"]
    """What has a queue of its own, and what shares fairly. (triple-isolate, dual-srchost, dual-dsthost, flows, hosts,
    srchost, dsthost, flowblind; default triple-isolate)"""
    kind: Required[Literal["cake"]]
    """Which of the forms it is."""
    limit_bytes: Size
    """Queue limit in bytes of packets (`memlimit`, which in Linux counts their buffers as well); by default what
    `bandwidth` carries in four `rtt`, 4 MiB at least and 10240 of the longest packets at most. (68 B to 1024 MiB)"""
    mpu: Size
    """Bytes that shorter packets count, `overhead` included; by default that of the kind of link, or none. (0 B to 256
    B)"""
    overhead: Literal["raw", "conservative", "ethernet", "docsis", "pppoe-ptm", "bridged-ptm", "ipoa-vcmux", "ipoa-llcsnap", "bridged-vcmux", "bridged-llcsnap", "pppoa-vcmux", "pppoa-llc", "pppoe-vcmux", "pppoe-llcsnap"] | Size
    """Bytes beside an IP packet that the shaper counts, or those of a kind of link, with its `mpu` and `framing`. (0 B
    to 256 B; default raw)"""
    rtt: Literal["datacentre", "lan", "metro", "regional", "internet", "oceanic", "satellite", "interplanetary"] | Time
    """Round-trip time of the paths: COBALT's interval; its target is a twentieth. (1 us to 1000 s; default internet)"""
    tins: Literal["diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence"]
    """Tins and their code points (`dscp` of flows). (diffserv3, diffserv4, diffserv8, besteffort, precedence; default
    diffserv3)"""


class PriorityQueue(TypedDict, total=False):
    """Strict priority of 8 traffic classes, by `pcp` or `dscp / 8` of the flow (IEEE 802.1Q, 8.6.8.1)"""

    kind: Required[Literal["priority"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    shaping: Shaping2 | DataclassInstance
    """Token bucket filter for all packets of the queue."""
    wred: Wred | DataclassInstance
    """Random early detection by drop precedence of assured forwarding (RFC 2597), of priority in each class; packets
    without one are dropped at the limit alone."""


class HtbQueue(TypedDict, total=False):
    """Hierarchical token bucket: a class per flow with a guaranteed rate that borrows up to its ceiling (tc-htb)"""

    burst: Size
    """Bytes a class may send in a burst within its rate. (64 B to 1 MiB; default 1600 B)"""
    cburst: Size
    """Bytes a class may send in a burst within its ceil. (64 B to 1 MiB; default 1600 B)"""
    ceil: BitRate
    """Maximum rate of each class, with borrowing; by default the rate of `shaping`. (1 kbit/s to 1000 Gbit/s)"""
    kind: Required[Literal["htb"]]
    """Which of the forms it is."""
    limit: int
    """Queue limit in packets, without the one in transmission; of htb and priority, per class. (1 to 10000000; default
    1000)"""
    limit_bytes: Size
    """Queue limit in bytes; by default only packets are limited. (68 B to 1024 MiB)"""
    quantum: Size
    """Bytes a flow may send per round. (64 B to 1 MiB; default 1514 B)"""
    rate: BitRate
    """Guaranteed rate of each class. (1 kbit/s to 1000 Gbit/s; default 64 kbit/s)"""
    shaping: Required[Shaping2 | DataclassInstance]
    """Token bucket filter for all packets of the queue."""


class Medium(TypedDict, total=False):
    """Medium."""

    access: Literal["csma-cd", "plca"]
    """Packets: medium access on a shared wire. (csma-cd, plca; default csma-cd)"""
    attempt_limit: int
    """Packets: attempts after which CSMA/CD gives a frame up (attemptLimit). (1 to 16; default 16)"""
    beacon_timer: int
    """Packets: length of a beacon of PLCA, bit times (beacon_timer). (1 to 255; default 20)"""
    burst_timer: int
    """Packets: how long a node of PLCA waits for the next frame of a burst, bit times (burst_timer). (96 to 1000;
    default 128)"""
    delay: Time
    """Propagation delay of a link in addition to that of its length. (0 s to 200 day; default 0 s)"""
    end_delimiter: Size
    """Packets: bytes that a shared wire carries after each frame; of 10BASE-T1S one. (0 B to 16 B)"""
    framing_overhead: Size
    """Packets: bytes per packet on the link in addition to the IP packet; for Ethernet preamble, header, FCS and
    interframe gap. (0 B to 1000 B; default 38 B)"""
    jitter: Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedJitter | DataclassInstance
    """Packets: uniform random delay up to this, added to the delay of each packet, or its distribution. (0 s to 200
    day; default 0 s)"""
    kind: Literal["link", "shared"]
    """Packets: kind of medium. (link, shared; default link)"""
    length: Length
    """Length of each link, or of a shared wire; propagation delay 5 ns per metre. (0 m to 100000 km; default 10 m)"""
    link_overhead: Size
    """Packets: bytes per packet that queues and token buckets count in addition to the IP packet (`overhead` of
    tc-stab). (0 B to 1000 B; default 14 B)"""
    loss: Quantity | float
    """Loss probability of a packet or cell on the link, independent. (0 % to 100 %; default 0 %)"""
    min_payload: Size
    """Packets: minimum payload, bytes; shorter packets are padded. (0 B to 1500 B; default 46 B)"""
    mtu: Size
    """Packets: maximum transmission unit (MTU), bytes; a datagram larger than the path's smallest MTU is fragmented by
    its sender. (68 B to 65535 B; default 1500 B)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    node_count: int
    """Packets: opportunities of a cycle that node 0 of PLCA counts (plca_node_count); by default one for each station.
    (1 to 255)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: FifoQueue | CodelQueue | PieQueue | RedQueue | Dualpi2Queue | DrrQueue | FqCodelQueue | CakeQueue | PriorityQueue | HtbQueue | DataclassInstance
    """Packets: queue discipline (qdisc) before the link, at both ends."""
    rate: BitRate
    """Bits per second in each direction available to cells or frames; by default OC-3c's 155.52 Mbit/s less SONET
    overhead, of a shared wire 10 Mbit/s. (1 kbit/s to 1000 Gbit/s)"""
    reordering: bool
    """Packets: whether jitter reorders packets. (default False)"""
    split_gap: bool
    """Packets: whether a carrier in the last third of the interframe gap is ignored. (default True)"""
    to_timer: int
    """Packets: length of an unused transmit opportunity of PLCA, bit times (to_timer). (1 to 255; default 32)"""


class Network(TypedDict, total=False):
    """The kind of network, and its parameter set."""

    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""


Option = TypedDict(
    "Option",
    {
        # What it costs, in any unit that all options share. (0 to 1e15)
        "cost": "float",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Options that it excludes.
        "not_with": "str | Sequence[str]",
        # Keys with the values that they take, by their paths: { "flow.alarm.priority" = true }.
        "set": "Required[Mapping[str, Any]]",
        # Options that it needs: it is compared only together with them.
        "with": "str | Sequence[str]",
    },
    total=False,
)
"""."""


Probe = TypedDict(
    "Probe",
    {
        # The client; without it there is no probe.
        "from": "str | Sequence[str]",
        # Echo, request: user data of a response, of a datagram at most 65507 B; by default as long as the request. (1 B
        # to 1024 MiB)
        "response_size": "Size",
        # Echo, request: minimum time from a whole request at the server to its response, or its distribution; by
        # default 0 s. (0 s to 200 day)
        "server_time": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the server time; by default 0 s. (0 s to 200 day)
        "server_time_spread": "Time",
        # Cells: service category of its virtual circuit; by default the LAN's. (ubr, abr)
        "service_category": 'Literal["ubr", "abr"]',
        # Echo, request, stream: user data of a request or datagram, bytes; of a datagram at most 65507 B. (1 B to 1024
        # MiB; default 64 B)
        "size": "Size",
        # Time of the first request. (0 s to 200 day; default 0 s)
        "start": "Time",
        # A uniform random time up to this is added to `start`. (0 s to 200 day; default 0 s)
        "start_spread": "Time",
        # Echo, request: minimum think time between a response and the next request, or its distribution. (0 s to 200
        # day; default 0 s)
        "think": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the think time. (0 s to 200 day; default 0 s)
        "think_spread": "Time",
        # Echo: time after which a request without a response counts as lost. (above 0 s, up to 1 h; default 2 s)
        "timeout": "Time",
        # The server.
        "to": "str | Sequence[str]",
        # Cells: virtual channel identifier (VCI), the same on all links; of several circuits, the first's. By default a
        # free one from 100 on. (32 to 65535)
        "vci": "int",
    },
    total=False,
)
"""The measured echo: a client's UDP requests to a server, in a closed loop."""


class Question(TypedDict, total=False):
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""

    asked: str
    """A value to judge: whether all of [expect] is met with it."""
    text: str
    """The question as text; the report puts the result under it."""
    vary: str
    """The key in question and its range: KEY=LOW:HIGH UNIT."""


class Run(TypedDict, total=False):
    """Duration, warm-up, replications and random seed."""

    duration: Time
    """Observed time of each replication, after the warm-up. (above 0 s, up to 200 day; default 60 s)"""
    replications: int
    """Number of independent replications per point. (1 to 100000; default 10)"""
    seed: int
    """Random seed: the same seed gives the same results. (0 to 9223372036854775807; default 1)"""
    warm_up: Literal["auto"] | Time
    """Simulated time of each replication that is not observed. (0 s to 200 day; default auto)"""


class Costs(TypedDict, total=False):
    """Host: CPU and NIC costs of a packet."""

    ack: Time
    """CPU time to send and receive a segment without data, such as an acknowledgement. (0 s to 200 day; default 150
    µs)"""
    ack_receive_share: Quantity | float
    """Share of `ack` spent on receiving. (0 % to 100 %; default 60 %)"""
    adapter: Literal["cut-through", "store-and-forward"]
    """How the NIC moves packets between the host's memory and the link. (cut-through, store-and-forward; default
    cut-through)"""
    bus_rate: BitRate
    """Bus rate between memory and a store-and-forward NIC; by default 32 bits at 25 MHz. (1 Mbit/s to 1000 Gbit/s;
    default 800 Mbit/s)"""
    packet: Time
    """CPU time to send and receive a packet with data. (0 s to 200 day; default 280 µs)"""
    packet_receive_share: Quantity | float
    """Share of `packet` spent on receiving. (0 % to 100 %; default 60.7142857142857 %)"""
    per_byte: Time
    """CPU time to send and receive a byte of a packet's data. (0 s to 200 day; default 0.09 µs)"""
    per_byte_receive_share: Quantity | float
    """Share of `per_byte` and of `per_cluster` spent on receiving. (0 % to 100 %; default 50 %)"""
    per_cluster: Time
    """CPU time to send and receive each mbuf cluster of 2048 bytes, or part of one, of a packet's data. (0 s to 200
    day; default 0 s)"""
    receive_delay: Time
    """From a packet's last bit to the NIC's interrupt. (0 s to 200 day; default 10 µs)"""


class Erica(TypedDict, total=False):
    """ERICA parameters."""

    interval: Time
    """Measurement interval. (above 0 s, up to 200 day; default 5 ms)"""
    queue_target: Time
    """ERICA+: target queueing delay; the target utilization then follows the queue. (above 0 s, up to 200 day)"""
    utilisation: Quantity | float
    """Target utilization of the link. (1 % to 100 %; default 90 %)"""


class IntelligentMarking(TypedDict, total=False):
    """EPRCA parameters."""

    av: Quantity | float
    """AV: weight of a new rate in the mean allowed cell rate (MACR). (0 % to 100 %; default 6.25 %)"""
    dpf: Quantity | float
    """Down pressure factor (DPF): sources above this share of MACR are reduced while congested. (0 % to 100 %; default
    87.5 %)"""
    dqt: Quantity
    """Depth of queue threshold (DQT): very congested above this many cells. (0 cells to 1000000000 cells; default 1000
    cells)"""
    erf: Quantity | float
    """Explicit reduction factor (ERF): share of MACR signalled to them. (0 % to 100 %; default 93.75 %)"""
    mrf: Quantity | float
    """Major reduction factor (MRF): share of MACR signalled to all while very congested. (0 % to 100 %; default 25
    %)"""
    qt: Quantity
    """Queue threshold (QT): congested above this many cells. (0 cells to 1000000000 cells; default 500 cells)"""


class Switch(TypedDict, total=False):
    """Switch: latency, and for cells buffers, discard, EFCI marking and rate control."""

    architecture: Literal["output-fifo", "output-per-connection", "input-per-connection", "output-fifo-efci", "input-fifo"]
    """Where cells are queued, and the order of service. (output-fifo, output-per-connection, input-per-connection,
    output-fifo-efci, input-fifo; default output-fifo)"""
    buffer: Literal["unlimited"] | Quantity
    """Cells: buffer shared by the outputs of a module, or of each input. (1 cells to 1000000000 cells)"""
    buffer_share: float
    """Cells: dynamic threshold: an output holds at most this times the free space of the shared buffer; by default all
    of it. (above 0, up to 1000000)"""
    crossbar_slots: Literal["on-demand", "free-running"]
    """Crossbar: timing of its cell slots. (on-demand, free-running; default on-demand)"""
    discard: Literal["tail", "partial-packet", "early-packet"]
    """Cells: discard policy. (tail, partial-packet, early-packet; default tail)"""
    discard_threshold: Quantity
    """EPD threshold in cells; by default 80 % of the buffer. (0 cells to 1000000000 cells)"""
    erica: Erica | DataclassInstance
    """ERICA parameters. (default {})"""
    intelligent_marking: IntelligentMarking | DataclassInstance
    """EPRCA parameters. (default {})"""
    latency: Time
    """Latency from the reception of a cell (of a packet's last bit) until it is eligible at its output. (0 s to 200
    day; default 12 µs)"""
    latency_from: Literal["last-bit", "first-bit"]
    """Cells: where the latency begins. (last-bit, first-bit; default last-bit)"""
    mark_at: Literal["departure", "arrival"]
    """Which cells are marked. (departure, arrival; default departure)"""
    marking: bool
    """Cells: whether EFCI is set in data cells while the queue is long."""
    marking_ends: Quantity
    """EFCI marking ends when at most this many are queued; by default `marking_threshold`. (0 cells to 1000000000
    cells)"""
    marking_threshold: Quantity
    """EFCI marking begins when more cells than this are queued for an output. (0 cells to 1000000000 cells; default 500
    cells)"""
    matching_accepts: Literal["random", "rotating"]
    """Crossbar: which of its grants an input accepts. (random, rotating; default random)"""
    matching_grants: Literal["random", "rotating"]
    """Crossbar: which requesting input an output grants. (random, rotating; default random)"""
    matching_iterations: int
    """Crossbar: iterations of request, grant and accept per cell time. (1 to 64; default 4)"""
    module_ports: int
    """Cells: outputs per module, in the order of the switch's media. (1 to 64; default 4)"""
    rate_control: Literal["none", "intelligent-marking", "erica"]
    """Cells: explicit rate control of ABR sources. (none, intelligent-marking, erica; default none)"""
    victim: Literal["arriving", "head-of-longest", "tail-of-longest"]
    """Output-per-connection: which cell is dropped when the buffer is full. (arriving, head-of-longest,
    tail-of-longest; default arriving)"""


class Tcp(TypedDict, total=False):
    """Host: TCP parameters."""

    abe: bool
    """Alternative backoff with ECN: marks reduce cwnd to 80 % (Reno) or 85 % (CUBIC), not as losses do. (default
    False)"""
    ack_every: int
    """An ACK is sent for every this many full-sized segments received in order. (1, 2; default 2)"""
    congestion: Literal["reno", "newreno", "cubic", "dctcp", "prague", "bbr"]
    """Congestion control algorithm. (reno, newreno, cubic, dctcp, prague, bbr)"""
    delayed_ack: Time
    """Modern: delayed-ACK timeout; bsd95 uses its 200 ms timer. (0 s to 500 ms; default 40 ms)"""
    ecn: Literal["off", "passive", "classic", "accurate"]
    """Explicit congestion notification (ECN): whether queues may mark this end's data in place of drops; one end that
    asks is enough. By default off (bsd95) or passive (modern), and accurate with `congestion` dctcp or prague. DCTCP
    with classic ECN needs DCTCP at both ends. (off, passive, classic, accurate)"""
    initial_cwnd: int
    """Initial congestion window (cwnd), also after an idle period, segments; by default 1 (bsd95), or 10 and at most 14
    600 bytes (modern). (1 to 1000000)"""
    initial_ssthresh: Size
    """Initial slow-start threshold (ssthresh); by default 65 535 bytes (bsd95) or unlimited (modern). (1 B to 1024
    MiB)"""
    min_rto: Time
    """Modern: least margin of the retransmission timeout (RTO) over SRTT, the floor of 4 RTTVAR; the RTO of bsd95 is at
    least two ticks of 500 ms. (0 s to 60 s; default 200 ms)"""
    mss: Size
    """Maximum segment size (MSS): data bytes of a segment without options; by default the path MTU less IP and TCP
    headers. (88 B to 65495 B)"""
    nagle: bool
    """Nagle's algorithm: a short segment waits while data are unacknowledged (RFC 896). (default True)"""
    pacing: bool
    """Segments leave at a rate: 200 % of cwnd in a round trip of slow start, then 120 % (prague: 100 %), as with
    Linux's fq. By default only with `congestion` prague; always with bbr."""
    profile: Literal["bsd95", "modern"]
    """Parameter set from which the other keys take their defaults. (bsd95, modern; default bsd95)"""
    receive_buffer: Size
    """Receive buffer: bytes received and not yet read; bounds the advertised window. (1 B to 1024 MiB)"""
    recovery: Literal["sack", "rack"]
    """How losses are detected and recovered from; `congestion` bbr always has `rack`. (sack, rack; default sack)"""
    sack: bool
    """Selective acknowledgements (RFC 2018)."""
    send_buffer: Size
    """Send buffer: bytes written and not yet acknowledged. (1 B to 1024 MiB)"""
    timestamps: bool
    """Timestamps option (RFC 7323)."""
    window_scaling: bool
    """Window scale option: windows above 65 535 bytes (RFC 7323)."""


class Wire(TypedDict, total=False):
    """Packets: place on a shared wire, and PLCA there."""

    max_bc: int
    """Frames beyond the first in an opportunity of PLCA (max_bc). (0 to 255; default 0)"""
    plca_id: int
    """ID of PLCA (local_nodeID), of the first member; the others follow. 255: the station does without PLCA. By default
    the first that is free, in the order of stations. (0 to 255)"""
    position: Length
    """Place along a shared wire; by default stations are evenly spaced over its length. (0 m to 100 km)"""
    position_step: Length
    """Distance along a shared wire from one member of the station to the next; by default 1 m. (0 m to 100 km)"""
    same_id: bool
    """Whether the members all have the ID `plca_id`, which others may have as well; two nodes of one ID are refused
    otherwise. (default False)"""
    stub: Length
    """Length between a shared wire and the station. (0 m to 1 km; default 0 m)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    costs: Costs | DataclassInstance
    """Host: CPU and NIC costs of a packet. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    switch: Switch | DataclassInstance
    """Switch: latency, and for cells buffers, discard, EFCI marking and rate control. (default {})"""
    tcp: Tcp | DataclassInstance
    """Host: TCP parameters. (default {})"""
    type: Literal["host", "switch"]
    """Kind of station. (host, switch; default host)"""
    wire: Wire | DataclassInstance
    """Packets: place on a shared wire, and PLCA there. (default {})"""


class Station(TypedDict, total=False):
    """Station."""

    costs: Costs | DataclassInstance
    """Host: CPU and NIC costs of a packet. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    switch: Switch | DataclassInstance
    """Switch: latency, and for cells buffers, discard, EFCI marking and rate control. (default {})"""
    tcp: Tcp | DataclassInstance
    """Host: TCP parameters. (default {})"""
    type: Literal["host", "switch"]
    """Kind of station. (host, switch; default host)"""
    wire: Wire | DataclassInstance
    """Packets: place on a shared wire, and PLCA there. (default {})"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="switched-lan")`."""

    kind: Required[Literal["switched-lan"]]
    """The kind of network."""
    name: str
    """What results are called."""
    abr: Abr | DataclassInstance
    """Cells: parameters of ABR sources and destinations."""
    background: Background | DataclassInstance
    """Bulk transfers that load the network during the probe."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Requests over UDP or TCP, datagrams in one direction, a bulk transfer or calls between two hosts."""
    lan: Lan | DataclassInstance
    """Parameters of all links and virtual circuits."""
    media: Sequence[Medium | DataclassInstance]
    """Identical links: one between two stations, or one from a switch to each of its hosts on this medium; or a wire
    that all stations on it share."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    probe: Probe | DataclassInstance
    """The measured echo: a client's UDP requests to a server, in a closed loop."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance]
    """A host or a switch, or several identical ones."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
