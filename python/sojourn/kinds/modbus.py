# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""Modbus RTU, ASCII and TCP: clients that poll servers over serial lines, links and gateways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Required, TypeAlias, TypedDict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Time: TypeAlias = str
"""A time, as "500 ms"."""
Rate: TypeAlias = str
"""A rate, as "20 /s"."""
BitRate: TypeAlias = str
"""A bit rate, as "50 Mbit/s"."""


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


class PollArrivals(TypedDict, total=False):
    """Asks one server after the other, round and round."""

    cycle: Time
    """Time between the begins of two rounds; a round that takes longer is followed by the next at once, as is every one
    without this. (above 0 s, up to 200 day)"""
    delay: Time
    """Delay of the traffic after the start of the run. (0 s to 200 day; default 0 s)"""
    interval: Time
    """Shortest time between the begins of two requests of a round. (0 s to 200 day; default 0 s)"""
    kind: Required[Literal["poll"]]
    """Which of the forms it is."""
    start: Literal["spread", "at-once"]
    """When the senders start. (spread, at-once; default spread)"""


Flow = TypedDict(
    "Flow",
    {
        # When the servers are asked: each arrival is a round over all of them.
        "arrivals": "PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | PollArrivals | DataclassInstance",
        # Pause of the client between the end of a transaction and the next request. (0 s to 200 day; default 0 s)
        "between": "Time",
        # Blocks of each server, a request each unless they are merged. (1 to 1000; default 1)
        "blocks": "int",
        # Whether one request to unit 0 is for all servers of the serial line, none of which answers. (default False)
        "broadcast": "bool",
        # Registers or bits of a block. (1 to 2000; default 1)
        "count": "int",
        # The client, or several that ask on their own.
        "from": "Required[str | Sequence[str]]",
        # What is asked. (read-coils, read-discrete-inputs, read-holding-registers, read-input-registers, write-coil,
        # write-register, write-coils, write-registers, mask-write, read-write; default read-holding-registers)
        "function": 'Literal["read-coils", "read-discrete-inputs", "read-holding-registers", "read-input-registers", "write-coil", "write-register", "write-coils", "write-registers", "mask-write", "read-write"]',
        # Registers or bits between two blocks that are not wanted. (0 to 2000; default 0)
        "gap": "int",
        # Whether a request reads as many blocks as its function allows, with the gaps between them. (default False)
        "merge": "bool",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # Tries after the first, for want of a valid response. (0 to 20; default 3)
        "retries": "int",
        # Response timeout, from the end of the request to the end of the response. (above 0 s, up to 200 day; default 1
        # s)
        "timeout": "Time",
        # The servers, in the order in which they are asked.
        "to": "Required[str | Sequence[str]]",
        # Turnaround delay: from the end of a broadcast to the next request. (above 0 s, up to 200 day; default 100 ms)
        "turnaround": "Time",
    },
    total=False,
)
"""."""


class Medium(TypedDict, total=False):
    """Medium."""

    bit_error_rate: float
    """Bit error rate of the line. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Bit rate of the line, or of the link of each station. (50 bit/s to 100 Gbit/s)"""
    delay: Time
    """One-way delay between two stations on TCP, beside the time to send. (0 s to 200 day; default 0.2 ms)"""
    mode: Literal["rtu", "ascii", "tcp"]
    """What carries the frames. (rtu, ascii, tcp; default rtu)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    parity: Literal["even", "odd", "none"]
    """Parity bit of each character. (even, odd, none; default even)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    silence: Literal["fixed", "characters"]
    """Silence between two frames in RTU mode (t3.5). (fixed, characters; default fixed)"""
    stop_bits: int
    """Stop bits of each character. (1 to 2)"""


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


class Gateway(TypedDict, total=False):
    """Of a station on a serial line and on TCP."""

    between: Time
    """Pause on the serial line between the end of a transaction and the next. (0 s to 200 day; default 0 s)"""
    delay: Time
    """Time to forward a response to the client. (0 s to 200 day; default 0 s)"""
    queue: int
    """Requests that wait for the line; one more is refused by exception 0x06. (1 to 10000; default 32)"""
    retries: int
    """Retries on the serial line. (0 to 20; default 0)"""
    timeout: Time
    """Response timeout on the serial line; then the client gets exception 0x0b. (above 0 s, up to 200 day; default 1
    s)"""


class Host(TypedDict, total=False):
    """How the program of a client or gateway gets what is received."""

    delay: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From the host having a response until its program has it, or the distribution of that. (0 s to 200 day; default 0
    s)"""
    latency_timer: Time
    """Latency timer of a USB adapter: the host gets received characters when it expires, up to this after the last of
    them. (0 s to 200 day; default 0 s)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    delay: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """Of a server: from the end of a request, where the server knows it, to its response, or the distribution of that.
    (0 s to 200 day; default 5 ms)"""
    gateway: Gateway | DataclassInstance
    """Of a station on a serial line and on TCP. (default {})"""
    host: Host | DataclassInstance
    """How the program of a client or gateway gets what is received. (default {})"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    outstanding: int
    """Of a client on TCP: requests that it has open at a time on a connection. On a serial line it is one. (1 to 64;
    default 1)"""
    per_register: Time
    """Of a server: further time for each register or each 16 bits that are read or written. (0 s to 200 day; default 0
    s)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: int
    """Of a server on TCP: requests that wait; one more is refused by exception 0x06. (1 to 10000; default 16)"""
    scan: Time
    """Scan cycle of a server that looks at its requests once in each: they wait for a time uniform between 0 and this.
    (0 s to 200 day; default 0 s)"""
    unit: int
    """Unit identifier of a server; further members of `count` have the next ones. (1 to 247; default 1)"""


class Station(TypedDict, total=False):
    """Station."""

    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    delay: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """Of a server: from the end of a request, where the server knows it, to its response, or the distribution of that.
    (0 s to 200 day; default 5 ms)"""
    gateway: Gateway | DataclassInstance
    """Of a station on a serial line and on TCP. (default {})"""
    host: Host | DataclassInstance
    """How the program of a client or gateway gets what is received. (default {})"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    outstanding: int
    """Of a client on TCP: requests that it has open at a time on a connection. On a serial line it is one. (1 to 64;
    default 1)"""
    per_register: Time
    """Of a server: further time for each register or each 16 bits that are read or written. (0 s to 200 day; default 0
    s)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    queue: int
    """Of a server on TCP: requests that wait; one more is refused by exception 0x06. (1 to 10000; default 16)"""
    scan: Time
    """Scan cycle of a server that looks at its requests once in each: they wait for a time uniform between 0 and this.
    (0 s to 200 day; default 0 s)"""
    unit: int
    """Unit identifier of a server; further members of `count` have the next ones. (1 to 247; default 1)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="modbus")`."""

    kind: Required[Literal["modbus"]]
    """The kind of network."""
    name: str
    """What results are called."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """What a client asks of some servers: a group of polls, or writes."""
    media: Sequence[Medium | DataclassInstance]
    """A serial line with its format of characters, or links that carry TCP."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance]
    """A client, a server, or several identical servers; a station on a serial line and on TCP is a gateway."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
