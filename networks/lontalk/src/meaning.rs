//! What the flows of a site offer to its channels, without what waits for answers (polls, closed loops); its timers.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_model::traffic::Arrivals;
use sojourn_scenario::{Scenario, Table, WarmUp};

use super::design::{OVERHEAD_BYTES, ends};
use super::routes::Routes;
use super::site::{FlowSettings, ServiceKind, Site, Target};
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Timer, Unit, is_changed, send_less};

const TRANSACTION: &str =
    "ISO/IEC 14908-1, 8: a message is given up when its last retry has waited for the transaction timer";
const REPEAT: &str = "ISO/IEC 14908-1, 8: copies of a repeated message are a repeat timer apart";
const CYCLE: &str = "a poll that asks one receiver after the other has seen each of them after a whole cycle";

/// Packets of a message on each medium that it passes, and their bytes.
type Crossed = BTreeMap<usize, [f64; 2]>;

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let (Ok(routes), mut meaning) = (Routes::new(site), Meaning::default()) else { return Meaning::default() };
    let mut sent: Vec<(&Table, f64, Crossed)> = Vec::new();
    for (flow, table) in site.flows.iter().zip(scenario.list("flow")) {
        meaning.timers.extend(timer(flow));
        if flow.probe && !is_changed(scenario, &flow.name) {
            let media = ends(flow).flat_map(|(from, to)| path(site, &routes, from, to));
            let media: std::collections::BTreeSet<usize> = media.collect();
            meaning.passed.extend(media.into_iter().map(|medium| (site.media[medium].name.clone(), flow.name.clone())));
        }
        if let Some(rate) = rate(scenario, flow) {
            sent.extend(messages(site, &routes, flow).into_iter().map(|crossed| (table, rate, crossed)));
        }
    }
    meaning.resources = resources(scenario, site, &sent);
    let offer = |(table, rate, crossed): (&'s Table, f64, Crossed)| {
        let channels = crossed.into_iter().filter(|(medium, _)| site.media[*medium].ip.is_none());
        let path = channels.map(|(medium, [packets, bytes])| {
            (medium, packets / site.media[medium].channel.saturation_rate(bytes / packets))
        });
        Offer { table, key: "arrivals", remedy: send_less(table), rate, path: path.collect() }
    };
    meaning.offers = sent.into_iter().map(offer).collect();
    meaning
}

/// The channels, each with the packets of the mean length offered that it sustains.
fn resources<'s>(scenario: &'s Scenario, site: &Site, sent: &[(&Table, f64, Crossed)]) -> Vec<Resource<'s>> {
    let mut offered = vec![[0.0; 2]; site.media.len()];
    for (_, rate, crossed) in sent {
        for (&medium, [packets, bytes]) in crossed {
            offered[medium][0] += rate * packets;
            offered[medium][1] += rate * bytes;
        }
    }
    let tables = scenario.list("medium").iter().zip(&site.media).zip(offered);
    let resource = |((table, medium), [packets, bytes]): ((&'s Table, _), [f64; 2])| {
        let medium: &super::site::MediumSettings = medium;
        Resource {
            name: format!("channel `{}`", medium.name),
            table,
            remedy: format!("divide `{}` by a router", medium.name),
            capacity: medium.channel.saturation_rate(if packets > 0.0 { bytes / packets } else { OVERHEAD_BYTES }),
            unit: Unit::Pieces("packets/s"),
        }
    };
    tables.map(resource).collect()
}

/// Messages a second of each sender of a flow, at least; `None` where answers decide, or events.
fn rate(scenario: &Scenario, flow: &FlowSettings) -> Option<f64> {
    let run = scenario.run();
    let begins = match run.warm_up {
        WarmUp::Fixed(warm_up) => flow.delay < warm_up + run.duration,
        WarmUp::Auto => flow.delay == Duration::ZERO,
    };
    if !begins || is_changed(scenario, &flow.name) {
        return None;
    }
    flow.arrivals.rate()
}

/// The media between two stations, both of their own included.
fn path(site: &Site, routes: &Routes, from: usize, to: usize) -> Vec<usize> {
    let home = |station: usize| usize::from(site.stations[station].on()[0]);
    std::iter::once(home(from)).chain(routes.path(site, home(from), home(to))).collect()
}

/// What a message of each sender of a flow puts on the media, without retries.
fn messages(site: &Site, routes: &Routes, flow: &FlowSettings) -> Vec<Crossed> {
    let group = matches!(flow.to, Target::Group(_));
    let mut by_sender: BTreeMap<usize, Crossed> = BTreeMap::new();
    let mut single = Vec::new();
    let [sent, data] = [1.0, f64::from(flow.data)];
    let copies = if flow.service == ServiceKind::Repeated { 1.0 + f64::from(flow.retries) } else { sent };
    let [back, answer] = match flow.service {
        ServiceKind::Request => [1.0, f64::from(flow.response_data)],
        ServiceKind::Acknowledged => [1.0, 0.0],
        ServiceKind::Unacknowledged | ServiceKind::Repeated => [0.0; 2],
    };
    // a challenge and its reply
    let challenged = if flow.authenticated { 2.0 } else { 0.0 };
    for (from, to) in ends(flow) {
        let media = path(site, routes, from, to);
        let mut own = Crossed::new();
        let crossed = if group { by_sender.entry(from).or_default() } else { &mut own };
        for medium in media {
            let [packets, bytes] = crossed.entry(medium).or_insert([0.0; 2]);
            // a message to a group passes each medium once, and each member answers
            let forth = if *packets == 0.0 { copies } else { 0.0 };
            *packets += forth + back + challenged;
            *bytes += forth * (OVERHEAD_BYTES + data) + back * (OVERHEAD_BYTES + answer) + challenged * OVERHEAD_BYTES;
        }
        if !group {
            single.push(own);
        }
    }
    single.extend(by_sender.into_values());
    single
}

/// How long a flow takes to give a message up, or to ask all receivers.
fn timer(flow: &FlowSettings) -> Option<Timer> {
    let times = u64::from(flow.retries);
    match (&flow.arrivals, &flow.to) {
        (Arrivals::Poll { interval, cycle }, Target::Polled(points)) => Some(Timer {
            name: format!("the poll cycle of `{}`", flow.name),
            span: interval.times(points.len() as u64).max(*cycle),
            source: CYCLE,
        }),
        _ if flow.service == ServiceKind::Repeated => Some(Timer {
            name: format!("{times} repeats of `{}`", flow.name),
            span: flow.timer.duration().times(times),
            source: REPEAT,
        }),
        _ if flow.service == ServiceKind::Unacknowledged => None,
        _ => Some(Timer {
            name: format!("the transaction timer and {times} retries of `{}`", flow.name),
            span: flow.timer.duration().times(times + 1),
            source: TRANSACTION,
        }),
    }
}
