//! The record of a replication.

use sojourn_core::Time;
use sojourn_metrics::record::{Observation, Record};

use super::fabric::{Fabric, Tally};
use super::metrics::{FlowTally, Measure};
use super::site::{Service, Site};
use super::world::Lan;

/// What a LAN has observed when the clock stands at `end`.
pub fn record<F: Fabric>(mut lan: Lan<'_, '_, F>, end: Time) -> Record {
    let waiting = lan.clients.iter().filter(|client| client.is_waiting()).count() as u64;
    lan.measure.check_conservation(waiting, lan.under_way);
    let tally = lan.fabric.tally(end);
    let mut record = Record::default();
    if lan.site.channels.is_empty() {
        record.units.insert("queue_length".to_owned(), "packets".to_owned());
        record.count("packets", tally.ports.iter().map(|port| port.sent).sum());
    }
    lan.processors(end).for_each(|(host, busy)| record.scalar(format!("processor_utilisation/{host}"), busy));
    report_ports(lan.site, &tally, &lan.measure, end, &mut record);
    report_rates(lan.site, &tally, &mut record);
    report_bulk(lan.site, &lan.measure, end, &mut record);
    report_echoes(lan.site, lan.measure, &mut record);
    let Tally { queue_trace, rate_trace, .. } = tally;
    for (name, trace) in [("queue_length", queue_trace), ("allowed_cell_rate", rate_trace)] {
        if !trace.is_empty() {
            record.traces.insert(name.to_owned(), trace);
        }
    }
    record
}

/// Outputs; without a member the one that is watched.
fn report_ports(site: &Site, tally: &Tally, measure: &Measure, end: Time, record: &mut Record) {
    let seconds = end.since(measure.from()).seconds();
    let (mut dropped, mut marked) = (0, 0);
    for (port, (name, tally)) in site.ports.iter().zip(&tally.ports).enumerate() {
        let busy = share(tally.busy.seconds(), seconds);
        if Some(port as u32) == site.watched_port() {
            record.scalar("utilisation", busy);
            record.observe("queue_length", tally.queue.clone());
        }
        if site.is_used(port as u32) {
            record.scalar(format!("utilisation/{name}"), busy);
            record.observe(format!("queue_length/{name}"), tally.queue.clone());
            record.count(format!("drops/{name}"), tally.dropped);
            record.count(format!("marks/{name}"), tally.marked);
        }
        dropped += tally.dropped;
        marked += tally.marked;
    }
    record.count("drops", dropped);
    record.count("marks", marked);
}

/// What sources may send, both ways of each flow; without a member that of the probe's requests.
fn report_rates(site: &Site, tally: &Tally, record: &mut Record) {
    let rate = |connection: u32| tally.connections[connection as usize].allowed_cell_rate.clone();
    let watched = site.watched_connection().and_then(rate);
    record.observe("allowed_cell_rate", watched.unwrap_or(Observation::NotApplicable));
    for activity in &site.activities {
        for (suffix, connection) in [("", activity.connection), ("/back", activity.connection ^ 1)] {
            if let Some(rate) = rate(connection) {
                record.observe(format!("allowed_cell_rate/{}{suffix}", activity.name), rate);
            }
        }
    }
}

fn report_bulk(site: &Site, measure: &Measure, end: Time, record: &mut Record) {
    let seconds = end.since(measure.from()).seconds();
    let rate = |tally: &FlowTally| share(tally.octets as f64 * 8.0, seconds);
    record.scalar("throughput", measure.flows.iter().map(rate).sum());
    for (flow, (name, tally)) in (0..).zip(site.flows.iter().zip(&measure.flows)) {
        if site.serves(flow, |service| matches!(service, Service::Bulk(_))) {
            record.scalar(format!("throughput/{name}"), rate(tally));
        }
    }
    record.count("retransmissions", measure.retransmissions);
    record.count("transaction_failures", measure.given_up);
}

fn report_echoes(site: &Site, measure: Measure, record: &mut Record) {
    let probed = |flow| site.serves(flow, |service| matches!(service, Service::Echo(echo) if echo.probed));
    let flows: Vec<_> = (0..).zip(site.flows.iter().zip(measure.flows)).filter(|(flow, _)| probed(*flow)).collect();
    if flows.is_empty() {
        for name in ["response_time", "delay_budget", "loss"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    }
    let several = flows.len() > 1;
    let (mut answered, mut lost) = (0, 0);
    for (_, (name, tally)) in flows {
        answered += tally.answered;
        lost += tally.lost;
        if several {
            record.scalar(format!("loss/{name}"), share(tally.lost as f64, (tally.lost + tally.answered) as f64));
            record.observe(format!("response_time/{name}"), Observation::Distribution(tally.responses));
        }
    }
    record.scalar("loss", share(lost as f64, (lost + answered) as f64));
    record.observe("response_time", Observation::Distribution(measure.responses));
    record.observe("delay_budget", Observation::Budget(measure.budget));
    if let Some(trace) = measure.trace {
        record.traces.insert("response_time".to_owned(), trace);
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
