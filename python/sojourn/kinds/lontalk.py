# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""LonTalk control networks: channels, network variables, message services, priority, collision detection, routers."""

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
Frequency: TypeAlias = str
"""A frequency, as "10 MHz"."""
Quantity: TypeAlias = str
"""A number with its unit, as "10 %"."""


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


class HeartbeatArrivals(TypedDict, total=False):
    """On change of value, with a throttle and a heartbeat."""

    change_interval: Time
    """Mean time between changes of the value; by default it never changes. (above 0 s, up to 200 day)"""
    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    kind: Required[Literal["heartbeat"]]
    """Which of the forms it is."""
    max_interval: Required[Time]
    """Max send time (heartbeat): longest interval between messages. (above 0 s, up to 200 day)"""
    min_interval: Time
    """Min send time (throttle): shortest interval between messages; an earlier change is delayed. (0 s to 200 day;
    default 0 s)"""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class PollArrivals(TypedDict, total=False):
    """Polls the receivers in turn."""

    cycle: Time
    """Time in which every receiver is polled once; with interval the shortest time between rounds over all of them.
    (above 0 s, up to 200 day)"""
    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Interval between polls; a poll waits for the response to the last one. By default the cycle's share of each
    receiver. (above 0 s, up to 200 day)"""
    kind: Required[Literal["poll"]]
    """Which of the forms it is."""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


class TraceArrivals(TypedDict, total=False):
    """As recorded: a CSV file with the columns time (seconds), from, to, size (bytes)"""

    file: Required[str]
    """The CSV file, relative to the scenario."""
    kind: Required[Literal["trace"]]
    """Which of the forms it is."""


class Background(TypedDict, total=False):
    """Pairs of stations that load the channel at a given total rate."""

    addressing: Literal["automatic", "unicast", "group", "broadcast", "unique-id"]
    """Address format of the binding. (automatic, unicast, group, broadcast, unique-id; default automatic)"""
    arrivals: PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | HeartbeatArrivals | PollArrivals | TraceArrivals | DataclassInstance
    """When messages are sent; their rate follows from `rate`."""
    authenticated: bool
    """Whether receivers challenge the sender; implied by service = "authenticated". (default False)"""
    broadcast_backlog: int
    """Delta backlog that a broadcast announces; 0 means 15. (0 to 63; default 0)"""
    counts: Literal["packets", "messages"]
    """What `rate` counts. (packets, messages; default packets)"""
    data: Size
    """Data of a message: network variables up to 31 bytes, explicit messages up to 228. (0 B to 228 B; default 1 B)"""
    generator: Literal["closed", "queued", "buffered", "open"]
    """What happens to a message while the transaction of the last one is open. (closed, queued, buffered, open; default
    closed)"""
    message: Literal["network-variable", "explicit", "explicit-without-copy"]
    """Message type. (network-variable, explicit, explicit-without-copy; default network-variable)"""
    priority: bool
    """Whether its messages and their acknowledgements and responses have priority. (default False)"""
    probe: bool
    """Whether the response time of this flow is measured. (default False)"""
    rate: Required[Rate]
    """Offered load of all of them together, retries not counted. (above 0 /s, up to 1e9 /s)"""
    receive_timer: Literal["128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms", "4096 ms", "6144 ms", "8192 ms", "12288 ms", "16384 ms", "24576 ms"] | Time
    """Receive timer of this flow's transactions (duplicate detection); by default the receiving station's
    receive_timer. (128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576 ms)"""
    repeat_timer: Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time
    """Repeat timer: interval between repeats. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072 ms; default 128 ms)"""
    repeats: int
    """Repeat count of unacknowledged-repeated messages. (0 to 15; default 3)"""
    response_data: Size
    """Data of a response to a request. (0 B to 228 B; default 1 B)"""
    retries: int
    """Retry count of acknowledged and request messages. (0 to 15; default 3)"""
    service: Literal["unacknowledged", "unacknowledged-repeated", "acknowledged", "request", "authenticated"]
    """Message service. (unacknowledged, unacknowledged-repeated, acknowledged, request, authenticated; default
    acknowledged)"""
    stations: int
    """Number of load stations; even, since they send in pairs. (2 to 32384; default 32)"""
    transaction_timer: Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time
    """Transaction timer: interval between retries. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072 ms; default 128 ms)"""


class Channel(TypedDict, total=False):
    """The keys of the only channel."""

    access_rate: BitRate
    """IP-852: bit rate at which each member sends to the IP network. (1 kbit/s to 1000 Gbit/s)"""
    backlog_cap: int
    """Largest backlog estimate. (1 to 63; default 63)"""
    backlog_estimate: Literal["per-station", "shared"]
    """Whether stations estimate the backlog independently. (per-station, shared; default per-station)"""
    backlog_start: int
    """Backlog estimate of a station at the start. (1 to 63; default 1)"""
    base_window: int
    """Base window: randomizing slots per unit of backlog. (1 to 1024; default 16)"""
    beta1: Time
    """Beta 1: idle time from the end of a packet to the first slot. (above 0 s, up to 200 day)"""
    beta2: Time
    """Beta 2: width of a slot, priority or randomizing. (above 0 s, up to 200 day)"""
    bit_error_rate: float
    """Bit error rate. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Bit rate on the wire. (300 bit/s to 10 Mbit/s)"""
    capture: bool
    """Whether the first of overlapping packets survives (capture). (default False)"""
    carrier_sense_latency: Time
    """From the start of a transmission until all other stations sense it; shorter than beta2. (0 s to 200 day)"""
    channel: Literal["TP/FT-10", "TP/XF-78", "TP/XF-1250", "TP/RS485-39", "TP/RS485-78", "TP/RS485-625", "PL-20N", "IP-852"]
    """Standard channel type; every other key of the channel overrides one of its values. (TP/FT-10, TP/XF-78,
    TP/XF-1250, TP/RS485-39, TP/RS485-78, TP/RS485-625, PL-20N, IP-852; default TP/FT-10)"""
    channel_timeout: Time
    """IP-852: age at which the receiving device discards a packet as stale; without it, none is. Clocks agree. (0 s to
    200 day)"""
    collision_abort: Literal["never", "end-of-preamble", "immediate"]
    """What a station does with its transmission when it detects a collision. (never, end-of-preamble, immediate;
    default never)"""
    collision_limit: int
    """Detected collisions after which a packet is dropped. (1 to 255; default 255)"""
    delay: Time
    """IP-852: one-way delay of the IP network between any two members. (0 s to 200 day)"""
    domain_length: int
    """Bytes of the domain ID in every packet. (0, 1, 3, 6; default 0)"""
    escrow_time: Time
    """IP-852: how long a packet that arrives ahead of its sequence waits for those before it (packet reorder timer,
    escrow timeout); 0: not at all. One that comes after its turn is discarded. (0 s to 255 ms)"""
    framing_overhead: Size
    """IP-852: bytes per datagram on a member's link in addition to the IP packet. (0 B to 1000 B)"""
    jitter: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """IP-852: uniform random delay up to this, added to the delay of each datagram, or its distribution. (0 s to 200
    day)"""
    late_priority_upgrade: bool
    """Whether a priority packet that appears after beta1 may still use its slot. (default False)"""
    loss: Quantity | float
    """IP-852: probability that the IP network loses a datagram, independent. (0 % to 100 %)"""
    packet_cycle: Time
    """Packet cycle: idle time after which a station lowers its backlog estimate by one. (above 0 s, up to 200 day)"""
    post_transmission_pause: int
    """Extra slots that a station waits after its own packet, on channels with priority slots. (0 to 1024; default
    16)"""
    preamble: Quantity
    """Bit-sync bits before each packet. (4 bit to 1000 bit)"""
    priority_needs_crc: bool
    """Whether priority slots are used only after a packet with a valid CRC. (default False)"""
    priority_slots: int
    """Priority slots after every packet. (0 to 127)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    reordering: bool
    """IP-852: whether jitter reorders datagrams of one member to another."""
    segments: int
    """2: the second half of each group of stations is on a segment of its own, behind a configured router; single
    stations stay. (1 to 2)"""
    skew: Time
    """Largest offset between the slot timing of stations. (0 s to 200 day; default 0 s)"""


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
    spread: Time
    """With power-up and restart, and at the end of power-down: applications of each station begin at a random time,
    uniform between 0 and this after the station is on. LonMark's configuration property of a power-up delay is
    SCPTpwrUpDelay. (0 s to 200 day; default 0 s)"""
    stations: str | Sequence[str]
    """The stations it affects."""
    until: Time
    """When it ends, from the start of the run; without it and `duration` it does not end. (above 0 s, up to 200 day)"""


Flow = TypedDict(
    "Flow",
    {
        # Address format of the binding. (automatic, unicast, group, broadcast, unique-id; default automatic)
        "addressing": 'Literal["automatic", "unicast", "group", "broadcast", "unique-id"]',
        # Arrival process of the messages.
        "arrivals": "Required[PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | HeartbeatArrivals | PollArrivals | TraceArrivals | DataclassInstance]",
        # Whether receivers challenge the sender; implied by service = "authenticated". (default False)
        "authenticated": "bool",
        # Delta backlog that a broadcast announces; 0 means 15. (0 to 63; default 0)
        "broadcast_backlog": "int",
        # Data of a message: network variables up to 31 bytes, explicit messages up to 228. (0 B to 228 B; default 1 B)
        "data": "Size",
        # The sender; each member of a station with count sends its own messages.
        "from": "Required[str | Sequence[str]]",
        # What happens to a message while the transaction of the last one is open. (closed, queued, buffered, open;
        # default queued)
        "generator": 'Literal["closed", "queued", "buffered", "open"]',
        # Message type. (network-variable, explicit, explicit-without-copy; default network-variable)
        "message": 'Literal["network-variable", "explicit", "explicit-without-copy"]',
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Whether its messages and their acknowledgements and responses have priority. (default False)
        "priority": "bool",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # Receive timer of this flow's transactions (duplicate detection); by default the receiving station's
        # receive_timer. (128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576
        # ms)
        "receive_timer": 'Literal["128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms", "4096 ms", "6144 ms", "8192 ms", "12288 ms", "16384 ms", "24576 ms"] | Time',
        # Repeat timer: interval between repeats. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
        # 2048, 3072 ms; default 128 ms)
        "repeat_timer": 'Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time',
        # Repeat count of unacknowledged-repeated messages. (0 to 15; default 3)
        "repeats": "int",
        # Data of a response to a request. (0 B to 228 B; default 1 B)
        "response_data": "Size",
        # Retry count of acknowledged and request messages. (0 to 15; default 3)
        "retries": "int",
        # Message service. (unacknowledged, unacknowledged-repeated, acknowledged, request, authenticated; default
        # acknowledged)
        "service": 'Literal["unacknowledged", "unacknowledged-repeated", "acknowledged", "request", "authenticated"]',
        # The receiver, a list of receivers, `partner` or `everyone`.
        "to": "Required[str | Sequence[str]]",
        # Transaction timer: interval between retries. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
        # 1536, 2048, 3072 ms; default 128 ms)
        "transaction_timer": 'Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time',
    },
    total=False,
)
"""."""


class Medium(TypedDict, total=False):
    """Medium."""

    access_rate: BitRate
    """IP-852: bit rate at which each member sends to the IP network. (1 kbit/s to 1000 Gbit/s)"""
    backlog_cap: int
    """Largest backlog estimate. (1 to 63; default 63)"""
    backlog_estimate: Literal["per-station", "shared"]
    """Whether stations estimate the backlog independently. (per-station, shared; default per-station)"""
    backlog_start: int
    """Backlog estimate of a station at the start. (1 to 63; default 1)"""
    base_window: int
    """Base window: randomizing slots per unit of backlog. (1 to 1024; default 16)"""
    beta1: Time
    """Beta 1: idle time from the end of a packet to the first slot. (above 0 s, up to 200 day)"""
    beta2: Time
    """Beta 2: width of a slot, priority or randomizing. (above 0 s, up to 200 day)"""
    bit_error_rate: float
    """Bit error rate. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Bit rate on the wire. (300 bit/s to 10 Mbit/s)"""
    capture: bool
    """Whether the first of overlapping packets survives (capture). (default False)"""
    carrier_sense_latency: Time
    """From the start of a transmission until all other stations sense it; shorter than beta2. (0 s to 200 day)"""
    channel: Literal["TP/FT-10", "TP/XF-78", "TP/XF-1250", "TP/RS485-39", "TP/RS485-78", "TP/RS485-625", "PL-20N", "IP-852"]
    """Standard channel type; every other key of the channel overrides one of its values. (TP/FT-10, TP/XF-78,
    TP/XF-1250, TP/RS485-39, TP/RS485-78, TP/RS485-625, PL-20N, IP-852; default TP/FT-10)"""
    channel_timeout: Time
    """IP-852: age at which the receiving device discards a packet as stale; without it, none is. Clocks agree. (0 s to
    200 day)"""
    collision_abort: Literal["never", "end-of-preamble", "immediate"]
    """What a station does with its transmission when it detects a collision. (never, end-of-preamble, immediate;
    default never)"""
    collision_limit: int
    """Detected collisions after which a packet is dropped. (1 to 255; default 255)"""
    delay: Time
    """IP-852: one-way delay of the IP network between any two members. (0 s to 200 day)"""
    domain_length: int
    """Bytes of the domain ID in every packet. (0, 1, 3, 6; default 0)"""
    escrow_time: Time
    """IP-852: how long a packet that arrives ahead of its sequence waits for those before it (packet reorder timer,
    escrow timeout); 0: not at all. One that comes after its turn is discarded. (0 s to 255 ms)"""
    framing_overhead: Size
    """IP-852: bytes per datagram on a member's link in addition to the IP packet. (0 B to 1000 B)"""
    jitter: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """IP-852: uniform random delay up to this, added to the delay of each datagram, or its distribution. (0 s to 200
    day)"""
    late_priority_upgrade: bool
    """Whether a priority packet that appears after beta1 may still use its slot. (default False)"""
    loss: Quantity | float
    """IP-852: probability that the IP network loses a datagram, independent. (0 % to 100 %)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    packet_cycle: Time
    """Packet cycle: idle time after which a station lowers its backlog estimate by one. (above 0 s, up to 200 day)"""
    post_transmission_pause: int
    """Extra slots that a station waits after its own packet, on channels with priority slots. (0 to 1024; default
    16)"""
    preamble: Quantity
    """Bit-sync bits before each packet. (4 bit to 1000 bit)"""
    priority_needs_crc: bool
    """Whether priority slots are used only after a packet with a valid CRC. (default False)"""
    priority_slots: int
    """Priority slots after every packet. (0 to 127)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    reordering: bool
    """IP-852: whether jitter reorders datagrams of one member to another."""
    segments: int
    """2: the second half of each group of stations is on a segment of its own, behind a configured router; single
    stations stay. (1 to 2)"""
    skew: Time
    """Largest offset between the slot timing of stations. (0 s to 200 day; default 0 s)"""


