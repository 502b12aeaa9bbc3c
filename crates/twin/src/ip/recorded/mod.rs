//! The twin of requests and calls as they were recorded: when each request was sent, how long its server took, one flow after the
//! other; when each packet of a call was sent, how long its path took, which were lost.
//!
//! The clients of the scenario are at the point of capture: what a path between takes is part of neither. Requests that overlap
//! are those of several clients, each with one request at a time, and what a request waited for is part of the server's time:
//! also that it was sent again. Transfers have the rates that their senders kept. It applies to captures of one point without transfers
//! that last; what shares a queue with data of such a transfer is inferred as that of simulations is, and recorded where no
//! inferred scenario reproduces the capture.

mod lanes;
mod pace;
mod paths;
mod rounds;
mod transfers;
mod write;
mod write_flow;
mod write_transfer;
mod write_voice;

use std::collections::{BTreeMap, BTreeSet};

use sojourn_core::Time;

use super::super::scenario::{Options, Twin};
use super::connection::Connection;
use super::flow_key::FlowKey;
use super::flows::{Flows, Stream as Datagrams, is_bulk};
use super::left_out::{LeftOut, Reason};
use super::survey::Survey;
use super::transactions::Flow;
use super::voice::{Stream, named};
use lanes::Lane;
use transfers::Transfer;

/// Flows of a scenario.
const MOST: usize = 500;

/// Whether the capture has requests with answers or calls, and no transfers beside them that last; requests that were captured where packets
/// arrive have no response times of clients.
pub(super) fn applies(survey: &Survey) -> bool {
    let (has_calls, flows) = (calls(survey).next().is_some(), Flows::new(survey));
    flows.transfers.is_empty()
        && match survey.is_captured_on_arrival {
            true => has_calls && flows.loops().next().is_none(),
            false => has_calls || survey.transactions.has_answers(),
        }
}

/// The calls of a scenario, in the order of its flows.
pub(super) fn calls(survey: &Survey) -> impl Iterator<Item = &Stream> {
    survey.voice.streams.iter().take(MOST)
}

/// Whether the capture can be written as it was recorded, with the rates that senders of transfers kept.
pub(super) fn is_possible(survey: &Survey) -> bool {
    let has_transfers = || survey.all_connections().any(is_bulk);
    !survey.is_captured_on_arrival
        && (survey.transactions.has_answers() || calls(survey).next().is_some() || has_transfers())
}

/// The scenario of a capture as it was recorded.
pub(super) fn reading(survey: &Survey, options: &Options) -> Twin {
    write::twin(&Recorded::new(survey), survey, options)
}

/// What a scenario has of a capture.
struct Recorded<'a> {
    lanes: Vec<Lane>,
    streams: Vec<Datagrams<'a>>,
    transfers: Vec<Transfer<'a>>,
    calls: Vec<&'a Stream>,
    left_out: LeftOut,
    /// Answered requests in all, and those in no flow.
    answered: u64,
    without_flow: u64,
    /// Requests without an answer, and those whose answers cannot be distinguished.
    unanswered: u64,
    overlapped: u64,
}

