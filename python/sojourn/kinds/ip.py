# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""IP networks: response time of requests over UDP and TCP during bulk transfers, over links with rate, delay, loss, MTU
and queues."""

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


class Agent(TypedDict, total=False):
    """Agent."""

    address: Required[str]
    """Address of the agent, HOST or HOST:PORT, by which the coordinator and the other agents reach it."""
    name: Required[str]
    """Its name: letters, digits, - and _."""


Background = TypedDict(
    "Background",
    {
        # Bulk: how its TCP connection is established. (handshake, established; default handshake)
        "connection": 'Literal["handshake", "established"]',
        # Direction of the transfers. (forward, backward, alternating; default forward)
        "direction": 'Literal["forward", "backward", "alternating"]',
        # The senders, in turn; without it there is no background traffic.
        "from": "str | Sequence[str]",
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
        # Echo, request: whether each sender asks all of `to` in turn, a server named twice twice in a round, one
        # request at a time: a late response delays the requests behind it. Think time and interval are from request to
        # request of the round. By default a sender has one server.
        "poll": "bool",
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
        # Voice: its calls, their codec and jitter buffers.
        "voice": "Voice | DataclassInstance",
        # Bulk: bytes per write call. (1 B to 1024 MiB; default 8192 B)
        "write": "Size",
    },
    total=False,
)
"""."""


class Load(TypedDict, total=False):
    """Load."""

    congestion: str
    """TCP: congestion control of the sender, by its name in the system (`cubic`); without it the system's default."""
    direction: Literal["up", "down"]
    """Direction of the data. (up, down; default up)"""
    dscp: int
    """Differentiated services code point of its data, in either direction, and of this host's acknowledgements. (0 to
    63; default 0)"""
    name: str
    """Its name in metrics; without it transport and direction."""
    pace: BitRate
    """TCP: rate limit of each stream (SO_MAX_PACING_RATE). (above 0 bit/s, up to 400 Gbit/s)"""
    rate: BitRate
    """UDP: payload bits per second of each stream. (above 0 bit/s, up to 400 Gbit/s)"""
    size: Size
    """UDP: payload of a datagram. (64 B to 65507 B; default 1400 B)"""
    start: Time
    """When it starts, from the start of the loaded phase. (0 s to 24 h; default 0 s)"""
    stop: Time
    """When it stops; without it at the end of the loaded phase. (above 0 s, up to 24 h)"""
    streams: int
    """Number of streams. (1 to 1000; default 1)"""
    transport: Literal["tcp", "udp"]
    """Transport protocol. (tcp, udp; default tcp)"""


class Voice2(TypedDict, total=False):
    """Requests are a voice stream, rated by the E-model."""

    buffer: Time
    """Speech that the jitter buffer holds, at least one packet. (125 us to 60 s; default 200 ms)"""
    codec: Literal["g711", "g711-plain", "g729a", "g722", "amr-wb-12.65", "amr-wb-23.05", "amr-wb-23.85", "evs-9.6", "evs-13.2", "evs-16.4", "evs-24.4", "evs-32", "evs-48", "opus-16", "opus-28", "opus-40"]
    """Codec. (g711, g711-plain, g729a, g722, amr-wb-12.65, amr-wb-23.05, amr-wb-23.85, evs-9.6, evs-13.2, evs-16.4,
    evs-24.4, evs-32, evs-48, opus-16, opus-28, opus-40; default g711)"""
    packet_time: Time
    """Speech in a packet, and the interval between packets. (125 us to 200 ms; default 20 ms)"""
    playout_delay: Time
    """Playout delay of the first packet. (0 s to 60 s; default 40 ms)"""


