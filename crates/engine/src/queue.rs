//! The event queue: a wheel of time buckets while few events are pending, a radix heap while many are.
//!
//! **Order.** Events leave in the order of (time, class, insertion). The key of the stores is the 64-bit time alone:
//! both keep events of equal time in the order of insertion, and the queue compares classes only when several events of
//! one instant are due. An event added to the current instant is ordered among those not yet handled.
//!
//! **Stores.** A radix heap requires only that time never decreases (Ahuja, Mehlhorn, Orlin and Tarjan, 1990). It
//! stores an event in the bucket of the highest digit in which its time differs from the clock, and moves it to lower
//! buckets, sequentially in memory, until few events share its bucket and are sorted. Below about a hundred events,
//! sorted buckets of equal length are faster. See docs/decisions/0012-event-queue.md.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time, clone_fields};

mod radix;
mod wheel;

use radix::Radix;
use wheel::Wheel;

/// Pending events of type `E` and the virtual clock.
#[derive(Debug)]
pub struct Queue<E> {
    now: Time,
    /// Events of the current instant, the first `ordered` of them by class.
    instant: VecDeque<E>,
    ordered: usize,
    pending: Pending<E>,
    handled: u64,
}

#[derive(Debug)]
enum Pending<E> {
    Few(Wheel<E>),
    Many(Box<Radix<E>>),
}

clone_fields!([E: Clone] Queue<E> { now, instant, ordered, pending, handled });

impl<E: Clone> Clone for Pending<E> {
    fn clone(&self) -> Self {
        match self {
            Pending::Few(wheel) => Pending::Few(wheel.clone()),
            Pending::Many(radix) => Pending::Many(radix.clone()),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (self, source) {
            (Pending::Few(wheel), Pending::Few(source)) => wheel.clone_from(source),
            (Pending::Many(radix), Pending::Many(source)) => radix.clone_from(source),
            (pending, source) => *pending = source.clone(),
        }
    }
}

impl<E: Copy> Default for Queue<E> {
    fn default() -> Self {
        Queue::new()
    }
}

impl<E: Copy> Queue<E> {
    /// An empty queue with the clock at 0.
    pub fn new() -> Self {
        Queue { now: Time::ZERO, instant: VecDeque::new(), ordered: 0, pending: Pending::Few(Wheel::new()), handled: 0 }
    }

    /// Schedules `event` at `time`. Panics if `time` is before the clock, which is an error of the model.
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

    /// Adds `event` to the radix heap; not inlined, so that [`at`](Queue::at) saves few registers.
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

    /// Schedules `event` after `delay` from now. Panics beyond the 213 days that the clock can represent.
    #[inline]
    pub fn after(&mut self, delay: Duration, event: E) {
        self.at(self.now + delay, event);
    }

    /// Current virtual time: that of the last event taken.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.instant.len()
            + match &self.pending {
                Pending::Few(wheel) => wheel.len(),
                Pending::Many(radix) => radix.len(),
            }
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of events taken from the queue so far.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Moves the clock to the next event and takes it. Events of one instant are taken in the order of insertion.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.pop_until(Time::NEVER, |_| 0)
    }

    /// Moves the clock to the next event, if it is due at or before `until`, and takes it.
    #[inline]
    pub fn pop_until(&mut self, until: Time, class: impl Fn(&E) -> u8) -> Option<(Time, E)> {
        if self.instant.is_empty() {
            let (time, alone) = self.take_instant(until.picoseconds())?;
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

    /// Gives every event that is due after now another time, or the same; `when` must give none before now. Events of equal
    /// time stay in the order of insertion where none of them moves. Takes time in proportion to the pending events.
    pub fn reschedule(&mut self, mut when: impl FnMut(Time, &E) -> Time) {
        let mut pending = Vec::with_capacity(self.len());
        let mut moved = |time, event: E| pending.push((when(Time::from_picoseconds(time), &event), event));
        match &mut self.pending {
            Pending::Few(wheel) => wheel.drain(&mut moved),
            Pending::Many(radix) => radix.drain(&mut moved),
        }
        pending.into_iter().for_each(|(time, event)| self.at(time, event));
    }

    /// The events of the current instant that have not been taken, apart from those that are still to be scheduled.
    pub fn at_this_instant(&self) -> impl Iterator<Item = &E> {
        self.instant.iter()
    }

    /// Moves the clock to `time` without an event. Panics if an event is due before.
    pub fn advance_to(&mut self, time: Time) {
        if time <= self.now {
            return;
        }
        assert!(self.next_time() >= time, "an event is due");
        self.now = time;
    }

    /// Time of the next event; [`Time::NEVER`] if none is pending.
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

    /// Takes the events of the earliest time from the store. Returns that time, and the event if there is only one;
    /// several are appended to `instant` in the order of insertion.
    #[inline]
    fn take_instant(&mut self, until: u64) -> Option<(u64, Option<E>)> {
        match &mut self.pending {
            Pending::Few(wheel) => wheel.take(until, &mut self.instant),
            Pending::Many(radix) => {
                let taken = radix.take(until, &mut self.instant);
                if radix.len() < FEW {
                    self.shrink();
                }
                taken
            }
        }
    }

    /// Removes the pending events that `keep` refuses; the others keep their order. It goes through all of them, so it is for
    /// what is rare: a part of the model that loses its state.
    pub fn retain(&mut self, mut keep: impl FnMut(&E) -> bool) {
        let mut number = 0;
        let ordered = self.ordered;
        self.instant.retain(|event| {
            let kept = keep(event);
            self.ordered -= usize::from(!kept && number < ordered);
            number += 1;
            kept
        });
        self.pending = match &mut self.pending {
            Pending::Few(wheel) => {
                let mut left = Wheel::new();
                let mut put = |time, event| assert!(left.push(time, event), "fewer events than before fit the wheel");
                wheel.drain(|time, event| {
                    if keep(&event) {
                        put(time, event)
                    }
                });
                Pending::Few(left)
            }
            Pending::Many(radix) => {
                let mut left = Radix::new(self.now.picoseconds());
                radix.drain(|time, event| {
                    if keep(&event) {
                        left.push(time, event)
                    }
                });
                Pending::Many(Box::new(left))
            }
        };
    }

    /// Orders the events added to the current instant by class, after those of the same class.
    #[inline]
    fn order_instant(&mut self, class: impl Fn(&E) -> u8) {
        // for a few events insertion is faster than a sort; both are stable, which keeps the order of insertion
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
        let Pending::Few(wheel) = &mut self.pending else { unreachable!("only the wheel is full") };
        let mut radix = Radix::new(self.now.picoseconds());
        wheel.drain(|time, event| radix.push(time, event));
        radix.push(time.picoseconds(), event);
        self.pending = Pending::Many(Box::new(radix));
    }

    #[cold]
    fn shrink(&mut self) {
        let Pending::Many(radix) = &mut self.pending else { unreachable!("only a radix heap shrinks") };
        let mut wheel = Wheel::new();
        radix.drain(|time, event| assert!(wheel.push(time, event), "few events fit the wheel"));
        self.pending = Pending::Few(wheel);
    }
}

/// A radix heap with fewer events than this is converted to a wheel.
// far below the capacity of the wheel, so that a queue near it is not converted back and forth
const FEW: usize = wheel::CAPACITY / 4;

#[cfg(test)]
mod tests;
