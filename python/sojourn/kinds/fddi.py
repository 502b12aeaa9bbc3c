# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""FDDI token rings with hosts that carry voice and data over XTP: latency, channels, load, loss, multicast."""

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


Background = TypedDict(
    "Background",
    {
        # Arrival process of the bursts. (periodic, poisson; default periodic)
        "arrivals": 'Literal["periodic", "poisson"]',
        # Frames per burst; also the maximum per token with multiple-packets-per-token. (1 to 1000000; default 15)
        "burst": "int",
        # Service class of its frames. (synchronous, asynchronous; default synchronous)
        "class": 'Literal["synchronous", "asynchronous"]',
        # Clock error of the generator: its intervals are this share shorter than `rate` implies. (0 % to 50 %; default
        # 0 %)
        "clock_error": "Quantity | float",
        # Frames per token. (single-packet-per-token, multiple-packets-per-token; default single-packet-per-token)
        "discipline": 'Literal["single-packet-per-token", "multiple-packets-per-token"]',
        # Frame length, from frame control to frame check sequence. (17 B to 4495 B; default 4167 B)
        "frame": "Size",
        # Asynchronous priority of its frames; 7 is the highest. (0 to 7; default 0)
        "priority": "int",
        # Offered load, from frame control to frame check sequence; 0 bit/s: none. (0 bit/s to 1 Gbit/s; default 0
        # bit/s)
        "rate": "BitRate",
        # Synchronous allocation: time for synchronous frames per token. (0 s to 165 ms; default shared)
        "synchronous_allocation": 'Literal["shared"] | Time',
    },
    total=False,
)
"""Traffic generator on the first ring; its frames have no receiver."""


class Event(TypedDict, total=False):
    """Event."""

    action: Required[Literal["power-down", "power-up", "restart", "down", "up", "start", "stop", "burst", "set"]]
    """What happens. (power-down, power-up, restart, down, up, start, stop, burst, set)"""
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
    size: int
    """Of a burst: messages of each flow at once. (1 to 1000000; default 1)"""
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


