//! Conversations: the exchanges that the probe represents, and the other flows.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::{Address as Callsign, Pid};

use super::access::Access;
use super::bursts::Medium;
use super::exchanges::Exchanges;
use super::frames::{Frames, Kind};
use super::links::{Ends, Link};
use super::stations::{Role, Stations};
use sojourn_capture::arrivals::SendTimes;

/// Sum of the SSIDs of a user on either side of a node.
const MIRROR_SSID: u8 = 15;

/// Requests and answers of two terminals.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    pub from: Callsign,
    pub to: Callsign,
    /// Digipeaters, the first and the last node, or the first and the last switch.
    pub path: Vec<Callsign>,
    /// The link of the initiator, and that of the responder: the same one without nodes and switches.
    pub asking: &'a Link,
    pub answering: &'a Link,
    pub exchanges: Exchanges,
}

/// Messages from one station.
#[derive(Debug)]
pub(super) struct Flow<'a> {
    pub from: Callsign,
    /// `None` of a broadcast, which has the destination that is named.
    pub to: Option<Callsign>,
    pub named: Callsign,
    pub path: Vec<Callsign>,
    pub connected: bool,
    pub medium: u32,
    pub times: &'a SendTimes,
    pub messages: u64,
    pub bytes: f64,
    /// Messages of the other end, which the flow does not stand for.
    pub returned: u64,
}

/// UI frames of one source, destination and path.
#[derive(Debug, Default)]
pub(super) struct Unnumbered {
    times: SendTimes,
    bytes: u64,
    count: u64,
}

/// A medium, source and destination of UI frames, and their path.
type UnnumberedKey = (u32, Callsign, Callsign, u32);

/// All UI frames by flow, copies of digipeaters left out.
pub(super) fn unnumbered(frames: &Frames) -> BTreeMap<UnnumberedKey, Unnumbered> {
    let mut flows: BTreeMap<UnnumberedKey, (u8, Unnumbered)> = BTreeMap::new();
    for frame in &frames.all {
        let Kind::Unnumbered { bytes, pid } = frame.kind else { continue };
        if pid == Pid::NETROM {
            continue;
        }
        let key = (frame.medium, frame.source, frame.destination, frame.path);
        let (most, flow) = flows.entry(key).or_default();
        *most = (*most).max(frame.hops_left);
        if frame.hops_left == *most {
            flow.times.sent(frame.time);
            flow.bytes += u64::from(bytes);
            flow.count += 1;
        }
    }
    flows.into_iter().map(|(key, (_, flow))| (key, flow)).collect()
}

/// The conversations and flows of a capture, and what has no place in a scenario.
#[derive(Debug, Default)]
pub(super) struct Conversations<'a> {
    pub probe: Option<Conversation<'a>>,
    pub flows: Vec<Flow<'a>>,
    pub left_out: Vec<String>,
}

impl<'a> Conversations<'a> {
    pub fn new(
        frames: &Frames,
        stations: &Stations,
        media: &BTreeMap<u32, Medium>,
        access: &BTreeMap<u32, Access>,
        links: &'a BTreeMap<Ends, Link>,
        unnumbered: &'a BTreeMap<UnnumberedKey, Unnumbered>,
    ) -> Self {
        let mut found = Conversations::default();
        let mut others: Vec<&Link> = Vec::new();
        for link in links.values() {
            let Some(from) = link.initiator else { continue };
            let medium = link.ends.0;
            let is_user = stations.behind(medium, from) == from
                && matches!(stations.role(from), Role::Terminal | Role::Digipeater);
            if !is_user || link.turns.is_empty() {
                continue;
            }
            let exchanges = |link: &Link| {
                let medium = link.ends.0;
                Exchanges::new(link, frames, &media[&medium], &access[&medium])
            };
            let conversation = conversation(link, &exchanges, frames, stations, links);
            match conversation
                .filter(|new| found.probe.as_ref().is_none_or(|old| old.exchanges.count < new.exchanges.count))
            {
                Some(conversation) => others.extend(found.probe.replace(conversation).map(|former| former.asking)),
                None => others.push(link),
            }
        }
        for link in others {
            found.link(link, frames, stations);
        }
        for (key, flow) in unnumbered {
            found.unnumbered(*key, flow, frames, stations);
        }
        found
    }

