//! Writes the scenario of trunks of MS/TP.

use sojourn_core::Time;

use super::flows::flows;
use super::gaps::character;
use super::keys::{event, medium};
use super::named::{Named, WARM_UP};
use super::place::Place;
use super::trunk::TrunkSurvey;
use super::write_flow::FlowWriter;
use super::write_station::{far_stations, station};
use crate::document::{Document, rounded_up, span};
use crate::scenario::{Options, Twin};

/// Frames that were not valid from which on a bit error rate is inferred.
const FEWEST_INVALID: u64 = 3;

/// The scenario of surveyed trunks, from `begin` to `end`.
pub(super) fn twin(trunks: &[&TrunkSurvey], (begin, end): (Time, Time), options: &Options) -> Twin {
    let mut document = Document::default();
    let duration = end.since(begin).seconds();
    let frames: u64 = trunks.iter().map(|trunk| trunk.trunk.frames()).sum();
    document.comment(format!(
        "Inferred from a capture of {frames} frames of MS/TP in {}. A comment before a value says how it was inferred, from how \
         much, and how sure that is.",
        span(duration),
    ));
    document.title("Twin of a captured MS/TP trunk", "mstp");
    let named: Vec<Named<'_>> = (1..)
        .zip(trunks)
        .map(|(number, trunk)| {
            let suffix = if trunks.len() > 1 { format!("-{number}") } else { String::new() };
            Named::of(trunk, suffix, options.bit_rate)
        })
        .collect();
    named.iter().for_each(|named| media(named, &mut document));
    for named in &named {
        named.devices.iter().for_each(|device| station(named, device, &mut document));
        far_stations(named, &mut document);
    }
    let mut writer = FlowWriter::new(begin, duration, &mut document);
    named.iter().for_each(|named| writer.write(named, &flows(named.trunk)));
    named.iter().for_each(|named| outages(named, begin, &mut document));
    let left_out: u64 = trunks.iter().map(|trunk| trunk.talk.left_out).sum();
    let mut doubts = Vec::new();
    if left_out > 0 {
        doubts.push(format!("{left_out} messages of the network layer, segments, or what is not BACnet"));
        document.note(format!("Left out: {}.", doubts[0]));
    }
    document.run(duration, WARM_UP, Some("Until masters have found each other; flows begin as in the capture."));
    Twin { scenario: document.finish(), traces: Vec::new(), doubts }
}

/// A trunk, and the networks behind its routers.
fn media(named: &Named<'_>, document: &mut Document) {
    let Named { trunk, names, bit_rate, reason, .. } = named;
    document.table(medium::TABLE);
    document.set(medium::NAME, names.trunk());
    document.set_because(medium::BIT_RATE, *bit_rate as f64, reason);
    let (invalid, frames) = (trunk.trunk.invalid_frames(), trunk.trunk.frames());
    if invalid >= FEWEST_INVALID {
        let share = invalid as f64 / (invalid + frames) as f64;
        let bits = trunk.trunk.octets() as f64 / frames.max(1) as f64 * character(1);
        let about = format!("{invalid} of {} frames are not valid, as if by independent bits.", invalid + frames);
        document.set_because(medium::BIT_ERROR_RATE, (-libm::log1p(-share) / bits).min(0.1), about);
    }
    for router in names.far().keys() {
        let about = "An IP network, an assumption: stations behind a router show by their addresses alone.";
        document.table_of(medium::TABLE, about);
        document.set(medium::NAME, names.network(*router));
        document.set(medium::KIND, "ip");
    }
}

/// Stations that were off.
fn outages(named: &Named<'_>, begin: Time, document: &mut Document) {
    let Named { trunk, devices, names, .. } = named;
    for device in devices {
        for mac in device.addresses() {
            let place = Place::here(mac);
            let Some(name) = names.of(&place) else { continue };
            let asked = trunk.talk.servers.get(&place);
            let sent = trunk.stations.get(&mac).map(|station| station.silences()).unwrap_or_default();
            let found = match asked {
                _ if !device.is_slave => sent,
                Some(asked) if asked.is_dead() || device.is_silent => &[(begin, None)][..],
                Some(asked) => asked.outages(),
                None => &[],
            };
            let about = if device.is_slave { "It was asked, and did not answer." } else { "It sent nothing." };
            for (number, (from, until)) in (1..).zip(found) {
                off(name, number, [*from, until.unwrap_or(begin)], until.is_some(), (begin, about), document);
            }
        }
    }
}

/// A station that was off, or that came later.
fn off(
    name: &str,
    number: u32,
    [from, until]: [Time; 2],
    has_end: bool,
    (begin, about): (Time, &str),
    document: &mut Document,
) {
    let since = |time: Time| WARM_UP + time.since(begin).seconds();
    // one whose first event is that is off before
    let comes = from == begin && has_end;
    document.table_of(event::TABLE, about);
    document.set(event::NAME, format!("{name}-off-{number}"));
    document.set(event::AT, if comes { rounded_up(since(until)) } else { since(from) });
    if has_end && !comes {
        document.set(event::UNTIL, rounded_up(since(until)));
    }
    document.set(event::ACTION, if comes { "power-up" } else { "power-down" });
    document.set(event::STATIONS, vec![name.to_owned()]);
}