class Measure(TypedDict, total=False):
    """How a real network is measured: the peer, when requests are sent, and how packets leave this host."""

    bind: str
    """Address of this host that requests are sent from; without it the system chooses."""
    body: str
    """Body of requests, which are POST then."""
    burst: int
    """Schedule burst: requests sent back to back. (2 to 1000; default 10)"""
    ca_file: str
    """File of the authorities, or of the server's own certificate, that are trusted, in PEM; without it the
    system's."""
    clock_error: Time
    """Clocks synchronised: largest difference of the two; without it the sum of what both hosts state. (above 0 s, up
    to 10 s)"""
    clocks: Literal["estimated", "synchronised"]
    """What one-way delays are measured by. (estimated, synchronised; default estimated)"""
    connection: Literal["new", "kept"]
    """Connections of requests over HTTP. (new, kept; default new)"""
    contains: str
    """Text that the first MiB of an answer has to contain, else it is a failure."""
    dscp: int
    """Differentiated services code point of requests. (0 to 63; default 0)"""
    ecn: int
    """ECN field of requests: 0 not-ECT, 1 ECT(1), 2 ECT(0), 3 CE. (0 to 3; default 0)"""
    header: str | Sequence[str]
    """Header fields of requests: "Accept: application/json"."""
    http_version: Literal["1.1", "2"]
    """Version of HTTP; without it, over TLS as the server prefers (ALPN), else 1.1. (1.1, 2)"""
    idle: Time
    """How long the idle network is measured before a [[load]]. (0 s to 24 h; default 5 s)"""
    inject_loss: Quantity | float
    """For tests: share of this host's own datagrams that it drops before sending. (0 % to 99.99 %; default 0 %)"""
    insecure: bool
    """Take any certificate of the server: the measurement is not secret, nor sure of its peer. (default False)"""
    key_file: str
    """File of the key shared with the peer, mode 0600 or 0440; without it $SOJOURN_KEY."""
    method: Literal["get", "post"]
    """Method of requests. (get, post; default get)"""
    no_cpu_idle: bool
    """Keep this host's processors out of C-states (PM QoS) during the test; as root. (default False)"""
    outage_limit: Time
    """The measurement ends in an outage longer than this; without it, it goes on through any outage. (1 s to 24 h)"""
    pacing: Literal["hybrid", "sleep", "spin"]
    """How scheduled send times are met; without it as calibration finds best. (hybrid, sleep, spin)"""
    peer: str
    """URL of the peer, as sojourn://HOST; `sojourn measure --help` lists the schemes."""
    pin: str
    """The one certificate of the server that is taken: sha256:HEX."""
    rate: Rate
    """Open loop: requests per second. (1 /h to 1e6 /s; default 100 /s)"""
    recovery: Time
    """How long the network is measured after a [[load]]. (0 s to 24 h; default 5 s)"""
    schedule: Literal["periodic", "poisson", "burst", "ping-pong"]
    """When requests leave; without it periodic, or the closed loop of a [probe] between stations. (periodic, poisson,
    burst, ping-pong)"""
    status: str
    """Statuses that do not count as failures: "200-299,401"; without it those below 400."""
    transport: Literal["udp", "tcp"]
    """Transport protocol of requests and responses. (udp, tcp; default udp)"""
    voice: Voice2 | DataclassInstance
    """Requests are a voice stream, rated by the E-model."""


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

    delay: Time
    """Propagation delay of a link in addition to that of its length. (0 s to 200 day; default 0 s)"""
    framing_overhead: Size
    """Packets: bytes per packet on the link in addition to the IP packet; for Ethernet preamble, header, FCS and
    interframe gap. (0 B to 1000 B; default 38 B)"""
    jitter: Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedJitter | DataclassInstance
    """Packets: uniform random delay up to this, added to the delay of each packet, or its distribution. (0 s to 200
    day; default 0 s)"""
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
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: FifoQueue | CodelQueue | PieQueue | RedQueue | Dualpi2Queue | DrrQueue | FqCodelQueue | CakeQueue | PriorityQueue | HtbQueue | DataclassInstance
    """Packets: queue discipline (qdisc) before the link, at both ends."""
    queue_back: FifoQueue | CodelQueue | PieQueue | RedQueue | Dualpi2Queue | DrrQueue | FqCodelQueue | CakeQueue | PriorityQueue | HtbQueue | DataclassInstance
    """Queue discipline before that direction; by default that of `queue`."""
    rate: Literal["unlimited"] | BitRate
    """Link rate, bits per second in each direction, framing included. (1 kbit/s to 1000 Gbit/s; default 1 Gbit/s)"""
    rate_back: Literal["unlimited"] | BitRate
    """Link rate of the other direction: to the router, or between two routers or two hosts to the one declared first;
    by default `rate`. (1 kbit/s to 1000 Gbit/s)"""
    rate_trace: str
    """File with the link's rate over time, in place of `rate`: a packet-delivery trace of Mahimahi, or CSV with time
    (s) and rate (bit/s)."""
    rate_trace_back: str
    """The same of the other direction: to the router, or between two routers or two hosts to the one declared first; by
    default that of `rate_trace`."""
    reordering: bool
    """Packets: whether jitter reorders packets. (default False)"""


