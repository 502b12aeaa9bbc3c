//! The loop.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::Time;

use crate::queue::Queue;

/// A simulation: its state, and what each event does to it.
pub trait World {
    /// What happens; small, since every pending event holds one.
    type Event: Copy;

    /// Lets `event` happen at `now`, and schedules what follows from it.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut Queue<Self::Event>);

    /// Which of the events of one instant come first: the lowest class; insertion decides within a class.
    #[inline]
    fn class(_event: &Self::Event) -> u8 {
        0
    }

    /// `event` is among the next hundred or so that happen: a world too large for a processor's cache asks for the
    /// memory that it will need. Comes for most events where many are pending, for some more than once.
    #[inline]
    fn foresee(&self, _event: Self::Event) {}

    /// Whether all that was to be observed has been, so that the run ends early.
    #[inline]
    fn is_finished(&self) -> bool {
        false
    }
}

/// How many events pass between two looks at the cancel flag.
const EVENTS_BETWEEN_LOOKS: u32 = 4096;

/// Lets events happen until none is due at or before `until`, the world is finished, or `cancelled` is set; returns the
/// clock.
///
/// The clock ends at `until` unless finished or cancelled: later events stay pending and a further call goes on with them.
pub fn run<W: World>(world: &mut W, queue: &mut Queue<W::Event>, until: Time, cancelled: &AtomicBool) -> Time {
    let mut countdown = EVENTS_BETWEEN_LOOKS;
    while let Some((now, event)) = queue.pop_foreseeing(until, W::class, |event| world.foresee(event)) {
        world.handle(now, event, queue);
        if world.is_finished() {
            return now;
        }
        countdown -= 1;
        if countdown == 0 {
            if cancelled.load(Ordering::Relaxed) {
                return queue.now();
            }
            countdown = EVENTS_BETWEEN_LOOKS;
        }
    }
    queue.advance_to(until);
    queue.now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    /// Writes down what happened.
    #[derive(Default)]
    struct Diary(Vec<(u64, u32)>);

    impl World for Diary {
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
    }

    fn at(ps: u64) -> Time {
        Time::from_picoseconds(ps)
    }

    #[test]
    fn events_of_one_instant_go_by_class_then_insertion() {
        let (mut diary, mut queue) = (Diary::default(), Queue::new());
        [(7, 200), (7, 100), (7, 1), (3, 300), (7, 2), (7, 102)].iter().for_each(|&(t, e)| queue.at(at(t), e));
        run(&mut diary, &mut queue, at(10), &AtomicBool::new(false));
        assert_eq!(diary.0, [(3, 300), (7, 1), (7, 2), (7, 100), (7, 5), (7, 102), (7, 101), (7, 200)]);
    }

    #[test]
    fn a_run_stops_at_its_end_and_can_go_on() {
        let (mut diary, mut queue) = (Diary::default(), Queue::new());
        [(1, 1), (5, 2), (6, 3)].iter().for_each(|&(t, e)| queue.at(at(t), e));
        assert_eq!(run(&mut diary, &mut queue, at(5), &AtomicBool::new(false)), at(5));
        assert_eq!(diary.0.len(), 2);
        queue.at(at(5), 4);
        run(&mut diary, &mut queue, at(9), &AtomicBool::new(false));
        assert_eq!(diary.0[2..], [(5, 4), (6, 3)]);
        assert_eq!(queue.now(), at(9));
    }

    #[test]
    fn a_cancelled_run_ends_early() {
        struct Forever;
        impl World for Forever {
            type Event = ();
            fn handle(&mut self, _: Time, (): (), queue: &mut Queue<()>) {
                queue.after(Duration::from_nanos(1), ());
            }
        }
        let mut queue = Queue::new();
        queue.at(Time::ZERO, ());
        let end = run(&mut Forever, &mut queue, at(u64::MAX), &AtomicBool::new(true));
        assert!(end < at(u64::MAX));
    }
}
