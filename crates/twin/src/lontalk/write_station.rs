//! Writes channels, routers and stations.

use sojourn_protocols::lontalk::wire::SubnetNode;

use super::super::document::{Document, Inline, digits, span};
use super::channel::{Choice, clock};
use super::groups::{Group, SharedFlow};
use super::keys::{buffers, medium, station};
use super::survey::{Node, To};
use super::topology::Router;
use super::write::{Writer, at, sorted};
use sojourn_capture::arrivals::Reservoir;

/// CPU time at 10 MHz from the end of a message to its acknowledgement: delivery, receive record and forming it
/// (LonTalk response-time bulletin), s.
const ACKNOWLEDGED_AFTER: f64 = 1.48e-3 + 3.5e-3 + 0.9e-3;
/// CPU time at 10 MHz from the end of a request to its response: delivery, receive record, application latency, the event,
/// the call and forming the packet (LonTalk response-time bulletin), s.
const RESPONDED_AFTER: f64 = 1.48e-3 + 3.5e-3 + 0.93e-3 + 0.8e-3 + 1.781e-3;
/// CPU time of a router at 10 MHz to forward a packet, and per byte (assumption), s.
const FORWARDED_AFTER: f64 = 1.781e-3;
const FORWARDED_PER_BYTE: f64 = 19.67e-6;
/// Samples from which a clock is inferred.
const ENOUGH: usize = 5;
/// Stations that send to one, above which its buffers must be ample.
const MANY: usize = 4;
/// The most buffers of a kind.
const AMPLE: u64 = 31;

