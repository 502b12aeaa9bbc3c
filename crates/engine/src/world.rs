//! The event loop.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::Time;

use crate::queue::Queue;

/// A simulation: its state, and the effect of each event on it.
pub trait World {
    /// The events; small, since the queue holds one for each pending event.
    type Event: Copy;

    /// Handles `event` at `now` and schedules the events that follow from it.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut Queue<Self::Event>);

    /// Order of the events of one instant: lowest class first; in order of insertion within a class.
    #[inline]
    fn class(_event: &Self::Event) -> u8 {
        0
    }

    /// The warm-up is over: what is observed begins at `now`, before the events of that instant. Called by [`observe`].
    fn end_warm_up(&mut self, _now: Time, _queue: &mut Queue<Self::Event>) {}

    /// Whether the observation is complete, so that the run ends early.
    #[inline]
    fn is_finished(&self) -> bool {
        false
    }
}

/// Events between two reads of the cancel flag.
const EVENTS_BETWEEN_CHECKS: u32 = 4096;

/// Handles events until none is due at or before `until`, the world is finished, or `cancelled` is set; returns the
/// clock.
///
/// The clock ends at `until` unless finished or cancelled; later events stay pending, and another call continues with
/// them.
pub fn run<W: World>(world: &mut W, queue: &mut Queue<W::Event>, until: Time, cancelled: &AtomicBool) -> Time {
    let mut countdown = EVENTS_BETWEEN_CHECKS;
    while let Some((now, event)) = queue.pop_until(until, W::class) {
        world.handle(now, event, queue);
        if world.is_finished() {
            return now;
        }
        // an atomic read for each event would slow the loop; 4096 events take well under a millisecond
        countdown -= 1;
        if countdown == 0 {
            if cancelled.load(Ordering::Relaxed) {
                return queue.now();
            }
            countdown = EVENTS_BETWEEN_CHECKS;
        }
    }
    queue.advance_to(until);
    queue.now()
}

/// Runs a warm-up that ends at `from`, and observes until `until`: [`run`] with [`World::end_warm_up`] between the two.
pub fn observe<W: World>(
    world: &mut W,
    queue: &mut Queue<W::Event>,
    from: Time,
    until: Time,
    cancelled: &AtomicBool,
) -> Time {
    if !warm_up(world, queue, from, cancelled) {
        return queue.now();
    }
    run(world, queue, until, cancelled)
}

/// Runs a warm-up that ends at `from`, before the events of that instant. Returns whether it was reached: neither did the
/// world finish, nor was the run cancelled.
pub fn warm_up<W: World>(world: &mut W, queue: &mut Queue<W::Event>, from: Time, cancelled: &AtomicBool) -> bool {
    if from > queue.now() {
        // events at `from` itself belong to the observation
        let last = Time::from_picoseconds(from.picoseconds() - 1);
        run(world, queue, last, cancelled);
        if queue.now() < last || world.is_finished() {
            return false;
        }
        queue.advance_to(from);
    }
    world.end_warm_up(from, queue);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    /// Records the events in order.
    #[derive(Default)]
    struct Log(Vec<(u64, u32)>);

    impl World for Log {
        type Event = u32;
        fn handle(&mut self, now: Time, event: u32, queue: &mut Queue<u32>) {
            self.0.push((now.picoseconds(), event));
            if event == 100 {
                // more of the current instant, of a lower and of the same class
                queue.at(now, 5);
                queue.at(now, 101);
            }
        }
        fn class(event: &u32) -> u8 {
            (event / 100) as u8
        }
        fn end_warm_up(&mut self, now: Time, _: &mut Queue<u32>) {
            self.0.push((now.picoseconds(), u32::MAX));
        }
    }

    fn at(ps: u64) -> Time {
        Time::from_picoseconds(ps)
    }

    #[test]
    fn events_of_one_instant_are_handled_by_class_then_insertion() {
        let (mut log, mut queue) = (Log::default(), Queue::new());
        [(7, 200), (7, 100), (7, 1), (3, 300), (7, 2), (7, 102)].iter().for_each(|&(t, e)| queue.at(at(t), e));
        run(&mut log, &mut queue, at(10), &AtomicBool::new(false));
        assert_eq!(log.0, [(3, 300), (7, 1), (7, 2), (7, 100), (7, 5), (7, 102), (7, 101), (7, 200)]);
    }

    #[test]
    fn a_run_stops_at_its_end_and_can_continue() {
        let (mut log, mut queue) = (Log::default(), Queue::new());
        [(1, 1), (5, 2), (6, 3)].iter().for_each(|&(t, e)| queue.at(at(t), e));
        assert_eq!(run(&mut log, &mut queue, at(5), &AtomicBool::new(false)), at(5));
        assert_eq!(log.0.len(), 2);
        queue.at(at(5), 4);
        run(&mut log, &mut queue, at(9), &AtomicBool::new(false));
        assert_eq!(log.0[2..], [(5, 4), (6, 3)]);
        assert_eq!(queue.now(), at(9));
    }

    #[test]
    fn the_warm_up_ends_before_the_events_of_its_last_instant() {
        for (from, expected) in
            [(0, vec![(0, u32::MAX), (0, 9), (3, 8), (5, 7)]), (3, vec![(0, 9), (3, u32::MAX), (3, 8), (5, 7)])]
        {
            let (mut log, mut queue) = (Log::default(), Queue::new());
            [(0, 9), (3, 8), (5, 7), (6, 6)].iter().for_each(|&(t, e)| queue.at(at(t), e));
            assert_eq!(observe(&mut log, &mut queue, at(from), at(5), &AtomicBool::new(false)), at(5));
            assert_eq!(log.0, expected);
        }
    }

    #[test]
    fn a_run_cancelled_while_it_warms_up_observes_nothing() {
        let (mut world, mut queue) = (Forever::default(), Queue::new());
        queue.at(Time::ZERO, ());
        let end = observe(&mut world, &mut queue, at(u64::MAX - 1), at(u64::MAX), &AtomicBool::new(true));
        assert!(end < at(u64::MAX - 1) && !world.observed);
    }

    /// An event every nanosecond.
    #[derive(Default)]
    struct Forever {
        observed: bool,
    }

    impl World for Forever {
        type Event = ();
        fn handle(&mut self, _: Time, (): (), queue: &mut Queue<()>) {
            queue.after(Duration::from_nanos(1), ());
        }
        fn end_warm_up(&mut self, _: Time, _: &mut Queue<()>) {
            self.observed = true;
        }
    }

    #[test]
    fn a_cancelled_run_ends_early() {
        let mut queue = Queue::new();
        queue.at(Time::ZERO, ());
        let end = run(&mut Forever::default(), &mut queue, at(u64::MAX), &AtomicBool::new(true));
        assert!(end < at(u64::MAX));
    }
}
