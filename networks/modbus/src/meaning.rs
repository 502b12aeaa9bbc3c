//! What the flows of a site offer to its lines, without polls, which wait for their answers; its timers.

use sojourn_core::Duration;
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Timer, Unit, is_changed, send_less};
use sojourn_scenario::Scenario;

use super::site::{Arrivals, Site, SourceSettings};
use super::times;

const TRIES: &str =
    "Modbus over Serial Line V1.02, 2.4.1: a request is given up when its last try has waited for the response timeout";
const ROUND: &str = "a poll that asks one server after the other has seen each of them after a whole round";

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let tables = scenario.list("flow");
    let mut meaning = Meaning { resources: resources(scenario, site), ..Meaning::default() };
    for source in &site.sources {
        let (flow, table) = (&site.flows[source.flow], &tables[source.flow]);
        meaning.timers.extend(timers(site, source));
        if flow.probe && !is_changed(scenario, &flow.name) {
            let media =
                media(site, source).into_iter().map(|medium| (site.media[medium].name.clone(), flow.name.clone()));
            meaning.passed.extend(media);
        }
        let Arrivals::Process(process) = &flow.arrivals else { continue };
        let Some(rate) = process.rate().filter(|_| !is_changed(scenario, &flow.name)) else { continue };
        let path = lines(site, source);
        meaning.offers.push(Offer { table, key: "arrivals", remedy: send_less(table), rate, path });
    }
    meaning.passed.sort_unstable();
    meaning.passed.dedup();
    meaning
}

/// All media, of which lines serve one transaction at a time.
fn resources<'s>(scenario: &'s Scenario, site: &Site) -> Vec<Resource<'s>> {
    let tables = scenario.list("medium").iter().zip(&site.media);
    let resource = |(table, medium): (&'s sojourn_scenario::Table, &super::site::Medium)| Resource {
        name: format!("medium `{}`", medium.name),
        table,
        remedy: format!("raise `medium.{}.bit_rate`, or divide the servers over several lines", medium.name),
        capacity: 1.0,
        unit: Unit::Time,
    };
    tables.map(resource).collect()
}

/// Lines that a round of a client holds, each with the mean time in seconds.
fn lines(site: &Site, source: &SourceSettings) -> Vec<(usize, f64)> {
    let mut lines: Vec<(usize, f64)> = Vec::new();
    for item in &source.items {
        let connection = &site.connections[item.via.unwrap_or(item.connection)];
        if connection.host.is_some() {
            continue;
        }
        let held = times::on_line(site, connection, item).whole().mean.seconds();
        match lines.iter_mut().find(|(medium, _)| *medium == connection.medium) {
            Some((_, sum)) => *sum += held,
            None => lines.push((connection.medium, held)),
        }
    }
    lines
}

/// The media that the requests of a client pass.
fn media(site: &Site, source: &SourceSettings) -> Vec<usize> {
    let passed = source.items.iter().flat_map(|item| [Some(item.connection), item.via]).flatten();
    passed.map(|connection| site.connections[connection].medium).collect()
}

/// All tries of a request, and a round.
fn timers(site: &Site, source: &SourceSettings) -> Vec<Timer> {
    let flow = &site.flows[source.flow];
    let mut timers = Vec::new();
    if !flow.broadcast {
        let span = flow.timeout.times(u64::from(flow.retries) + 1);
        let name = format!("{} tries of flow `{}` at its response timeout", u32::from(flow.retries) + 1, flow.name);
        timers.push(Timer { name, span, source: TRIES });
    }
    if let Arrivals::Poll { cycle, .. } = flow.arrivals {
        let span = times::round(site, source).max(cycle);
        if span > Duration::ZERO {
            timers.push(Timer { name: format!("a round of flow `{}`", flow.name), span, source: ROUND });
        }
    }
    timers
}
