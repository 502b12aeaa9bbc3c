//! An output: a queue, an optional token bucket, a wire, and their counters.

use sojourn_core::{Duration, Streams, Time, rekey_fields};
use sojourn_metrics::TimeWeighted;
use sojourn_metrics::trace::LevelTrace;

use super::packet::Store;
use super::queue::{Early, Queue};
use super::settings::{Pace, PortSettings};
use super::shaping::Next;
use super::wire::Wire;
use crate::fabric::{LinkChange, Outage, PortTally, Watch};
use crate::topology;
use sojourn_model::slab::NONE;

/// One direction of a link, with what waits before it.
#[derive(Clone, Debug)]
pub struct Port {
    queue: Queue,
    /// Where its packets go.
    pub wire: Wire,
    /// From a packet's arrival until it may leave the station there.
    pub latency: Duration,
    /// Octets that queues count beside those of a packet.
    header: u32,
    /// That of the token bucket or shaper, and whether the link itself takes no time.
    paced: Option<(Pace, bool)>,
    /// Who is being sent.
    sending: u32,
    /// Whether the link carries nothing, and whether who is being sent was cut off.
    outage: Outage,
    is_cut: bool,
    /// When the token bucket is asked again.
    asked_again: Time,
    tally: Counts,
}

/// What an output counts.
#[derive(Clone, Debug)]
struct Counts {
    busy: Duration,
    /// Time that the token bucket needs for what was sent.
    paced: Duration,
    sent: u64,
    dropped: u64,
    marked: u64,
    /// Packets that waited when the counts began.
    waited: f64,
    length: TimeWeighted,
    trace: Option<LevelTrace>,
}

/// What is due at an output that has been asked for its next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// This packet is being sent, until then.
    Sent {
        /// Which.
        number: u32,
        /// When its last bit is sent.
        at: Time,
    },
    /// It is to be asked again then.
    Again(Time),
}

impl Port {
    /// An idle output that `connections`, of `all`, pass.
    pub fn new(
        port: &topology::Port,
        settings: &PortSettings,
        latency: Duration,
        connections: &[u32],
        all: usize,
        streams: &Streams,
    ) -> Self {
        let header = settings.link.framing.counted;
        let mut hash = streams.stream(&format!("link/{}/hash", settings.name));
        let draws = streams.stream(&format!("link/{}/aqm", settings.name));
        let early = settings.queue.early.map(|early| {
            let rate = settings.queue.shaping.map_or(port.rate, |shaping| port.rate.min(shaping.rate));
            let transmission = Duration::from_units(8 * u64::from(early.mean_packet), rate);
            move |class: usize| {
                let draws = streams.stream(&format!("link/{}/early-{class}", settings.name));
                Early::new(early, transmission, draws)
            }
        });
        let early = early.as_ref().map(|early| early as &dyn Fn(usize) -> Early);
        Port {
            queue: Queue::new(&settings.queue, settings.link.mtu + header, connections, all, &mut hash, draws, early),
            wire: Wire::new(port, settings, streams),
            latency,
            header,
            paced: settings.queue.pace().map(|pace| (pace, settings.link.unlimited)),
            sending: NONE,
            outage: Outage::default(),
            is_cut: false,
            asked_again: Time::NEVER,
            tally: Counts {
                busy: Duration::ZERO,
                paced: Duration::ZERO,
                sent: 0,
                dropped: 0,
                marked: 0,
                waited: 0.0,
                length: TimeWeighted::new(Time::ZERO, 0.0),
                trace: None,
            },
        }
    }

    /// Says what is to be observed.
    pub fn watch(&mut self, watch: &Watch, is_traced: bool) {
        self.tally.length.start_mean_at(watch.mean_from);
        self.tally.trace = is_traced.then(|| LevelTrace::new(0.0));
    }

    /// A packet comes, and takes its place or is dropped.
    #[inline]
    pub fn enqueue(&mut self, now: Time, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let packet = &mut store[number];
        packet.counted = packet.octets + self.header;
        packet.marked = false;
        if self.outage.is_on() {
            return dropped.push(number);
        }
        self.queue.enqueue(now, number, store, dropped);
    }

