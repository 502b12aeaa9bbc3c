//! Writes the stations of a trunk, and those behind its routers.

use std::collections::BTreeSet;

use sojourn_protocols::mstp::machine::USAGE_TIMEOUT;

use super::device::{Device, Reply};
use super::gaps::{Gaps, character};
use super::keys::{costs, station as keys, timers};
use super::named::Named;
use super::place::Place;
use crate::document::{Document, Inline, Varying, span};
use crate::quantile::{at, median};
use crate::varying::varying;

/// Latencies whose middle nine tenths differ by less than this are one, s.
const ALIKE: f64 = 2e-4;
/// Fewest replies from which a latency is inferred.
const FEWEST: u64 = 3;
/// Octets of a frame around its data.
const AROUND_DATA: f64 = 10.0;
/// What is taken off the shortest time to a reply that waits for a token.
const HALF_A_PASS: &str = ", less the reply on the trunk and half of the time that a station has the token";
/// What a router and its network take of a request and its reply in the scenario, s: forwarding and delay, twice each.
const FAR: f64 = 3e-3;

/// A station, or several that are alike.
pub(super) fn station(named: &Named<'_>, device: &Device, document: &mut Document) {
    let Named { names, trunk, .. } = named;
    let frames: u64 = device.addresses().map(|mac| trunk.counted(mac).frames).sum();
    document.table_of(keys::TABLE, about(device, frames));
    document.set(keys::NAME, names.device(device));
    if device.count > 1 {
        document.set(keys::COUNT, device.count);
    }
    let mut on = vec![names.trunk()];
    on.extend(names.far().contains_key(&device.first).then(|| names.network(device.first)));
    document.set(keys::ON, on);
    document.set(keys::ADDRESS, u64::from(device.first));
    if device.step > 1 {
        document.set(keys::ADDRESS_STEP, u64::from(device.step));
    }
    if device.is_slave {
        document.set(keys::KIND, "slave");
    } else {
        master(device, document);
    }
    let inline = latencies(named, device, document);
    if !inline.is_empty() {
        document.set(keys::COSTS, inline);
    }
}

fn about(device: &Device, frames: u64) -> String {
    let who = match (device.is_silent, device.is_slave) {
        (true, _) => return "It is asked, and sent nothing.".to_owned(),
        (false, true) => "never had the token",
        (false, false) => "had the token",
    };
    match device.count {
        1 => format!("It sent {frames} frames, and {who}."),
        count => format!("{count} stations that are alike sent {frames} frames, and {who}."),
    }
}

/// What masters have beside their latencies.
fn master(device: &Device, document: &mut Document) {
    document.set_because(
        keys::MAX_INFO_FRAMES,
        device.max_info_frames,
        "The most frames that it sent with a token: it may be more.",
    );
    let why = match device.is_swept {
        true => "The highest address that any station polled.",
        false => "No station polled for masters: the highest address of one, an assumption.",
    };
    document.set_because(keys::MAX_MASTER, device.max_master, why);
    if device.reply != Reply::Immediate {
        document.set_because(keys::REPLY, device.reply.word(), "It postponed most replies.");
    }
    let mut inline = Inline::default();
    match device.usage_timeout {
        Some(timeout) => {
            document.comment("T_usage_timeout: from a Poll For Master without a reply to the next frame.");
            inline = inline.with(timers::USAGE_TIMEOUT, timeout.clamp(1e-3, 1.0));
        }
        None => document.comment(format!(
            "None of its polls shows T_usage_timeout: the default of {}.",
            span(USAGE_TIMEOUT.seconds())
        )),
    }
    if let Some(timeout) = device.reply_timeout {
        document.comment("T_reply_timeout: from a request without a reply to the next frame.");
        inline = inline.with(timers::REPLY_TIMEOUT, timeout.clamp(1e-3, 10.0));
    }
    if let Some(poll) = device.poll {
        document.comment("N_poll: the most tokens between two polls.");
        inline = inline.with(timers::POLL, poll);
    }
    if !inline.is_empty() {
        document.set(keys::TIMERS, inline);
    }
}

