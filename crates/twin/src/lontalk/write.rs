//! Writes the scenario of a LonTalk network.

use std::collections::BTreeMap;

use sojourn_protocols::lontalk::timer::TRANSACTION_TIMER_MS;
use sojourn_protocols::lontalk::wire::SubnetNode;

use super::super::arrivals::{Arrivals, arrivals, polls};
use super::super::document::{Document, digits, names, span};
use super::super::scenario::{Options, Trace, Twin};
use super::channel::{Choice, clock};
use super::groups::{Group, Groups, SMEAR, SharedFlow};
use super::survey::{Kind, Survey, To};
use super::topology::{Router, Topology};
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
/// Longest duration of a run, s.
const LONGEST_RUN: f64 = 200.0 * 86_400.0;
/// Members of a group with acknowledged service (ISO/IEC 14908-1, 6).
const GROUP_LIMIT: usize = 64;
/// Messages of a trace, at most.
const TRACE_ROWS: usize = 100_000;

/// The scenario of a surveyed network.
pub(super) fn twin(survey: &Survey, options: &Options) -> Twin {
    let topology = Topology::new(survey);
    let groups = Groups::new(survey, &topology);
    let names = station_names(&groups, options);
    let writer = Writer { survey, topology: &topology, groups: &groups, names, options };
    writer.write()
}

/// Names of stations by address: members of a group have the group's name and a number.
fn station_names(groups: &Groups, options: &Options) -> BTreeMap<SubnetNode, String> {
    let mut names = BTreeMap::new();
    for (number, group) in groups.groups.iter().enumerate() {
        match group.members[..] {
            [SubnetNode { subnet, node }] if !options.anonymise => {
                names.insert(group.members[0], format!("station-{subnet}-{node}"));
            }
            [only] => {
                names.insert(only, format!("station-{}", number + 1));
            }
            _ => {
                let members = group.members.iter().zip(1..);
                names.extend(members.map(|(&member, place)| (member, format!("group-{}-{place}", number + 1))));
            }
        }
    }
    names
}

struct Writer<'a> {
    survey: &'a Survey,
    topology: &'a Topology,
    groups: &'a Groups,
    names: BTreeMap<SubnetNode, String>,
    options: &'a Options,
}

