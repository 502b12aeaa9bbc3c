//! Worst cases: bounds of delays and queues that hold for every run of a scenario, with the theorem behind each.
//!
//! [`curve`] is the algebra of network calculus in exact rational arithmetic, [`network`] the analysis of flows over
//! servers hop by hop, and the other modules turn a checked scenario of one network into flows, hops and bounds. No
//! threads, files or clock: a bound depends on the scenario alone.
//!
//! ```
//! use sojourn_bounds::curve::{Arrival, RateLatency, Rational};
//!
//! // 1000 bits at once and 20 bits a second, through a link of 100 bits a second that waits for 2 s at most
//! let whole = Rational::from_integer;
//! let (arrival, service) = (Arrival::token_bucket(whole(1000), whole(20)), RateLatency::new(whole(100), whole(2)));
//! assert_eq!(arrival.delay_bound(&service.into()), Some(whole(1000 / 100 + 2)));
//! assert_eq!(arrival.backlog_bound(&service.into()), Some(whole(1000 + 20 * 2)));
//! ```

pub mod curve;
mod envelope;
mod fddi;
mod fddi_adapter;
mod lan;
pub mod network;
mod packet_radio;
mod queue;
#[cfg(test)]
mod random;
mod report;

use sojourn_metrics::results::Bounds;
use sojourn_scenario::{Problems, Scenario};

use self::report::Report;

/// The bounds of a checked scenario; what has none is listed with the reason. Panics for a measurement.
pub fn bounds(scenario: &Scenario) -> Result<Bounds, Problems> {
    let report = match scenario.kind {
        _ if !scenario.events().is_empty() => Report::none(CHANGING),
        "fddi" => fddi::bounds(scenario)?,
        "fddi-adapter" => fddi_adapter::bounds(scenario),
        "ip" | "switched-lan" => lan::bounds(scenario)?,
        "packet-radio" => packet_radio::bounds(scenario)?,
        "queue" => queue::bounds(scenario)?,
        kind => Report::none(unbounded(kind)),
    };
    Ok(report.finish())
}

/// Why a scenario with events has no bound.
const CHANGING: &str =
    "events change the network during the run: remove [[event]] for the bounds of the network that does not change";

/// Why a network has no bound.
fn unbounded(kind: &str) -> &'static str {
    match kind {
        "lontalk" => {
            "stations contend for the medium (p-persistent CSMA): any number of collisions may precede a success, so no \
             delay is excluded"
        }
        _ => "no bound is known for this network",
    }
}