/// How long it takes to use a token and to reply.
fn latencies(named: &Named<'_>, device: &Device, document: &mut Document) -> Inline {
    let mut inline = Inline::default();
    if let Some(sorted) = enough(&device.after_token, named.bit_rate) {
        document.comment(format!(
            "From a token to the first character of its next frame: {}, the median of {}.",
            span(at(&sorted, 0.5).unwrap_or(0.0)),
            device.after_token.seen()
        ));
        inline = inline.with(costs::TOKEN_LATENCY, varying(&sorted, ALIKE));
    }
    if device.reply != Reply::Immediate {
        if let Some((least, replies)) = behind_postponed(named, None, 0.0) {
            document.comment(format!("The shortest time to one of {replies} postponed replies{HALF_A_PASS}."));
            inline = inline.with(costs::REPLY_LATENCY, Varying::Constant(least));
        }
    } else if let Some(sorted) = enough(&device.replies, named.bit_rate) {
        document.comment(format!(
            "From a request to the first character of its reply: {}, the median of {}.",
            span(at(&sorted, 0.5).unwrap_or(0.0)),
            device.replies.seen()
        ));
        inline = inline.with(costs::REPLY_LATENCY, varying(&sorted, ALIKE));
    }
    inline
}

fn enough(gaps: &Gaps, bit_rate: u64) -> Option<Vec<f64>> {
    let sorted = gaps.latencies(bit_rate);
    (gaps.seen() >= FEWEST && !sorted.is_empty()).then_some(sorted)
}

/// The shortest time of a far place, or of any station of the trunk that postpones its replies, to its replies, less the reply on the trunk, `elsewhere` and half of the time that a station has the
/// token, and of how many.
fn behind_postponed(named: &Named<'_>, far: Option<Place>, elsewhere: f64) -> Option<(f64, usize)> {
    let postponing: BTreeSet<Place> = named
        .devices
        .iter()
        .filter(|device| device.reply != Reply::Immediate && !device.is_router)
        .flat_map(|device| device.addresses().map(Place::here))
        .collect();
    let is_asked = |place: &Place| far.map_or_else(|| postponing.contains(place), |far| *place == far);
    let flows = named.trunk.talk.flows.iter().filter(|(key, _)| is_asked(&key.to) && key.service.is_confirmed());
    let masters = named.devices.iter().filter(|device| !device.is_slave).map(|device| device.count).sum::<u64>();
    let half_a_pass = named.trunk.rotation().unwrap_or(0.0) / (2 * masters.max(1)) as f64;
    let mut times: Vec<f64> = Vec::new();
    for (_, flow) in flows {
        let octets = median(flow.response_data.values()).unwrap_or(0.0) + AROUND_DATA;
        let before = octets * character(named.bit_rate) + elsewhere + half_a_pass;
        times.extend(flow.responses.values().iter().map(|time| (time - before).max(0.0)));
    }
    times.sort_by(f64::total_cmp);
    Some((at(&times, 0.002)?, times.len())).filter(|(_, replies)| *replies as u64 >= FEWEST)
}

/// Stations behind routers.
pub(super) fn far_stations(named: &Named<'_>, document: &mut Document) {
    let places = super::device::places(named.trunk).filter(|place| place.far.is_some());
    for place in places {
        let Some(name) = named.names.of(&place) else { continue };
        document.table_of(keys::TABLE, "A station behind a router, by its address.");
        document.set(keys::NAME, name);
        document.set(keys::ON, vec![named.names.network(place.mac)]);
        if let Some((least, replies)) = behind_postponed(named, Some(place), FAR) {
            document.comment(format!(
                "The shortest time to one of {replies} replies{HALF_A_PASS}, and what router and network take."
            ));
            let inline = Inline::default().with(costs::REPLY_LATENCY, Varying::Constant(least));
            document.set(keys::COSTS, inline);
        }
    }
}