impl Writer<'_> {
    fn write(&self) -> Twin {
        let (mut document, mut traces) = (Document::default(), Vec::new());
        let first = self.survey.first.unwrap_or_default();
        let duration = self.survey.last.since(first).seconds();
        self.head(duration, &mut document);
        self.media(&mut document);
        for (number, router) in self.topology.routers.iter().enumerate() {
            self.router(number + 1, router, &mut document);
        }
        if self.topology.further_pairs > 0 {
            document.gap();
            document.comment(format!(
                "{} further pairs of channels carried copies, over these routers or over others that would close a loop.",
                self.topology.further_pairs,
            ));
        }
        for (number, group) in self.groups.groups.iter().enumerate() {
            self.group(number + 1, group, &mut document);
        }
        let mut settles: f64 = 0.0;
        let mut counts = BTreeMap::new();
        let of_groups = self.groups.groups.iter().enumerate();
        let flows = of_groups.flat_map(|(number, group)| {
            let from = match group.members[..] {
                [only] => self.names[&only].clone(),
                _ => format!("group-{}", number + 1),
            };
            group.flows.iter().map(move |flow| (from.clone(), flow))
        });
        let extras = self.groups.extras.iter().map(|flow| (self.names[&flow.senders[0]].clone(), flow));
        for (from, flow) in flows.chain(extras) {
            settles = settles.max(self.flow(&from, flow, duration, &mut counts, &mut document, &mut traces));
        }
        run(duration, settles, &mut document);
        Twin { scenario: document.finish(), traces }
    }

    fn head(&self, duration: f64, document: &mut Document) {
        let Survey { packets, nodes, .. } = self.survey;
        document.comment(format!(
            "Inferred from a capture of {packets} LonTalk packets between {} nodes in {}. A comment before a value says how \
             it was inferred, from how much, and how sure that is.",
            nodes.len(),
            span(duration),
        ));
        document.comment(
            "A capture shows no collisions, no packets damaged on the channel, no buffers and no application times: these have \
             their defaults. `sojourn calibrate` fits what the results of a capture depend on.",
        );
        document.text("title", "Twin of a captured LonTalk network");
        document.gap();
        document.table("[network]");
        document.text("kind", "lontalk");
    }

    fn media(&self, document: &mut Document) {
        let domain = self.survey.domains.iter().max_by_key(|&(_, count)| *count).map_or(0, |(&length, _)| length);
        for (number, medium) in self.topology.media.iter().enumerate() {
            let Choice { standard, gaps, against_slower } = medium.channel;
            document.gap();
            document.comment(match gaps {
                0 => "No two packets followed each other: the channel type is an assumption.".to_owned(),
                _ if against_slower > 0.0 => format!(
                    "The slowest common channel that {gaps} gaps between packets allow: {} % of them are too short for the next slower one.",
                    digits(100.0 * against_slower),
                ),
                _ => format!("The slowest common channel; {gaps} gaps between packets allow it."),
            });
            document.table("[[medium]]");
            document.text("name", medium_name(number));
            document.text("channel", standard.name);
            if domain > 0 {
                document.key("domain_length", domain);
            }
        }
    }

    fn router(&self, number: usize, router: &Router, document: &mut Document) {
        let (a, b) = router.between;
        document.gap();
        document.comment(format!(
            "{} packets appeared on {} and on {} one after the other.",
            router.packets,
            medium_name(a),
            medium_name(b),
        ));
        let side = usize::from(router.forwarding[1].count > router.forwarding[0].count);
        let (spacing, into) = (&router.forwarding[side], [a, b][side]);
        let times = sorted(&spacing.gaps);
        document.table("[[station]]");
        document.text("name", format!("router-{number}"));
        document.key("on", format!("[\"{}\", \"{}\"]", medium_name(a), medium_name(b)));
        document.text("router", "configured");
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
            document.text("input_clock", format!("{} MHz", digits(clock(observed, at_10_mhz, elsewhere))));
        }
        document.comment("Ample, an assumption: packets lost for lack of buffers do not show.");
        document.key("buffers", "{ network_input = 31, network_output = 31 }");
    }

    fn group(&self, number: usize, group: &Group, document: &mut Document) {
        let several = group.members.len() > 1;
        document.gap();
        let sent: u64 = group.members.iter().map(|member| self.survey.nodes[member].sent()).sum();
        let who = if self.options.anonymise { String::new() } else { format!(": {}", addresses(&group.members)) };
        document.comment(if several {
            format!("{} stations that send alike, {sent} packets in all{who}.", group.members.len())
        } else {
            format!("A station that sent {sent} packets{who}.")
        });
        document.table("[[station]]");
        if several {
            document.text("name", format!("group-{number}"));
            document.key("count", group.members.len());
        } else {
            document.text("name", &self.names[&group.members[0]]);
        }
        document.key("on", format!("[\"{}\"]", medium_name(group.medium)));
        self.input_clock(group, document);
        if self.senders_to(group) >= MANY || group.flows.iter().any(|flow| flow.cycle.is_some()) {
            document.comment("Ample, an assumption: it exchanges messages with many, and buffers do not show.");
            document.key("receive_records", 255);
            document.key("buffers", "{ application_input = 31, network_input = 31, network_output = 31 }");
        }
    }

    /// The clock of the processors, from the time to an acknowledgement or a response.
    fn input_clock(&self, group: &Group, document: &mut Document) {
        let pooled = |times: fn(&super::survey::Node) -> &Reservoir| {
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
        document.text("input_clock", format!("{} MHz", digits(clock(observed, at_10_mhz, elsewhere))));
    }

    /// Stations that send to the members of a group.
    fn senders_to(&self, group: &Group) -> usize {
        let of_groups = self.groups.groups.iter().flat_map(|other| &other.flows);
        let flows = of_groups.chain(&self.groups.extras);
        let to_it =
            |flow: &&SharedFlow| flow.to.iter().any(|to| matches!(to, To::Node(node) if group.members.contains(node)));
        flows.filter(to_it).map(|flow| flow.senders.len()).max().unwrap_or(0)
    }

    /// A flow. Returns after how long it has settled, s.
    fn flow(
        &self,
        from: &str,
        flow: &SharedFlow,
        duration: f64,
        counts: &mut BTreeMap<&'static str, u32>,
        document: &mut Document,
        traces: &mut Vec<Trace>,
    ) -> f64 {
        let Some((to, addressing)) = self.receivers(flow) else {
            document.gap();
            document.comment(format!(
                "Left out: {} messages from {from} to receivers that the capture does not show.",
                flow.flow.times.count(),
            ));
            return 0.0;
        };
        let word = service(flow.shape.kind);
        let number = counts.entry(word).or_default();
        *number += 1;
        let name = format!("{word}-{number}");
        let found = match &flow.cycle {
            Some(cycle) => polls(cycle),
            None => arrivals(&flow.flow.times, flow.each.len(), duration, SMEAR),
        };
        document.gap();
        document.comment(format!("{} messages, {}.", flow.flow.times.count(), sizes(&flow.flow.data)));
        document.table("[[flow]]");
        document.text("name", &name);
        document.text("from", from);
        document.key("to", names(&to));
        if let Some(addressing) = addressing {
            document.text("addressing", addressing);
        }
        let authenticated = flow.shape.authenticated;
        document.text("service", if authenticated && word == "acknowledged" { "authenticated" } else { word });
        if authenticated && word == "request" {
            document.key("authenticated", true);
        }
        if flow.shape.priority {
            document.key("priority", true);
        }
        if !flow.shape.variable {
            document.text("message", "explicit");
        }
        self.sizes(flow, document);
        tries(flow, document);
        document.comment(&found.reason);
        document.key("arrivals", self.arrivals_or_trace(&name, flow, &found, traces));
        if matches!(flow.shape.kind, Kind::Acknowledged | Kind::Request) {
            document.key("probe", true);
        }
        found.settles
    }

    fn sizes(&self, flow: &SharedFlow, document: &mut Document) {
        let limit = if flow.shape.variable { 31 } else { 228 };
        let poll_of_variable = flow.shape.variable && flow.shape.kind == Kind::Request;
        if !poll_of_variable {
            document.text("data", format!("{} B", flow.shape.data.min(limit)));
        }
        if flow.shape.kind == Kind::Request {
            document.text("response_data", format!("{} B", flow.shape.response.min(limit)));
        }
    }

    /// The law, or where none fits and all messages are known, the messages themselves.
    fn arrivals_or_trace(&self, name: &str, flow: &SharedFlow, found: &Arrivals, traces: &mut Vec<Trace>) -> String {
        let enough = flow.flow.times.gaps().values().len() >= sojourn_capture::arrivals::FEWEST_GAPS;
        let complete = flow.each.iter().all(|(_, to, times)| times.is_complete() && matches!(to, To::Node(_)));
        if found.is_good || !enough || !complete || flow.flow.times.count() as usize > TRACE_ROWS {
            return found.value.clone();
        }
        let start = self.survey.first.unwrap_or_default();
        let mut rows = Vec::new();
        for (from, to, times) in &flow.each {
            let To::Node(to) = to else { continue };
            let (Some(from), Some(to)) = (self.names.get(from), self.names.get(to)) else { continue };
            rows.extend(times.in_order().iter().map(|at| (at.since(start), from, to)));
        }
        rows.sort();
        let mut text = String::from("time,from,to,size\n");
        for (at, from, to) in rows {
            text.push_str(&format!("{:.6},{from},{to},{}\n", at.seconds(), flow.shape.data));
        }
        let file = format!("{}-{name}.csv", self.options.name);
        let value = format!("{{ kind = \"trace\", file = \"{file}\" }}");
        traces.push(Trace { file, text });
        value
    }

    /// The receivers as a scenario names them, and the addressing if it is not that of one node.
    fn receivers(&self, flow: &SharedFlow) -> Option<(Vec<String>, Option<&'static str>)> {
        let node = |node: &SubnetNode| self.names.get(node).cloned();
        if self.names.len() < 2 {
            return None;
        }
        match flow.to[..] {
            [To::Node(to)] if flow.senders.contains(&to) => None,
            [To::Node(to)] => Some((vec![node(&to)?], flow.cycle.is_some().then_some("unicast"))),
            [To::Group(_)] => {
                let members: Vec<String> = flow.flow.members.iter().filter_map(node).take(GROUP_LIMIT - 1).collect();
                // who belongs to a group shows in acknowledgements only
                match (members.is_empty(), flow.shape.kind) {
                    (false, _) => Some((members, Some("group"))),
                    (true, Kind::Acknowledged | Kind::Request) => None,
                    (true, _) => Some((vec!["everyone".to_owned()], Some("group"))),
                }
            }
            [To::Broadcast(_)] => Some((vec!["everyone".to_owned()], Some("broadcast"))),
            [To::UniqueId(_)] => None,
            _ => {
                let all = flow.to.iter().filter_map(|to| if let To::Node(to) = to { node(to) } else { None });
                Some((self.whole_groups(all.collect()), Some("unicast")))
            }
        }
    }

    /// Names of members, and of a group where all its members are among them in order.
    fn whole_groups(&self, members: Vec<String>) -> Vec<String> {
        let mut named: Vec<String> = Vec::new();
        let mut rest = &members[..];
        while let Some(first) = rest.first() {
            let whole = self.groups.groups.iter().enumerate().find_map(|(number, group)| {
                let own: Vec<&String> = group.members.iter().map(|member| &self.names[member]).collect();
                let all = own.len() > 1 && rest.len() >= own.len() && own.iter().zip(rest).all(|(a, b)| **a == *b);
                all.then(|| (format!("group-{}", number + 1), own.len()))
            });
            let (name, count) = whole.unwrap_or_else(|| (first.clone(), 1));
            named.push(name);
            rest = &rest[count..];
        }
        named
    }
}