class ExponentialThink(TypedDict, total=False):
    """Exponentially distributed."""

    kind: Required[Literal["exponential"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class DeterministicThink(TypedDict, total=False):
    """Constant."""

    kind: Required[Literal["deterministic"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class NormalThink(TypedDict, total=False):
    """Normally distributed, truncated at zero."""

    deviation: float
    """Coefficient of variation: standard deviation divided by the mean. (0 to 0.3; default 0.1)"""
    kind: Required[Literal["normal"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class GammaThink(TypedDict, total=False):
    """Gamma-distributed."""

    kind: Required[Literal["gamma"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""
    shape: Required[float]
    """Shape: the coefficient of variation is 1 / sqrt(shape); 1 is exponential, a whole number Erlang. (0.05 to
    10000)"""


class LognormalThink(TypedDict, total=False):
    """Lognormally distributed."""

    deviation: Required[float]
    """Coefficient of variation: standard deviation divided by the mean. (0 to 5)"""
    kind: Required[Literal["lognormal"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""


class WeibullThink(TypedDict, total=False):
    """Weibull-distributed."""

    kind: Required[Literal["weibull"]]
    """Which of the forms it is."""
    mean: Required[Time]
    """Mean. (above 0 s, up to 200 day)"""
    shape: Required[float]
    """Shape: below 1 the tail is heavier than an exponential one, 1 is exponential, 3.6 nearly normal. (0.3 to 100)"""


class EmpiricalThink(TypedDict, total=False):
    """Drawn from measured times."""

    column: str
    """The column of the file, by its title; by default its only one."""
    file: str
    """A CSV file with the values in seconds, relative to the scenario; in place of values."""
    kind: Required[Literal["empirical"]]
    """Which of the forms it is."""
    values: Time | Sequence[Time]
    """The values, each as likely as the others; in place of a file. (0 s to 200 day)"""


class SaturatingArrivals(TypedDict, total=False):
    """Closed loop: the next message when the last one is complete."""

    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    kind: Required[Literal["saturating"]]
    """Which of the forms it is."""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""
    think: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """Think time between the end of one message and the next, or its distribution. (0 s to 200 day; default 0 s)"""


Flow = TypedDict(
    "Flow",
    {
        # Messages: arrival process.
        "arrivals": "PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | DataclassInstance",
        # Voice: simultaneous channels, one stream each. (1 to 100000; default 1)
        "channels": "int",
        # XTP: checksum over the data; off sets NOCHECK. Its cost is part of the hosts' per_byte. (default True)
        "checksum": "bool",
        # Service class of its frames and of their acknowledgements. (synchronous, asynchronous; default synchronous)
        "class": 'Literal["synchronous", "asynchronous"]',
        # Voice: rates each channel in real time (`mos`, `r_factor`) and encodes its packets; without it they are G.711
        # and not rated. (g711, g711-plain, g729a, g722, amr-wb-12.65, amr-wb-23.05, amr-wb-23.85, evs-9.6, evs-13.2,
        # evs-16.4, evs-24.4, evs-32, evs-48, opus-16, opus-28, opus-40)
        "codec": 'Literal["g711", "g711-plain", "g729a", "g722", "amr-wb-12.65", "amr-wb-23.05", "amr-wb-23.85", "evs-9.6", "evs-13.2", "evs-16.4", "evs-24.4", "evs-32", "evs-48", "opus-16", "opus-28", "opus-40"]',
        # Bulk and messages: user data per packet. (1 B to 4495 B; default 1024 B)
        "data": "Size",
        # XTP: FASTNAK; the receiver reports a gap at once, without a status request. (default False)
        "fast_nak": "bool",
        # Voice: depth of the codec FIFOs at both ends, in packets of `samples`. (1 to 1000000; default 2)
        "fifo_packets": "int",
        # XTP: flow control; off sets NOFLOW, and the sender ignores the window. (default True)
        "flow_control": "bool",
        # Sender; each member of a station with count sends independently.
        "from": "Required[str | Sequence[str]]",
        # Voice: jitter buffer by which a codec's channels are rated; by default fixed. (fixed, adaptive)
        "jitter_buffer": 'Literal["fixed", "adaptive"]',
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # XTP: data packets per status request, with `after-packets`. (1 to 1000000; default 1)
        "packets_per_request": "int",
        # Talkspurts: mean length of a pause; by default 1.587 s (ITU-T P.59). (above 0 s, up to 1 h)
        "pause": "Time",
        # Voice: playout delay: from the first delivery until the receiving codec takes its first sample. (0 s to 200
        # day; default half-packet)
        "playout_delay": 'Literal["half-packet"] | Time',
        # Asynchronous priority; 7 is the highest. (0 to 7; default 0)
        "priority": "int",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # XTP: option bit of a status request. (status, delivery, edge; default status)
        "request_option": 'Literal["status", "delivery", "edge"]',
        # XTP: retransmission policy. (automatic, selective, go-back-n, none; default automatic)
        "retransmission": 'Literal["automatic", "selective", "go-back-n", "none"]',
        # XTP: unanswered status requests after which the association is aborted. (0 to 255; default 6)
        "retry_count": "int",
        # Voice: speech in a packet, in samples of 125 µs; of one byte each but with another codec. (1 to 65535; default
        # 128)
        "samples": "int",
        # XTP: BURST; user data sent back to back, once every send_burst / send_rate; a packet is never split. (1 B to
        # 1024 MiB; default packet)
        "send_burst": 'Literal["packet"] | Size',
        # XTP: RATE; maximum rate of user data, averaged over bursts. (8 bit/s to 1 Gbit/s; default unlimited)
        "send_rate": 'Literal["unlimited"] | BitRate',
        # XTP: SORT; a host serves its associations lowest value first. Associations without a value come last. (0 to
        # 65535)
        "sort_priority": "int",
        # Voice: when packets are sent; by default continuously. (continuous, talkspurts)
        "speech": 'Literal["continuous", "talkspurts"]',
        # XTP: which data packets request an acknowledgement. (after-packets, after-messages, never; default after-
        # packets)
        "status_requests": 'Literal["after-packets", "after-messages", "never"]',
        # Talkspurts: mean length of one; by default 1.004 s (ITU-T P.59). (above 0 s, up to 1 h)
        "talkspurt": "Time",
        # Receiver, list of receivers (multicast), or `none`.
        "to": "Required[str | Sequence[str]]",
        # Traffic of the flow. (voice, bulk, messages)
        "traffic": 'Required[Literal["voice", "bulk", "messages"]]',
        # Transport protocol. (xtp, datagram; default xtp)
        "transport": 'Literal["xtp", "datagram"]',
        # XTP: window, in packets that may be in flight unacknowledged. (1 to 1000000; default 32)
        "window": "int",
        # XTP: minimum of WTIMER, the timeout of a status request. (1 µs to 1 h; default 50 ms)
        "wtimer_min": "Time",
    },
    total=False,
)
"""."""


class Impairment(TypedDict, total=False):
    """Injected losses."""

    frame_loss: Quantity | float
    """Frame loss: share of frames with a bad frame check sequence. (0 % to 100 %; default 0 %)"""
    token_loss: Rate
    """Rate at which the token of each ring is lost (Poisson). (0 /s to 1e6 /s; default 0 /s)"""
    unacknowledged: Quantity | float
    """Share of received voice packets that are not acknowledged. (0 % to 100 %; default 0 %)"""
    unacknowledged_data: Literal["delivered", "lost"]
    """What happens to the data of an unacknowledged packet. (delivered, lost; default delivered)"""


class Medium(TypedDict, total=False):
    """Medium."""

    bypass_time: Time
    """Events: how long the ring is interrupted while a station that loses or gets power is bypassed or enters; by
    default 25 ms, I_Max of ANSI X3.229. (0 s to 1 s)"""
    enforce_allocation: bool
    """Stations observe their synchronous allocations; in the standard only station management checks them. (default
    True)"""
    idle_macs: int
    """Further MACs that only repeat; a ring has at most 1000. (0 to 1000; default 0)"""
    length: Length
    """Circumference of the ring, divided evenly between its stations; 5.085 µs/km. (0 m to 200 km; default 0.1 km)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    station_latency: Time
    """Latency of each station as a repeater. (1 ns to 1 ms; default 1 µs)"""
    ttrt: Time
    """Target token rotation time (TTRT) its stations bid, 4 ms to 165 ms; the lowest bid wins. (above 0 s, up to 200
    day; default 8 ms)"""


Messages = TypedDict(
    "Messages",
    {
        # Messages go over XTP; off: datagrams. (default False)
        "acknowledged": "bool",
        # Arrival process. (poisson, periodic, after-write; default poisson)
        "arrivals": 'Literal["poisson", "periodic", "after-write"]',
        # Service class of their frames. (synchronous, asynchronous; default asynchronous)
        "class": 'Literal["synchronous", "asynchronous"]',
        # User data of a short message. (1 B to 4495 B; default 40 B)
        "data": "Size",
        # Sender of the messages. (sender, both; default sender)
        "from": 'Literal["sender", "both"]',
        # User data of a long message. (1 B to 4495 B; default 512 B)
        "long_data": "Size",
        # Share of long messages. (0 % to 100 %; default 50 %)
        "long_share": "Quantity | float",
        # Asynchronous priority of their frames; 7 is the highest. (0 to 7; default 0)
        "priority": "int",
        # Messages per second; 0 /s: none. (0 /s to 1e6 /s; default 0 /s)
        "rate": "Rate",
    },
    total=False,
)
"""Short messages between the hosts of the probed voice."""


class Network(TypedDict, total=False):
    """Kind of network, and keys of the whole network."""

    decodable_capture: bool
    """Captures write synchronous frames as asynchronous ones, because Wireshark decodes the contents of those only.
    (default True)"""
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


class Probe(TypedDict, total=False):
    """Measurement of a probed voice flow: exchanges, a bulk stream, then voice in real time."""

    exchanges: int
    """Exchanges timed per replication; 0 skips them. With events, any number takes all of run.duration. (0 to 1000000;
    default 1000)"""
    measure: Literal["half-round-trip", "one-way"]
    """How the response time of voice is measured. (half-round-trip, one-way; default half-round-trip)"""
    paced: Time
    """How long all channels run in real time, to observe the FIFOs; 0 s skips it. With events, any time takes all of
    run.duration. (0 s to 200 day; default 10 s)"""
    transfer: Size
    """Bulk data sent to measure throughput and voice channels; 0 B skips it. (0 B to 1024 MiB; default 1 MiB)"""


class Question(TypedDict, total=False):
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""

    asked: str
    """A value to judge: whether all of [expect] is met with it."""
    text: str
    """The question as text; the report puts the result under it."""
    vary: str
    """The key in question and its range: KEY=LOW:HIGH UNIT."""


class Ring(TypedDict, total=False):
    """Keys of the ring in a network of one ring."""

    bypass_time: Time
    """Events: how long the ring is interrupted while a station that loses or gets power is bypassed or enters; by
    default 25 ms, I_Max of ANSI X3.229. (0 s to 1 s)"""
    enforce_allocation: bool
    """Stations observe their synchronous allocations; in the standard only station management checks them. (default
    True)"""
    idle_macs: int
    """Further MACs that only repeat; a ring has at most 1000. (0 to 1000; default 0)"""
    length: Length
    """Circumference of the ring, divided evenly between its stations; 5.085 µs/km. (0 m to 200 km; default 0.1 km)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    station_latency: Time
    """Latency of each station as a repeater. (1 ns to 1 ms; default 1 µs)"""
    ttrt: Time
    """Target token rotation time (TTRT) its stations bid, 4 ms to 165 ms; the lowest bid wins. (above 0 s, up to 200
    day; default 8 ms)"""


class Router(TypedDict, total=False):
    """Routers between the senders and the receivers of the probed voice."""

    count: int
    """Number of routers; the network has one ring more. (0 to 100; default 0)"""
    delay: Time
    """Forwarding delay of each router, independent of packet length. (0 s to 200 day; default 1 ms)"""
    rate: Rate
    """Maximum forwarding rate of each router, in packets per second. (above 0 /s, up to 1e9 /s; default 2000 /s)"""


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
    """CPU and adapter time of each step."""

    adapter_copy_per_byte: Time
    """Adapter DMA time per byte of user data; takes no CPU time. (0 s to 200 day; default 0.0288 µs)"""
    discard: Time
    """CPU time to discard a broadcast frame addressed to others. (0 s to 200 day; default 250 µs)"""
    long_packet: Time
    """Extra CPU time, on each side, of a packet longer than long_packet_above. (0 s to 200 day; default 0 s)"""
    long_packet_above: Size
    """User data that fits into the first buffer segment. (0 B to 4495 B; default 256 B)"""
    multicast_receive: Time
    """Extra CPU time to receive a multicast packet. (0 s to 200 day; default 0 s)"""
    multicast_send: Time
    """Extra CPU time to send a multicast packet. (0 s to 200 day; default 0 s)"""
    per_byte: Time
    """CPU time per byte of user data, sent or received. (0 s to 200 day; default 0.5453 µs)"""
    receive_control: Time
    """CPU time to receive a control packet (CNTL). (0 s to 200 day; default 773 µs)"""
    receive_packet: Time
    """CPU time to receive a data packet. (0 s to 200 day; default 1361 µs)"""
    send_control: Time
    """CPU time to build and send a control packet (CNTL). (0 s to 200 day; default 250 µs)"""
    send_packet: Time
    """CPU time to send a data packet. (0 s to 200 day; default 1361 µs)"""
    timer_interrupt: Time
    """CPU time of a timer interrupt, which preempts all other work. (0 s to 1 s; default 0 s)"""


class PriorityThresholds(TypedDict, total=False):
    """T_Pri of each asynchronous priority; a higher threshold keeps the priority off a loaded ring."""

    priority_0: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_1: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_2: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_3: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_4: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_5: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_6: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""
    priority_7: Time
    """Frames of this priority are sent while the token holding timer (THT) exceeds this (T_Pri). (0 s to 165 ms;
    default 0 s)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    acknowledges: Literal["at-delivery", "before-delivery", "after-user"]
    """When a data packet is acknowledged. (at-delivery, before-delivery, after-user; default at-delivery)"""
    asynchronous_discipline: Literal["single-packet-per-token", "multiple-packets-per-token"]
    """Asynchronous frames per token. (single-packet-per-token, multiple-packets-per-token; default
    single-packet-per-token)"""
    clock_tick: Time
    """Resolution of its clock; 0 s: exact. (0 s to 1 s; default 81.3 µs)"""
    costs: Costs | DataclassInstance
    """CPU and adapter time of each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    message_priority: Literal["equal", "lower"]
    """CPU scheduling of message packets. (equal, lower; default equal)"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    packets_per_token: int
    """Maximum frames of a class per token, with multiple-packets-per-token. (1 to 1000000; default 15)"""
    priority_thresholds: PriorityThresholds | DataclassInstance
    """T_Pri of each asynchronous priority; a higher threshold keeps the priority off a loaded ring. (default {})"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    synchronous_allocation: Literal["shared"] | Time
    """Synchronous allocation: time for synchronous frames per token. (0 s to 165 ms; default shared)"""
    synchronous_discipline: Literal["single-packet-per-token", "multiple-packets-per-token"]
    """Synchronous frames per token. (single-packet-per-token, multiple-packets-per-token; default
    single-packet-per-token)"""
    timer_interval: Time
    """Period of the operating system's timer interrupt; 0 s: none. (0 s to 200 day; default 0 s)"""
    ttrt: Time
    """Target token rotation time (TTRT) it bids, 4 ms to 165 ms; the ring's if left out. (above 0 s, up to 200 day)"""


class Station(TypedDict, total=False):
    """Station."""

    acknowledges: Literal["at-delivery", "before-delivery", "after-user"]
    """When a data packet is acknowledged. (at-delivery, before-delivery, after-user; default at-delivery)"""
    asynchronous_discipline: Literal["single-packet-per-token", "multiple-packets-per-token"]
    """Asynchronous frames per token. (single-packet-per-token, multiple-packets-per-token; default
    single-packet-per-token)"""
    clock_tick: Time
    """Resolution of its clock; 0 s: exact. (0 s to 1 s; default 81.3 µs)"""
    costs: Costs | DataclassInstance
    """CPU and adapter time of each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    message_priority: Literal["equal", "lower"]
    """CPU scheduling of message packets. (equal, lower; default equal)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    packets_per_token: int
    """Maximum frames of a class per token, with multiple-packets-per-token. (1 to 1000000; default 15)"""
    priority_thresholds: PriorityThresholds | DataclassInstance
    """T_Pri of each asynchronous priority; a higher threshold keeps the priority off a loaded ring. (default {})"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    synchronous_allocation: Literal["shared"] | Time
    """Synchronous allocation: time for synchronous frames per token. (0 s to 165 ms; default shared)"""
    synchronous_discipline: Literal["single-packet-per-token", "multiple-packets-per-token"]
    """Synchronous frames per token. (single-packet-per-token, multiple-packets-per-token; default
    single-packet-per-token)"""
    timer_interval: Time
    """Period of the operating system's timer interrupt; 0 s: none. (0 s to 200 day; default 0 s)"""
    ttrt: Time
    """Target token rotation time (TTRT) it bids, 4 ms to 165 ms; the ring's if left out. (above 0 s, up to 200 day)"""


Voice = TypedDict(
    "Voice",
    {
        # Voice: simultaneous channels, one stream each. (1 to 100000; default 1)
        "channels": "int",
        # XTP: checksum over the data; off sets NOCHECK. Its cost is part of the hosts' per_byte. (default True)
        "checksum": "bool",
        # Service class of its frames and of their acknowledgements. (synchronous, asynchronous; default synchronous)
        "class": 'Literal["synchronous", "asynchronous"]',
        # Voice: rates each channel in real time (`mos`, `r_factor`) and encodes its packets; without it they are G.711
        # and not rated. (g711, g711-plain, g729a, g722, amr-wb-12.65, amr-wb-23.05, amr-wb-23.85, evs-9.6, evs-13.2,
        # evs-16.4, evs-24.4, evs-32, evs-48, opus-16, opus-28, opus-40)
        "codec": 'Literal["g711", "g711-plain", "g729a", "g722", "amr-wb-12.65", "amr-wb-23.05", "amr-wb-23.85", "evs-9.6", "evs-13.2", "evs-16.4", "evs-24.4", "evs-32", "evs-48", "opus-16", "opus-28", "opus-40"]',
        # XTP: FASTNAK; the receiver reports a gap at once, without a status request. (default False)
        "fast_nak": "bool",
        # Voice: depth of the codec FIFOs at both ends, in packets of `samples`. (1 to 1000000; default 2)
        "fifo_packets": "int",
        # XTP: flow control; off sets NOFLOW, and the sender ignores the window. (default True)
        "flow_control": "bool",
        # Voice: jitter buffer by which a codec's channels are rated; by default fixed. (fixed, adaptive)
        "jitter_buffer": 'Literal["fixed", "adaptive"]',
        # XTP: data packets per status request, with `after-packets`. (1 to 1000000; default 1)
        "packets_per_request": "int",
        # Talkspurts: mean length of a pause; by default 1.587 s (ITU-T P.59). (above 0 s, up to 1 h)
        "pause": "Time",
        # Voice: playout delay: from the first delivery until the receiving codec takes its first sample. (0 s to 200
        # day; default half-packet)
        "playout_delay": 'Literal["half-packet"] | Time',
        # Asynchronous priority; 7 is the highest. (0 to 7; default 0)
        "priority": "int",
        # Number of receivers; two or more are reached by multicast. (1 to 999; default 1)
        "receivers": "int",
        # XTP: option bit of a status request. (status, delivery, edge; default status)
        "request_option": 'Literal["status", "delivery", "edge"]',
        # XTP: retransmission policy. (automatic, selective, go-back-n, none; default automatic)
        "retransmission": 'Literal["automatic", "selective", "go-back-n", "none"]',
        # XTP: unanswered status requests after which the association is aborted. (0 to 255; default 6)
        "retry_count": "int",
        # Voice: speech in a packet, in samples of 125 µs; of one byte each but with another codec. (1 to 65535; default
        # 128)
        "samples": "int",
        # XTP: BURST; user data sent back to back, once every send_burst / send_rate; a packet is never split. (1 B to
        # 1024 MiB; default packet)
        "send_burst": 'Literal["packet"] | Size',
        # XTP: RATE; maximum rate of user data, averaged over bursts. (8 bit/s to 1 Gbit/s; default unlimited)
        "send_rate": 'Literal["unlimited"] | BitRate',
        # XTP: SORT; a host serves its associations lowest value first. Associations without a value come last. (0 to
        # 65535)
        "sort_priority": "int",
        # Voice: when packets are sent; by default continuously. (continuous, talkspurts)
        "speech": 'Literal["continuous", "talkspurts"]',
        # XTP: which data packets request an acknowledgement. (after-packets, after-messages, never; default after-
        # packets)
        "status_requests": 'Literal["after-packets", "after-messages", "never"]',
        # Talkspurts: mean length of one; by default 1.004 s (ITU-T P.59). (above 0 s, up to 1 h)
        "talkspurt": "Time",
        # Transport protocol. (xtp, datagram; default xtp)
        "transport": 'Literal["xtp", "datagram"]',
        # XTP: window, in packets that may be in flight unacknowledged. (1 to 1000000; default 32)
        "window": "int",
        # XTP: minimum of WTIMER, the timeout of a status request. (1 µs to 1 h; default 50 ms)
        "wtimer_min": "Time",
    },
    total=False,
)
"""Sender, one or more receivers, and the measured voice flow between them."""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="fddi")`."""

    kind: Required[Literal["fddi"]]
    """The kind of network."""
    name: str
    """What results are called."""
    background: Background | DataclassInstance
    """Traffic generator on the first ring; its frames have no receiver."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Voice, bulk data or messages from one host to others."""
    impairment: Impairment | DataclassInstance
    """Injected losses."""
    media: Sequence[Medium | DataclassInstance]
    """A ring."""
    messages: Messages | DataclassInstance
    """Short messages between the hosts of the probed voice."""
    network: Network | DataclassInstance
    """Kind of network, and keys of the whole network."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    probe: Probe | DataclassInstance
    """Measurement of a probed voice flow: exchanges, a bulk stream, then voice in real time."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    ring: Ring | DataclassInstance
    """Keys of the ring in a network of one ring."""
    router: Router | DataclassInstance
    """Routers between the senders and the receivers of the probed voice."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance] | Mapping[str, Any]
    """Host, or several identical ones; a station on two rings is a router."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    voice: Voice | DataclassInstance
    """Sender, one or more receivers, and the measured voice flow between them."""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