    /// A link beside the probe's as a flow of the end that sent more.
    fn link(&mut self, link: &'a Link, frames: &Frames, stations: &Stations) {
        let Some(initiator) = link.initiator else { return };
        let responder = link.other(initiator);
        let path = &frames.paths[link.path as usize];
        let [asked, answered] = [link.side(initiator), link.side(responder)];
        if stations.switch_of(path).is_some() || stations.role(responder) != Role::Terminal {
            self.left_out.push(format!(
                "{} messages from {initiator} and {} back to it through {}: flows do not use nodes and switches.",
                asked.new,
                answered.new,
                stations.switch_of(path).unwrap_or(responder),
            ));
            return;
        }
        let forward = asked.bytes >= answered.bytes;
        let (from, to) = if forward { (initiator, responder) } else { (responder, initiator) };
        let (sender, receiver) = if forward { (asked, answered) } else { (answered, asked) };
        let path: Vec<Callsign> = if forward { path.clone() } else { path.iter().rev().copied().collect() };
        let known = path.iter().chain([&to]).all(|station| stations.all.contains_key(station));
        let pair = |from: Callsign, to: Callsign| (from.min(to), from.max(to));
        let taken = self.flows.iter().any(|flow| flow.connected && pair(flow.from, flow.named) == pair(from, to))
            || self.probe.as_ref().is_some_and(|probe| pair(probe.from, probe.to) == pair(from, to));
        if !known || taken {
            let why =
                if taken { "another link of the two stands for it" } else { "a station on its path was never heard" };
            self.left_out.push(format!("{} messages from {from} to {to}: {why}.", sender.new));
            return;
        }
        self.flows.push(Flow {
            from,
            to: Some(to),
            named: to,
            path,
            connected: true,
            medium: link.ends.0,
            times: &sender.times,
            messages: sender.new,
            bytes: sender.bytes as f64 / sender.new.max(1) as f64,
            returned: receiver.new,
        });
    }

    fn unnumbered(&mut self, key: UnnumberedKey, flow: &'a Unnumbered, frames: &Frames, stations: &Stations) {
        let (medium, source, destination, path) = key;
        let path = frames.paths[path as usize].clone();
        let receives = stations.all.get(&destination).is_some_and(|station| station.media.contains(&medium));
        let known = path.iter().all(|digipeater| {
            stations.role(*digipeater) == Role::Digipeater
                && stations.all.get(digipeater).is_some_and(|station| station.media.contains(&medium))
        });
        let to = Some(destination).filter(|_| receives && known && source != destination);
        if to.is_none() && !path.is_empty() {
            let by: Vec<String> = path.iter().map(ToString::to_string).collect();
            self.left_out.push(format!("Copies by {} of broadcasts from {source} to {destination}.", by.join(", ")));
        }
        self.flows.push(Flow {
            from: stations.behind(medium, source),
            to,
            named: destination,
            path: if to.is_some() { path } else { Vec::new() },
            connected: false,
            medium,
            times: &flow.times,
            messages: flow.count,
            bytes: flow.bytes as f64 / flow.count.max(1) as f64,
            returned: 0,
        });
    }
}

/// A user's link with the path that a probe needs; `None` where the capture does not show the far station.
fn conversation<'a>(
    link: &'a Link,
    exchanges: &dyn Fn(&Link) -> Option<Exchanges>,
    frames: &Frames,
    stations: &Stations,
    links: &'a BTreeMap<Ends, Link>,
) -> Option<Conversation<'a>> {
    let own = exchanges(link)?;
    let from = link.initiator?;
    let responder = link.other(from);
    let digipeaters = &frames.paths[link.path as usize];
    let found = |to, path: Vec<Callsign>, answering: &'a Link| {
        let hops = [from, to].into_iter().chain(path.iter().copied());
        if !hops.into_iter().all(|station| stations.all.contains_key(&station)) {
            return None;
        }
        let exchanges = own.clone().answered_by(&exchanges(answering)?);
        Some(Conversation { from, to, path, asking: link, answering, exchanges })
    };
    let downlink = |caller: Callsign, called: Option<Callsign>| {
        links.values().find(|other| {
            let (medium, ..) = other.ends;
            other.initiator == Some(caller)
                && stations.behind(medium, caller) != caller
                && called.is_none_or(|called| other.other(caller) == called)
                && stations.role(other.other(caller)) == Role::Terminal
                && !other.turns.is_empty()
        })
    };
    if let Some(first) = stations.switch_of(digipeaters) {
        let answering = downlink(from, Some(responder))?;
        let last = stations.behind(answering.ends.0, from);
        return found(responder, ends(first, last), answering);
    }
    if stations.role(responder) == Role::Node {
        let mirrored = Callsign::new(from.callsign(), MIRROR_SSID - from.ssid()).ok()?;
        let answering = downlink(mirrored, None)?;
        let last = stations.behind(answering.ends.0, mirrored);
        return found(answering.other(mirrored), ends(responder, last), answering);
    }
    found(responder, digipeaters.clone(), link)
}

fn ends(first: Callsign, last: Callsign) -> Vec<Callsign> {
    if first == last { vec![first] } else { vec![first, last] }
}