class Mesh(TypedDict, total=False):
    """Agents that measure each other (`sojourn mesh`): the requests of each to each other."""

    dscp: int
    """Differentiated services code point of requests. (0 to 63; default 0)"""
    key_file: str
    """File of the key that all agents share, mode 0600 or 0440; without it: $SOJOURN_KEY."""
    rate: Rate
    """Requests per second of each agent to each other, open loop. (1 /min to 1000 /s; default 1 /s)"""
    size: Size
    """User data of a request. (64 B to 65507 B; default 64 B)"""
    timeout: Time
    """Response timeout: later responses count as late. (above 0 s, up to 1 min; default 1 s)"""


class Monitor(TypedDict, total=False):
    """Monitoring without an end (`sojourn monitor`): windows, alerts and what is kept."""

    clear_after: int
    """Windows in a row that meet it before the alert is cleared. (1 to 1000; default 2)"""
    disk: Size
    """Largest size of all files of windows: the oldest is deleted when they exceed it. (10 MB to 10000000 MB; default
    1000 MB)"""
    metrics: str
    """Address and port of the OpenMetrics endpoint, HTTP without encryption; "off" for none. (default
    127.0.0.1:18621)"""
    quiet: str | Sequence[str]
    """Times in which no alert is raised or cleared, UTC: "22:00-06:00", "sat-sun 00:00-24:00"."""
    raise_after: int
    """Windows in a row that miss a condition of [expect] before it is an alert. (1 to 1000; default 2)"""
    window: Time
    """Length of a window, which has metrics of its own. (1 s to 1 h; default 60 s)"""


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
        # XTP: requests and their responses, one after the other. (0 to 1000000000; default 1000)
        "round_trips": "int",
        # Echo, request: minimum time from a whole request at the server to its response, or its distribution; by
        # default 0 s. (0 s to 200 day)
        "server_time": "Time | ExponentialInterval | DeterministicInterval | NormalInterval | GammaInterval | LognormalInterval | WeibullInterval | EmpiricalInterval | RecordedInterval | DataclassInstance",
        # Echo, request: a uniform random time up to this is added to the server time; by default 0 s. (0 s to 200 day)
        "server_time_spread": "Time",
        # Echo: user data of a request and of its response; of a datagram at most 65507 B. (1 B to 1 MiB; default 64 B)
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
    """CPU time to send and receive a segment without data, such as an acknowledgement. (0 s to 200 day; default 0 s)"""
    ack_receive_share: Quantity | float
    """Share of `ack` spent on receiving. (0 % to 100 %; default 60 %)"""
    adapter: Literal["cut-through", "store-and-forward"]
    """How the NIC moves packets between the host's memory and the link. (cut-through, store-and-forward; default
    cut-through)"""
    bus_rate: BitRate
    """Bus rate between memory and a store-and-forward NIC; by default 32 bits at 25 MHz. (1 Mbit/s to 1000 Gbit/s;
    default 800 Mbit/s)"""
    packet: Time
    """CPU time to send and receive a packet with data. (0 s to 200 day; default 0 s)"""
    packet_receive_share: Quantity | float
    """Share of `packet` spent on receiving. (0 % to 100 %; default 60.7142857142857 %)"""
    per_byte: Time
    """CPU time to send and receive a byte of a packet's data. (0 s to 200 day; default 0 s)"""
    per_byte_receive_share: Quantity | float
    """Share of `per_byte` and of `per_cluster` spent on receiving. (0 % to 100 %; default 50 %)"""
    per_cluster: Time
    """CPU time to send and receive each mbuf cluster of 2048 bytes, or part of one, of a packet's data. (0 s to 200
    day; default 0 s)"""
    receive_delay: Time
    """From a packet's last bit to the NIC's interrupt. (0 s to 200 day; default 0 s)"""


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
    """Parameter set from which the other keys take their defaults. (bsd95, modern; default modern)"""
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


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    costs: Costs | DataclassInstance
    """Host: CPU and NIC costs of a packet. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    forwarding_delay: Time
    """Router: delay from a packet's last bit until it joins the queue of its next link. (0 s to 200 day; default 0
    s)"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    tcp: Tcp | DataclassInstance
    """Host: TCP parameters. (default {})"""
    type: Literal["host", "router"]
    """Kind of station. (host, router; default host)"""


class Station(TypedDict, total=False):
    """Station."""

    costs: Costs | DataclassInstance
    """Host: CPU and NIC costs of a packet. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    forwarding_delay: Time
    """Router: delay from a packet's last bit until it joins the queue of its next link. (0 s to 200 day; default 0
    s)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    tcp: Tcp | DataclassInstance
    """Host: TCP parameters. (default {})"""
    type: Literal["host", "router"]
    """Kind of station. (host, router; default host)"""


