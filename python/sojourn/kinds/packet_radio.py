# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""Packet radio: round-trip time of blocks over AX.25, digipeaters, NET/ROM nodes and ROSE switches."""

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


class TimeDcdHold(TypedDict, total=False):
    """For a constant time: the time constant of a detector's circuit."""

    kind: Required[Literal["time"]]
    """Which of the forms it is."""
    time: Required[Time]
    """How long. (0 s to 10 s)"""


class BitsDcdHold(TypedDict, total=False):
    """For a constant number of bit times: the length of a digital detector's history."""

    bits: Required[int]
    """How many. (0 to 10000)"""
    kind: Required[Literal["bits"]]
    """Which of the forms it is."""


class OnesDcdHold(TypedDict, total=False):
    """Until the receiver has delivered a run of 1 bits; the bits of its noise are random."""

    kind: Required[Literal["ones"]]
    """Which of the forms it is."""
    run: Required[int]
    """1 bits in a row: a run of n takes 2 (2^n - 1) random bits on average. (1 to 12)"""


class Fading(TypedDict, total=False):
    """Radio: two-state fading (Gilbert-Elliott): the path between two stations is good or bad for exponential times,
    and independent of other paths. Without it, errors are independent."""

    bad: Required[Time]
    """Mean time in the bad state. (above 0 s, up to 24 h)"""
    bit_error_rate: Required[float]
    """Bit error rate in the bad state; that of the good one is the medium's bit_error_rate. (0 to 0.5)"""
    good: Required[Time]
    """Mean time in the good state. (above 0 s, up to 24 h)"""


class Fx25Framing(TypedDict, total=False):
    """FX.25: a Reed-Solomon block around each frame; frames too long for one are sent without it."""

    check: int
    """Check octets of a block: half as many wrong octets are corrected. (16, 32, 64; default 16)"""
    kind: Required[Literal["fx25"]]
    """Which of the forms it is."""


class Il2pFraming(TypedDict, total=False):
    """IL2P: a packet with Reed-Solomon codes in place of HDLC; frames of more than 1023 octets are sent without it."""

    crc: bool
    """Whether a CRC follows each packet. (default True)"""
    kind: Required[Literal["il2p"]]
    """Which of the forms it is."""


