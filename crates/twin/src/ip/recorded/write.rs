//! Writes the scenario of recorded requests: links, hosts, and the length of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::super::super::document::{BitRate, Document};
use super::super::super::scenario::{Options, Trace, Twin};
use super::super::keys::{event, medium, station};
use super::super::layout::{Access, SAME_AT_LEAST, accesses};
use super::super::survey::Survey;
use super::super::write::inferred_from;
use super::Recorded;
use super::lanes::Lane;
use super::paths::{Path, to_servers};
use super::transfers::Transfer;

/// The rate of a link that limits nothing, bit/s.
const WITHOUT_LIMIT: f64 = 1e12;
/// The link of clients.
pub(super) const LEFT: &str = "left-1";
/// Differences of delays that do not count, as a share of the shortest.
const SAME: f64 = 0.05;

/// The twin of what was recorded.
pub(super) fn twin(recorded: &Recorded<'_>, survey: &Survey, options: &Options) -> Twin {
    let writer = Writer::new(recorded, survey, options);
    let (mut document, mut traces) = (Document::default(), Vec::new());
    writer.head(&mut document);
    writer.media(&mut document);
    writer.stations(&mut document);
    let mut stops = writer.flows(&mut document, &mut traces);
    stops.extend(writer.transfers(&mut document));
    writer.calls(&mut document, &mut traces);
    stops.into_iter().for_each(|stop| stop.write(&mut document));
    document.run(survey.seconds(), 0.0, Some("All flows begin as they did in the capture."));
    Twin { scenario: document.finish(), traces, doubts: recorded.doubts() }
}

/// What is written, with the names of hosts and their distances.
pub(super) struct Writer<'a> {
    pub recorded: &'a Recorded<'a>,
    pub survey: &'a Survey,
    pub options: &'a Options,
    /// Clients and senders, and servers and receivers, by address: a host may be both.
    pub clients: BTreeMap<IpAddr, String>,
    pub servers: BTreeMap<IpAddr, String>,
    paths: BTreeMap<IpAddr, Path>,
    /// Delay of the shared link, and servers by what their path takes beyond it, s.
    shared: f64,
    accesses: Vec<Access>,
    /// All hosts by their numbers.
    numbers: BTreeMap<IpAddr, usize>,
}

