# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""BACnet MS/TP: masters that pass a token on RS-485 trunks, slaves, routers, BACnet requests and notifications."""

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
Quantity: TypeAlias = str
"""A number with its unit, as "10 %"."""


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
        # APDU_Timeout: from a request to its first retry, and between retries. (above 0 s, up to 200 day; default 3 s)
        "apdu_timeout": "Time",
        # Arrival process of the messages.
        "arrivals": "Required[PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | HeartbeatArrivals | PollArrivals | TraceArrivals | DataclassInstance]",
        # Octets of the request or notification as NPDU, without the addresses that routers need. (2 B to 1497 B)
        "data": "Size",
        # The sender; each member of a station with count sends its own messages.
        "from": "Required[str | Sequence[str]]",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Requests of a sender to a receiver that wait for their replies at a time; further ones wait in the client. (1
        # to 255; default 1)
        "outstanding": "int",
        # Whether the response time of this flow is measured. (default False)
        "probe": "bool",
        # Properties that a request asks for, for `costs.reply_per_property`. (1 to 1000)
        "properties": "int",
        # Octets of the reply as NPDU; with Who-Is those of I-Am. An unconfirmed notification has none. (2 B to 1497 B)
        "response_data": "Size",
        # Number_Of_APDU_Retries. (0 to 15; default 3)
        "retries": "int",
        # BACnet service. (read, read-multiple, write, cov, cov-confirmed, who-is; default read)
        "service": 'Literal["read", "read-multiple", "write", "cov", "cov-confirmed", "who-is"]',
        # The receiver, a list of receivers, `partner` or `everyone`.
        "to": "Required[str | Sequence[str]]",
    },
    total=False,
)
"""."""


