//! Effects of a scenario's events on stations, rings and flows.

use sojourn_core::Duration;

use sojourn_model::timed::{self, EventPlan};

/// What an event does to a station, a ring or a flow, each given by its index in the site; a value with what it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// A station has power or not.
    Power(u32, bool),
    /// A station resets.
    Restart(u32),
    /// A ring carries light all around, or is interrupted.
    Ring(u16, bool),
    /// A flow sends or not.
    Sending(u16, bool),
    /// The sender of a flow sends this many messages at once.
    Burst(u16, u32),
    /// Share of frames with a check sequence that fails.
    FrameLoss([f64; 2]),
    /// Mean time between losses of a token.
    TokenLoss([Option<Duration>; 2]),
    /// From one burst of the generator to the next.
    Load([Option<Duration>; 2]),
}

impl timed::Effect for Effect {
    fn undone(self) -> Effect {
        match self {
            Effect::Power(host, on) => Effect::Power(host, !on),
            Effect::Ring(ring, up) => Effect::Ring(ring, !up),
            Effect::Sending(flow, sends) => Effect::Sending(flow, !sends),
            Effect::FrameLoss([share, before]) => Effect::FrameLoss([before, share]),
            Effect::TokenLoss([interval, before]) => Effect::TokenLoss([before, interval]),
            Effect::Load([gap, before]) => Effect::Load([before, gap]),
            Effect::Restart(_) | Effect::Burst(..) => self,
        }
    }
}

/// The events of a site, and its state before the first.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What happens.
    pub plan: EventPlan<Effect>,
    /// Whether each host is off at first.
    pub off: Vec<bool>,
    /// Whether each flow is silent at first.
    pub silent: Vec<bool>,
}
