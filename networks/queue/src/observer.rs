//! Who observes the customers: `metrics` for a record, the gauges of `splitting` for rare events.

use sojourn_core::{Duration, Time};
use sojourn_model::timed::Step;

use super::plan::Effect;

/// An observer of the customers in a replication.
pub(super) trait Observer {
    /// Whether a transfer between stations is an event of its own: paths are split between two events.
    const SEES_TRANSFERS: bool;

    /// A customer arrives from outside, or has thought.
    fn offer(&mut self, now: Time, flow: u32);

    /// A customer that was `served` for so long leaves at `departure`, which may lie ahead.
    fn complete(&mut self, departure: Time, flow: u32, entered: Time, served: Duration);

    /// A customer finds no room.
    fn lose(&mut self, now: Time, flow: u32, entered: Time);

    /// An event of the scenario begins or ends: the step that follows it, and its effects.
    fn take(&mut self, now: Time, step: Step) -> (Option<(Time, Step)>, Vec<Effect>);
}
