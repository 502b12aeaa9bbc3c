//! When the messages of a flow come, where more than an arrival process of the engine is needed: heartbeats, polls, recorded messages.
//!
//! [`Arrivals`] is what the `arrivals` table of a flow says, [`Pace`] its state at one sender, [`record_rounds`] what a poll is asked for.

mod pace;
mod rounds;
mod trace;

use std::ops::RangeInclusive;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_scenario::{Problem, Scenario, Table};

pub use pace::Pace;
pub use rounds::{FlowRounds, record_rounds};
pub use trace::TraceRow;

/// When messages come.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// An arrival process of the engine; saturating is closed-loop.
    Process(sojourn_engine::arrivals::Arrivals),
    /// On change of value, at most every `min_interval` and at least every `max_interval`.
    Heartbeat {
        /// Max send time (heartbeat).
        max_interval: Duration,
        /// Min send time (throttle).
        min_interval: Duration,
        /// Mean time between changes of value; none if it never changes.
        change_interval: Option<Duration>,
    },
    /// One receiver after another, each `interval` after the previous one but not before its response, rounds at least `cycle`
    /// apart.
    Poll {
        /// Interval between receivers.
        interval: Duration,
        /// Smallest interval between rounds.
        cycle: Duration,
    },
    /// Recorded messages: instants, senders, receivers and sizes.
    Trace(Arc<[TraceRow]>),
}

impl Arrivals {
    /// What a flow's table says. Messages of a trace have a size within `sizes`, in bytes.
    pub fn of(scenario: &Scenario, flow: &Table, sizes: RangeInclusive<u16>) -> Result<Arrivals, Problem> {
        let table = flow.table("arrivals");
        if let Some(process) = crate::arrivals::arrivals(table) {
            return Ok(Arrivals::Process(process));
        }
        Ok(match table.word("kind") {
            "heartbeat" => Arrivals::Heartbeat {
                max_interval: table.duration("max_interval"),
                min_interval: table.duration("min_interval"),
                change_interval: table.optional_duration("change_interval"),
            },
            "poll" => poll(scenario, flow, table)?,
            "trace" => Arrivals::Trace(trace::read(scenario, flow, table.file("file"), sizes)?),
            other => unreachable!("arrivals of kind {other} are declared but not simulated"),
        })
    }

    /// Messages per second of a sender; `None` where they depend on answers, or were recorded.
    pub fn rate(&self) -> Option<f64> {
        match self {
            Arrivals::Process(process) => process.rate(),
            Arrivals::Heartbeat { max_interval, min_interval, change_interval } => {
                // after a throttle the next change sends, or the heartbeat before it
                let changes = change_interval.map_or(f64::INFINITY, |change| change.seconds() + min_interval.seconds());
                Some(1.0 / changes.min(max_interval.seconds()))
            }
            Arrivals::Poll { .. } | Arrivals::Trace(_) => None,
        }
    }
}

/// A poll at an interval, or in a cycle that its receivers share.
fn poll(scenario: &Scenario, flow: &Table, table: &Table) -> Result<Arrivals, Problem> {
    let sender = flow.words("from").iter().flat_map(|name| scenario.resolve(name)).next();
    let receivers = sender.map_or(0, |sender| scenario.receivers(flow, sender).len()).max(1) as u64;
    let [interval, cycle] = ["interval", "cycle"].map(|key| table.optional_duration(key));
    let Some(interval) = interval.or_else(|| Some(cycle?.divided(receivers))) else {
        let help =
            "write cycle = \"5 s\": the time in which every receiver is polled once; or interval, between two polls";
        let message = "a poll has a `cycle` or an `interval`";
        return Err(scenario.problem(flow, "arrivals", message, Some(help.to_owned())));
    };
    Ok(Arrivals::Poll { interval, cycle: cycle.unwrap_or(Duration::ZERO) })
}
