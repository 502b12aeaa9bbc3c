//! What the flows from outside offer to the stations on their paths.

use sojourn_scenario::{Scenario, WarmUp};

use super::scenario::{Settings, Source};
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Unit, begins, is_changed, send_less};

/// What the flows of a queueing network mean.
pub(super) fn of<'s>(scenario: &'s Scenario, settings: &Settings) -> Meaning<'s> {
    let mut meaning = Meaning::default();
    for (station, table) in settings.stations.iter().zip(scenario.list("station")) {
        meaning.resources.push(Resource {
            name: format!("station `{}`", station.name),
            table,
            remedy: format!("raise `station.{}.servers`", station.name),
            capacity: station.servers as f64 / station.service.mean.seconds(),
            unit: Unit::Pieces("customers/s"),
        });
    }
    for (flow, table) in settings.flows.iter().zip(scenario.list("flow")) {
        let changed = flow.silent || is_changed(scenario, &flow.name);
        if flow.probe && !changed {
            let passed = flow.path.iter().map(|&station| (settings.stations[station].name.clone(), flow.name.clone()));
            meaning.passed.extend(passed);
        }
        let Source::Open { process, .. } = &flow.source else { continue };
        let Some(rate) = process.arrivals().rate().filter(|_| !changed && begins_within(scenario, table)) else {
            continue;
        };
        let seconds = |&at: &usize| settings.stations[at].service.mean.seconds() / settings.stations[at].servers as f64;
        let path = flow.path.iter().map(|at| (*at, seconds(at))).collect();
        meaning.offers.push(Offer { table, key: "arrivals", remedy: send_less(table), rate, path });
    }
    meaning
}

/// Whether customers come while a run observes.
fn begins_within(scenario: &Scenario, flow: &sojourn_scenario::Table) -> bool {
    match scenario.run().warm_up {
        WarmUp::Fixed(warm_up) => begins(flow) < warm_up + scenario.run().duration,
        WarmUp::Auto => begins(flow) == sojourn_core::Duration::ZERO,
    }
}
