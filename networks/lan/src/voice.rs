//! The record of calls, as listeners hear them.

use sojourn_core::Time;
use sojourn_metrics::record::Record;

use super::hosts::Talker;
use super::site::{Call, Service, Site};
use sojourn_metrics::jitter_buffer::talkspurts::Heard;
use sojourn_model::voice::{self, Direction};

/// Records calls; nothing without.
pub(super) fn report_calls(site: &Site, talkers: &[Talker], end: Time, record: &mut Record) {
    if talkers.is_empty() {
        return;
    }
    let heard: Vec<_> = talkers.iter().map(|talker| (&talker.call, talker.heard(end))).collect();
    let names = site.activities.iter().filter(|activity| matches!(activity.service, Service::Voice(_)));
    let direction =
        |(call, heard): &(&Call, Heard)| Direction::new(call.codec, call.packet_time(), call.playout, *heard);
    let calls: Vec<_> = names
        .zip(heard.chunks(2))
        .map(|(activity, both)| {
            let spoken = if both[0].0.is_two_way { both } else { &both[..1] };
            (activity.name.clone(), spoken.iter().map(direction).collect())
        })
        .collect();
    voice::report(&calls, record);
    record.count("fifo_underflow", heard.iter().map(|(_, heard)| heard.played.underflows).sum());
    let samples = heard.iter().map(|(call, heard)| heard.played.overflowed * call.codec.samples_in(call.packet_time()));
    record.count("fifo_overflow", samples.sum());
}
