//! What the stations are offered, by their flows' rates: the work that arrives does not depend on what was drawn.

use sojourn_core::Duration;
use sojourn_metrics::load::Load;

use super::scenario::{Settings, Source, StationSettings};

/// Rounds after which the losses of stations that feed each other have settled.
const ROUNDS: usize = 100;

/// Customers a second at each station, in the order of the scenario.
struct Offered {
    /// From outside; `None` where a flow's rate is not known.
    open: Option<f64>,
    /// Whether customers that go round and round come by.
    has_closed: bool,
}

/// The load of each station that was busy for these shares of its servers' time.
pub(super) fn of(settings: &Settings, busy: &[f64]) -> Vec<Load> {
    let offered = offered(settings, busy);
    let stations = settings.stations.iter().zip(busy).zip(offered);
    stations.map(|((station, &busy), offered)| load(station, busy, &offered)).collect()
}

fn load(station: &StationSettings, busy: f64, offered: &Offered) -> Load {
    let served = served(station, busy, offered.open.unwrap_or_default());
    let demand = offered.open.map(|rate| rate / rate_of_service(station));
    // where nothing but arrivals from outside decides it, it is known for the long run
    let is_known = !offered.has_closed && station.capacity.is_none();
    let carried = match offered.open {
        Some(open) if is_known => open.min(rate_of_service(station)),
        _ => served,
    };
    Load {
        unit: "customers/s".to_owned(),
        offered: offered.open.unwrap_or_default().max(carried),
        carried,
        utilisation: Some(demand.filter(|_| is_known).map_or(busy, |demand| demand.min(1.0))),
        // where there is no room customers are lost, and those who are not are no more than it serves
        demand: demand.filter(|_| station.capacity.is_none()),
    }
}

/// Customers from outside, as far as the stations before let them through.
fn offered(settings: &Settings, busy: &[f64]) -> Vec<Offered> {
    let stations = settings.stations.len();
    let mut passed = vec![1.0; stations];
    let mut offered = Vec::new();
    for _ in 0..ROUNDS {
        let mut open: Vec<Option<f64>> = vec![Some(0.0); stations];
        let mut closed = vec![false; stations];
        for flow in &settings.flows {
            let mut rate = match &flow.source {
                Source::Open { process, .. } => process.arrivals().rate(),
                Source::Closed { .. } => Some(0.0),
            };
            for &station in &flow.path {
                closed[station] |= matches!(flow.source, Source::Closed { .. });
                open[station] = open[station].zip(rate).map(|(sum, rate)| sum + rate);
                rate = rate.map(|rate| rate * passed[station]);
            }
        }
        let through = settings.stations.iter().zip(busy).zip(&open);
        let next: Vec<f64> = through.map(|((station, &busy), open)| share_passed(station, busy, *open)).collect();
        offered = open.into_iter().zip(closed).map(|(open, has_closed)| Offered { open, has_closed }).collect();
        if next == passed {
            break;
        }
        passed = next;
    }
    offered
}

/// The share of the customers that come to a station that leave it.
fn share_passed(station: &StationSettings, busy: f64, offered: Option<f64>) -> f64 {
    let Some(offered) = offered.filter(|&offered| offered > 0.0) else { return 1.0 };
    let limit = if station.capacity.is_some() { served(station, busy, offered) } else { rate_of_service(station) };
    (limit / offered).min(1.0)
}

/// Customers served a second; all of those that come where that takes no time.
fn served(station: &StationSettings, busy: f64, offered: f64) -> f64 {
    let rate = rate_of_service(station);
    if rate.is_finite() { busy * rate } else { offered }
}

/// Customers a second that all servers can serve.
fn rate_of_service(station: &StationSettings) -> f64 {
    let mean: Duration = station.service.mean;
    if mean == Duration::ZERO { f64::INFINITY } else { station.servers as f64 / mean.seconds() }
}
