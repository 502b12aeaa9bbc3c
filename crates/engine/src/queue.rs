//! The event queue: buckets of time while few events are pending, a radix heap when many are.
//!
//! **Order.** Events leave by (time, class, insertion). The queue's key is the 64-bit time alone: both stores
//! keep equal times in the order of insertion, and the class of an event is asked only when its instant is
//! reached and shared with others. Events may be added to the current instant; they take their place among
//! those not yet handled.
//!
//! **Stores.** Time never runs backwards, which is all that a radix heap asks (Ahuja, Mehlhorn, Orlin and
//! Tarjan, 1990): an event waits in the bucket named by the highest bit in which its time differs from the
//! clock, and moves to a lower bucket at most 64 times, each time in memory order, until it shares its bucket with few
//! others and they are sorted. Below some tens of events a row of buckets, each sorted, is faster still. See
//! docs/decisions/0012-event-queue.md.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

mod radix;
mod wheel;

use radix::Radix;
use wheel::Wheel;

/// Pending events of type `E` and the virtual clock.
#[derive(Clone, Debug)]
pub struct Queue<E> {
    now: Time,
    /// Events of the current instant, the first `ordered` of them by class.
    instant: VecDeque<E>,
    ordered: usize,
    pending: Pending<E>,
    handled: u64,
}

#[derive(Clone, Debug)]
enum Pending<E> {
    Few(Wheel<E>),
    Many(Box<Radix<E>>),
}

impl<E: Copy> Default for Queue<E> {
    fn default() -> Self {
        Queue::new()
    }
}

impl<E: Copy> Queue<E> {
    /// No events; the clock at 0.
    pub fn new() -> Self {
        Queue { now: Time::ZERO, instant: VecDeque::new(), ordered: 0, pending: Pending::Few(Wheel::new()), handled: 0 }
    }

    /// Schedules `event` at `time`. Panics when `time` is past: a world that reaches back is broken.
    #[inline]
    pub fn at(&mut self, time: Time, event: E) {
        if time <= self.now {
            return self.at_once(time, event);
        }
        match &mut self.pending {
            Pending::Few(wheel) => {
                if !wheel.push(time.picoseconds(), event) {
                    self.grow(time, event);
                }
            }
            Pending::Many(_) => self.add_to_many(time, event),
        }
    }

    /// Adds `event` where many are pending: a function of its own, since that of few needs hardly a register.
    #[inline(never)]
    fn add_to_many(&mut self, time: Time, event: E) {
        let Pending::Many(radix) = &mut self.pending else { unreachable!("many events are pending") };
        radix.push(time.picoseconds(), event);
    }

    /// Adds `event` to the current instant.
    #[inline(never)]
    fn at_once(&mut self, time: Time, event: E) {
        assert!(time == self.now, "an event at {time} when the clock is at {}", self.now);
        self.instant.push_back(event);
    }

    /// Schedules `event` a span from now. Panics beyond the 213 days of the clock.
    #[inline]
    pub fn after(&mut self, delay: Duration, event: E) {
        self.at(self.now + delay, event);
    }

    /// The virtual clock.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.instant.len()
            + match &self.pending {
                Pending::Few(wheel) => wheel.len(),
                Pending::Many(radix) => radix.len(),
            }
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events have left the queue.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Moves the clock to the next event and takes it; events of one instant in the order of insertion.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.pop_until(Time::NEVER, |_| 0)
    }

    /// Moves the clock to the next event, if it is due at or before `until`, and takes it.
    #[inline]
    pub fn pop_until(&mut self, until: Time, class: impl Fn(&E) -> u8) -> Option<(Time, E)> {
        self.pop_prefetching(until, class, |_| ())
    }

    /// The same, and passes upcoming events to `prefetch` where many are pending.
    #[inline]
    pub(crate) fn pop_prefetching(
        &mut self,
        until: Time,
        class: impl Fn(&E) -> u8,
        prefetch: impl FnMut(E),
    ) -> Option<(Time, E)> {
        if self.instant.is_empty() {
            let (time, alone) = self.take_instant(until.picoseconds(), prefetch)?;
            self.now = Time::from_picoseconds(time);
            if let Some(event) = alone {
                self.handled += 1;
                return Some((self.now, event));
            }
        }
        self.order_instant(class);
        self.ordered -= 1;
        self.handled += 1;
        Some((self.now, self.instant.pop_front()?))
    }

    /// Moves the clock on without an event. Panics when one is due before `time`.
    pub fn advance_to(&mut self, time: Time) {
        if time <= self.now {
            return;
        }
        assert!(self.next_time() >= time, "an event is due");
        self.now = time;
    }

    /// When the next event is due; never if nothing is pending.
    #[inline]
    pub fn next_time(&self) -> Time {
        if !self.instant.is_empty() {
            return self.now;
        }
        let next = match &self.pending {
            Pending::Few(wheel) => wheel.next_time(),
            Pending::Many(radix) => radix.next_time(),
        };
        next.map_or(Time::NEVER, Time::from_picoseconds)
    }

    /// Takes the earliest events out of the store: the time and the event when it is alone, else they are put
    /// into `instant` in the order of insertion.
    #[inline]
    fn take_instant(&mut self, until: u64, prefetch: impl FnMut(E)) -> Option<(u64, Option<E>)> {
        match &mut self.pending {
            Pending::Few(wheel) => wheel.take(until, &mut self.instant),
            Pending::Many(radix) => {
                let taken = radix.take(until, &mut self.instant, prefetch);
                if radix.len() < FEW {
                    self.shrink();
                }
                taken
            }
        }
    }

    /// Puts the events added to the current instant behind those of the same or a lower class.
    #[inline]
    fn order_instant(&mut self, class: impl Fn(&E) -> u8) {
        if self.instant.len() - self.ordered > 8 {
            self.instant.make_contiguous().sort_by_key(class);
            self.ordered = self.instant.len();
            return;
        }
        while self.ordered < self.instant.len() {
            let of_new = class(&self.instant[self.ordered]);
            let mut place = self.ordered;
            while place > 0 && class(&self.instant[place - 1]) > of_new {
                self.instant.swap(place - 1, place);
                place -= 1;
            }
            self.ordered += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, time: Time, event: E) {
        let Pending::Few(wheel) = &mut self.pending else { unreachable!("only the buckets are full") };
        let mut radix = Radix::new(self.now.picoseconds());
        wheel.drain(|time, event| radix.push(time, event));
        radix.push(time.picoseconds(), event);
        self.pending = Pending::Many(Box::new(radix));
    }

    #[cold]
    fn shrink(&mut self) {
        let Pending::Many(radix) = &mut self.pending else { unreachable!("only a radix heap shrinks") };
        let mut wheel = Wheel::new();
        radix.drain(|time, event| assert!(wheel.push(time, event), "few events fit the buckets"));
        self.pending = Pending::Few(wheel);
    }
}

/// A radix heap with fewer events than this turns into buckets.
const FEW: usize = wheel::CAPACITY / 4;

#[cfg(test)]
mod tests;
