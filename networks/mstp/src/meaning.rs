//! What the flows of a site offer to its trunks, without what waits for replies; how long requests are tried.

use sojourn_model::traffic::Arrivals;
use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Timer, Unit, begins, is_changed, send_less};
use sojourn_protocols::mstp::wire::{FrameType, longest_on_the_wire};
use sojourn_scenario::{Scenario, Table, WarmUp};

use super::routes::Routes;
use super::site::{Flow, MediumKind, Reply, Service, Site, Trunk};

const GIVE_UP: &str = "ANSI/ASHRAE 135 clause 5: a request is given up when its last retry has waited for APDU_Timeout";
const CYCLE: &str = "a poll that asks one receiver after the other has seen each of them after a whole cycle";

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let (Ok(routes), mut meaning) = (Routes::new(site), Meaning::default()) else { return Meaning::default() };
    let trunks: Vec<usize> =
        (0..site.media.len()).filter(|&medium| matches!(site.media[medium].kind, MediumKind::Trunk(_))).collect();
    for &medium in &trunks {
        let table = &scenario.list("medium")[medium];
        meaning.resources.push(Resource {
            name: format!("trunk `{}`", site.media[medium].name),
            table,
            remedy: format!(
                "raise `{}.bit_rate`, or divide the trunk by a router",
                if trunks.len() > 1 { table.name() } else { "trunk" }
            ),
            capacity: 1.0,
            unit: Unit::Time,
        });
    }
    for (flow, table) in site.flows.iter().zip(scenario.list("flow")) {
        meaning.timers.extend(timer(flow));
        let Some(rate) = rate(scenario, table, flow) else { continue };
        for (&from, to) in flow.from.iter().zip(&flow.to) {
            let mut seconds: BTreeMap<usize, f64> = BTreeMap::new();
            to.iter().for_each(|&to| exchange(site, &routes, flow, [from, to], &mut seconds));
            let place = |medium: usize| trunks.iter().position(|&trunk| trunk == medium);
            let path = seconds.into_iter().filter_map(|(medium, seconds)| Some((place(medium)?, seconds)));
            meaning.offers.push(Offer { table, key: "arrivals", remedy: send_less(table), rate, path: path.collect() });
        }
    }
    meaning
}

/// Messages a second of each sender; `None` where replies decide, or events.
fn rate(scenario: &Scenario, table: &Table, flow: &Flow) -> Option<f64> {
    let run = scenario.run();
    let is_observed = match run.warm_up {
        WarmUp::Fixed(warm_up) => begins(table) < warm_up + run.duration,
        WarmUp::Auto => begins(table) == Duration::ZERO,
    };
    if !is_observed || is_changed(scenario, &flow.name) {
        return None;
    }
    flow.arrivals.rate()
}

/// The time that a message takes of each trunk on its path, with its reply and the server that the token waits for.
fn exchange(site: &Site, routes: &Routes, flow: &Flow, [from, to]: [u32; 2], seconds: &mut BTreeMap<usize, f64>) {
    let mut at = from;
    for _ in 0..=site.media.len() {
        let Some(port) = routes.leave(site, at, to).filter(|_| at != to) else { return };
        let medium = site.ports[port as usize].medium;
        let is_last = site.port_on(to, medium).is_some();
        if let Some(trunk) = site.trunk(medium) {
            let server = &site.stations[to as usize];
            let holds = is_last && server.reply == Reply::Immediate && flow.service.is_confirmed();
            let held = if holds { server.reply_latency.least().seconds() } else { 0.0 };
            *seconds.entry(usize::from(medium)).or_default() += on_trunk(trunk, flow) + held;
        }
        if is_last {
            return;
        }
        let mut far = site.stations[to as usize].ports.clone();
        let Some(hop) = far.find_map(|far| routes.next(medium, site.ports[far as usize].medium)) else { return };
        at = hop.router;
    }
}

fn on_trunk(trunk: &Trunk, flow: &Flow) -> f64 {
    let time = |octets: u16, expects_reply| {
        let kind = FrameType::of_data(usize::from(octets), expects_reply);
        trunk.format.characters(longest_on_the_wire(kind, usize::from(octets)) as u32) + trunk.turnaround
    };
    let request = time(flow.data, flow.service.is_confirmed());
    let reply = if flow.service == Service::Cov { Duration::ZERO } else { time(flow.response_data, false) };
    (request + reply).seconds()
}

/// How long a flow takes to give a request up, or to ask all receivers.
fn timer(flow: &Flow) -> Option<Timer> {
    match &flow.arrivals {
        Arrivals::Poll { interval, cycle } => {
            let points = flow.to.iter().map(Vec::len).max().unwrap_or(0) as u64;
            let span = interval.times(points).max(*cycle);
            Some(Timer { name: format!("the poll cycle of `{}`", flow.name), span, source: CYCLE })
        }
        _ if flow.service.is_confirmed() => Some(Timer {
            name: format!("APDU_Timeout and {} retries of `{}`", flow.retries, flow.name),
            span: flow.apdu_timeout.times(u64::from(flow.retries) + 1),
            source: GIVE_UP,
        }),
        _ => None,
    }
}