class Channel(TypedDict, total=False):
    """The keys of the only medium."""

    bit_error_rate: float
    """Bit error rate, errors independent; a receiver loses a frame with a bit error. (0 to 0.5; default 0)"""
    bit_rate: BitRate
    """Bits per second on the medium. (1 bit/s to 1 Gbit/s)"""
    capture: bool
    """Radio: whether a receiver keeps the first of overlapping frames (FM capture); without it, all are lost. (default
    False)"""
    capture_ratio: Quantity
    """Radio: a receiver keeps the frame that is stronger than each carrier that overlaps it by at least this, by
    transmit_power and [[path_loss]]; `capture` holds for weaker differences. Without it levels do not matter. (above 0
    dB, up to 60 dB)"""
    dcd_delay: Time
    """Radio: from key-up until other stations detect the carrier (DCD). (0 s to 10 s; default 0 s)"""
    dcd_hold: TimeDcdHold | BitsDcdHold | OnesDcdHold | DataclassInstance
    """Radio: how long other stations still detect a carrier that has gone off. Without it they detect key-off at
    once."""
    dwait: Time
    """Radio: idle time after the carrier drops before the first slot (DWAIT). (0 s to 10 s; default 0 s)"""
    fading: Fading | DataclassInstance
    """Radio: two-state fading (Gilbert-Elliott): the path between two stations is good or bad for exponential times,
    and independent of other paths. Without it, errors are independent."""
    first_slot: Literal["at-once", "after-slottime"]
    """Radio: when a waiting station draws first; by default at once, as KISS has it. (at-once, after-slottime)"""
    frames_built: Literal["at-key-up", "after-txdelay"]
    """When the frames of a burst are taken from the queue. (at-key-up, after-txdelay; default at-key-up)"""
    framing: Fx25Framing | Il2pFraming | DataclassInstance
    """Radio: forward error correction around the frames of all stations. Without it, a frame with a bit error is
    lost."""
    full_duplex: bool
    """Radio: whether stations transmit without carrier sense, and receive while they transmit (FULLDUP). (default
    False)"""
    persistence: Quantity | float
    """Radio: probability that a waiting station transmits in a slot, (PERSIST + 1) / 256. (above 0 %, up to 100 %;
    default 25 %)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receiver_recovery: Time
    """Radio: from a station's own key-off until it can receive; it misses frames that began before. (0 s to 10 s;
    default 0 s)"""
    slottime: Time
    """Radio: interval between persistence draws (SLOTTIME). (above 0 s, up to 10 s; default 100 ms)"""
    transmission_limit: Literal["none"] | Time
    """Longest transmission that the transmitter's watchdog timer allows; the rest is cut off and lost. (above 10 s, up
    to 1 h; default none)"""
    txdelay: Time
    """From key-up to the first bit of the first frame (TXDELAY). (0 s to 10 s)"""
    txtail: Time
    """From the last bit of the last frame to key-off (TXTAIL). (0 s to 10 s)"""
    type: Literal["radio", "wire"]
    """The type of medium. (radio, wire; default radio)"""


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


Flow = TypedDict(
    "Flow",
    {
        # When the application sends messages, or a user wants a session.
        "arrivals": "PoissonArrivals | PeriodicArrivals | NormalArrivals | GammaArrivals | LognormalArrivals | WeibullArrivals | EmpiricalArrivals | BurstArrivals | OnOffArrivals | SaturatingArrivals | DataclassInstance",
        # Session: size of requests and responses on the air as a share of their octets; B2F forwarding sends compressed
        # mail; by default 100 %. (above 0 %, up to 200 %)
        "compression": "Quantity | float",
        # Octets of a message, one frame each. (1 B to 8191 B; default 128 B)
        "data": "Size",
        # Session: requests, each answered by a response; by default 1. (1 to 1000000)
        "exchanges": "int",
        # The sender; of a station with count, each member on its own.
        "from": "Required[str | Sequence[str]]",
        # Its name: letters, digits, - and _.
        "name": "Required[str]",
        # Stations on the path, in order: digipeaters, or of unnumbered messages an alias of several; of sessions also
        # the first and the last node, or switch. (default direct)
        "path": "str | Sequence[str]",
        # Queue limit of a sender in messages, or in sessions wanted; more are dropped and counted. (1 to 1000000;
        # default 16)
        "queue": "int",
        # Session: octets of a request, or of the mail forwarded to the peer; by default 32 B. (1 B to 16 MiB)
        "request": "Size",
        # Session: octets of a response, or of the mail that the peer forwards; by default 512 B. (1 B to 16 MiB)
        "response": "Size",
        # How it uses AX.25. (unnumbered, connected, session; default unnumbered)
        "service": 'Literal["unnumbered", "connected", "session"]',
        # Session: time from a response to the next request: the mean of an exponential distribution, or a distribution;
        # by default 0 s. (0 s to 200 day)
        "think_time": "Time | ExponentialThink | DeterministicThink | NormalThink | GammaThink | LognormalThink | WeibullThink | EmpiricalThink | DataclassInstance",
        # Session: after this time the setup of the path, or an exchange, and with it the session has failed; by default
        # 10 min. (above 0 s, up to 200 day)
        "timeout": "Time",
        # The receiver, `partner`, or `broadcast`.
        "to": "Required[str | Sequence[str]]",
        # Session: time from the last octet of a request to the first of its response; by default 0 s. (0 s to 200 day)
        "turnaround": "Time",
    },
    total=False,
)
"""."""


class Measure(TypedDict, total=False):
    """How a real channel is measured."""

    inject_loss: Quantity | float
    """For tests: share of this host's own datagrams that it drops before sending. (0 % to 99.99 %; default 0 %)"""
    peer: str
    """URL of the peer, as sojourn://HOST; `sojourn measure --help` lists the schemes."""