impl Writer<'_> {
    /// The channels.
    pub(super) fn media(&self, document: &mut Document) {
        let domain = self.survey.domains.iter().max_by_key(|&(_, count)| *count).map_or(0, |(&length, _)| length);
        for (number, channel) in self.topology.media.iter().enumerate() {
            let Choice { standard, gaps, against_slower } = channel.channel;
            let why = match gaps {
                0 => "No two packets followed each other: the channel type is an assumption.".to_owned(),
                _ if against_slower > 0.0 => format!(
                    "The slowest common channel that {gaps} gaps between packets allow: {} % of them are too short for the next slower one.",
                    digits(100.0 * against_slower),
                ),
                _ => format!("The slowest common channel; {gaps} gaps between packets allow it."),
            };
            document.table_of(medium::TABLE, why);
            document.set(medium::NAME, medium_name(number));
            document.set(medium::CHANNEL, standard.name);
            if domain > 0 {
                document.set(medium::DOMAIN_LENGTH, domain as u64);
            }
        }
    }

    /// A router between two channels.
    pub(super) fn router(&self, number: usize, router: &Router, document: &mut Document) {
        let (a, b) = router.between;
        let side = usize::from(router.forwarding[1].count > router.forwarding[0].count);
        let (spacing, into) = (&router.forwarding[side], [a, b][side]);
        let times = sorted(&spacing.gaps);
        let [on, other] = [a, b].map(medium_name);
        document.table_of(
            station::TABLE,
            format!("{} packets appeared on {on} and on {other} one after the other.", router.packets),
        );
        document.set(station::NAME, format!("router-{number}"));
        document.set(station::ON, vec![on, other]);
        document.set(station::ROUTER, "configured");
        if times.len() >= ENOUGH {
            let standard = self.topology.media[into].channel.standard;
            let elsewhere = standard.usual_wait() + standard.packet_time(spacing.mean_length());
            let at_10_mhz = FORWARDED_AFTER + FORWARDED_PER_BYTE * spacing.mean_length();
            let observed = at(&times, 0.25);
            document.comment(format!(
                "It takes {} at the 25th percentile of {} packets to {}, the packet itself included: the nearest input clock.",
                span(observed),
                spacing.count,
                medium_name(into),
            ));
            document.set(station::INPUT_CLOCK, clock(observed, at_10_mhz, elsewhere));
        }
        document.comment("Ample, an assumption: packets lost for lack of buffers do not show.");
        document.set(station::BUFFERS, network_buffers(Inline::default()));
    }

    /// Stations that send alike.
    pub(super) fn group(&self, number: usize, group: &Group, document: &mut Document) {
        let several = group.members.len() > 1;
        let sent: u64 = group.members.iter().map(|member| self.survey.nodes[member].sent()).sum();
        let who = if self.options.anonymise { String::new() } else { format!(": {}", addresses(&group.members)) };
        let about = match several {
            true => format!("{} stations that send alike, {sent} packets in all{who}.", group.members.len()),
            false => format!("A station that sent {sent} packets{who}."),
        };
        document.table_of(station::TABLE, about);
        if several {
            document.set(station::NAME, format!("group-{number}"));
            document.set(station::COUNT, group.members.len() as u64);
        } else {
            document.set(station::NAME, &self.names[&group.members[0]]);
        }
        document.set(station::ON, vec![medium_name(group.medium)]);
        self.input_clock(group, document);
        if self.senders_to(group) >= MANY || group.flows.iter().any(|flow| flow.cycle.is_some()) {
            document.comment("Ample, an assumption: it exchanges messages with many, and buffers do not show.");
            document.set(station::RECEIVE_RECORDS, 255_u64);
            document.set(station::BUFFERS, network_buffers(Inline::default().with(buffers::APPLICATION_INPUT, AMPLE)));
        }
    }

    /// The clock of the processors, from the time to an acknowledgement or a response.
    fn input_clock(&self, group: &Group, document: &mut Document) {
        let pooled = |times: fn(&Node) -> &Reservoir| {
            let mut values = Vec::new();
            group
                .members
                .iter()
                .for_each(|member| values.extend_from_slice(times(&self.survey.nodes[member]).values()));
            values.sort_by(f64::total_cmp);
            values
        };
        let acknowledged = pooled(|node| &node.acknowledged_after);
        let responded = pooled(|node| &node.responded_after);
        let (times, at_10_mhz, what) = if acknowledged.len() >= responded.len() {
            (acknowledged, ACKNOWLEDGED_AFTER, "acknowledgements")
        } else {
            (responded, RESPONDED_AFTER, "responses")
        };
        if times.len() < ENOUGH {
            return document.comment("It acknowledged too little to infer its input clock: the default of 10 MHz.");
        }
        let standard = self.topology.media[group.medium].channel.standard;
        let elsewhere = standard.usual_wait() + standard.packet_time(13.0);
        let observed = at(&times, 0.25);
        document.comment(format!(
            "The end of {what} is {} after that of the message at the 25th percentile of {}: the nearest input clock of a Neuron \
             processor, which differ by a factor of two.",
            span(observed),
            times.len(),
        ));
        document.set(station::INPUT_CLOCK, clock(observed, at_10_mhz, elsewhere));
    }

    /// Stations that send to the members of a group.
    fn senders_to(&self, group: &Group) -> usize {
        let of_groups = self.groups.groups.iter().flat_map(|other| &other.flows);
        let flows = of_groups.chain(&self.groups.extras);
        let to_it =
            |flow: &&SharedFlow| flow.to.iter().any(|to| matches!(to, To::Node(node) if group.members.contains(node)));
        flows.filter(to_it).map(|flow| flow.senders.len()).max().unwrap_or(0)
    }
}

/// Ample buffers of the network layer beside others.
fn network_buffers(others: Inline) -> Inline {
    others.with(buffers::NETWORK_INPUT, AMPLE).with(buffers::NETWORK_OUTPUT, AMPLE)
}

fn medium_name(number: usize) -> String {
    format!("channel-{}", number + 1)
}

/// Subnet and node of each, as ranges.
fn addresses(nodes: &[SubnetNode]) -> String {
    let mut ranges: Vec<(SubnetNode, u8)> = Vec::new();
    for &node in nodes {
        match ranges.last_mut() {
            Some((first, last)) if first.subnet == node.subnet && *last < u8::MAX && *last + 1 == node.node => {
                *last = node.node
            }
            _ => ranges.push((node, node.node)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match first.node == *last {
        true => format!("{}/{}", first.subnet, first.node),
        false => format!("{}/{} to {last}", first.subnet, first.node),
    });
    shown.collect::<Vec<_>>().join(", ")
}