    /// Sends the next packet, if the wire is free and one may go.
    #[inline]
    pub fn send_next(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<Due> {
        if self.sending != NONE {
            return None;
        }
        match self.queue.next(now, store, dropped) {
            Next::Nothing => None,
            // one wake-up is pending at most: every arrival at a bucket in debt would schedule another
            Next::NotBefore(at) => (at < self.asked_again).then(|| {
                self.asked_again = at;
                Due::Again(at)
            }),
            Next::Packet(number) => {
                let at = self.wire.line.send(now, store[number].octets);
                self.takes(number, store);
                let mut busy = at.since(now);
                if let Some((pace, only)) = self.paced {
                    let paced = pace.takes(store[number].octets, store[number].counted);
                    self.tally.paced += paced;
                    if only {
                        busy = paced;
                    }
                }
                self.tally.busy += busy;
                Some(Due::Sent { number, at })
            }
        }
    }

    /// A packet has left the queue.
    #[inline]
    fn takes(&mut self, number: u32, store: &Store) {
        self.sending = number;
        self.tally.marked += u64::from(store[number].marked);
    }

    /// The next packet for the MAC of a shared wire, if that has none and one may go.
    pub fn take_next(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<Due> {
        if self.sending != NONE || self.outage.is_on() {
            return None;
        }
        match self.queue.next(now, store, dropped) {
            Next::Nothing => None,
            Next::NotBefore(at) => (at < self.asked_again).then(|| {
                self.asked_again = at;
                Due::Again(at)
            }),
            Next::Packet(number) => {
                self.takes(number, store);
                if let Some((pace, _)) = self.paced {
                    self.tally.paced += pace.takes(store[number].octets, store[number].counted);
                }
                Some(Due::Sent { number, at: now })
            }
        }
    }

    /// The MAC of a shared wire takes another packet.
    pub fn free(&mut self) {
        self.sending = NONE;
    }

    /// A packet has passed the shared wire, in so long a time.
    pub fn passed(&mut self, time: Duration) {
        self.tally.sent += 1;
        self.tally.busy += time;
    }

    /// Whether a packet that has passed the shared wire is lost all the same.
    pub fn loses_passed(&mut self) -> bool {
        self.wire.loses()
    }

    /// Whether the link carries nothing.
    pub fn is_out(&self) -> bool {
        self.outage.is_on()
    }

    /// The instant at which its token bucket was to be asked again is there.
    #[inline]
    pub fn ask_again(&mut self, now: Time) {
        if self.asked_again == now {
            self.asked_again = Time::NEVER;
        }
    }

    /// The last bit of a packet is sent; returns which.
    #[inline]
    pub fn sent(&mut self) -> u32 {
        self.tally.sent += 1;
        std::mem::replace(&mut self.sending, NONE)
    }

    /// Packets have come, gone or been dropped.
    #[inline]
    pub fn observe(&mut self, now: Time, dropped: usize) {
        self.tally.dropped += dropped as u64;
        let length = f64::from(self.queue.length());
        if length != self.tally.length.value() {
            self.tally.length.set(now, length);
            if let Some(trace) = &mut self.tally.trace {
                trace.set(now, length);
            }
        }
    }

    /// The link changes; packets lost with it, except the one in transmission, are added to `dropped`.
    pub fn change(&mut self, now: Time, change: LinkChange, store: &mut Store, dropped: &mut Vec<u32>) {
        self.wire.change(change);
        if self.outage.change(change) && self.outage.is_on() {
            // the end of the transmission is already scheduled: its packet is lost when that step comes
            self.is_cut = self.sending != NONE;
            self.queue.clear(now, store, dropped);
        }
    }

    /// Whether the packet whose last bit was to be sent now is lost: on the wire, or because the link went down meanwhile.
    #[inline]
    pub fn loses(&mut self) -> bool {
        std::mem::take(&mut self.is_cut) || self.wire.loses()
    }

    /// A packet was lost on the wire.
    pub fn lost(&mut self) {
        self.tally.dropped += 1;
    }

    /// Counts from `now` on: the warm-up is over.
    pub fn reset_tally(&mut self, now: Time) {
        let counts = &mut self.tally;
        (counts.sent, counts.dropped, counts.marked, counts.paced) = (0, 0, 0, Duration::ZERO);
        counts.waited = counts.length.value();
        // the packet in transmission was counted before the warm-up ended: its remainder belongs to the observation
        counts.busy = self.wire.line.free_at().since(now);
    }

    /// What was counted up to `now`, and the trace if there is one.
    pub fn tally(&mut self, now: Time) -> (PortTally, Option<LevelTrace>) {
        let counts = &mut self.tally;
        // transmissions are counted when they begin: what lies beyond the end of the run does not belong to it
        let busy = counts.busy.saturating_sub(self.wire.line.free_at().since(now));
        let tally = PortTally {
            busy,
            paced: counts.paced,
            sent: counts.sent,
            more_waiting: counts.length.value() - counts.waited,
            queue: counts.length.clone().finish(now),
            dropped: counts.dropped,
            marked: counts.marked,
        };
        (tally, counts.trace.take())
    }
}

rekey_fields!(Port { wire, queue });