class Medium(TypedDict, total=False):
    """Medium."""

    bit_error_rate: float
    """Bit error rate, errors independent; a receiver loses a frame with a bit error. (0 to 0.5; default 0)"""
    bit_rate: BitRate
    """Bits per second on the medium. (1 bit/s to 1 Gbit/s)"""
    capture: bool
    """Radio: whether a receiver keeps the first of overlapping frames (FM capture); without it, all are lost. (default
    False)"""
    capture_ratio: Quantity
    """Radio: a receiver keeps the frame that is stronger than each carrier that overlaps it by at least this, by
    transmit_power and [[path_loss]]; `capture` holds for weaker differences. Without it levels do not matter. (above 0
    dB, up to 60 dB)"""
    dcd_delay: Time
    """Radio: from key-up until other stations detect the carrier (DCD). (0 s to 10 s; default 0 s)"""
    dcd_hold: TimeDcdHold | BitsDcdHold | OnesDcdHold | DataclassInstance
    """Radio: how long other stations still detect a carrier that has gone off. Without it they detect key-off at
    once."""
    dwait: Time
    """Radio: idle time after the carrier drops before the first slot (DWAIT). (0 s to 10 s; default 0 s)"""
    fading: Fading | DataclassInstance
    """Radio: two-state fading (Gilbert-Elliott): the path between two stations is good or bad for exponential times,
    and independent of other paths. Without it, errors are independent."""
    first_slot: Literal["at-once", "after-slottime"]
    """Radio: when a waiting station draws first; by default at once, as KISS has it. (at-once, after-slottime)"""
    frames_built: Literal["at-key-up", "after-txdelay"]
    """When the frames of a burst are taken from the queue. (at-key-up, after-txdelay; default at-key-up)"""
    framing: Fx25Framing | Il2pFraming | DataclassInstance
    """Radio: forward error correction around the frames of all stations. Without it, a frame with a bit error is
    lost."""
    full_duplex: bool
    """Radio: whether stations transmit without carrier sense, and receive while they transmit (FULLDUP). (default
    False)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    persistence: Quantity | float
    """Radio: probability that a waiting station transmits in a slot, (PERSIST + 1) / 256. (above 0 %, up to 100 %;
    default 25 %)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receiver_recovery: Time
    """Radio: from a station's own key-off until it can receive; it misses frames that began before. (0 s to 10 s;
    default 0 s)"""
    slottime: Time
    """Radio: interval between persistence draws (SLOTTIME). (above 0 s, up to 10 s; default 100 ms)"""
    transmission_limit: Literal["none"] | Time
    """Longest transmission that the transmitter's watchdog timer allows; the rest is cut off and lost. (above 10 s, up
    to 1 h; default none)"""
    txdelay: Time
    """From key-up to the first bit of the first frame (TXDELAY). (0 s to 10 s)"""
    txtail: Time
    """From the last bit of the last frame to key-off (TXTAIL). (0 s to 10 s)"""
    type: Literal["radio", "wire"]
    """The type of medium. (radio, wire; default radio)"""


class Network(TypedDict, total=False):
    """The kind of network, and its parameter set."""

    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""


class OnAir(TypedDict, total=False):
    """This host's station on the air: the first [[station]], with the parameters of its medium."""

    airtime: Time
    """Airtime limit per minute; nothing is transmitted without it. (above 0 s, up to 60 s)"""
    callsign: str
    """The callsign you hold, with SSID; nothing is transmitted without it."""
    identify: Time
    """Longest interval between identifications while transmitting. (above 0 s, up to 200 day; default 10 min)"""
    probe: Literal["ping-pong", "connect", "test", "digipeater", "prompt"]
    """What is measured. (ping-pong, connect, test, digipeater, prompt; default ping-pong)"""
    via_node: str | Sequence[str]
    """Commands to nodes on the path, one after the other, as "C PONG-1"."""


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


class PathLoss(TypedDict, total=False):
    """PathLoss."""

    between: Required[str | Sequence[str]]
    """Two names: each station of the first and each of the second hear each other with this loss, the same in both
    directions."""
    loss: Required[Quantity]
    """Path loss, antenna gains subtracted. (0 dB to 200 dB)"""
    name: Required[str]
    """Its name: letters, digits, - and _."""


Probe = TypedDict(
    "Probe",
    {
        # The terminal that sends the blocks; without it, there is no probe.
        "from": "str | Sequence[str]",
        # Stations on the path, in order: digipeaters, or the first and the last node, or the first and the last switch.
        # (default direct)
        "path": "str | Sequence[str]",
        # From the end of a round trip to the start of the next. (0 s to 200 day; default 0 s)
        "pause": "Time",
        # Round trips per replication, which ends after them. (1 to 1000000; default 20)
        "round_trips": "int",
        # Octets of a block. (1 B to 65535 B; default 64 B)
        "size": "Size",
        # Timeout of a round trip, and of the path setup; then it counts as failed. (above 0 s, up to 200 day; default
        # 10 min)
        "timeout": "Time",
        # The terminal that returns them.
        "to": "str | Sequence[str]",
    },
    total=False,
)
"""The ping-pong: a terminal sends a block, another returns it, and the round trip is measured."""


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
    """CPU time per frame; the CPU serves one frame at a time, FIFO."""

    per_octet: Time
    """CPU time per octet of information in such a frame. (0 s to 200 day; default 0 s)"""
    receive_frame: Time
    """CPU time per frame received for the station. (0 s to 200 day; default 0 s)"""
    send_frame: Time
    """CPU time to form a frame, before it waits for the channel. (0 s to 200 day; default 0 s)"""