/// Timer and count of retries or repeats, as far as they show.
fn tries(flow: &SharedFlow, document: &mut Document) {
    let found = &flow.flow;
    let gaps = sorted(&found.retry_gaps);
    let (timer, count) = match flow.shape.kind {
        Kind::Unacknowledged => return,
        Kind::Repeated => ("repeat_timer", "repeats"),
        Kind::Acknowledged | Kind::Request => ("transaction_timer", "retries"),
    };
    if gaps.is_empty() {
        document.comment(format!("No message was sent again: {timer} and {count} have their defaults."));
    } else {
        let typical = at(&gaps, 0.25);
        document.comment(format!(
            "The timer nearest to the gap between tries, {} at the 25th percentile of {}.",
            span(typical),
            gaps.len()
        ));
        document.text(timer, format!("{} ms", nearest_timer(typical)));
    }
    if flow.shape.kind == Kind::Repeated {
        let repeats = (found.tries as f64 / found.times.count().max(1) as f64 - 1.0).round().clamp(0.0, 15.0);
        document.comment(format!("{} packets for {} messages.", found.tries, found.times.count()));
        document.key(count, repeats);
    } else if found.unanswered > 0 && found.tries_unanswered > 1 {
        document.comment(format!(
            "{} messages were not answered, after {} tries at most.",
            found.unanswered, found.tries_unanswered
        ));
        document.key(count, (found.tries_unanswered - 1).min(15));
    }
}

