# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""An FDDI adapter on its system bus, stage by stage: throughput, latency, occupancy, drops by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Required, TypeAlias, TypedDict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Time: TypeAlias = str
"""A time, as "500 ms"."""
Size: TypeAlias = str
"""A size, as "100 B"."""
BitRate: TypeAlias = str
"""A bit rate, as "50 Mbit/s"."""
Length: TypeAlias = str
"""A length, as "2 km"."""
Quantity: TypeAlias = str
"""A number with its unit, as "10 %"."""


class Adapter(TypedDict, total=False):
    """Stages of the adapter."""

    buffer: Size
    """Buffer size of packet memory; a frame occupies as many as it needs. (32 B to 8 KiB; default 512 B)"""
    burst_time: Time
    """Time of a 32-byte burst on the ring memory controller's bus. (above 0 s, up to 1 ms; default 0.32 µs)"""
    chip_set_latency: Time
    """Latency of the FDDI chip set to the ring. (0 s to 200 day; default 0.6 µs)"""
    control_per_byte: Time
    """Additional time of the control stage per byte of a frame, in both directions. (0 s to 200 day; default 0 ns)"""
    control_queue: int
    """Queue limit before the control stage, in received frames. (1 to 65536; default 512)"""
    descriptor_fetch: Literal["prefetched", "blocking"]
    """When receive descriptors are read. (prefetched, blocking; default prefetched)"""
    descriptor_time: Time
    """Time of a frame descriptor on that bus. (0 s to 200 day; default 0.16 µs)"""
    descriptors_per_read: int
    """Receive descriptors per hexaword read. (1 to 16; default 4)"""
    discard_time: Time
    """Control stage: time to discard a frame. (0 s to 200 day; default 0.1 µs)"""
    drop_at: Literal["fifo", "pool", "host"]
    """Stage that drops a frame when resources are exhausted; up to there it consumes the same resources as others.
    (fifo, pool, host; default pool)"""
    fifo_bursts: int
    """Depth of each FIFO in bursts of 32 bytes. (1 to 1024; default 16)"""
    outstanding_reads: int
    """Maximum outstanding data reads of the transmit channel. (1 to 16; default 1)"""
    parse_frame: Time
    """Parser: time per frame. (0 s to 200 day; default 0.8 µs)"""
    parse_management: Time
    """Parser: additional time for a station management (SMT) frame. (0 s to 200 day; default 0.4 µs)"""
    parse_per_byte: Time
    """Parser: additional time for each of the first 64 bytes. (0 s to 200 day; default 10 ns)"""
    parse_snap: Time
    """Parser: additional time for a SNAP header. (0 s to 200 day; default 0.2 µs)"""
    priority: Literal["reads-first", "writes-first", "alternate"]
    """Order of pending transactions when the bus is granted to the host interface. (reads-first, writes-first,
    alternate; default reads-first)"""
    profile: str
    """A parameter set: the name of one in profiles/, or the path of a TOML file."""
    receive_buffers: Size
    """Packet memory for received frames. (512 B to 64 MiB; default 256 KiB)"""
    receive_control: Time
    """Control stage: time per received frame, without the ownership write. (0 s to 200 day; default 5.888 µs)"""
    ring_memory_latency: Time
    """Latency of the ring memory controller: from a frame's last bit to packet memory, or from packet memory to the
    chip set. (0 s to 200 day; default 1 µs)"""
    staging: int
    """Staging buffers of each DMA channel, in hexawords. (1 to 64; default 4)"""
    transmit_buffers: Size
    """Packet memory for frames to send. (512 B to 64 MiB; default 128 KiB)"""
    transmit_control: Time
    """Control stage: time per transmitted frame. (0 s to 200 day; default 3.392 µs)"""
    transmit_threshold: Size
    """Transmit threshold: bytes in packet memory at which transmission starts; the whole frame if left out. (32 B to
    4500 B)"""


class Bus(TypedDict, total=False):
    """System bus, memory, and traffic of other nodes."""

    commander_transaction: Literal["longword-write", "quadword-write", "octaword-write", "hexaword-write", "hexaword-read"]
    """Transaction of these nodes; each has one outstanding at a time. (longword-write, quadword-write, octaword-write,
    hexaword-write, hexaword-read; default hexaword-write)"""
    commanders: int
    """Further nodes that always have a transaction pending; for tests of the bus alone. (0 to 14; default 0)"""
    configuration: Literal["cpu", "io"]
    """Position of main memory, which determines its access time. (cpu, io; default cpu)"""
    interference: Quantity | float
    """Share of bus cycles requested by other nodes. (0 % to 99 %; default 0 %)"""
    interference_arrivals: Literal["poisson", "periodic"]
    """Arrival process of the bursts. (poisson, periodic; default poisson)"""
    interference_burst: int
    """Nodes that request the bus in the same cycle, one transaction each. (1 to 13; default 13)"""
    interference_length: float
    """Mean length in bus cycles of other nodes' transactions; a fraction mixes the two nearest lengths. (1 to 5;
    default 5)"""
    interleave: int
    """Interleaved memory banks, a hexaword each in turn. (1 to 16; default 4)"""
    memory_access: int
    """Bus cycles of 64 ns from the end of a read command to the memory's request for the bus. (1 to 1000)"""
    memory_queue: int
    """Queued reads at which memory suppresses further commands on the bus (SUP). (1 to 1000; default 16)"""


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
    """The directions it affects."""
    mean_time_between: Time
    """Mean operating time between failures (MTBF, IEC 60050-192): from the end of one to the next, exponential; each of
    what is named fails on its own. (above 0 s, up to 200 day)"""
    mean_time_to_repair: Time
    """Mean time from a failure to its end (MTTR), exponential. (above 0 s, up to 200 day)"""
    media: str | Sequence[str]
    """The medium it affects."""
    name: Required[str]
    """Its name: letters, digits, - and _."""
    set: Mapping[str, Any]
    """Keys with the values that they take, by their paths: { "medium.backbone.loss" = "5 %" }."""
    size: int
    """Of a burst: messages of each flow at once. (1 to 1000000; default 1)"""
    stations: str | Sequence[str]
    """The station it affects."""
    until: Time
    """When it ends, from the start of the run; without it and `duration` it does not end. (above 0 s, up to 200 day)"""


