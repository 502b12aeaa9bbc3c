//! The scenario in the types of this network.

use sojourn_core::Duration;
use sojourn_engine::law::Law;

use super::bus::{InterferenceSettings, Operation};
use super::effect::Timeline;
use super::sizes::Sizes;

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Memory and the other nodes.
    pub bus: BusSettings,
    /// Latencies and buffers of the adapter.
    pub stages: Stages,
    /// Descriptor rings in host memory.
    pub host: Host,
    /// What the adapter is attached to.
    pub ring: Ring,
    /// Lengths, types and arrivals of frames.
    pub traffic: Traffic,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

/// Memory and the other nodes.
#[derive(Clone, Debug)]
pub struct BusSettings {
    /// Cycles of a memory access.
    pub access: u64,
    /// Number of memory banks (interleave).
    pub interleave: usize,
    /// Reads that memory takes before it suppresses commands.
    pub memory_queue: usize,
    /// What others ask for.
    pub interference: InterferenceSettings,
    /// Nodes that always have a transaction to do.
    pub commanders: u32,
    /// Transaction that each commander repeats.
    pub operation: Operation,
}

/// Processing times, buffer sizes and policies of the adapter's stages.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Control stage: a received frame, its ownership write apart.
    pub receive_control: Duration,
    /// Control stage: a frame to send, entry and status apart.
    pub transmit_control: Duration,
    /// Control stage: a byte of a frame.
    pub control_per_byte: Duration,
    /// Control stage: a refused frame.
    pub discard_time: Duration,
    /// Frames that may wait before the control stage.
    pub control_queue: usize,
    /// The chip set's delay of a frame to the ring.
    pub chip_set_latency: Duration,
    /// From the last bit to packet memory, and from there to the chip set.
    pub ring_memory_latency: Duration,
    /// Bursts in a FIFO.
    pub fifo_bursts: usize,
    /// A burst on the ring memory controller's bus, and on the host interface's side of packet memory.
    pub burst_time: Duration,
    /// Time of a packet's descriptor on the ring memory controller's bus.
    pub descriptor_time: Duration,
    /// Processing times of the parser.
    pub parser: Parser,
    /// Buffers of packet memory for received frames.
    pub receive_buffers: u32,
    /// Buffers of packet memory for frames to send.
    pub transmit_buffers: u32,
    /// Bytes of a buffer.
    pub buffer: u32,
    /// Where a frame that finds no room is dropped.
    pub drop_at: DropAt,
    /// Hexawords in a channel's staging buffers.
    pub staging: u32,
    /// Maximum outstanding data reads.
    pub outstanding_reads: u32,
    /// Which transaction goes first.
    pub priority: Priority,
    /// Receive descriptors in a hexaword.
    pub descriptors_per_read: u32,
    /// Whether they are read ahead.
    pub prefetch: bool,
    /// Bytes in packet memory with which a frame may go on to the ring.
    pub transmit_threshold: u32,
}

/// What the parser takes.
#[derive(Clone, Copy, Debug)]
pub struct Parser {
    /// Time for each frame, whatever its type.
    pub frame: Duration,
    /// More for a SNAP header.
    pub snap: Duration,
    /// More for a station management frame.
    pub management: Duration,
    /// More for each of the first 64 bytes.
    pub per_byte: Duration,
}

/// Where a frame that finds no room is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropAt {
    /// At its first burst.
    Fifo,
    /// Where packet memory or the queue is full.
    Pool,
    /// There, and after the control stage where the host has no buffer.
    Host,
}

/// Which pending transaction of the host interface goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Read requests, data, entries.
    ReadsFirst,
    /// Data, entries, read requests.
    WritesFirst,
    /// The one of the channel that was granted.
    Alternate,
}

/// Descriptor rings in host memory.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Entries of each ring.
    pub ring_entries: u32,
    /// Segments of a frame, an entry each.
    pub segments: u32,
    /// Transactions that a segment takes more, since it begins within a line.
    pub partial_lines: u32,
}

impl Host {
    /// Data transactions that a frame of `size` bytes takes.
    pub fn hexawords(&self, size: u32) -> u32 {
        let segment = size.div_ceil(self.segments);
        let whole = (self.segments - 1) * segment.div_ceil(32) + (size - (self.segments - 1) * segment).div_ceil(32);
        whole + self.segments * self.partial_lines
    }
}

/// What the adapter is attached to.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Bytes that a frame counts and lasts beside its own.
    pub overhead: u32,
    /// Length in metres and a station's latency, where frames wait for a token.
    pub token: Option<(f64, Duration)>,
    /// How long a token ring is interrupted while the adapter is bypassed or enters.
    pub bypass_time: Duration,
}

/// A byte at the line's rate of 100 Mbit/s.
pub const BYTE_TIME: Duration = Duration::from_nanos(80);

impl Ring {
    /// How long a frame of `size` bytes lasts.
    #[inline]
    pub fn lasts(&self, size: u32) -> Duration {
        BYTE_TIME.times(u64::from(size + self.overhead))
    }
}

/// Lengths, types and arrivals of frames.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// From the ring to the host.
    pub receive: bool,
    /// From the host to the ring.
    pub transmit: bool,
    /// Stages that frames pass.
    pub stages: StageSelection,
    /// Distribution of frame lengths, in bytes.
    pub sizes: Sizes,
    /// Arrivals of frames.
    pub pace: Pace,
    /// Share of station management frames.
    pub management_share: f64,
    /// Share of LLC frames without SNAP header.
    pub llc_share: f64,
}

/// The stages that frames pass: all, or one part for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageSelection {
    /// All.
    Adapter,
    /// Between ring and packet memory.
    RingMemoryController,
    /// Between packet memory and host.
    HostInterface,
}

/// Arrivals of frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// One right after the other.
    Saturating,
    /// At this share of what was measured saturated.
    Sustainable(f64),
    /// One when the one before is through.
    Single,
    /// With gaps.
    Gaps(Gaps),
    /// Never.
    Silent,
}

/// Gaps between frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaps {
    /// Frames that follow each other without a gap.
    pub burst: u32,
    /// The gap after each burst.
    pub law: Law,
}