/// The transaction timer (ms) nearest to a gap in seconds, as a ratio.
fn nearest_timer(gap: f64) -> u64 {
    let distance = |timer: u64| libm::fabs(libm::log(timer as f64 * 1e-3 / gap.max(1e-4)));
    let nearest = TRANSACTION_TIMER_MS.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    nearest.unwrap_or(128)
}

fn run(duration: f64, settles: f64, document: &mut Document) {
    let duration = duration.clamp(1.0, LONGEST_RUN);
    document.gap();
    document.table("[run]");
    document.comment("The length of the capture.");
    document.text("duration", span(duration));
    document.comment("Until the flow with the longest interval has begun everywhere.");
    document.text("warm_up", span(settles.min(duration)));
    document.key("replications", 10);
    document.key("seed", 1);
}

const fn service(kind: Kind) -> &'static str {
    match kind {
        Kind::Unacknowledged => "unacknowledged",
        Kind::Repeated => "unacknowledged-repeated",
        Kind::Acknowledged => "acknowledged",
        Kind::Request => "request",
    }
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

fn sizes(values: &Reservoir) -> String {
    let sorted = sorted(values);
    match (sorted.first(), sorted.last()) {
        (Some(least), Some(most)) if least == most => format!("all with {least} B of data"),
        (Some(least), Some(most)) => {
            format!("with {least} B to {most} B of data, of which the twin has the median of {} B", at(&sorted, 0.5))
        }
        _ => "without data".to_owned(),
    }
}

fn sorted(values: &Reservoir) -> Vec<f64> {
    let mut sorted = values.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value at a share of ascending values; there is at least one.
fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}