class Netrom(TypedDict, total=False):
    """Node: its network and transport layers."""

    ack_delay: Time
    """Delay of a circuit's acknowledgement (11). (0 s to 200 day; default 2 s)"""
    ack_delay_grows: bool
    """Whether each undelivered message beyond half a window lengthens the acknowledgement delay by one delay. (default
    False)"""
    ack_delay_runs: Literal["first", "restart"]
    """When the acknowledgement delay runs. (first, restart; default restart)"""
    admission: bool
    """Whether user data enter a circuit, or a user's link, only while it is below the congestion threshold. (default
    True)"""
    alias: str
    """Its alias, up to six letters and digits; by default its callsign without SSID."""
    buffers: int
    """Messages it can hold: 720 buffers of 32 octets, nine for a full one. (4 to 65535; default 80)"""
    busy_delay: Time
    """How long a choked circuit waits before it retransmits (12). (above 0 s, up to 200 day; default 60 s)"""
    choke: Literal["never", "at-threshold", "with-ack", "at-ack"]
    """When a receiving node chokes a circuit. (never, at-threshold, with-ack, at-ack; default at-threshold)"""
    choke_rewinds: bool
    """Whether a choked sender retransmits all unacknowledged messages afterwards; else it only pauses. (default
    True)"""
    choke_threshold: int
    """Undelivered messages above which a node chokes; by default the congestion threshold, or half a window. (0 to
    65535)"""
    choked_receiver_discards: bool
    """Whether a node that has choked a circuit discards messages that still arrive. (default True)"""
    circuits: int
    """Maximum number of circuits. (1 to 255; default 20)"""
    congestion_threshold: int
    """Queued messages of a circuit, or frames of a link, above which choke, RNR and admission act (14). (1 to 127;
    default 4)"""
    early_ack: Literal["none", "half", "full"]
    """When it acknowledges before the delay expires. (none, half, full; default none)"""
    fragment: Size
    """User data in one message of a circuit. (1 B to 236 B; default 236 B)"""
    high_watermark: int
    """Free buffers above which it resumes. (0 to 65535; default 7)"""
    keeps_out_of_order: bool
    """Whether it keeps messages received out of order. (default True)"""
    low_watermark: int
    """Free buffers below which it chokes all circuits and sends RNR on all links. (0 to 65535; default 4)"""
    min_quality: int
    """Lowest route quality that it accepts (2); 0: it accepts no route. (0 to 255; default 60)"""
    nak: Literal["at-once", "with-ack", "never"]
    """When it requests a missing message (NAK). (at-once, with-ack, never; default at-once)"""
    no_activity: Time
    """Idle time after which a circuit is closed (15); 0 s: never. (0 s to 200 day; default 900 s)"""
    nodes_interval: Time
    """Interval of its NODES broadcasts (7); 0 s: none, and routes do not age. (0 s to 200 day; default 1800 s)"""
    nodes_limit: int
    """Destinations in its routing table (1); X-1J4 allows up to 400. (1 to 65535; default 100)"""
    obsolescence_initial: int
    """Obsolescence count of a route when it is updated; each of its own broadcasts lowers it by one (5). (1 to 255;
    default 9)"""
    obsolescence_minimum: int
    """Obsolescence count below which a route is not broadcast (6). (1 to 255; default 5)"""
    radio_quality: int
    """Quality of neighbours on radio channels (3). (0 to 255; default 60)"""
    reassembles: bool
    """Whether the fragments of a frame are delivered to the user as one frame. (default True)"""
    release_threshold: int
    """Undelivered messages below which a node clears the choke; by default half of what chokes. (1 to 65535)"""
    resets: bool
    """Whether it resets circuits that it does not know (G8PZT extension). (default False)"""
    retransmits: Literal["all", "oldest"]
    """What a circuit retransmits when its timeout expires. (all, oldest; default all)"""
    retries: int
    """Retransmissions of a message before its circuit is closed (10). (1 to 127; default 3)"""
    sequence_modulus: int
    """Modulus of a circuit's sequence numbers. (128, 256; default 256)"""
    starts_converged: bool
    """Whether its routing table starts as the broadcasts of all such nodes would have filled it; else it starts empty.
    (default True)"""
    tick: Time
    """Granularity of its circuits' timers; 0 s: exact. (0 s to 200 day; default 1 s)"""
    timeout: Time
    """Retransmission timeout of a circuit (9). (above 0 s, up to 200 day; default 180 s)"""
    ttl: int
    """Initial time to live of its packets, in hops (8). (1 to 255; default 16)"""
    unchoke: Literal["at-once", "at-ack", "every-second"]
    """When it signals the sender to continue. (at-once, at-ack, every-second; default at-once)"""
    window: int
    """Window size of a circuit in information messages (13). (1 to 127; default 4)"""
    wire_quality: int
    """Quality of neighbours on wires (4). (0 to 255; default 255)"""