impl<'a> Writer<'a> {
    fn new(recorded: &'a Recorded<'a>, survey: &'a Survey, options: &'a Options) -> Writer<'a> {
        let [client_hosts, server_hosts] = hosts(recorded);
        let of_calls = recorded.calls.iter().flat_map(|of| [of.media.from.address, of.media.to.address]);
        let of_transfers = recorded.transfers.iter().flat_map(|of| <[IpAddr; 2]>::from(of.hosts()));
        let addresses: BTreeSet<IpAddr> =
            client_hosts.iter().chain(&server_hosts).copied().chain(of_calls).chain(of_transfers).collect();
        let numbers: BTreeMap<IpAddr, usize> = addresses.into_iter().zip(1..).collect();
        let name = |host: &IpAddr, suffix: &str| format!("{}{suffix}", host_name(*host, &numbers, options));
        let clients: BTreeMap<IpAddr, String> = client_hosts.iter().map(|client| (*client, name(client, ""))).collect();
        let suffix = |host: &IpAddr| if clients.contains_key(host) { "-server" } else { "" };
        let servers: BTreeMap<IpAddr, String> =
            server_hosts.iter().map(|server| (*server, name(server, suffix(server)))).collect();
        let paths = to_servers(survey, &recorded.lanes, &recorded.transfers);
        let shared = paths.values().map(|path| path.delay).reduce(f64::min);
        let shared = shared.or_else(|| survey.voice.delay()).unwrap_or(0.0);
        let beyond = |host: &IpAddr| paths.get(host).map_or(0.0, |path| path.delay - shared);
        let of_transfers = recorded.transfers.iter().map(|transfer| transfer.connection.server.address);
        let right: BTreeSet<IpAddr> = server_hosts.iter().copied().chain(of_transfers).collect();
        let distances = right.iter().map(|host| (*host, beyond(host))).collect();
        let accesses = accesses(distances, (SAME * shared).max(SAME_AT_LEAST));
        Writer { recorded, survey, options, clients, servers, paths, shared, accesses, numbers }
    }

    /// The name of a host.
    pub fn host_name(&self, host: IpAddr) -> String {
        host_name(host, &self.numbers, self.options)
    }

    /// Delay of the path to a server in one direction, as it is written, s.
    pub fn delay(&self, server: IpAddr) -> f64 {
        let access = self.accesses.iter().find(|access| access.hosts.contains(&server));
        self.shared + access.map_or(0.0, |access| access.delay)
    }

    /// The link of a server.
    pub fn medium_of(&self, server: IpAddr) -> String {
        right(self.accesses.iter().position(|access| access.hosts.contains(&server)).unwrap_or(0))
    }

    fn head(&self, document: &mut Document) {
        let Recorded { left_out, unanswered, overlapped, .. } = self.recorded;
        let Survey { bytes, others, beyond_limits, .. } = self.survey;
        inferred_from(self.survey, document);
        let has_requests = !self.recorded.lanes.is_empty();
        if has_requests {
            document.comment(
            "Clients are at the point of capture, and requests are those of the capture: when each was sent, and how long its \
             server took, in their order. What a request waited for, and that it was sent again, is part of the server's time: \
             the links lose and delay nothing of their own.",
          );
        }
        if !self.recorded.calls.is_empty() {
            document.comment(
                "Calls are those of the capture: when each packet was sent, and what the path before the point of capture did to \
                 it. What a path behind it does is not known.",
            );
        }
        if !self.recorded.transfers.is_empty() {
            document.comment(
                "Transfers over TCP are those of the capture: when each began, what it carried, and the rate that its sender kept. \
                 The link shows no rate that limits them.",
            );
        }
        left_out.write(*bytes, others, *beyond_limits, self.options.anonymise, document);
        if *unanswered > 0 {
            document.comment(format!("Left out: {unanswered} requests without an answer, or refused."));
        }
        if *overlapped > 0 {
            document.comment(format!(
                "Left out: {overlapped} requests that overlap and have no identifier: which answer is whose is not known."
            ));
        }
        document.title(
            match (self.recorded.lanes.is_empty(), self.recorded.calls.is_empty()) {
                (true, false) => "Twin of captured calls",
                (true, true) if !self.recorded.transfers.is_empty() => "Twin of captured transfers",
                (false, false) => "Twin of captured requests and calls",
                _ => "Twin of captured requests",
            },
            "ip",
        );
    }

    fn media(&self, document: &mut Document) {
        document.table_of(medium::TABLE, "All flows share one link between two routers: an assumption.");
        document.set(medium::NAME, "link");
        document.set_because(
            medium::RATE,
            BitRate::Limit(WITHOUT_LIMIT),
            "Nothing shows its rate: without a limit, an assumption.",
        );
        let nearest = self.paths.values().min_by(|a, b| a.delay.total_cmp(&b.delay));
        document.set_because(
            medium::DELAY,
            self.shared,
            match nearest.map(|path| path.is_sure) {
                Some(true) => {
                    "Half of the shortest time in which the system of a server acknowledged data or answered a ping."
                }
                Some(false) => {
                    "Half of the shortest response: no system of a server shows the path alone, an assumption."
                }
                None if self.shared > 0.0 => "Half of the round trip that reports over RTCP show.",
                None if !self.recorded.transfers.is_empty() => "Nothing shows it: an assumption.",
                None => "No request and no report over RTCP shows it: an assumption.",
            },
        );
        document.set(medium::LENGTH, 0.0);
        document.set(medium::LOSS, 0.0);
        if !self.left().is_empty() {
            self.access(LEFT, 0.0, document);
        }
        for (number, access) in self.accesses.iter().enumerate() {
            self.access(&right(number), access.delay, document);
        }
        if self.accesses.is_empty() && !self.rights().is_empty() {
            self.access(&right(0), 0.0, document);
        }
        self.voice_media(document);
    }

    fn access(&self, name: &str, delay: f64, document: &mut Document) {
        document.table(medium::TABLE);
        document.set(medium::NAME, name);
        document.set(medium::RATE, BitRate::Unlimited);
        document.set(medium::LENGTH, 0.0);
        if delay > 0.0 {
            document.comment("What the path to these servers takes beyond that to the nearest ones.");
            document.set(medium::DELAY, delay);
        }
        document.set(medium::MTU, 65_535.0);
    }

    /// The link of clients and of the listeners on their side, if there are any.
    fn left(&self) -> Vec<String> {
        let has_senders = self.recorded.transfers.iter().any(Transfer::is_upload);
        let has_hosts = !self.clients.is_empty() || has_senders || self.recorded.calls.iter().any(|of| of.is_back);
        has_hosts.then(|| LEFT.to_owned()).into_iter().collect()
    }

    /// The links of servers and of the listeners on their side.
    fn rights(&self) -> Vec<String> {
        let has_listeners = self.recorded.calls.iter().any(|of| !of.is_back);
        (0..self.accesses.len().max(has_listeners.into())).map(right).collect()
    }

    fn stations(&self, document: &mut Document) {
        for (name, media, is_back) in [("router-left", self.left(), false), ("router-right", self.rights(), true)] {
            let speaking = self.recorded.calls.iter().filter(|of| of.is_back == is_back).map(|of| of.name());
            let on: Vec<String> = std::iter::once("link".to_owned()).chain(media).chain(speaking).collect();
            document.table(station::TABLE);
            document.set(station::NAME, name);
            document.set(station::TYPE, "router");
            document.set(station::ON, on);
        }
        for (host, name) in &self.clients {
            self.host(*host, name, LEFT, document);
        }
        for (number, access) in self.accesses.iter().enumerate() {
            for host in access.hosts.iter().filter(|host| self.servers.contains_key(host)) {
                self.host(*host, &self.servers[host], &right(number), document);
            }
        }
        self.transfer_stations(document);
        self.voice_stations(document);
    }

    fn host(&self, host: IpAddr, name: &str, medium: &str, document: &mut Document) {
        let who = if self.options.anonymise { String::new() } else { format!(": {host}") };
        let sent = self.survey.hosts.get(&host).map_or(0, |host| host.packets);
        document.table_of(station::TABLE, format!("A host that sent {sent} packets{who}."));
        document.set(station::NAME, name);
        document.set(station::ON, vec![medium.to_owned()]);
    }

    /// The flows of requests and datagrams; those that end before the capture does.
    fn flows(&self, document: &mut Document, traces: &mut Vec<Trace>) -> Vec<Stop> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for lane in &self.recorded.lanes {
            self.lane(lane, &mut counts, document, traces);
        }
        let streams = self.recorded.streams.iter();
        streams.filter_map(|stream| self.stream(stream, &mut counts, document)).collect()
    }
}

