//! Sources: when a client of a flow asks next.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample::uniform;

use super::site::{Arrivals, Flow};

/// A client of a flow, and the round that it is in.
#[derive(Debug)]
pub struct Source {
    /// When the next round is due.
    pub pace: Pace,
    stream: Stream,
    /// The request that is asked next in the round.
    pub next: u32,
    /// Requests that are open.
    pub open: u32,
    /// When the round began; never without one.
    pub begun: Time,
    /// When the last request began.
    pub asked: Time,
    /// Whether an event goes on with the round.
    pub resumes: bool,
    /// Rounds that wait for the one that it is in, by when they were due.
    pub waiting: VecDeque<Time>,
    /// By request, when the server read the value that the client has; never where it has none.
    pub read: Vec<Time>,
}

clone_fields!([] Source { pace, stream, next, open, begun, asked, resumes, waiting, read });
rekey_fields!(Source { stream });

/// State of the arrivals.
#[derive(Clone, Debug)]
pub enum Pace {
    /// A round for each arrival.
    Process(Process),
    /// Round and round.
    Poll {
        /// Time between the begins of two rounds.
        cycle: Duration,
        /// Shortest time between the begins of two requests.
        interval: Duration,
        /// When the round was due.
        round: Time,
    },
}

impl Source {
    /// A client that has not asked yet.
    pub fn new(flow: &Flow, items: usize, stream: Stream) -> Source {
        Source {
            pace: pace(flow),
            stream,
            next: 0,
            open: 0,
            begun: Time::NEVER,
            asked: Time::ZERO,
            resumes: false,
            waiting: VecDeque::new(),
            read: vec![Time::NEVER; items],
        }
    }

    /// Whether a round has not ended.
    pub fn is_in_round(&self) -> bool {
        self.begun != Time::NEVER
    }

    /// Whether the next round follows the end of the last.
    pub fn is_closed_loop(&self) -> bool {
        match &self.pace {
            Pace::Process(process) => process.arrivals().is_closed(),
            Pace::Poll { .. } => true,
        }
    }

    /// Shortest time between the begins of two requests.
    pub fn interval(&self) -> Duration {
        match self.pace {
            Pace::Process(_) => Duration::ZERO,
            Pace::Poll { interval, .. } => interval,
        }
    }

    /// When the first round is due of a client that begins, or begins anew, at `from`.
    pub fn first(&mut self, flow: &Flow, from: Time) -> Option<Time> {
        self.pace = pace(flow);
        match &mut self.pace {
            Pace::Process(process) => process.next(from, &mut self.stream),
            Pace::Poll { cycle, round, .. } => {
                let within = if flow.at_once { Duration::ZERO } else { uniform(&mut self.stream, *cycle) };
                *round = from + within;
                Some(*round)
            }
        }
    }

    /// When the round after the one that arrived, or in a closed loop ended, at `now` is due.
    pub fn following(&mut self, now: Time) -> Option<Time> {
        match &mut self.pace {
            Pace::Process(process) => process.next(now, &mut self.stream),
            Pace::Poll { cycle, round, .. } => {
                *round = (*round + *cycle).max(now);
                Some(*round)
            }
        }
    }

    /// Draws again what has no memory of when the next round, due at `due`, comes.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        match &mut self.pace {
            Pace::Process(process) => process.redraw(now, due, &mut self.stream),
            Pace::Poll { .. } => due,
        }
    }

    /// Forgets the rounds that wait, and the rest of the one that it is in.
    pub fn abandon(&mut self, items: usize) {
        self.waiting.clear();
        self.next = items as u32;
        self.resumes = false;
        self.begun = Time::NEVER;
    }
}

fn pace(flow: &Flow) -> Pace {
    match &flow.arrivals {
        Arrivals::Process(process) if flow.at_once => Pace::Process(process.start_at_once()),
        Arrivals::Process(process) => Pace::Process(process.start()),
        Arrivals::Poll { cycle, interval } => Pace::Poll { cycle: *cycle, interval: *interval, round: Time::ZERO },
    }
}