class Rose(TypedDict, total=False):
    """Switch: its packet layer."""

    ack_delay: Time
    """Delay of a data packet's acknowledgement, unless the window is full. (0 s to 200 day; default 5 s)"""
    acknowledged_by: Literal["next-switch", "far-end"]
    """Significance of acknowledgements. (next-switch, far-end; default next-switch)"""
    address: str
    """Its network address, ten digits: DNIC (4), area code (3), exchange (3). (default 0000000000)"""
    backlog_limit: int
    """Queued packets of a circuit in one direction at which the switch sends RNR to the sender. (1 to 65535; default
    16)"""
    buffers: int
    """Packets and frames that the switch holds before it sends RNR to all users; a TNC's 32 KiB hold about as many. (1
    to 65535; default 64)"""
    call_progress: bool
    """Whether callers are sent a text when their call connects or fails. (default True)"""
    call_timer: Time
    """Call request timer (T21). (above 0 s, up to 200 day; default 200 s)"""
    channels: int
    """Highest logical channel number used on a link. (1 to 4095; default 50)"""
    clear_timer: Time
    """Clear request timer (T23). (above 0 s, up to 200 day; default 180 s)"""
    link_retry: Time
    """How long after a link to another switch has failed it is set up again. (above 0 s, up to 200 day; default 120
    s)"""
    packet_size: Size
    """Octets of data in a packet; a longer user frame is segmented, with the M bit. (1 B to 4096 B; default 256 B)"""
    reset_timer: Time
    """Reset request timer (T22). (above 0 s, up to 200 day; default 180 s)"""
    restart_timer: Time
    """Restart request timer (T20). (above 0 s, up to 200 day; default 180 s)"""
    timer_tries: int
    """Transmissions of a restart, reset or clear request in all. (1 to 255; default 2)"""
    window: int
    """Window size of a virtual circuit on a link, in data packets. (1 to 7; default 7)"""
    window_timer: Literal["never"] | Time
    """Window rotation timer: how long data packets may be unacknowledged before the circuit is reset (T25). (above 0 s,
    up to 200 day; default 200 s)"""