/// A flow that ends before the capture does.
pub(super) struct Stop {
    pub flow: String,
    /// When, s.
    pub at: f64,
    pub why: &'static str,
}

impl Stop {
    fn write(&self, document: &mut Document) {
        document.table_of(event::TABLE, self.why);
        document.set(event::NAME, format!("{}-ends", self.flow));
        document.set(event::AT, self.at);
        document.set(event::ACTION, "stop");
        document.set(event::FLOWS, vec![self.flow.clone()]);
    }
}

/// The hosts of clients and of servers, without the senders of transfers.
fn hosts(recorded: &Recorded<'_>) -> [BTreeSet<IpAddr>; 2] {
    let (mut clients, mut servers) = (BTreeSet::new(), BTreeSet::new());
    let is_sent_by = |lane: &Lane, client: bool| {
        lane.transfer.is_some_and(|number| recorded.transfers[number].is_upload() == client)
    };
    for lane in &recorded.lanes {
        clients.extend((!is_sent_by(lane, true)).then_some(lane.key.client));
        servers.extend(lane.round.iter().filter(|_| !is_sent_by(lane, false)));
    }
    for stream in &recorded.streams {
        clients.insert(stream.from);
        servers.insert(stream.to);
    }
    for transfer in recorded.transfers.iter().filter(|transfer| transfer.exchange.is_none()) {
        let receivers = if transfer.is_upload() { &mut servers } else { &mut clients };
        receivers.insert(transfer.hosts().1);
    }
    [clients, servers]
}

/// The name of a host: its address, or its number in place of it.
fn host_name(host: IpAddr, numbers: &BTreeMap<IpAddr, usize>, options: &Options) -> String {
    match options.anonymise {
        true => format!("host-{}", numbers[&host]),
        false => format!("host-{}", host.to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "-")),
    }
}

/// The name of a link to servers.
pub(super) fn right(number: usize) -> String {
    format!("right-{}", number + 1)
}