class Target(TypedDict, total=False):
    """Target."""

    addresses: Literal["first", "all"]
    """Which addresses of the peer's name are measured. (first, all; default first)"""
    bind: str
    """Address of this host that requests are sent from; without it the system chooses."""
    body: str
    """Body of requests, which are POST then."""
    ca_file: str
    """File of the authorities, or of the server's own certificate, that are trusted, in PEM; without it the
    system's."""
    connection: Literal["new", "kept"]
    """Connections of requests over HTTP. (new, kept; default new)"""
    contains: str
    """Text that the first MiB of an answer has to contain, else it is a failure."""
    dscp: int
    """Differentiated services code point of requests. (0 to 63; default 0)"""
    expect: str | Sequence[str]
    """Conditions of this target, besides [expect]: "response_time.p99 < 20 ms"."""
    header: str | Sequence[str]
    """Header fields of requests: "Accept: application/json"."""
    http_version: Literal["1.1", "2"]
    """Version of HTTP; without it, over TLS as the server prefers (ALPN), else 1.1. (1.1, 2)"""
    insecure: bool
    """Take any certificate of the server: the measurement is not secret, nor sure of its peer. (default False)"""
    key_file: str
    """File of the key shared with the peer, mode 0600 or 0440; agents (sojourn://) without it: $SOJOURN_KEY."""
    load_duration: Time
    """How long the path is loaded each time. (1 s to 10 min; default 10 s)"""
    load_every: Time
    """Sojourn://: interval between times under the [[load]] of the document; without it never. (1 min to 30 day)"""
    method: Literal["get", "post"]
    """Method of requests. (get, post; default get)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    peer: Required[str]
    """URL of the peer of a timed test, as sojourn://HOST; `sojourn measure --help` lists the schemes."""
    pin: str
    """The one certificate of the server that is taken: sha256:HEX."""
    quiet: str | Sequence[str]
    """Times without alerts of this target, besides those of [monitor]."""
    rate: Rate
    """Requests per second, open loop. (1 /min to 1000 /s; default 10 /s)"""
    schedule: Literal["periodic", "poisson"]
    """When requests leave. (periodic, poisson; default periodic)"""
    size: Size
    """User data of a request: 64 B at least of sojourn://, 44 B of stamp://, whose headers fill that. (16 B to 65507 B;
    default 64 B)"""
    status: str
    """Statuses that do not count as failures: "200-299,401"; without it those below 400."""
    timeout: Time
    """Response timeout: later responses count as late. (above 0 s, up to 1 min; default 1 s)"""
    transport: Literal["udp", "tcp"]
    """Sojourn://: transport protocol of requests and responses. (udp, tcp; default udp)"""


class Xtp(TypedDict, total=False):
    """Measurements over XTP associations."""

    packet_size: Size
    """Data bytes of a packet; 1440 B fill an Ethernet frame with the headers of XTP, UDP and IPv4. (1 B to 65000 B;
    default 1440 B)"""
    transfer: Size
    """Bytes of a bulk transfer; 0 B for none. (0 B to 1048576 MiB; default 10 MiB)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="ip")`."""

    kind: Required[Literal["ip"]]
    """The kind of network."""
    name: str
    """What results are called."""
    agents: Sequence[Agent | DataclassInstance]
    """An agent that measures all others and is measured by them: `sojourn agent --measures NETWORK` there."""
    background: Background | DataclassInstance
    """Bulk transfers that load the network during the probe."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Requests over UDP or TCP, datagrams in one direction, a bulk transfer or calls between two hosts."""
    loads: Sequence[Load | DataclassInstance]
    """Traffic that loads the path between an idle phase and a recovery phase."""
    measure: Measure | DataclassInstance
    """How a real network is measured: the peer, when requests are sent, and how packets leave this host."""
    media: Sequence[Medium | DataclassInstance]
    """Identical links: one between two stations, or one from a router to each of its hosts on this medium."""
    mesh: Mesh | DataclassInstance
    """Agents that measure each other (`sojourn mesh`): the requests of each to each other."""
    monitor: Monitor | DataclassInstance
    """Monitoring without an end (`sojourn monitor`): windows, alerts and what is kept."""
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
    """A host or a router, or several identical ones."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    targets: Sequence[Target | DataclassInstance]
    """A peer that `sojourn monitor` sends requests to, besides all others."""
    title: str
    """Title of the scenario. (default )"""
    xtp: Xtp | DataclassInstance
    """Measurements over XTP associations."""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
