//! What the flows of a site offer to its buses, without what waits for answers; their timers.

use sojourn_core::Duration;
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Timer, Unit, begins, is_changed, send_less};
use sojourn_protocols::can::frame::{Length, fd_length};
use sojourn_scenario::{Scenario, Table, WarmUp};

use crate::lengths::Stuffing;
use crate::site::{FlowSettings, Hop, Sender, Service, Site};

const REMOTE: &str = "an answer is waited for so long";
const ISO_TP: &str = "ISO 15765-2, table 14: timers N_Bs and N_Cr";
const BAM: &str = "SAE J1939-21, 5.10.2.3: packets to all are 50 to 200 ms apart";

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let mut meaning = Meaning::default();
    for (medium, table) in site.media.iter().zip(scenario.list("medium")) {
        meaning.resources.push(Resource {
            name: format!("bus `{}`", medium.name),
            table,
            remedy: format!("raise the bit rate of `{}`, or divide it by a gateway", medium.name),
            capacity: 1.0,
            unit: Unit::Time,
        });
    }
    for (flow, table) in site.flows.iter().zip(scenario.list("flow")) {
        meaning.timers.extend(timer(flow));
        let changed = is_changed(scenario, &flow.name);
        if flow.probe && !changed {
            let is_bus = |bus: &usize| site.media[*bus].link.is_none();
            let buses = flow
                .senders
                .iter()
                .flat_map(|sender| hops(site, sender))
                .map(|hop| medium_of(site, hop))
                .filter(is_bus);
            meaning.passed.extend(buses.map(|bus| (site.media[bus].name.clone(), flow.name.clone())));
            meaning.passed.sort();
            meaning.passed.dedup();
        }
        let Some(rate) = flow.arrivals.rate().filter(|_| !changed && begins_within(scenario, table)) else { continue };
        // what waits for answers takes what it gets
        if flow.service != Service::Broadcast {
            continue;
        }
        for sender in &flow.senders {
            let path = hops(site, sender).map(|hop| (medium_of(site, hop), seconds(site, flow, hop))).collect();
            meaning.offers.push(Offer { table, key: "arrivals", remedy: send_less(table), rate, path });
        }
    }
    meaning
}

fn medium_of(site: &Site, hop: &Hop) -> usize {
    site.ports[hop.port as usize].medium.into()
}

/// The hops of a sender's messages.
fn hops<'s>(site: &'s Site, sender: &Sender) -> impl Iterator<Item = &'s Hop> + use<'s> {
    let mut fresh = sender.forth.clone();
    std::iter::from_fn(move || {
        let hop = &site.hops[fresh.pop()? as usize];
        fresh.extend(&hop.next);
        Some(hop)
    })
}

/// The time that a message takes of a bus, on average.
fn seconds(site: &Site, flow: &FlowSettings, hop: &Hop) -> f64 {
    let medium = &site.media[medium_of(site, hop)];
    if medium.link.is_some() {
        return 0.0;
    }
    let bytes = if flow.brs.is_some() { fd_length(flow.data.into()) } else { flow.data.into() };
    let plain = Length::unstuffed(hop.id, bytes, flow.brs);
    let worst = medium.bits.whole(Length::worst(hop.id, bytes, flow.brs)).seconds();
    match medium.stuffing {
        Stuffing::Worst => worst,
        _ if hop.table.is_empty() => medium.bits.whole(plain).seconds(),
        _ => {
            let stuff = hop.table.iter().map(|&bits| f64::from(bits)).sum::<f64>() / hop.table.len() as f64;
            let stuffed = stuff as u16;
            let with = |stuff: u16| match plain.data {
                0 => Length { nominal: plain.nominal + stuff, ..plain },
                data => Length { data: data + stuff, ..plain },
            };
            let [low, high] = [stuffed, stuffed + 1].map(|stuff| medium.bits.whole(with(stuff)).seconds());
            low + (high - low) * stuff.fract()
        }
    }
}

/// Whether messages come while a run observes.
fn begins_within(scenario: &Scenario, flow: &Table) -> bool {
    match scenario.run().warm_up {
        WarmUp::Fixed(warm_up) => begins(flow) < warm_up + scenario.run().duration,
        WarmUp::Auto => begins(flow) == Duration::ZERO,
    }
}

/// How long a flow takes to give a message up, or to send one to all.
fn timer(flow: &FlowSettings) -> Option<Timer> {
    let tries = u64::from(flow.retries) + 1;
    let waits = |timeout: Duration, source| Timer {
        name: format!("{tries} attempts of `{}`, each with its timeout", flow.name),
        span: timeout.times(tries),
        source,
    };
    match flow.service {
        Service::Broadcast | Service::J1939(_, false) => None,
        Service::Remote(timeout)
        | Service::Request(timeout, _)
        | Service::Sdo(timeout)
        | Service::SdoBlock(timeout, _) => Some(waits(timeout, REMOTE)),
        Service::IsoTp(parameters) | Service::Uds(parameters, _) => Some(waits(parameters.n_bs, ISO_TP)),
        Service::J1939(parameters, true) => Some(Timer {
            name: format!("the packets of a message of `{}`", flow.name),
            span: parameters.spacing.times(u64::from(flow.data).div_ceil(7)),
            source: BAM,
        }),
    }
}