impl<'a> Recorded<'a> {
    fn new(survey: &'a Survey) -> Recorded<'a> {
        let flows = survey.transactions.flows();
        let is_asked = |key: FlowKey| {
            let reverse = FlowKey { client: key.server, server: key.client, ..key };
            [key, reverse].iter().any(|key| flows.get(key).is_some_and(|flow| !flow.exchanges.is_empty()))
        };
        let mut streams = Flows::new(survey).streams;
        streams.retain(|stream| !is_asked(stream.key));
        let mut recorded = Recorded {
            lanes: Vec::new(),
            streams,
            transfers: transfers::of(survey, &flows),
            calls: calls(survey).collect(),
            left_out: LeftOut::default(),
            answered: survey.transactions.beyond_limit,
            without_flow: survey.transactions.beyond_limit,
            unanswered: 0,
            overlapped: 0,
        };
        recorded.add_requests(survey, &flows);
        recorded.leave_out_silent(survey, &flows);
        recorded.leave_out_media(survey);
        recorded.limit();
        recorded
    }

    fn add_requests(&mut self, survey: &Survey, flows: &BTreeMap<FlowKey, Flow>) {
        let connections = lanes::connections(survey);
        for (key, flow) in flows {
            self.answered += flow.exchanges.len() as u64;
            self.unanswered += flow.unanswered;
            self.overlapped += flow.overlapped;
            let (lanes, beyond) =
                lanes::of(*key, &self.beside(*key, flow), connections.get(key).copied().unwrap_or_default());
            self.lanes.extend(lanes);
            self.without_flow += beyond;
        }
        self.lanes = rounds::join(std::mem::take(&mut self.lanes));
        let of_transfers = self.transfers.iter().enumerate();
        self.lanes.extend(of_transfers.filter_map(|(number, transfer)| Lane::of_transfer(number, transfer)));
    }

    /// The requests of a flow beside its transfers.
    fn beside(&self, key: FlowKey, flow: &Flow) -> Flow {
        let of = self.transfers.iter().filter(|transfer| transfer.connection.key() == key);
        let own: BTreeSet<Time> = of.filter_map(|transfer| Some(transfer.exchange?.begin)).collect();
        let exchanges = flow.exchanges.iter().filter(|exchange| !own.contains(&exchange.begin)).copied().collect();
        Flow { exchanges, ..Flow::default() }
    }

    /// Connections and datagrams without answers.
    fn leave_out_silent(&mut self, survey: &Survey, flows: &BTreeMap<FlowKey, Flow>) {
        let is_asked = |key: &FlowKey| flows.get(key).is_some_and(|flow| !flow.exchanges.is_empty());
        let is_transfer = |of: &Connection| self.transfers.iter().any(|transfer| std::ptr::eq(transfer.connection, of));
        let silent = survey.all_connections().filter(|of| !is_asked(&of.key()) && !is_transfer(of));
        for connection in silent {
            let octets: u64 = connection.sides.iter().map(|side| side.octets).sum();
            let reason = if octets == 0 { Reason::NoData } else { Reason::DataOverTcp };
            let FlowKey { client, server, service } = connection.key();
            self.left_out.add(service, (client, server), connection.bytes, reason);
        }
        let streams: BTreeSet<FlowKey> = self.streams.iter().map(|stream| stream.key).collect();
        for (key, flow) in survey.flows.iter().filter(|(key, _)| !is_asked(key) && !streams.contains(key)) {
            self.left_out.add(key.service, (key.client, key.server), flow.bytes, Reason::FewDatagrams);
        }
    }

    /// Media that the kind does not have, and reports.
    fn leave_out_media(&mut self, survey: &Survey) {
        let beyond = survey.voice.streams.iter().skip(MOST).map(|stream| (&stream.media, Reason::TooMany));
        for (media, reason) in survey.voice.others.iter().map(|media| (media, Reason::NoSpeech)).chain(beyond) {
            let (service, ends, bytes) = named(media);
            self.left_out.add(service, ends, bytes, reason);
        }
        for (FlowKey { client, server, service }, bytes) in &survey.reports {
            self.left_out.add(*service, (*client, *server), *bytes, Reason::Reports);
        }
    }

    /// Keeps the busiest flows.
    fn limit(&mut self) {
        self.lanes.sort_by_key(|lane| (lane.transfer.is_none(), std::cmp::Reverse(lane.exchanges.len())));
        for lane in self.lanes.drain(self.lanes.len().min(MOST)..) {
            self.without_flow += lane.exchanges.len() as u64;
            self.left_out.add(lane.key.service, (lane.key.client, lane.key.server), 0, Reason::TooMany);
        }
        self.lanes.sort_by_key(|lane| (lane.key, lane.begin()));
        self.streams.truncate(MOST);
    }

    /// What the scenario has not, as sentences.
    fn doubts(&self) -> Vec<String> {
        let of = |count: u64, what: &str| {
            (count > 0).then(|| format!("{count} of {} answered requests {what}", self.answered))
        };
        let mut doubts: Vec<String> =
            of(self.without_flow, "are beyond the busiest flows, to which it is limited").into_iter().collect();
        if self.overlapped > 0 {
            doubts.push(format!("answers to {} overlapping requests cannot be distinguished", self.overlapped));
        }
        doubts
    }
}
