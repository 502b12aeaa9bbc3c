# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""Controller Area Network: buses of CAN 2.0 and CAN FD with arbitration by identifier, gateways, CANopen, J1939."""

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


class Bus(TypedDict, total=False):
    """The keys of the only bus."""

    bit_error_rate: float
    """Bit error rate: each hit destroys a frame for all nodes. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Nominal bit rate. (1 kbit/s to 1 Mbit/s; default 500 kbit/s)"""
    collect: Time
    """IP network: how long a gateway collects frames for a datagram, from the first on; 0 s sends each in one of its
    own. cannelloni collects for 100 ms by default. (0 s to 200 day; default 0 s)"""
    data_bit_rate: BitRate
    """Bit rate of the data phase of CAN FD frames with `brs`; by default the nominal one. (1 kbit/s to 20 Mbit/s)"""
    delay: Time
    """IP network: one-way delay. (0 s to 200 day; default 500 us)"""
    fault_interval: Time
    """A fault hits the bus once in this time, in addition to bit errors; by default none does. Bounds hold with it.
    (above 0 s, up to 200 day)"""
    link_rate: BitRate
    """IP network: bit rate of the link of each station. (1 kbit/s to 400 Gbit/s; default 100 Mbit/s)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    stuffing: Literal["exact", "random", "worst"]
    """Stuff bits of frames. (exact, random, worst; default random)"""
    type: Literal["bus", "ip"]
    """What kind of medium it is. (bus, ip; default bus)"""


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


Flow = TypedDict(
    "Flow",
    {
        # When messages are sent: periodic with jitter and an offset (`delay`), sporadic (`heartbeat` with a
        # `min_interval`), random, by polls of one receiver after another, as recorded.
        "arrivals": "Required[PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | HeartbeatArrivals | PollArrivals | TraceArrivals | DataclassInstance]",
        # isotp, uds: consecutive frames between two flow controls; 0: all. sdo-block: segments of a block; 0: 127. (0
        # to 255; default 0)
        "block_size": "int",
        # Whether CAN FD frames switch to `data_bit_rate`. (default True)
        "brs": "bool",
        # Data of a message: up to 8 bytes, 64 of CAN FD; of isotp, uds and sdo-block 4095, of j1939 1785, of sdo 1000.
        # (0 B to 4095 B; default 8 B)
        "data": "Size",
        # A message that takes longer misses its deadline; by default none is judged. (above 0 s, up to 200 day)
        "deadline": "Time",
        # Whether identifiers have 29 bits. (default False)
        "extended": "bool",
        # Whether frames are CAN FD frames. (default False)
        "fd": "bool",
        # The sender; each member of a station with count has an identifier of its own.
        "from": "Required[str | Sequence[str]]",
        # Identifier behind a gateway; by default it stays the same. (0 to 536870911)
        "gateway_id": "int",
        # Identifier, which is the priority: the lower wins. Further senders, and further receivers of polls, have those
        # that follow, `id_step` apart. (0 to 536870911)
        "id": "Required[int]",
        # From the identifier of one sender, or polled receiver, to that of the next. (0 to 536870911; default 1)
        "id_step": "int",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # j1939 to several: time between packets, 50 to 200 ms. (0 s to 200 day; default 50 ms)
        "packet_interval": "Time",
        # What it is, with stuffing = "exact": counter or clock (its first 4 bytes count, or are as if random; the
        # others are zero), random, or bytes in hexadecimal digits. (default counter)
        "payload": "str",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # Data of an answer: of request up to 8 bytes, 64 of CAN FD; of uds 4095. (0 B to 4095 B; default 8 B)
        "response_data": "Size",
        # Identifier of responses; by default as CANopen has it (80h less) of sdo and sdo-block, 8 more of isotp, uds
        # and request, that of the message of others. (0 to 536870911)
        "response_id": "int",
        # How often a message of a service other than broadcast is begun again. (0 to 15; default 0)
        "retries": "int",
        # isotp, uds: shortest time between consecutive frames (STmin). (0 s to 127 ms; default 0 s)
        "separation": "Time",
        # How messages are carried. (broadcast, remote, request, sdo, sdo-block, isotp, uds, j1939; default broadcast)
        "service": 'Literal["broadcast", "remote", "request", "sdo", "sdo-block", "isotp", "uds", "j1939"]',
        # How long an answer is waited for: of remote, request, sdo, sdo-block and uds; N_Bs and N_Cr of isotp and uds.
        # (above 0 s, up to 200 day; default 1 s)
        "timeout": "Time",
        # The receiver, a list of receivers, `partner` or `everyone`.
        "to": "Required[str | Sequence[str]]",
        # j1939 to one: packets that the receiver takes at a time. (1 to 255; default 16)
        "window": "int",
    },
    total=False,
)
"""."""


class Medium(TypedDict, total=False):
    """Medium."""

    bit_error_rate: float
    """Bit error rate: each hit destroys a frame for all nodes. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Nominal bit rate. (1 kbit/s to 1 Mbit/s; default 500 kbit/s)"""
    collect: Time
    """IP network: how long a gateway collects frames for a datagram, from the first on; 0 s sends each in one of its
    own. cannelloni collects for 100 ms by default. (0 s to 200 day; default 0 s)"""
    data_bit_rate: BitRate
    """Bit rate of the data phase of CAN FD frames with `brs`; by default the nominal one. (1 kbit/s to 20 Mbit/s)"""
    delay: Time
    """IP network: one-way delay. (0 s to 200 day; default 500 us)"""
    fault_interval: Time
    """A fault hits the bus once in this time, in addition to bit errors; by default none does. Bounds hold with it.
    (above 0 s, up to 200 day)"""
    link_rate: BitRate
    """IP network: bit rate of the link of each station. (1 kbit/s to 400 Gbit/s; default 100 Mbit/s)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    stuffing: Literal["exact", "random", "worst"]
    """Stuff bits of frames. (exact, random, worst; default random)"""
    type: Literal["bus", "ip"]
    """What kind of medium it is. (bus, ip; default bus)"""


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
    """CPU time of each step."""

    answer: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From the application acting on a request (remote, request, sdo, uds) to its sending the answer; the processor
    does other things then. (0 s to 200 day; default 0 s)"""
    forward: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """Gateway: from the end of a frame to its copy being in another bus's transmit queue. (0 s to 200 day; default 15
    µs)"""
    receive: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From the end of a frame to the application acting on it. (0 s to 200 day; default 10 µs)"""
    send: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From an application sending a message to its frame being in the transmit queue. (0 s to 200 day; default 5 µs)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    abort: bool
    """With queue = "mailboxes": whether a frame of higher priority takes the mailbox of one that is not being sent.
    (default False)"""
    acknowledge: bool
    """Whether it acknowledges frames (else bus monitoring: it listens only). (default True)"""
    costs: Costs | DataclassInstance
    """CPU time of each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    mailboxes: int
    """Transmit mailboxes, with queue = "mailboxes". (1 to 128; default 3)"""
    name: str
    """Its name: letters, digits, - and _."""
    offsets: Literal["random", "none", "spread"]
    """When the periodic messages of a node begin, those without start = "at-once". (random, none, spread; default
    random)"""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: Literal["priority", "fifo", "mailboxes", "latest"]
    """Which frame a node offers to the bus. (priority, fifo, mailboxes, latest; default priority)"""
    queue_length: int
    """Most frames that wait at each bus; further ones are lost. (1 to 100000; default 1000)"""
    receive_fifo: int
    """Received frames that wait for the processor; further ones are lost. (1 to 10000; default 64)"""
    restart: Time
    """From bus-off to the restart of the controller, which then waits for 128 times 11 recessive bits. (0 s to 200 day;
    default 0 s)"""
    retransmit: bool
    """Whether a frame is sent again after an error (else one-shot). (default True)"""


class Station(TypedDict, total=False):
    """Station."""

    abort: bool
    """With queue = "mailboxes": whether a frame of higher priority takes the mailbox of one that is not being sent.
    (default False)"""
    acknowledge: bool
    """Whether it acknowledges frames (else bus monitoring: it listens only). (default True)"""
    costs: Costs | DataclassInstance
    """CPU time of each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    mailboxes: int
    """Transmit mailboxes, with queue = "mailboxes". (1 to 128; default 3)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    offsets: Literal["random", "none", "spread"]
    """When the periodic messages of a node begin, those without start = "at-once". (random, none, spread; default
    random)"""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: Literal["priority", "fifo", "mailboxes", "latest"]
    """Which frame a node offers to the bus. (priority, fifo, mailboxes, latest; default priority)"""
    queue_length: int
    """Most frames that wait at each bus; further ones are lost. (1 to 100000; default 1000)"""
    receive_fifo: int
    """Received frames that wait for the processor; further ones are lost. (1 to 10000; default 64)"""
    restart: Time
    """From bus-off to the restart of the controller, which then waits for 128 times 11 recessive bits. (0 s to 200 day;
    default 0 s)"""
    retransmit: bool
    """Whether a frame is sent again after an error (else one-shot). (default True)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="can")`."""

    kind: Required[Literal["can"]]
    """The kind of network."""
    name: str
    """What results are called."""
    bus: Bus | DataclassInstance
    """The keys of the only bus."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Messages of one identifier, from one application to others."""
    media: Sequence[Medium | DataclassInstance]
    """A bus, or an IP network between gateways."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance]
    """A node, or several identical ones; a node on several buses is a gateway."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