class Network(TypedDict, total=False):
    """The kind of network, and parameters of all of it."""

    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    transaction_timer_scale: float
    """Actual length of a transaction timer relative to its code. (0.1 to 10; default 1.0)"""
    transaction_timer_starts: Literal["hand-off", "after-transmission"]
    """When the transaction timer starts. (hand-off, after-transmission; default hand-off)"""
    withdraw_answered_copies: bool
    """Whether a queued retry is removed when the acknowledgement or response arrives. (default True)"""


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
    """A sender, a receiver, and the measured flow between them."""

    addressing: Literal["automatic", "unicast", "group", "broadcast", "unique-id"]
    """Address format of the binding. (automatic, unicast, group, broadcast, unique-id; default automatic)"""
    arrivals: PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | HeartbeatArrivals | PollArrivals | TraceArrivals | DataclassInstance
    """When messages are sent."""
    authenticated: bool
    """Whether receivers challenge the sender; implied by service = "authenticated". (default False)"""
    broadcast_backlog: int
    """Delta backlog that a broadcast announces; 0 means 15. (0 to 63; default 0)"""
    data: Size
    """Data of a message: network variables up to 31 bytes, explicit messages up to 228. (0 B to 228 B; default 1 B)"""
    generator: Literal["closed", "queued", "buffered", "open"]
    """What happens to a message while the transaction of the last one is open. (closed, queued, buffered, open; default
    closed)"""
    message: Literal["network-variable", "explicit", "explicit-without-copy"]
    """Message type. (network-variable, explicit, explicit-without-copy; default network-variable)"""
    priority: bool
    """Whether its messages and their acknowledgements and responses have priority. (default False)"""
    receive_timer: Literal["128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms", "4096 ms", "6144 ms", "8192 ms", "12288 ms", "16384 ms", "24576 ms"] | Time
    """Receive timer of this flow's transactions (duplicate detection); by default the receiving station's
    receive_timer. (128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576 ms)"""
    repeat_timer: Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time
    """Repeat timer: interval between repeats. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072 ms; default 128 ms)"""
    repeats: int
    """Repeat count of unacknowledged-repeated messages. (0 to 15; default 3)"""
    response_data: Size
    """Data of a response to a request. (0 B to 228 B; default 1 B)"""
    retries: int
    """Retry count of acknowledged and request messages. (0 to 15; default 3)"""
    service: Literal["unacknowledged", "unacknowledged-repeated", "acknowledged", "request", "authenticated"]
    """Message service. (unacknowledged, unacknowledged-repeated, acknowledged, request, authenticated; default
    acknowledged)"""
    transaction_timer: Literal["16 ms", "24 ms", "32 ms", "48 ms", "64 ms", "96 ms", "128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms"] | Time
    """Transaction timer: interval between retries. (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072 ms; default 128 ms)"""


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


