//! Offered and carried load of links and processors.
//!
//! Streams and calls are open-loop: they send regardless of earlier deliveries and can overload a link. Requests and
//! TCP are closed-loop: they wait for answers, and take the capacity that they get.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_metrics::load::Load;
use sojourn_metrics::record::Record;

use super::fabric::{Fabric, PortTally, Tally};
use super::metrics::Metrics;
use super::site::{Activity, Service, Site};
use super::world::Lan;

/// From this share of its time on, what a processor takes by default is worth a note.
const WORTH_A_NOTE: f64 = 0.5;

/// Records them.
pub(super) fn report<F: Fabric>(lan: &Lan<'_, '_, F>, tally: &Tally, end: Time, record: &mut Record) {
    let (site, seconds) = (lan.site, end.since(lan.metrics.from()).seconds());
    let senders = Senders::of(site);
    let unit = if site.channels.is_empty() { "packets/s" } else { "cells/s" };
    report_wires(lan, tally, &senders, seconds, record);
    for (((number, name), port), sources) in (0..).zip(&site.ports).zip(&tally.ports).zip(&senders.of_port) {
        if !sources.passes || site.topology.is_shared(number) || site.topology.is_input(number) {
            continue;
        }
        let known = |load| senders.known(sources, load, &lan.metrics, seconds);
        // what waits for a shaper waits in the queue of its port, and what it drops the link never gets
        match port.paced > Duration::ZERO {
            true => {
                record.load(format!("shaper of {name}"), known(of_port(port, port.paced, unit, seconds)));
                let load = of_port(port, port.busy, unit, seconds);
                record.load(name, if port.busy > port.paced { known(load) } else { load.closed() });
            }
            false => record.load(name, known(of_port(port, port.busy, unit, seconds))),
        }
    }
    for (station, name, host) in lan.hosts_by_station() {
        let (demand, utilisation) = (host.demand(end), host.utilisation(end));
        let load = Load {
            unit: "1".to_owned(),
            offered: demand,
            carried: utilisation,
            utilisation: Some(utilisation),
            demand: Some(demand),
        };
        if let Some(packet) = site.assumed_packet_cost[station as usize].filter(|_| demand > WORTH_A_NOTE) {
            record.note(format!(
                "the processor of {name} is busy for more than half of its time, with the default of {:.0} µs to send and to receive \
                 a packet, that of workstations of 1995: give `costs` of your hosts (kind = \"ip\" has none)",
                1e6 * packet.seconds()
            ));
        }
        let sources = &senders.of_host[station as usize];
        record.load(format!("processor of {name}"), senders.known(sources, load, &lan.metrics, seconds));
    }
}

/// Wires that stations share: all outputs to one together.
fn report_wires<F: Fabric>(lan: &Lan<'_, '_, F>, tally: &Tally, senders: &Senders, seconds: f64, record: &mut Record) {
    let ports = &lan.site.topology.ports;
    for segment in &tally.segments {
        let is_on = |port: &usize| {
            lan.site.topology.is_shared(*port as u32)
                && lan.site.ports[*port].rsplit_once('/').is_some_and(|(_, wire)| wire == segment.name)
        };
        let mut sources = Sources { is_known: true, is_closed: lan.site.events.is_some(), ..Sources::default() };
        let (mut jobs, mut waiting) = ([0, 0], 0.0);
        for port in (0..ports.len()).filter(is_on) {
            let of_port = &tally.ports[port];
            jobs = [jobs[0] + of_port.sent, jobs[1] + of_port.dropped];
            waiting += of_port.more_waiting;
            sources.merge(&senders.of_port[port]);
        }
        if sources.passes {
            let load = Load::of_jobs("packets/s", jobs, waiting, share(segment.busy, seconds), seconds);
            record.load(segment.name.clone(), senders.known(&sources, load, &lan.metrics, seconds));
        }
    }
}

fn of_port(port: &PortTally, busy: Duration, unit: &str, seconds: f64) -> Load {
    Load::of_jobs(unit, [port.sent, port.dropped], port.more_waiting, share(busy, seconds), seconds)
}

fn share(time: Duration, seconds: f64) -> f64 {
    if seconds > 0.0 { time.seconds() / seconds } else { 0.0 }
}

/// Whose packets pass each port and host.
struct Senders {
    of_port: Vec<Sources>,
    of_host: Vec<Sources>,
    /// How many activities each flow has.
    activities: BTreeMap<u32, usize>,
}

/// Whose packets something gets.
#[derive(Clone, Default)]
struct Sources {
    /// Whether anything passes.
    passes: bool,
    /// Whether some wait for answers, or events of the scenario change them.
    is_closed: bool,
    /// Messages a second that its streams are expected to send, where they are all it gets.
    expected: f64,
    is_known: bool,
    /// Their flows, each with the number of its activities that pass.
    flows: BTreeMap<u32, usize>,
}

impl Senders {
    fn of(site: &Site) -> Senders {
        let sources = Sources { is_known: true, is_closed: site.events.is_some(), ..Sources::default() };
        let mut senders = Senders {
            of_port: vec![sources.clone(); site.ports.len()],
            of_host: vec![sources; site.stations.len()],
            activities: BTreeMap::new(),
        };
        for activity in &site.activities {
            *senders.activities.entry(activity.flow).or_default() += 1;
            senders.of_host[activity.from as usize].add(activity);
            activity.receivers().for_each(|host| senders.of_host[host as usize].add(activity));
            for (connection, is_back) in activity.connections().flat_map(|there| [(there, false), (there ^ 1, true)]) {
                // nothing but calls and what waits for answers goes back
                if is_back && matches!(activity.service, Service::Stream(_)) {
                    continue;
                }
                for &port in &site.topology.routes[connection as usize] {
                    senders.of_port[port as usize].add(activity);
                }
            }
        }
        senders
    }

    /// A load, with what is known of those who make it. A flow counts its messages together: where some of its sources take other
    /// routes, they are left as they were drawn.
    fn known(&self, sources: &Sources, load: Load, metrics: &Metrics, seconds: f64) -> Load {
        if sources.is_closed || !sources.passes {
            return load.closed();
        }
        let are_whole = sources.flows.iter().all(|(flow, passing)| self.activities[flow] == *passing);
        if !sources.is_known || !are_whole || seconds <= 0.0 {
            return load;
        }
        let drawn = |flow: &u32| metrics.flows[*flow as usize].tally.offered.observed();
        load.expecting(sources.expected, sources.flows.keys().map(drawn).sum::<u64>() as f64 / seconds)
    }
}

impl Sources {
    fn merge(&mut self, other: &Sources) {
        self.passes |= other.passes;
        self.is_closed |= other.is_closed;
        self.is_known &= other.is_known;
        self.expected += other.expected;
        other.flows.iter().for_each(|(flow, passing)| *self.flows.entry(*flow).or_default() += passing);
    }

    fn add(&mut self, activity: &Activity) {
        self.passes = true;
        *self.flows.entry(activity.flow).or_default() += 1;
        match &activity.service {
            Service::Stream(stream) => match stream.arrivals.0.arrivals().rate() {
                Some(rate) => self.expected += rate,
                None => self.is_known = false,
            },
            Service::Voice(_) => self.is_known = false,
            Service::Echo(_) | Service::Request(_) | Service::Bulk(_) => self.is_closed = true,
        }
    }
}