class Medium(TypedDict, total=False):
    """Medium."""

    bit_error_rate: float
    """Trunk: bit error rate. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Bit rate: of a trunk 9600, 19200, 38400, 57600, 76800 or 115200 bit/s, of an IP network that of the links. (1200
    bit/s to 10 Gbit/s)"""
    delay: Time
    """IP network: one-way delay. (0 s to 200 day; default 500 us)"""
    frame_gap: Quantity
    """Trunk: silence between the characters of a frame (T_frame_gap), at most 20 bit times. (0 bit to 20 bit; default 0
    bit)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    postdrive: Quantity
    """Trunk: how long drivers stay enabled after the last stop bit (T_postdrive), at most 15 bit times. (0 bit to 10000
    bit; default 0 bit)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    turnaround: Quantity
    """Trunk: silence before a node enables its driver (T_turnaround), at least 40 bit times. (0 bit to 10000 bit;
    default 40 bit)"""
    type: Literal["ms-tp", "ip"]
    """What kind of medium it is. (ms-tp, ip; default ms-tp)"""


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
    """How long it takes for each step."""

    forward: Time
    """Router: from the last character of a packet until it is queued for the next medium. (0 s to 200 day; default 1
    ms)"""
    reply_latency: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From the last character of a request until its reply is ready, or its distribution. (0 s to 200 day; default 10
    ms)"""
    reply_per_property: Time
    """Added to it for each property that is asked for. (0 s to 200 day; default 0 s)"""
    token_latency: Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance
    """From the last character of a frame to the first of the node's own: token, Poll For Master, reply; at least the
    turnaround. Or its distribution. (0 s to 200 day; default 2 ms)"""


class Timers(TypedDict, total=False):
    """Timers and counts of the protocol."""

    no_token: Time
    """T_no_token: silence after which the token counts as lost. (1 ms to 1 h; default 500 ms)"""
    poll: int
    """N_poll: tokens between two sweeps of the addresses up to the successor. (2 to 1000; default 50)"""
    reply_delay: Time
    """T_reply_delay: the latest beginning of a reply, after which it is postponed; at most 250 ms. (1 ms to 1 h;
    default 245 ms)"""
    reply_timeout: Time
    """T_reply_timeout: wait for the reply to a request, 255 to 300 ms; bacnet-stack has 250 ms. (1 ms to 1 h; default
    255 ms)"""
    retry_token: int
    """N_retry_token: repetitions of a token that is not used. (0 to 100; default 1)"""
    slot: Time
    """T_slot: the interval of each address in which it may generate a token. (1 ms to 1 h; default 10 ms)"""
    usage_timeout: Time
    """T_usage_timeout: wait for the use of a token that was passed, or for the reply to Poll For Master; 20 to 35 ms,
    before 135-2016bm to 100 ms. (1 ms to 1 h; default 35 ms)"""
    vacant_timeout: Time
    """The wait after Poll For Master to an address without a device, where it is known to be vacant; by default
    `usage_timeout`. (0 s to 1 h)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    address: int
    """MAC address on its trunks, of several members that of the first; by default after the highest of the stations
    before it on the trunk, of slaves from 128 on. (0 to 254)"""
    address_step: int
    """Distance between the addresses of its members. (1 to 127; default 1)"""
    costs: Costs | DataclassInstance
    """How long it takes for each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    max_info_frames: int
    """Max_Info_Frames: frames that it sends for each token. (1 to 255; default 1)"""
    max_master: int
    """Max_Master: the highest address that it polls. (1 to 127; default 127)"""
    name: str
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    reply: Literal["immediate", "postpone", "late"]
    """How it replies to requests. (immediate, postpone, late; default immediate)"""
    timer_resolution: Time
    """Its timers are looked at so often; 0 s: at once. The standard's nominal resolution is 5 ms. (0 s to 1 s; default
    0 s)"""
    timers: Timers | DataclassInstance
    """Timers and counts of the protocol. (default {})"""
    type: Literal["master", "slave"]
    """Whether it is a master or a slave. (master, slave; default master)"""


class Station(TypedDict, total=False):
    """Station."""

    address: int
    """MAC address on its trunks, of several members that of the first; by default after the highest of the stations
    before it on the trunk, of slaves from 128 on. (0 to 254)"""
    address_step: int
    """Distance between the addresses of its members. (1 to 127; default 1)"""
    costs: Costs | DataclassInstance
    """How long it takes for each step. (default {})"""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    max_info_frames: int
    """Max_Info_Frames: frames that it sends for each token. (1 to 255; default 1)"""
    max_master: int
    """Max_Master: the highest address that it polls. (1 to 127; default 127)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    reply: Literal["immediate", "postpone", "late"]
    """How it replies to requests. (immediate, postpone, late; default immediate)"""
    timer_resolution: Time
    """Its timers are looked at so often; 0 s: at once. The standard's nominal resolution is 5 ms. (0 s to 1 s; default
    0 s)"""
    timers: Timers | DataclassInstance
    """Timers and counts of the protocol. (default {})"""
    type: Literal["master", "slave"]
    """Whether it is a master or a slave. (master, slave; default master)"""


class Trunk(TypedDict, total=False):
    """The keys of the only trunk."""

    bit_error_rate: float
    """Trunk: bit error rate. (0 to 0.1; default 0.0)"""
    bit_rate: BitRate
    """Bit rate: of a trunk 9600, 19200, 38400, 57600, 76800 or 115200 bit/s, of an IP network that of the links. (1200
    bit/s to 10 Gbit/s)"""
    delay: Time
    """IP network: one-way delay. (0 s to 200 day; default 500 us)"""
    frame_gap: Quantity
    """Trunk: silence between the characters of a frame (T_frame_gap), at most 20 bit times. (0 bit to 20 bit; default 0
    bit)"""
    postdrive: Quantity
    """Trunk: how long drivers stay enabled after the last stop bit (T_postdrive), at most 15 bit times. (0 bit to 10000
    bit; default 0 bit)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    turnaround: Quantity
    """Trunk: silence before a node enables its driver (T_turnaround), at least 40 bit times. (0 bit to 10000 bit;
    default 40 bit)"""
    type: Literal["ms-tp", "ip"]
    """What kind of medium it is. (ms-tp, ip; default ms-tp)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="mstp")`."""

    kind: Required[Literal["mstp"]]
    """The kind of network."""
    name: str
    """What results are called."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Requests of a BACnet service, or notifications, from one device to others."""
    media: Sequence[Medium | DataclassInstance]
    """A trunk, or an IP network that routers are attached to."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance]
    """A device, or several identical ones; one on two media is a router."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    trunk: Trunk | DataclassInstance
    """The keys of the only trunk."""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