class MemberMember(TypedDict, total=False):
    """MemberMember."""

    aliases: str | Sequence[str]
    """Addresses beside its callsign that it repeats frames for, as "WIDE1-1": every station with the alias that hears
    such a frame repeats it (MYALIAS)."""
    busy_clear: Literal["silent", "rr", "poll"]
    """What a station sends when its receiver-busy condition (RNR) ends. (silent, rr, poll; default rr)"""
    callsign: str
    """Its address: one to six letters and digits, and with a hyphen an SSID of 0 to 15; by default ST and its number
    among all stations."""
    character_interval: Time
    """Terminal: interval between the characters that the PC sends, if longer than a character takes on the line. (0 s
    to 200 day; default 0 s)"""
    check: Literal["never"] | Time
    """Idle time after which a link is polled (CHECK, T3). (above 0 s, up to 200 day; default 300 s)"""
    costs: Costs | DataclassInstance
    """CPU time per frame; the CPU serves one frame at a time, FIFO."""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    data_mode: Literal["converse", "transparent"]
    """Terminal: when the TNC sends the characters it has collected. (converse, transparent; default converse)"""
    dcd_hold: TimeDcdHold | BitsDcdHold | OnesDcdHold | DataclassInstance
    """How long the station still detects a carrier that has gone off; by default the medium's."""
    digipeat: bool
    """Whether it repeats frames that list it as the next digipeater (DIGIPEAT)."""
    dwait: Time
    """The station's DWAIT; by default the medium's. (0 s to 10 s)"""
    first_slot: Literal["at-once", "after-slottime"]
    """When the station draws first; by default as the medium says. (at-once, after-slottime)"""
    frack: Time
    """Acknowledgement timer (FRACK, T1) on a direct link; times 2m + 1 over m digipeaters. (1 ms to 1 h; default 3
    s)"""
    frack_runs: Literal["from-enqueue", "from-transmit-end", "while-channel-is-idle"]
    """When the acknowledgement timer runs. (from-enqueue, from-transmit-end, while-channel-is-idle; default
    while-channel-is-idle)"""
    frame_error_rate: Quantity | float
    """Share of the station's frames, of any length and kind, that it transmits with a wrong FCS (Dire Wolf's -E); by
    default 0 %. (0 % to 100 %)"""
    hears: str | Sequence[str]
    """The stations it hears on its radio channels, or `everyone`; others are hidden. On a wire both ends always hear
    each other. (default everyone)"""
    links: int
    """Maximum number of links on each of its media. (1 to 65535; default 64)"""
    name: str
    """Its name: letters, digits, - and _."""
    netrom: Netrom | DataclassInstance
    """Node: its network and transport layers. (default {})"""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    paclen: Size
    """Terminal: octets of user data in an I frame that it sends (PACLEN); nodes and switches send what their layers
    produce. (1 B to 8191 B; default 256 B)"""
    pactime: Time
    """Terminal, transparent: timer that ends a short packet (PACTIME). (1 ms to 1 h; default 1 s)"""
    pactime_runs: Literal["after", "every"]
    """Terminal, transparent: when pactime runs. (after, every; default after)"""
    persistence: Quantity | float
    """The station's persistence (PERSIST); by default the medium's. (above 0 %, up to 100 %)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receive_buffer: Size
    """Terminal: characters queued for the PC at which the TNC sends RNR; it sends RR when half are left. (1 B to 1 MiB;
    default 8 KiB)"""
    receive_limit: Size
    """Largest information field that it accepts (N1); links between ROSE switches need 259 octets. (1 B to 8191 B;
    default 2048 B)"""
    recovery: Literal["enquiry", "oldest-frame"]
    """What a link sends when T1 expires. (enquiry, oldest-frame; default enquiry)"""
    reject: Literal["go-back", "selective", "multi-selective"]
    """How a version 2.2 link requests retransmission of missing I frames; version 2.0 uses REJ. (go-back, selective,
    multi-selective; default selective)"""
    resptime: Time
    """Delay of an acknowledgement (RESPTIME, T2); with 0 s it waits for the channel alone. (0 s to 200 day; default 0
    s)"""
    resptime_pauses: bool
    """Whether T2 is paused while the channel is busy. (default False)"""
    retry: int
    """Transmissions of a frame or poll before the link is disconnected (RETRY, N2). (1 to 255; default 10)"""
    rose: Rose | DataclassInstance
    """Switch: its packet layer. (default {})"""
    rtt_estimator: Literal["fixed", "dire-wolf", "linux", "linux-linear", "linux-exponential"]
    """How T1 adapts to the measured round-trip time (RTT). (fixed, dire-wolf, linux, linux-linear, linux-exponential;
    default fixed)"""
    sabme_reply: Literal["frmr", "dm", "silent"]
    """Response of a version 2.0 station to SABME. (frmr, dm, silent; default frmr)"""
    send_buffer: Literal["unlimited"] | Size
    """Terminal: unacknowledged characters that the TNC buffers before flow control stops the PC, or the user's program
    of a session. (1 B to 1 MiB; default 8 KiB)"""
    serial_character: int
    """Terminal: bits of a character with start, parity and stop bits. (7 to 12; default 10)"""
    serial_input: Literal["always", "not-while-transmitting"]
    """Terminal: when the TNC accepts characters from the serial line. (always, not-while-transmitting; default
    always)"""
    serial_rate: BitRate
    """Terminal: bit rate of the serial line in each direction. (50 bit/s to 10 Mbit/s; default 9600 bit/s)"""
    slottime: Time
    """The station's SLOTTIME; by default the medium's. (above 0 s, up to 10 s)"""
    transmit_power: Quantity
    """Its transmitted power against that of other stations, by default 0 dB; matters with a medium's capture_ratio.
    (-60 dB to 60 dB)"""
    turnaround: Time
    """Terminal: processing time of the PC's program, from the last character received, or the start of a round trip, to
    the first it sends. (0 s to 200 day; default 0 s)"""
    txdelay: Time
    """The station's key-up delay (TXDELAY); by default the medium's. (0 s to 10 s)"""
    txtail: Time
    """The station's TXTAIL; by default the medium's. (0 s to 10 s)"""
    type: Literal["terminal", "digipeater", "node", "switch"]
    """The type of station. (terminal, digipeater, node, switch; default terminal)"""
    version: Literal["v2.0", "v2.2"]
    """AX.25 version. (v2.0, v2.2; default v2.0)"""
    window: int
    """Window size: unacknowledged I frames in flight (MAXFRAME, k); up to 7 modulo 8. (1 to 127)"""
    xid: bool
    """Whether a version 2.2 link begins with XID negotiation. (default True)"""


class Station(TypedDict, total=False):
    """Station."""

    aliases: str | Sequence[str]
    """Addresses beside its callsign that it repeats frames for, as "WIDE1-1": every station with the alias that hears
    such a frame repeats it (MYALIAS)."""
    busy_clear: Literal["silent", "rr", "poll"]
    """What a station sends when its receiver-busy condition (RNR) ends. (silent, rr, poll; default rr)"""
    callsign: str
    """Its address: one to six letters and digits, and with a hyphen an SSID of 0 to 15; by default ST and its number
    among all stations."""
    character_interval: Time
    """Terminal: interval between the characters that the PC sends, if longer than a character takes on the line. (0 s
    to 200 day; default 0 s)"""
    check: Literal["never"] | Time
    """Idle time after which a link is polled (CHECK, T3). (above 0 s, up to 200 day; default 300 s)"""
    costs: Costs | DataclassInstance
    """CPU time per frame; the CPU serves one frame at a time, FIFO."""
    count: int
    """Number of identical stations: `sensor` with 40 makes sensor-1 to sensor-40. (1 to 1000000; default 1)"""
    data_mode: Literal["converse", "transparent"]
    """Terminal: when the TNC sends the characters it has collected. (converse, transparent; default converse)"""
    dcd_hold: TimeDcdHold | BitsDcdHold | OnesDcdHold | DataclassInstance
    """How long the station still detects a carrier that has gone off; by default the medium's."""
    digipeat: bool
    """Whether it repeats frames that list it as the next digipeater (DIGIPEAT)."""
    dwait: Time
    """The station's DWAIT; by default the medium's. (0 s to 10 s)"""
    first_slot: Literal["at-once", "after-slottime"]
    """When the station draws first; by default as the medium says. (at-once, after-slottime)"""
    frack: Time
    """Acknowledgement timer (FRACK, T1) on a direct link; times 2m + 1 over m digipeaters. (1 ms to 1 h; default 3
    s)"""
    frack_runs: Literal["from-enqueue", "from-transmit-end", "while-channel-is-idle"]
    """When the acknowledgement timer runs. (from-enqueue, from-transmit-end, while-channel-is-idle; default
    while-channel-is-idle)"""
    frame_error_rate: Quantity | float
    """Share of the station's frames, of any length and kind, that it transmits with a wrong FCS (Dire Wolf's -E); by
    default 0 %. (0 % to 100 %)"""
    hears: str | Sequence[str]
    """The stations it hears on its radio channels, or `everyone`; others are hidden. On a wire both ends always hear
    each other. (default everyone)"""
    links: int
    """Maximum number of links on each of its media. (1 to 65535; default 64)"""
    member: Mapping[str, MemberMember | DataclassInstance]
    """Members of a station with count that differ from the rest, by name."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    netrom: Netrom | DataclassInstance
    """Node: its network and transport layers. (default {})"""
    on: str | Sequence[str]
    """The media it is attached to; by default the only one."""
    paclen: Size
    """Terminal: octets of user data in an I frame that it sends (PACLEN); nodes and switches send what their layers
    produce. (1 B to 8191 B; default 256 B)"""
    pactime: Time
    """Terminal, transparent: timer that ends a short packet (PACTIME). (1 ms to 1 h; default 1 s)"""
    pactime_runs: Literal["after", "every"]
    """Terminal, transparent: when pactime runs. (after, every; default after)"""
    persistence: Quantity | float
    """The station's persistence (PERSIST); by default the medium's. (above 0 %, up to 100 %)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receive_buffer: Size
    """Terminal: characters queued for the PC at which the TNC sends RNR; it sends RR when half are left. (1 B to 1 MiB;
    default 8 KiB)"""
    receive_limit: Size
    """Largest information field that it accepts (N1); links between ROSE switches need 259 octets. (1 B to 8191 B;
    default 2048 B)"""
    recovery: Literal["enquiry", "oldest-frame"]
    """What a link sends when T1 expires. (enquiry, oldest-frame; default enquiry)"""
    reject: Literal["go-back", "selective", "multi-selective"]
    """How a version 2.2 link requests retransmission of missing I frames; version 2.0 uses REJ. (go-back, selective,
    multi-selective; default selective)"""
    resptime: Time
    """Delay of an acknowledgement (RESPTIME, T2); with 0 s it waits for the channel alone. (0 s to 200 day; default 0
    s)"""
    resptime_pauses: bool
    """Whether T2 is paused while the channel is busy. (default False)"""
    retry: int
    """Transmissions of a frame or poll before the link is disconnected (RETRY, N2). (1 to 255; default 10)"""
    rose: Rose | DataclassInstance
    """Switch: its packet layer. (default {})"""
    rtt_estimator: Literal["fixed", "dire-wolf", "linux", "linux-linear", "linux-exponential"]
    """How T1 adapts to the measured round-trip time (RTT). (fixed, dire-wolf, linux, linux-linear, linux-exponential;
    default fixed)"""
    sabme_reply: Literal["frmr", "dm", "silent"]
    """Response of a version 2.0 station to SABME. (frmr, dm, silent; default frmr)"""
    send_buffer: Literal["unlimited"] | Size
    """Terminal: unacknowledged characters that the TNC buffers before flow control stops the PC, or the user's program
    of a session. (1 B to 1 MiB; default 8 KiB)"""
    serial_character: int
    """Terminal: bits of a character with start, parity and stop bits. (7 to 12; default 10)"""
    serial_input: Literal["always", "not-while-transmitting"]
    """Terminal: when the TNC accepts characters from the serial line. (always, not-while-transmitting; default
    always)"""
    serial_rate: BitRate
    """Terminal: bit rate of the serial line in each direction. (50 bit/s to 10 Mbit/s; default 9600 bit/s)"""
    slottime: Time
    """The station's SLOTTIME; by default the medium's. (above 0 s, up to 10 s)"""
    transmit_power: Quantity
    """Its transmitted power against that of other stations, by default 0 dB; matters with a medium's capture_ratio.
    (-60 dB to 60 dB)"""
    turnaround: Time
    """Terminal: processing time of the PC's program, from the last character received, or the start of a round trip, to
    the first it sends. (0 s to 200 day; default 0 s)"""
    txdelay: Time
    """The station's key-up delay (TXDELAY); by default the medium's. (0 s to 10 s)"""
    txtail: Time
    """The station's TXTAIL; by default the medium's. (0 s to 10 s)"""
    type: Literal["terminal", "digipeater", "node", "switch"]
    """The type of station. (terminal, digipeater, node, switch; default terminal)"""
    version: Literal["v2.0", "v2.2"]
    """AX.25 version. (v2.0, v2.2; default v2.0)"""
    window: int
    """Window size: unacknowledged I frames in flight (MAXFRAME, k); up to 7 modulo 8. (1 to 127)"""
    xid: bool
    """Whether a version 2.2 link begins with XID negotiation. (default True)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="packet-radio")`."""

    kind: Required[Literal["packet-radio"]]
    """The kind of network."""
    name: str
    """What results are called."""
    channel: Channel | DataclassInstance
    """The keys of the only medium."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    flows: Sequence[Flow | DataclassInstance]
    """Background traffic and sessions of users, passed to the stations' TNCs without a serial line."""
    measure: Measure | DataclassInstance
    """How a real channel is measured."""
    media: Sequence[Medium | DataclassInstance]
    """A radio channel that its stations share, or a wire between two."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    on_air: OnAir | DataclassInstance
    """This host's station on the air: the first [[station]], with the parameters of its medium."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    path_losses: Sequence[PathLoss | DataclassInstance]
    """How much weaker than others a radio path is; paths without one have 0 dB."""
    probe: Probe | DataclassInstance
    """The ping-pong: a terminal sends a block, another returns it, and the round trip is measured."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    stations: Sequence[Station | DataclassInstance]
    """A terminal, digipeater, node or switch, or several identical ones; it has a port on each of its media."""
    stations_file: str
    """A CSV file with one station a row; its columns are keys of [[station]]."""
    title: str
    """Title of the scenario. (default )"""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
