//! The hold model: a fixed number of pending events; each, when it happens, schedules one more.

use std::sync::atomic::AtomicBool;

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::{Queue, World, run, sample};

use crate::clock::timed;

/// Mean span from an event to the one it schedules.
const MEAN: Duration = Duration::from_secs(1);

struct Hold {
    stream: Stream,
    happened: u64,
}

impl World for Hold {
    type Event = u64;

    #[inline]
    fn handle(&mut self, _now: Time, event: u64, queue: &mut Queue<u64>) {
        self.happened += 1;
        queue.after(sample::exponential(&mut self.stream, MEAN), event);
    }
}

/// Events per processor second with `pending` events pending, over about `events` of them.
pub fn run_hold(pending: u64, events: u64) -> f64 {
    let mut world = Hold { stream: Streams::new(1, 0).stream("hold"), happened: 0 };
    let mut queue = Queue::new();
    for event in 0..pending {
        queue.at(Time::ZERO + sample::exponential(&mut world.stream, MEAN), event);
    }
    let until = Time::ZERO + Duration::from_seconds(events as f64 / pending as f64).expect("a span of the clock");
    let never = AtomicBool::new(false);
    let (seconds, _) = timed(|| run(&mut world, &mut queue, until, &never));
    world.happened as f64 / seconds
}