class Buffers(TypedDict, total=False):
    """Buffer pools."""

    application_input: int
    """Received messages that wait for the application. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191; default
    2)"""
    application_output: int
    """Messages that wait for the network processor. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191; default
    2)"""
    application_output_priority: int
    """Priority messages that wait for the network processor. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191;
    default 1)"""
    network_input: int
    """Received packets that wait for the network processor. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191;
    default 2)"""
    network_output: int
    """Packets that wait for the channel. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191; default 2)"""
    network_output_answers: int
    """Packets waiting for the channel at which acknowledgements and responses are dropped. (0, 1, 2, 3, 5, 7, 11, 15,
    23, 31, 47, 63, 95, 127, 191; default 191)"""
    network_output_priority: int
    """Priority packets that wait for the channel. (0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191; default
    1)"""


class Costs(TypedDict, total=False):
    """CPU time of each step at 10 MHz."""

    application_copy_per_byte: Time
    """Application processor: copying explicit message data, per byte. (0 s to 200 day; default 188 µs)"""
    application_jitter: Quantity | float
    """Half-width of the uniform jitter of the application latency. (0 to 1; default 10 %)"""
    application_latency: Time
    """Application processor: from delivery to the task that handles the message. (0 s to 200 day; default 0.93 ms)"""
    authentication_pass: Time
    """Network processor: one pass of 48 steps of the authentication transform. (0 s to 200 day; default 1.15 ms)"""
    complete_transaction: Time
    """Network processor: processing an acknowledgement and the completion event. (0 s to 200 day; default 2.28 ms)"""
    deliver: Time
    """Network processor: address recognition and application buffer of a received message. (0 s to 200 day; default
    1.48 ms)"""
    deliver_per_byte: Time
    """Network processor: copying it, per byte of data. (0 s to 200 day; default 20 µs)"""
    discard: Time
    """Network processor: discarding a packet addressed to another node. (0 s to 200 day; default 0.7 ms)"""
    form_acknowledgement: Time
    """Network processor: forming an acknowledgement. (0 s to 200 day; default 0.9 ms)"""
    form_packet: Time
    """Network processor: forming an outgoing packet. (0 s to 200 day; default 1.781 ms)"""
    form_packet_per_byte: Time
    """Network processor: forming it, per byte of data. (0 s to 200 day; default 19.67 µs)"""
    forward: Time
    """Router: forwarding a packet. (0 s to 200 day; default 1.781 ms)"""
    forward_per_byte: Time
    """Router: forwarding it, per byte. (0 s to 200 day; default 19.67 µs)"""
    network_variable_event: Time
    """Application processor: extra time of a network variable update event over an explicit message. (0 s to 200 day;
    default 0.8 ms)"""
    open_receive_record: Time
    """Network processor: receive record and duplicate detection of such a message. (0 s to 200 day; default 3.5 ms)"""
    open_transaction: Time
    """Network processor: opening the transmit record and transaction timer of an acknowledged message or request. (0 s
    to 200 day; default 3 ms)"""
    send_call: Time
    """Application processor: the call that sends a message. (0 s to 200 day; default 1 ms)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    buffers: Buffers | DataclassInstance
    """Buffer pools. (default {})"""
    collision_detection: bool
    """Whether its transceiver detects collisions of its own transmission. (default False)"""
    costs: Costs | DataclassInstance
    """CPU time of each step at 10 MHz. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    input_clock: Frequency
    """Input clock of the node; its costs scale inversely. (0.625 MHz to 80 MHz; default 10 MHz)"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    priority_slot: int
    """Its priority slot, counted from 1; 0: none. (0 to 127; default 0)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receive_records: int
    """Number of receive records. (1 to 65535; default 16)"""
    receive_timer: Literal["128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms", "4096 ms", "6144 ms", "8192 ms", "12288 ms", "16384 ms", "24576 ms"] | Time
    """Receive timer of unicast messages: how long a receive record detects duplicates. (128, 192, 256, 384, 512, 768,
    1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576 ms; default 2048 ms)"""
    router: Literal["none", "configured", "learning", "repeater", "bridge"]
    """Whether it forwards packets between its channels. (none, configured, learning, repeater, bridge; default none)"""


