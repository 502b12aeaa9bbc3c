//! What a scenario means: what its flows offer to which resources, its timers and its costs. The network says so; here stands what is
//! noted of load above capacity, of runs shorter than a timer, and of costs that no hardware has.

pub(crate) mod costs;
pub(crate) mod load;
pub(crate) mod timers;

use sojourn_core::Duration;
use sojourn_scenario::{Entry, Scenario, Table};

pub use costs::Cost;
pub use load::{Offer, Resource, Unit};
pub use timers::Timer;

/// What the flows of a scenario offer, and to what; how long its timers last.
#[derive(Clone, Debug, Default)]
pub struct Meaning<'s> {
    /// What serves: links, channels, processors.
    pub resources: Vec<Resource<'s>>,
    /// What is offered to it, without what waits for answers: closed loops take the capacity that they get.
    pub offers: Vec<Offer<'s>>,
    /// Timers in use.
    pub timers: Vec<Timer>,
    /// Costs of packets and bytes.
    pub costs: Vec<Cost<'s>>,
    /// The members of `utilisation` that probed flows pass, each with the flow: none of them stays idle.
    pub passed: Vec<(String, String)>,
}

/// The key that makes a flow send less, and what to do with it: "lower `flow.video.arrivals.rate`".
pub fn send_less(flow: &Table) -> String {
    let Some(arrivals) = flow.optional_table("arrivals") else { return format!("lower the load of `{}`", flow.name()) };
    let path = format!("flow.{}.arrivals", flow.name());
    let Some(interval) = ["interval", "cycle", "max_interval"].into_iter().find_map(|key| arrivals.get(key)) else {
        return format!("change `{path}`");
    };
    // a rate is read as the interval that it is
    let is_rate = |entry: &Entry| entry.place.as_ref().is_some_and(|place| place.text().contains('/'));
    match is_rate(interval) {
        true => format!("lower `{path}.rate`"),
        false => format!("raise `{path}.{}`", interval.key.name),
    }
}

/// When the traffic of a flow begins at the earliest: its own `start`, and the delay of its arrivals.
pub fn begins(flow: &Table) -> Duration {
    let delay = flow.optional_table("arrivals").and_then(|arrivals| arrivals.optional_duration("delay"));
    flow.optional_duration("start").unwrap_or_default() + delay.unwrap_or_default()
}

/// Whether an event starts or stops a flow, or changes arrivals: what it offers is then not known from its table alone.
pub fn is_changed(scenario: &Scenario, flow: &str) -> bool {
    scenario.events().iter().any(|event| {
        event.flows.iter().any(|name| name == flow)
            || event.settings.iter().any(|setting| setting.key_path().starts_with("arrivals"))
    })
}
