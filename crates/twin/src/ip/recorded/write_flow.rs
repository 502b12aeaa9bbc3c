//! Writes recorded requests as flows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::IpAddr;

use super::super::super::document::{Document, Recorded, exact, span};
use super::super::super::scenario::Trace;
use super::super::flows::Stream;
use super::super::keys::flow;
use super::super::requests::Opened;
use super::super::transactions::Exchange;
use super::super::trips::at;
use super::super::write_flow::{flow_head, stream};
use super::lanes::Lane;
use super::pace::{Pace, pace};
use super::write::{Stop, Writer};
use sojourn_capture::Service;

/// Times that stand in the scenario itself; more stand in a file.
const FEW: usize = 12;
/// How long a client waits for a datagram by default, and times the longest response otherwise, s.
const TIMEOUT: f64 = 2.0;
const LONGER: f64 = 1.5;
/// The longest that a client may wait, s.
const LONGEST_TIMEOUT: f64 = 3600.0;
/// User data of the longest datagram, octets.
const LONGEST_DATAGRAM: f64 = 65_507.0;

impl Writer<'_> {
    /// The requests of a client.
    pub(super) fn lane(
        &self,
        lane: &Lane,
        counts: &mut BTreeMap<String, u32>,
        document: &mut Document,
        traces: &mut Vec<Trace>,
    ) {
        let (key, exchanges) = (lane.key, &lane.exchanges);
        let is_over_tcp = matches!(key.service, Service::Tcp(_));
        let path = |server| 2.0 * self.delay(server);
        let responses = sorted(exchanges.iter().map(|exchange| exchange.response()).collect());
        let requests = if exchanges.len() == 1 { "request" } else { "requests" };
        let about = format!(
            "{}: {} answered {requests}, {} in the median.",
            key.service,
            exchanges.len(),
            span(at(&responses, 0.5))
        );
        document.table_of(flow::TABLE, about);
        let name = flow_head(key.service.member(), if is_over_tcp { "request" } else { "echo" }, counts, document);
        match lane.transfer.filter(|number| self.recorded.transfers[*number].is_upload()) {
            Some(number) => document.set(flow::FROM, self.sender(number)),
            None => document.set(flow::FROM, &self.clients[&key.client]),
        }
        self.servers(lane, document);
        self.sizes(lane, is_over_tcp, document);
        if let Some(number) = lane.transfer {
            self.rate(&self.recorded.transfers[number], document);
        }
        let transfer = lane.transfer.map(|number| &self.recorded.transfers[number]);
        // a request that is a transfer takes its time until the server has all of it
        let asking = transfer.filter(|of| of.is_upload()).map_or(0.0, |of| of.side().seconds());
        let taken = |(exchange, server): (&Exchange, IpAddr)| (exchange.response() - path(server) - asking).max(0.0);
        let times: Vec<f64> = lane.requests().map(taken).collect();
        let taken = sorted(times.clone());
        let quantiles = [0.1, 0.5, 0.9].map(|share| span(at(&taken, share)));
        document.comment(format!(
            "Response times less the path, in their order: {} to {}, {} in the median (10th, 90th, 50th percentile).",
            quantiles[0], quantiles[2], quantiles[1]
        ));
        let first = self.survey.since_begin(lane.begin());
        // a connection is opened before its first request
        let opening = if is_over_tcp && lane.opened != Opened::Before { path(key.server).min(first) } else { 0.0 };
        let (title, why, mut between) = match pace(lane, self.survey.seconds(), path(key.server)) {
            Pace::Answers(thinks, [thinking, spread]) => {
                let why = format!(
                    "A closed loop: times from answers to the next requests vary by {}, from request to request by {} (10th \
                     to 90th percentile).",
                    span(thinking),
                    span(spread)
                );
                ("think", why, thinks)
            }
            Pace::Clock(gaps) => {
                ("interval", "By the clock: nothing shows that requests follow answers.".to_owned(), gaps)
            }
        };
        if title == "interval" && lane.opened == Opened::Once {
            between[0] += opening;
        }
        let [times, between] = self.recorded(&name, [("server_time", times), (title, between)], traces);
        document.set(flow::SERVER_TIMES, times);
        document.comment(why);
        match title {
            "think" => document.set(flow::THINKS, between),
            _ => document.set(flow::INTERVALS, between),
        }
        document.set(flow::START, first - opening);
        document.set(flow::START_SPREAD, 0.0);
        if is_over_tcp {
            connection(lane.opened, document);
        } else if let Some(longest) = responses.last().filter(|longest| LONGER * **longest > TIMEOUT) {
            document.comment("Longer than the slowest answer.");
            document.set(flow::TIMEOUT, (LONGER * longest).min(LONGEST_TIMEOUT));
        }
    }

    /// Whom it asks.
    fn servers(&self, lane: &Lane, document: &mut Document) {
        let answers = lane.transfer.filter(|number| !self.recorded.transfers[*number].is_upload());
        match (answers, &lane.round[..]) {
            (Some(number), _) => document.set(flow::TO, self.sender(number)),
            (None, [server]) => document.set(flow::TO, &self.servers[server]),
            (None, round) => {
                document.comment(format!(
                    "A poller: its {} requests never overlap and go round {} servers in this order.",
                    lane.exchanges.len(),
                    round.iter().collect::<BTreeSet<_>>().len(),
                ));
                document
                    .set(flow::RECEIVERS, round.iter().map(|server| self.servers[server].clone()).collect::<Vec<_>>());
                document.set(flow::POLL, true);
            }
        }
    }

    fn sizes(&self, lane: &Lane, is_over_tcp: bool, document: &mut Document) {
        let mean = |of: usize| {
            let sum: f64 = lane.exchanges.iter().map(|exchange| f64::from(exchange.octets[of])).sum();
            let longest = if is_over_tcp { f64::INFINITY } else { LONGEST_DATAGRAM };
            libm::round(sum / lane.exchanges.len() as f64).clamp(1.0, longest)
        };
        document.comment("The means of the data of requests and of answers: the kind has one size of each.");
        document.set(flow::SIZE, mean(0));
        document.set(flow::RESPONSE_SIZE, mean(1));
    }

    /// Two lists of times: in the scenario where they are few, else the columns of a file.
    fn recorded(&self, flow: &str, lists: [(&'static str, Vec<f64>); 2], traces: &mut Vec<Trace>) -> [Recorded; 2] {
        if lists[0].1.len() <= FEW {
            return lists.map(|(_, times)| Recorded::Written(times));
        }
        let file = format!("{}-{flow}.csv", self.options.name);
        let mut text = format!("{},{}\n", lists[0].0, lists[1].0);
        for (one, other) in lists[0].1.iter().zip(&lists[1].1) {
            let _ = writeln!(text, "{},{}", exact(*one), exact(*other));
        }
        traces.push(Trace { file: file.clone(), text });
        lists.map(|(column, _)| Recorded::Column { file: file.clone(), column })
    }

    /// Datagrams in one direction: where they end before the capture does, when.
    pub(super) fn stream(
        &self,
        of: &Stream<'_>,
        counts: &mut BTreeMap<String, u32>,
        document: &mut Document,
    ) -> Option<Stop> {
        let ends = (&self.clients[&of.from], &self.servers[&of.to]);
        let seconds = self.survey.seconds();
        let flow = stream(of, ends, self.survey.since_begin(of.times.first()), seconds, counts, document);
        // the next one would come a gap after the last
        let (last, gap) = (self.survey.since_begin(of.times.last()?), of.times.mean_gap());
        let at = last + 0.5 * gap;
        (at + gap < seconds).then_some(Stop { flow, at, why: "Half of the mean gap behind its last datagram." })
    }
}

fn connection(opened: Opened, document: &mut Document) {
    let (word, why) = match opened {
        Opened::Before => ("established", "No handshake of it was captured."),
        Opened::Once => ("handshake", "Its handshake was captured."),
        Opened::PerRequest => ("per-request", "Most connections have one request."),
    };
    document.set_because(flow::CONNECTION, word, why);
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
