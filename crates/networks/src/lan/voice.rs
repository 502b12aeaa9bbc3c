//! The record of calls: what listeners hear, and delays on the network.

use sojourn_core::Time;
use sojourn_metrics::record::{Observation, Record};

use super::hosts::Talker;
use super::metrics::Metrics;
use super::site::{Service, Site};
use crate::common::voice::{self, Direction};

/// From the calling to the called host, and back.
const DIRECTIONS: [&str; 2] = ["forward", "return"];

/// Records calls; nothing without.
pub(super) fn report_calls(site: &Site, talkers: &[Talker], metrics: &Metrics, end: Time, record: &mut Record) {
    if talkers.is_empty() {
        return;
    }
    let heard: Vec<_> = talkers.iter().map(|talker| (talker.call, talker.heard(end))).collect();
    let names = site.activities.iter().filter(|activity| matches!(activity.service, Service::Voice(_)));
    let directions: Vec<Direction> = heard
        .iter()
        .map(|(call, heard)| Direction::new(call.codec, call.packet_time(), call.playout, *heard))
        .collect();
    let calls: Vec<_> =
        names.zip(directions.chunks(2)).map(|(activity, both)| (activity.name.clone(), both.to_vec())).collect();
    voice::report(&calls, record);
    record.count("fifo_underflow", heard.iter().map(|(_, heard)| heard.played.underflows).sum());
    let samples = heard.iter().map(|(call, heard)| heard.played.overflowed * call.codec.samples_in(call.packet_time()));
    record.count("fifo_overflow", samples.sum());
    record.observe("one_way_delay", Observation::Distribution(metrics.voice.clone()));
    for (name, flow) in site.flows.iter().zip(&metrics.flows) {
        for (direction, delays) in DIRECTIONS.into_iter().zip(&flow.directions).filter(|(_, delays)| delays.count() > 0)
        {
            record.observe(format!("one_way_delay/{name}/{direction}"), Observation::Distribution(delays.clone()));
        }
    }
}
