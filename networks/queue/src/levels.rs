//! How many customers are at a station, and how many of its servers work, over time.

use std::sync::Arc;

use sojourn_core::Time;
use sojourn_metrics::timeline::{LevelWindows, Timeline};

use sojourn_model::Replication;

/// What is observed: from the end of the warm-up to the end of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub from: Time,
    pub to: Time,
}

/// What a station has seen inside the window.
pub(super) struct Seen {
    /// Mean number of customers present.
    pub mean: f64,
    /// Most customers present from time 0 on.
    pub max: f64,
    /// Share of the servers' time that they worked.
    pub utilisation: f64,
    /// The number present over time.
    pub trace: Option<Vec<(u64, f64)>>,
    /// Customers present and the share of servers that work, on average between the events of the scenario.
    pub timelines: Option<[Timeline; 2]>,
}

impl Window {
    /// That of a replication.
    pub fn of(replication: &Replication<'_>) -> Window {
        let from = Time::ZERO + replication.warm_up;
        Window { from, to: from + replication.duration }
    }

    /// How much of a span lies inside, in picoseconds.
    #[inline]
    pub fn inside(self, from: Time, to: Time) -> u128 {
        u128::from(to.min(self.to).since(from.max(self.from)).picoseconds())
    }

    /// Whether something that happens at `time` is observed.
    #[inline]
    pub fn holds(self, time: Time) -> bool {
        self.from <= time && time <= self.to
    }

    /// The mean of a level that adds up to `total` times picoseconds inside; 0 of a window without length.
    pub fn mean(self, total: u128) -> f64 {
        let span = self.to.since(self.from).picoseconds() as f64;
        if span > 0.0 { total as f64 / span } else { 0.0 }
    }
}

/// The levels of a station.
#[derive(Clone)]
pub(super) struct Levels {
    window: Window,
    since: Time,
    present: u64,
    busy: u64,
    most: u64,
    /// Customers, and working servers, times picoseconds inside the window.
    presence: u128,
    work: u128,
    trace: Option<Vec<(u64, f64)>>,
    queue: LevelWindows,
    /// Of the share of servers that work.
    utilisation: LevelWindows,
}

impl Levels {
    /// Of an empty station, with the means in windows that end at `edges`.
    pub fn new(window: Window, traced: bool, edges: &Arc<[Time]>) -> Levels {
        Levels {
            window,
            since: Time::ZERO,
            present: 0,
            busy: 0,
            most: 0,
            presence: 0,
            work: 0,
            trace: traced.then(|| vec![(0, 0.0)]),
            queue: LevelWindows::new(Arc::clone(edges)),
            utilisation: LevelWindows::new(Arc::clone(edges)),
        }
    }

    /// The levels from `now` on.
    pub fn set(&mut self, now: Time, present: u64, busy: u64, servers: usize) {
        self.advance(now);
        (self.present, self.busy) = (present, busy);
        self.most = self.most.max(present);
        self.queue.set(now, present as f64);
        self.utilisation.set(now, busy as f64 / servers as f64);
        if let Some(trace) = &mut self.trace {
            trace.push((now.picoseconds(), present as f64));
        }
    }

    /// Adds up what was since the last change.
    fn advance(&mut self, now: Time) {
        let inside = self.window.inside(self.since, now);
        self.presence += inside * u128::from(self.present);
        self.work += inside * u128::from(self.busy);
        self.since = now;
    }

    /// What was seen up to the window's end.
    pub fn finish(mut self, servers: usize) -> Seen {
        let window = self.window;
        self.advance(window.to);
        Seen {
            mean: window.mean(self.presence),
            max: self.most as f64,
            utilisation: window.mean(self.work) / servers as f64,
            trace: self.trace,
            timelines: Some([self.queue, self.utilisation].map(|level| level.finish(window.to))),
        }
    }
}