class Host(TypedDict, total=False):
    """Descriptor rings and buffers of the host."""

    alignment: Literal["hexaword", "quadword", "longword"]
    """Alignment of the segments. (hexaword, quadword, longword; default hexaword)"""
    ring_entries: int
    """Entries of each descriptor ring of the host, one buffer segment each. (2 to 65536; default 64)"""
    segments: int
    """Host buffer segments per frame, one ring entry each. (1 to 2; default 1)"""


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


class Ring(TypedDict, total=False):
    """Network side of the adapter."""

    accounting: Literal["with-overhead", "frame-alone"]
    """Bytes counted per frame in throughput, load and transmission time. (with-overhead, frame-alone; default
    with-overhead)"""
    bypass_time: Time
    """Events: how long a token ring is interrupted while the adapter is bypassed or enters; by default 25 ms, I_Max of
    ANSI X3.229. (0 s to 1 s)"""
    kind: Literal["black-box", "token-ring"]
    """Network side of the adapter. (black-box, token-ring; default black-box)"""
    length: Length
    """Circumference of a token ring of two stations; 5.085 µs/km. (0 m to 200 km; default 0.1 km)"""
    station_latency: Time
    """Latency of each station of a token ring as a repeater. (1 ns to 1 ms; default 1 µs)"""


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


class Traffic(TypedDict, total=False):
    """Frames: direction, length, arrival process."""

    arrivals: Literal["exponential", "constant", "normal"]
    """Distribution of the gaps between frames; a sustainable load has constant gaps. (exponential, constant, normal;
    default exponential)"""
    burst: int
    """Burst length: back-to-back frames before each gap. (1 to 10000; default 1)"""
    deviation: Quantity | float
    """Standard deviation of normal gaps, relative to their mean. (0 % to 30 %; default 20 %)"""
    direction: Literal["receive", "transmit", "both", "none"]
    """Direction of the frames. (receive, transmit, both, none; default receive)"""
    frame_size: Size
    """Length of a frame, or its mean, from start delimiter to frame status. (20 B to 4500 B; default 69 B)"""
    llc_share: Quantity | float
    """Share of LLC frames without a SNAP header. (0 % to 100 %; default 0 %)"""
    load: Literal["saturating", "sustainable", "single"] | BitRate
    """Offered load, per direction. (0 bit/s to 100 Mbit/s; default saturating)"""
    management_share: Quantity | float
    """Share of station management (SMT) frames. (0 % to 100 %; default 0 %)"""
    middle_share: Quantity | float
    """Share of the mode at 576 bytes in the five-mode mix; the others shrink in proportion. 55 % if left out. (0 % to
    99 %)"""
    mix: Literal["constant", "exponential", "four-mode", "five-mode"]
    """Distribution of frame lengths. (constant, exponential, four-mode, five-mode; default constant)"""
    stages: Literal["adapter", "ring-memory-controller", "host-interface"]
    """Stages that frames pass; one alone for tests of a part. (adapter, ring-memory-controller, host-interface; default
    adapter)"""
    sustainable_share: Quantity | float
    """Sustainable load as a share of the saturated throughput. (above 0 %, up to 100 %; default 95 %)"""


class Arguments(TypedDict, total=False):
    """The arguments of `Scenario(kind="fddi-adapter")`."""

    kind: Required[Literal["fddi-adapter"]]
    """The kind of network."""
    name: str
    """What results are called."""
    adapter: Adapter | DataclassInstance
    """Stages of the adapter."""
    bus: Bus | DataclassInstance
    """System bus, memory, and traffic of other nodes."""
    events: Sequence[Event | DataclassInstance]
    """What happens at a time: an outage, a change of a key, a flow that begins or ends."""
    expect: Mapping[str, str]
    """What results should be: "METRIC.FIELD" = "RELATION VALUE"; the run ends with a verdict on each."""
    host: Host | DataclassInstance
    """Descriptor rings and buffers of the host."""
    network: Network | DataclassInstance
    """The kind of network, and its parameter set."""
    options: Sequence[Option | DataclassInstance]
    """A change that `sojourn advise` compares with the scenario as it is. Changes no result."""
    question: Question | DataclassInstance
    """What `sojourn find` searches: up to which value of a key all of [expect] is met. Changes no result."""
    ring: Ring | DataclassInstance
    """Network side of the adapter."""
    run: Run | DataclassInstance
    """Duration, warm-up, replications and random seed."""
    title: str
    """Title of the scenario. (default )"""
    traffic: Traffic | DataclassInstance
    """Frames: direction, length, arrival process."""
    changes: Sequence[str]
    """Changes on top, as `--set` takes them."""
