//! What one replication observes of its frames.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;

/// Where frames are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The receive FIFO was full.
    ReceiveFifo,
    /// Packet memory had no buffer.
    PacketBuffers,
    /// Too many frames waited before the control stage.
    ControlQueue,
    /// The host had no buffer.
    HostBuffers,
    /// The transmit FIFO ran empty while a frame was on the fibre.
    TransmitFifo,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 5] =
        [Place::ReceiveFifo, Place::PacketBuffers, Place::ControlQueue, Place::HostBuffers, Place::TransmitFifo];

    /// As results call it.
    pub const fn name(self) -> &'static str {
        match self {
            Place::ReceiveFifo => "receive-fifo",
            Place::PacketBuffers => "packet-buffers",
            Place::ControlQueue => "control-queue",
            Place::HostBuffers => "host-buffers",
            Place::TransmitFifo => "transmit-fifo",
        }
    }
}

/// Where a frame's time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Component {
    /// From the last bit to packet memory.
    pub storing: Duration,
    /// What the parser took after that.
    pub parsing: Duration,
    /// For the control stage, or for a host buffer.
    pub waiting_for_control: Duration,
    /// In the control stage, the bus apart.
    pub control: Duration,
    /// For the bus: behind other nodes, other transactions of the adapter, and for its clock.
    pub waiting_for_bus: Duration,
    /// On the bus and in memory, as if both were idle.
    pub bus_and_memory: Duration,
    /// From packet memory through ring memory controller and chip set.
    pub ring_memory: Duration,
    /// For the frame before on the fibre, for the ring's time or its token.
    pub waiting_for_ring: Duration,
}

/// Their names, in the order of [`Component::parts`].
pub const COMPONENTS: &[&str] = &[
    "storing",
    "parsing",
    "waiting_for_control",
    "control",
    "waiting_for_bus",
    "bus_and_memory",
    "ring_memory",
    "waiting_for_ring",
];

impl Component {
    fn parts(self) -> [Duration; 8] {
        [
            self.storing,
            self.parsing,
            self.waiting_for_control,
            self.control,
            self.waiting_for_bus,
            self.bus_and_memory,
            self.ring_memory,
            self.waiting_for_ring,
        ]
    }
}

/// Counts and samples between the end of the warm-up and the end of the run.
#[derive(Clone, Debug)]
pub struct Measures {
    pub from: Time,
    pub to: Time,
    /// Bytes that a frame counts beside its own.
    overhead: u32,
    /// Frames from time 0: come in, and begun to send.
    pub received: u64,
    pub begun: u64,
    /// Frames delivered or dropped since time 0, in both directions.
    pub receive_ended: u64,
    pub send_ended: u64,
    pub to_host: DirectionTally,
    pub to_ring: DirectionTally,
    pub drops: BTreeMap<Place, u64>,
    pub budget: Budget,
    /// Waits of the adapter's transactions for the bus, and of other nodes'.
    pub bus_wait: Distribution,
    pub others_wait: Distribution,
    /// Bytes that other commanders moved.
    pub moved_by_others: u64,
    /// Cycles that other nodes drove.
    pub driven_by_others: u64,
    /// Response times in order, when they were asked for.
    pub trace: Option<Vec<(u64, f64)>>,
}

/// Frames delivered in one direction.
#[derive(Clone, Debug, Default)]
pub struct DirectionTally {
    pub frames: u64,
    /// Bytes as throughput counts them.
    bytes: u64,
    /// When the first one was through, what it counts, and when the last one was.
    first: Option<(Time, u64)>,
    last: Time,
    pub response_time: Distribution,
}

impl DirectionTally {
    #[inline]
    fn count(&mut self, now: Time, bytes: u64) {
        self.frames += 1;
        self.bytes += bytes;
        self.first.get_or_insert((now, bytes));
        self.last = now;
    }

    /// Frames and bits a second, from the end of the first frame to that of the last: a window's edges would cut long
    /// frames. Of fewer than two frames, over the whole window.
    pub fn rates(&self, window: Duration) -> (f64, f64) {
        match self.first {
            Some((first, bytes)) if self.last > first => {
                let span = (self.last - first).seconds();
                ((self.frames - 1) as f64 / span, (self.bytes - bytes) as f64 * 8.0 / span)
            }
            _ => (self.frames as f64 / window.seconds(), self.bytes as f64 * 8.0 / window.seconds()),
        }
    }
}

impl Measures {
    /// Nothing seen.
    pub fn new(from: Time, to: Time, overhead: u32, traced: bool) -> Self {
        Measures {
            from,
            to,
            overhead,
            received: 0,
            begun: 0,
            receive_ended: 0,
            send_ended: 0,
            to_host: DirectionTally::default(),
            to_ring: DirectionTally::default(),
            drops: Place::ALL.into_iter().map(|place| (place, 0)).collect(),
            budget: Budget::new(COMPONENTS),
            bus_wait: Distribution::new(),
            others_wait: Distribution::new(),
            moved_by_others: 0,
            driven_by_others: 0,
            trace: traced.then(Vec::new),
        }
    }

    /// Whether an instant is observed.
    #[inline]
    pub fn holds(&self, now: Time) -> bool {
        self.from <= now
    }

    /// The host has a frame whose last bit came at `since`.
    #[inline]
    pub fn deliver_received(&mut self, now: Time, size: u32, since: Time, parts: Component) {
        self.receive_ended += 1;
        if !self.holds(now) {
            return;
        }
        self.to_host.count(now, u64::from(size + self.overhead));
        self.to_host.response_time.record(now - since);
        self.sample(now, now - since, parts);
    }

    /// A frame's first bit leaves, so long after the adapter began with it.
    #[inline]
    pub fn first_bit(&mut self, now: Time, response_time: Duration, parts: Component) {
        if self.holds(now) {
            self.to_ring.response_time.record(response_time);
            self.sample(now, response_time, parts);
        }
    }

    fn sample(&mut self, now: Time, response_time: Duration, parts: Component) {
        self.budget.record(&parts.parts());
        debug_assert_eq!(parts.parts().into_iter().sum::<Duration>(), response_time, "the parts add up");
        if let Some(trace) = &mut self.trace {
            trace.push((now.picoseconds(), response_time.seconds()));
        }
    }

    /// A frame has left for the ring.
    #[inline]
    pub fn count_sent(&mut self, now: Time, size: u32) {
        self.send_ended += 1;
        if self.holds(now) {
            self.to_ring.count(now, u64::from(size + self.overhead));
        }
    }

    /// A received frame finds no room.
    pub fn drop_received(&mut self, now: Time, place: Place) {
        self.receive_ended += 1;
        self.drop_at(now, place);
    }

    /// A frame to the ring was aborted by an underrun.
    pub fn drop_sent(&mut self, now: Time) {
        self.send_ended += 1;
        self.drop_at(now, Place::TransmitFifo);
    }

    fn drop_at(&mut self, now: Time, place: Place) {
        if self.holds(now) {
            *self.drops.get_mut(&place).expect("all places are there") += 1;
        }
    }
}