class Station(TypedDict, total=False):
    """Station."""

    buffers: Buffers | DataclassInstance
    """Buffer pools. (default {})"""
    collision_detection: bool
    """Whether its transceiver detects collisions of its own transmission. (default False)"""
    costs: Costs | DataclassInstance
    """CPU time of each step at 10 MHz. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    input_clock: Frequency
    """Input clock of the node; its costs scale inversely. (0.625 MHz to 80 MHz; default 10 MHz)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    priority_slot: int
    """Its priority slot, counted from 1; 0: none. (0 to 127; default 0)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receive_records: int
    """Number of receive records. (1 to 65535; default 16)"""
    receive_timer: Literal["128 ms", "192 ms", "256 ms", "384 ms", "512 ms", "768 ms", "1024 ms", "1536 ms", "2048 ms", "3072 ms", "4096 ms", "6144 ms", "8192 ms", "12288 ms", "16384 ms", "24576 ms"] | Time
    """Receive timer of unicast messages: how long a receive record detects duplicates. (128, 192, 256, 384, 512, 768,
    1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576 ms; default 2048 ms)"""
    router: Literal["none", "configured", "learning", "repeater", "bridge"]
    """Whether it forwards packets between its channels. (none, configured, learning, repeater, bridge; default none)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="lontalk")`."""

    kind: Required[Literal["lontalk"]]
    """The kind of network."""
    name: str
    """What results are called."""
    background: Background | DataclassInstance
    """Pairs of stations that load the channel at a given total rate."""
    channel: Channel | DataclassInstance
    """The keys of the only channel."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """A network variable connection, or explicit messages, from one application to others."""
    media: Sequence[Medium | DataclassInstance]
    """A channel."""
    network: Network | DataclassInstance
    """The kind of network, and parameters of all of it."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    probe: Probe | DataclassInstance
    """A sender, a receiver, and the measured flow between them."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance] | Mapping[str, Any]
    """A node, or several identical ones; a node on two channels is a router."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
