//! Queueing delay at the link, as far as a capture shows it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::net::IpAddr;

use super::flow_key::FlowKey;
use super::flows::{Flows, Transfer};
use super::following::By;
use super::path::Line;
use super::survey::Survey;
use super::trips::{Trips, at, sorted};

/// Share of the packets that meet a short queue, from which their losses show how many are lost by chance.
const OFTEN_SHORTER: f64 = 0.05;
/// Messages from which is known how many of them others came between.
const ENOUGH_MIXED: usize = 20;

/// How long packets waited, s.
#[derive(Debug, Default)]
pub(super) struct Delays {
    /// Mean time of a packet on the line, s.
    pub packet: f64,
    /// Of transfers, ascending.
    pub transfers: Vec<f64>,
    /// Of transfers when something was lost.
    pub at_loss: Vec<f64>,
    /// Of requests and answers that went in the direction of the transfers' data, ascending.
    pub requests: Vec<f64>,
    /// Segments of transfers that were lost.
    pub lost: u64,
    /// The share of fragments that other packets came between, in the direction of the transfers' data.
    pub apart: Option<f64>,
}

impl Delays {
    /// Those of what the hosts of a side send.
    pub fn new(side: usize, flows: &Flows<'_>, sides: &BTreeMap<IpAddr, usize>, survey: &Survey, line: Line) -> Delays {
        let is_own = |host: IpAddr| sides.get(&host) == Some(&side);
        let (packet, apart) = (packet(survey, is_own, line), mixed(flows, is_own, survey, line));
        let mut delays = Delays { packet, apart, ..Delays::default() };
        for transfer in flows.transfers.iter().filter(|transfer| is_own(transfer.from)) {
            let (own, other) = (transfer.sending(), transfer.receiving());
            delays.lost += transfer.lost(survey);
            // the queue is on one side of the point of capture: where packets are lost, or where they wait
            let [of_sender, of_receiver] = [&own.trips, &other.trips].map(beyond_least);
            let is_before = match own.lost_before.cmp(&own.lost_after) {
                Ordering::Equal => at(&of_sender, 0.9) > at(&of_receiver, 0.9),
                more => more == Ordering::Greater,
            };
            let least = if is_before { own.trips.least() } else { other.trips.least() };
            let sides = if transfer.is_behind_link(survey) { &own.at_loss[..1] } else { &own.at_loss[..] };
            let at_loss = sides.iter().flatten().map(|(own, other)| if is_before { own } else { other });
            delays.at_loss.extend(at_loss.map(|time| (time - least).max(0.0)));
            delays.transfers.extend(if is_before { of_sender } else { of_receiver });
        }
        for echo in &flows.echoes {
            let is_beside = survey.hops(echo.key.client, echo.key.server) == 0;
            let shares = |transfer: &Transfer<'_>| is_own(transfer.from) && (is_beside || is_own(echo.key.server));
            if flows.transfers.iter().any(shares) {
                delays.requests.extend(beyond_least(&echo.exchanges.responses));
            }
        }
        delays.transfers.sort_by(f64::total_cmp);
        delays.requests.sort_by(f64::total_cmp);
        delays
    }

    /// Mean time that data of transfers waited, s.
    pub fn mean(&self) -> f64 {
        self.transfers.iter().sum::<f64>() / self.transfers.len().max(1) as f64
    }

    /// Losses of packets that waited less than `short` seconds, as a multiple of what they would be if losses were as frequent for
    /// all; `None` where few packets waited so short.
    pub fn losses_below(&self, short: f64) -> Option<f64> {
        let [losses, usual] = [&self.at_loss, &self.transfers].map(|delays| share(delays, |delay| delay < short));
        (usual >= OFTEN_SHORTER).then(|| losses / usual)
    }

    /// The share of what was lost that a queue dropped where losses that are by chance are `by_chance` times as frequent as all.
    pub fn dropped(&self, by_chance: f64) -> f64 {
        // what is lost by chance is lost alone
        let alone = self.at_loss.len() as f64 / self.lost.max(1) as f64;
        (1.0 - by_chance * alone.min(1.0)).max(0.0)
    }
}

/// The share of delays that count.
pub(super) fn share(delays: &[f64], counts: impl Fn(f64) -> bool) -> f64 {
    delays.iter().filter(|delay| counts(**delay)).count() as f64 / delays.len().max(1) as f64
}

/// Mean time on the line of the packets of hosts, s.
fn packet(survey: &Survey, is_own: impl Fn(IpAddr) -> bool, line: Line) -> f64 {
    let (mut time, mut packets) = (0.0, 0.0);
    for sent in survey.sent.iter().filter(|((from, _), _)| is_own(*from)).map(|(_, sent)| sent) {
        let mean = sent.bytes as f64 / sent.packets.max(1) as f64;
        time += sent.packets as f64 * line.time(mean);
        packets += sent.packets as f64 * (mean / line.mtu).ceil();
    }
    if packets > 0.0 { time / packets } else { line.time(line.mtu) }
}

/// The share of messages longer than a packet that arrived sooner behind data of transfers than they take on `line`: where whole
/// datagrams are captured, other packets came between their fragments. `None` of few.
fn mixed(flows: &Flows<'_>, is_own: impl Fn(IpAddr) -> bool, survey: &Survey, line: Line) -> Option<f64> {
    let (mut sooner, mut all) = (0, 0);
    for echo in flows.echoes.iter().filter(|_| survey.longest_fragment == 0) {
        let FlowKey { client, server, .. } = echo.key;
        let [request, answer, _] = echo.sizes();
        for (by, (from, to), octets) in
            [(By::Client, (client, server), request), (By::Server, (server, client), answer)]
        {
            if octets > line.mtu && is_own(from) && survey.hops(from, to) > 0 {
                let found = survey.following.sooner(echo.key, by, line.time(octets), &is_own);
                (sooner, all) = (sooner + found.0, all + found.1);
            }
        }
    }
    (all >= ENOUGH_MIXED).then(|| sooner as f64 / all as f64)
}

fn beyond_least(trips: &Trips) -> Vec<f64> {
    let least = trips.least();
    sorted(&trips.times).into_iter().map(|time| (time - least).max(0.0)).collect()
}
