//! Effects of a scenario's events on links and flows.

use super::fabric::LinkChange;
use sojourn_model::timed;

/// What an event does to a link or a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// An output of a station changes, and how it was before.
    Link(u32, [LinkChange; 2]),
    /// A flow sends, or does not.
    Sending(u32, bool),
}

impl timed::Effect for Effect {
    fn undone(self) -> Effect {
        match self {
            Effect::Link(port, [change, before]) => Effect::Link(port, [before, change]),
            Effect::Sending(flow, sends) => Effect::Sending(flow, !sends),
        }
    }
}
