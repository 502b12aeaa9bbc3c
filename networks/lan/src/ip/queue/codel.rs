//! Controlled delay (CoDel, RFC 8289): once packets have waited longer than the target for a whole interval, one is
//! dropped, or marked; further ones follow at decreasing intervals of interval / sqrt(n).

use sojourn_core::{Duration, Time};
use sojourn_protocols::ip::Ecn;

use super::super::packet::{List, Store};
use super::super::settings::{ControlledDelay, Limit};
use super::fifo::Fifo;

/// One queue under controlled delay.
#[derive(Clone, Copy, Debug)]
pub struct Codel {
    fifo: Fifo,
    control: Control,
}

impl Codel {
    /// An empty queue; `longest` are the octets of the longest packet.
    pub fn new(limit: Limit, delay: ControlledDelay, longest: u32) -> Self {
        Codel { fifo: Fifo::new(limit), control: Control::new(delay, longest) }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        self.fifo.enqueue(number, store, dropped);
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        self.control.dequeue(now, &mut self.fifo.list, store, dropped)
    }
}

/// What controlled delay keeps of a queue; the names are those of RFC 8289, section 5.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    delay: ControlledDelay,
    /// A queue with no more octets than the longest packet has is never too long.
    longest: u64,
    /// When the wait, above the target now, will have been so for an interval.
    first_above_time: Option<Time>,
    drop_next: Time,
    /// Packets dropped or marked since the dropping began.
    count: u32,
    last_count: u32,
    dropping: bool,
}

/// A packet at the head of a queue, and whether it may be dropped.
type Head = (Option<u32>, bool);

impl Control {
    /// Of an empty queue.
    pub fn new(delay: ControlledDelay, longest: u32) -> Self {
        Control {
            delay,
            longest: u64::from(longest),
            first_above_time: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    /// Takes the next packet that is not dropped.
    #[inline]
    pub fn dequeue(&mut self, now: Time, list: &mut List, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        let packet = self.take(now, list, store, dropped);
        if let (Some(number), Some(threshold)) = (packet, &self.delay.ce_threshold) {
            let packet = &mut store[number];
            let selected = !threshold.ect1_only || packet.frame.ecn == Ecn::Ect1;
            if selected && now.since(packet.queued) > threshold.wait {
                packet.mark();
            }
        }
        packet
    }

    /// Takes the next packet that controlled delay does not drop.
    #[inline]
    fn take(&mut self, now: Time, list: &mut List, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        let (mut packet, mut may_drop) = self.head(now, list, store);
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if self.marks(packet, store) {
                    self.drop_next += self.spacing();
                    return packet;
                }
                dropped.extend(packet);
                (packet, may_drop) = self.head(now, list, store);
                self.dropping = may_drop;
                if may_drop {
                    self.drop_next += self.spacing();
                }
            }
        } else if may_drop {
            if !self.marks(packet, store) {
                dropped.extend(packet);
                (packet, _) = self.head(now, list, store);
            }
            self.begin(now);
        }
        packet
    }

    /// Whether the packet is marked in place of a drop.
    #[inline]
    fn marks(&self, packet: Option<u32>, store: &mut Store) -> bool {
        self.delay.ecn && packet.is_some_and(|number| store[number].mark())
    }

    /// Dropping begins: where it left off, if that was not long ago.
    fn begin(&mut self, now: Time) {
        self.dropping = true;
        let since = self.count - self.last_count;
        let recently = now.since(self.drop_next) < self.delay.interval.times(16);
        // if the queue builds up again soon, the last drop rate is a good first guess (RFC 8289)
        self.count = if since > 1 && recently { since } else { 1 };
        self.last_count = self.count;
        self.drop_next = now + self.spacing();
    }

    /// interval / sqrt(count)
    fn spacing(&self) -> Duration {
        // TCP throughput falls with the square root of the loss rate: so the load falls linearly (RFC 8289)
        let picoseconds = self.delay.interval.picoseconds() as f64 / f64::from(self.count).sqrt();
        Duration::from_picoseconds(picoseconds as u64)
    }

    /// Takes the packet at the head; it may be dropped once the wait has been above the target for an interval.
    #[inline]
    fn head(&mut self, now: Time, list: &mut List, store: &Store) -> Head {
        let Some(number) = list.pop(store) else {
            self.first_above_time = None;
            return (None, false);
        };
        let wait = now.since(store[number].queued);
        // with at most one MTU queued, a drop would only leave the link idle (RFC 8289)
        if wait < self.delay.target || list.octets <= self.longest {
            self.first_above_time = None;
            return (Some(number), false);
        }
        let due = *self.first_above_time.get_or_insert(now + self.delay.interval);
        (Some(number), now >= due)
    }
}
