//! Converts a checked scenario to hosts on links: the keys of links and of the queues before them.

use sojourn_core::Duration;
use sojourn_scenario::{Member, Problems, Scenario, Table, empirical};

use sojourn_protocols::ethernet_bus::PREAMBLE;

use super::conditioners;
use super::disciplines::{Readings, queue};
use super::events;
use super::keys::QUEUE_BACK;
use super::settings::{Framing, LinkSettings, PortSettings, Settings};
use crate::capture::Form;
use crate::circuits::Circuits;
use crate::flows::Flows;
use crate::layout::{rate_key, trace};
use crate::model::LanModel;
use crate::segment::{self, SegmentSettings};
use crate::site::Site;
use crate::topology::{Category, StationKind};
use sojourn_model::laws::RandomTime;

/// The IP network, or the Ethernet, that a scenario describes; `latency` is that of a router or switch with this table.
pub fn model(scenario: &Scenario, latency: impl Fn(&Table) -> Duration) -> Result<LanModel<Settings>, Problems> {
    let members = scenario.members();
    let flows = crate::scenario::flows(scenario, &members, Circuits::new(false, Category::Unspecified), None)?;
    let layout = &flows.layout;
    check_rates(scenario, &layout.topology.routes, &layout.media)?;
    let latency = |(member, kind): (&Member<'_>, &StationKind)| match kind {
        StationKind::Host | StationKind::Segment => Duration::ZERO,
        StationKind::Switch => latency(member.station),
    };
    let latencies = members.iter().zip(&layout.topology.stations).map(latency).collect();
    let ports = Settings::of(&layout.port_names, &layout.media, latencies, &Readings::of(&flows));
    let precedences = precedences(&flows);
    let segments = segment::scenario::segments(scenario, layout);
    let mut ports = ports;
    segments.iter().for_each(|segment| share(&mut ports.ports, segment));
    let form = if segments.is_empty() { Form::RawIp } else { Form::Ethernet };
    let fabric = Settings { precedences, conditioners: conditioners::of(scenario, &flows)?, segments, ..ports };
    let events = events::plan(scenario, &flows, false)?;
    let site = crate::scenario::site(&members, flows, Vec::new(), form);
    Ok(LanModel { site: Site { events, ..site }, fabric })
}

/// Outputs to a wire that stations share, as far as they are like others: a frame's time without the gap, and the direction back, which takes none.
fn share(ports: &mut [PortSettings], segment: &SegmentSettings) {
    for node in &segment.nodes {
        let [output, input] = [node.port, node.port ^ 1].map(|port| port as usize);
        ports[output].link.framing.overhead = segment.header + segment.end_delimiter + PREAMBLE / 8;
        ports[input].link.unlimited = true;
    }
}

impl Settings {
    /// What the tables of media say: `names` by port (they name random streams), `media` by link, `latencies` by station,
    /// `readings` by connection.
    fn of(names: &[String], media: &[&Table], latencies: Vec<Duration>, readings: &Readings) -> Settings {
        let port = |(number, name): (usize, &String)| {
            let (medium, is_back) = (media[number / 2], number % 2 == 1);
            let link = LinkSettings { trace: trace(medium, is_back), ..link(medium, is_back) };
            PortSettings { name: name.clone(), link, queue: queue(queue_of(medium, is_back), readings) }
        };
        let ports = names.iter().enumerate().map(port).collect();
        Settings { ports, latencies, precedences: Vec::new(), conditioners: Vec::new(), segments: Vec::new() }
    }
}

/// Rejects paths on which packets would take no time: at least one link or token bucket must have a rate. `routes` are
/// the ports of the paths, `media` by link.
fn check_rates(scenario: &Scenario, routes: &[Vec<u32>], media: &[&Table]) -> Result<(), Problems> {
    let medium = |port: &u32| media[*port as usize / 2];
    let limits = |port: &u32| {
        let (medium, is_back) = (medium(port), port % 2 == 1);
        let queue = queue_of(medium, is_back);
        let shapes = queue.has("shaping") || queue.optional_number("bandwidth").is_some();
        medium.optional_number(rate_key(medium, is_back)).is_some() || shapes
    };
    match routes.iter().find(|route| !route.iter().any(limits)) {
        None => Ok(()),
        Some(route) => {
            let message = "no link or token bucket on the path has a rate: packets would take no time".to_owned();
            let help = "give one of its media a `rate`, or its `queue` a token bucket (`shaping`)".to_owned();
            Err(Problems(vec![scenario.problem(medium(&route[0]), "rate", message, Some(help))]))
        }
    }
}

/// The queue before one direction of a medium's links.
fn queue_of(medium: &Table, is_back: bool) -> &Table {
    medium.optional_table(QUEUE_BACK).filter(|_| is_back).unwrap_or_else(|| medium.table("queue"))
}

fn link(medium: &Table, is_back: bool) -> LinkSettings {
    let octets = |key| medium.number(key) as u32;
    LinkSettings {
        unlimited: medium.optional_word(rate_key(medium, is_back)) == Some("unlimited"),
        trace: None,
        framing: Framing {
            overhead: octets("framing_overhead"),
            minimum: octets("min_payload"),
            counted: octets("link_overhead"),
        },
        mtu: octets("mtu"),
        loss: medium.number("loss"),
        lost: medium
            .optional_table("jitter")
            .map_or_else(Vec::new, |jitter| empirical::lost(jitter).expect("checked values"))
            .into(),
        jitter: RandomTime::up_to(medium, "jitter"),
        reorders: medium.flag("reordering"),
    }
}

/// The drop precedence of each connection by its flow's code point (RFC 2597, section 6); empty if none has one.
fn precedences(flows: &Flows<'_>) -> Vec<u8> {
    let of = |dscp: u8| match (dscp >> 3, dscp & 0b111) {
        (1..=4, precedence @ (2 | 4 | 6)) => precedence >> 1,
        _ => 0,
    };
    let mut precedences = vec![0; flows.layout.topology.routes.len()];
    for activity in &flows.activities {
        for both in activity.connections().map(|connection| connection & !1) {
            precedences[both as usize..][..2].fill(of(activity.dscp));
        }
    }
    if precedences.iter().all(|precedence| *precedence == 0) { Vec::new() } else { precedences }
}
