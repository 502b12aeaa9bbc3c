//! The link that flows share: rate, loss and queue.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::flows::{Flows, Transfer};
use super::layout::Line;
use super::requests::Requests;
use super::side::Side;
use super::spacing::{Dispersion, FRAMING};
use super::survey::Survey;
use super::trips::{Trips, at, sorted};

/// Headers of TCP over IPv4, with timestamps and without, octets.
const TCP_HEADERS: f64 = 40.0;
const TIMESTAMPS: f64 = 12.0;
/// Octets of a packet of Ethernet.
const USUAL_MTU: f64 = 1500.0;
/// A delay of so many full packets is that of a queue.
const QUEUE: f64 = 3.0;
/// Share of the longest queue from which a loss may be one of a full queue; losses there have to be so many of all, and so many
/// times more frequent than at shorter queues, by so many standard deviations of what chance would do.
const NEAR_FULL: f64 = 0.85;
const FULL: f64 = 0.15;
const MORE_OFTEN: f64 = 2.0;
const SURE: f64 = 4.0;
/// Share of the time that the queue is shorter than it is at half of the losses, from which losses are not by chance.
const LONGER: f64 = 0.6;
/// Losses from which the rate that they allow is known.
const FEWEST_FOR_CONTROL: f64 = 50.0;
/// Window of a sender that halves it at each loss, times the square root of the share of losses, segments.
const MATHIS: f64 = 1.22;
/// Answers from which their delay says something of the queue.
const ENOUGH_REQUESTS: usize = 10;
/// Losses below which nothing is inferred of the queue.
const FEWEST_LOSSES: usize = 3;
/// A queue that CoDel controls is about its target of 5 ms (RFC 8289), or a few packets.
const CONTROLLED: f64 = 20e-3;
/// Delay of requests as a share of that of transfers, below which each flow has a queue of its own; at a short queue that is
/// usual, and only requests that wait as long show that they share it.
const OWN_QUEUE: f64 = 0.35;
const SHARED_QUEUE: f64 = 0.8;

/// Ratio of the times to two hosts from which the point of capture is beside the nearer one.
const NEARER: f64 = 4.0;

/// How the rate was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum RateSource {
    /// From the spacing of packets.
    Spacing(Dispersion),
    /// From the spacing of acknowledgements.
    Acknowledgements(Dispersion),
    /// From how fast data were acknowledged while packets waited.
    Delivery(u64),
    /// Packets never waited: it is at least so much, bit/s.
    AtLeast(f64),
    /// No packets follow each other.
    Nothing,
}

/// The queue before the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Queue {
    /// Nothing shows it.
    Unseen,
    /// First in, first out; packets of the longest queue, which is full where packets are dropped.
    Fifo { packets: u64, is_full: bool },
    /// First in, first out with controlled delay.
    Codel,
    /// A queue for each flow.
    FlowQueues { request: f64, transfer: f64 },
}

/// Losses of the data of transfers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    pub segments: u64,
    pub before: u64,
    pub after: u64,
    /// Those that no full queue explains.
    pub by_chance: f64,
    /// Requests without an answer, of all; where there are no transfers.
    pub unanswered: u64,
    pub requests: u64,
    /// Requests that were lost before the point of capture, by the timeouts that follow.
    pub unseen: u64,
    /// Loss probability of the link.
    pub share: f64,
}

/// The link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bottleneck {
    pub line: Line,
    pub source: RateSource,
    pub losses: Losses,
    pub queue: Queue,
    /// Mean time that data waited, and its standard deviation, s.
    pub waiting: f64,
    pub waiting_deviation: f64,
}

impl Bottleneck {
    /// What flows between the `sides` show of the link that they share.
    pub fn new(survey: &Survey, flows: &Flows<'_>, sides: &BTreeMap<IpAddr, usize>) -> Bottleneck {
        let of_transfers = flows.transfers.iter().map(|transfer| transfer.segment());
        let ends = flows.connections().flat_map(|connection| &connection.sides);
        let announced = ends.filter(|side| side.syn.is_some()).map(|side| f64::from(side.segment_size()));
        let segment = of_transfers.reduce(f64::max).or_else(|| announced.reduce(f64::max));
        let fragment = f64::from(survey.longest_fragment);
        let mtu = segment.map(|segment| segment + TCP_HEADERS).or((fragment > 0.0).then_some(fragment));
        let mtu = mtu.unwrap_or(USUAL_MTU);
        let (rate, source) = rate(survey, flows);
        let line = Line { rate, mtu };
        let full = line.time(mtu);
        let delays = Delays::new(flows, sides, survey);
        let is_seldom_filled = at(&delays.transfers, 0.5) < QUEUE * full;
        let (queue, dropped) = match source {
            // seen before the link: data wait behind their own bursts alone, and what is lost then, is lost by chance
            RateSource::Acknowledgements(_) if is_seldom_filled => (Queue::Unseen, 0.0),
            _ => queue(&delays, full),
        };
        let losses = losses(flows, survey, dropped);
        let mean = delays.transfers.iter().sum::<f64>() / delays.transfers.len().max(1) as f64;
        let is_shared = matches!(queue, Queue::Fifo { .. } | Queue::Codel);
        let [waiting, waiting_deviation] = if is_shared { [mean, deviation(&delays.transfers)] } else { [0.0; 2] };
        Bottleneck { line, source, losses, queue, waiting, waiting_deviation }
    }
}

impl<'a> Transfer<'a> {
    /// Octets of the largest segment that the receiver takes.
    pub fn segment(&self) -> f64 {
        f64::from(self.receiving().segment_size())
    }

    /// What the sender sends.
    pub fn sending(&self) -> &'a Side {
        &self.connection.sides[self.sender()]
    }

    /// What the receiver sends.
    pub fn receiving(&self) -> &'a Side {
        &self.connection.sides[1 - self.sender()]
    }

    /// Whether its data have passed the link at the point of capture: they have passed routers, or the receiver is much
    /// nearer than the sender.
    fn is_behind_link(&self, survey: &Survey) -> bool {
        let is_nearer = self.sending().trips.least() > NEARER * self.receiving().trips.least();
        survey.hops(self.from, self.to) > 0 || is_nearer
    }

    /// Whether it was more than twice as fast as losses allow a sender that halves its window at each (Mathis, Semke, Mahdavi
    /// and Ott, The macroscopic behavior of the TCP congestion avoidance algorithm, 1997).
    pub fn exceeds_loss_based_control(&self) -> bool {
        let (side, connection) = (self.sending(), self.connection);
        let lost = (side.lost_before + side.lost_after) as f64;
        let rtt = at(&sorted(&side.trips.times), 0.5) + at(&sorted(&self.receiving().trips.times), 0.5);
        let seconds = connection.end.since(connection.begin).seconds();
        if lost < FEWEST_FOR_CONTROL || rtt <= 0.0 || seconds <= 0.0 {
            return false;
        }
        let limit = MATHIS * self.segment() / (rtt * libm::sqrt(lost / side.segments.max(1) as f64));
        side.octets as f64 / seconds > 2.0 * limit
    }

    /// Segments that the link lost: where their data have passed it, what is sent again and was seen before was not lost there.
    fn lost(&self, survey: &Survey) -> u64 {
        let side = self.sending();
        side.lost_before + if self.is_behind_link(survey) { 0 } else { side.lost_after }
    }

    /// Octets of Ethernet for each of user data.
    fn expansion(&self) -> f64 {
        let stamps = self.sending().syn.is_none_or(|options| options.timestamps.is_some());
        let data = self.segment() - if stamps { TIMESTAMPS } else { 0.0 };
        (self.segment() + TCP_HEADERS + FRAMING) / data.max(1.0)
    }
}

/// Standard deviation of a sample; 0 of none.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    libm::sqrt(values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count)
}

/// Bit rate of the link, infinite if nothing shows it.
fn rate(survey: &Survey, flows: &Flows<'_>) -> (f64, RateSource) {
    let spacing = |host: IpAddr| survey.hosts.get(&host).and_then(|host| host.received.rate());
    let receivers = flows.transfers.iter().filter(|transfer| transfer.is_behind_link(survey));
    let of_transfers = receivers.filter_map(|transfer| spacing(transfer.to));
    if let Some(found) = of_transfers.max_by(|a, b| a.rate.total_cmp(&b.rate)) {
        return (found.rate, RateSource::Spacing(found));
    }
    // data leave the link behind the point of capture one after the other, and so are acknowledged
    let of_acknowledgements = flows.transfers.iter().filter_map(|transfer| {
        let found = Dispersion::of(&transfer.sending().acknowledged_every)?;
        Some(Dispersion { rate: found.rate * transfer.expansion(), ..found })
    });
    if let Some(found) = of_acknowledgements.max_by_key(|found| found.packets) {
        return (found.rate, RateSource::Acknowledgements(found));
    }
    let of_transfers = flows.transfers.iter().filter_map(delivery);
    if let Some(found) = of_transfers.max_by(|a, b| a.rate.total_cmp(&b.rate)) {
        return match found.has_queue {
            true => (found.rate, RateSource::Delivery(found.samples)),
            false => (f64::INFINITY, RateSource::AtLeast(found.rate)),
        };
    }
    // packets of several programs wait for each other too; a link on which one takes longer than a whole response is none
    let of_requests = flows.loops().filter_map(|echo| {
        let hosts = [(echo.key.client, echo.key.server), (echo.key.server, echo.key.client)];
        let found =
            hosts.into_iter().filter(|(from, to)| survey.hops(*from, *to) > 0).filter_map(|(_, to)| spacing(to));
        let found = found.max_by_key(|found| found.packets)?;
        let packet = 8.0 * (echo.sizes()[2] + FRAMING) / found.rate;
        (packet < echo.exchanges.responses.least()).then_some(found)
    });
    match of_requests.max_by_key(|found| found.packets) {
        Some(found) => (found.rate, RateSource::Spacing(found)),
        None => (f64::INFINITY, RateSource::Nothing),
    }
}

struct Delivery {
    rate: f64,
    samples: u64,
    has_queue: bool,
}

/// How fast the data of a transfer are acknowledged, and whether packets waited meanwhile.
fn delivery(transfer: &Transfer<'_>) -> Option<Delivery> {
    let rates = sorted(&transfer.sending().delivery);
    if rates.is_empty() {
        return None;
    }
    let trips = &transfer.receiving().trips;
    let (least, usual) = (trips.least(), at(&sorted(&trips.times), 0.5));
    let rate = at(&rates, 0.75) * transfer.expansion();
    let packet = 8.0 * (transfer.segment() + TCP_HEADERS + FRAMING) / rate;
    let has_queue = usual - least > (0.3 * least).max(QUEUE * packet);
    Some(Delivery { rate, samples: transfer.sending().delivery.seen(), has_queue })
}

/// How long packets waited, s.
#[derive(Debug, Default)]
struct Delays {
    /// Of transfers, ascending.
    transfers: Vec<f64>,
    /// Of transfers when something was lost.
    at_loss: Vec<f64>,
    /// Of requests and answers that went in the direction of the transfers' data, ascending.
    requests: Vec<f64>,
    lost: u64,
}

impl Delays {
    fn new(flows: &Flows<'_>, sides: &BTreeMap<IpAddr, usize>, survey: &Survey) -> Delays {
        let mut delays = Delays::default();
        for transfer in &flows.transfers {
            let (own, other) = (transfer.sending(), transfer.receiving());
            delays.lost += transfer.lost(survey);
            // the queue is on one side of the point of capture
            let [of_sender, of_receiver] = [&own.trips, &other.trips].map(beyond_least);
            let is_before = at(&of_sender, 0.9) > at(&of_receiver, 0.9);
            let least = if is_before { own.trips.least() } else { other.trips.least() };
            let sides = if transfer.is_behind_link(survey) { &own.at_loss[..1] } else { &own.at_loss[..] };
            let at_loss = sides.iter().flatten().map(|(own, other)| if is_before { own } else { other });
            delays.at_loss.extend(at_loss.map(|time| (time - least).max(0.0)));
            delays.transfers.extend(if is_before { of_sender } else { of_receiver });
        }
        for echo in &flows.echoes {
            let is_beside = survey.hops(echo.key.client, echo.key.server) == 0;
            let side = sides.get(&echo.key.server);
            if flows.transfers.iter().any(|transfer| is_beside || sides.get(&transfer.from) == side) {
                delays.requests.extend(beyond_least(&echo.exchanges.responses));
            }
        }
        delays.transfers.sort_by(f64::total_cmp);
        delays.requests.sort_by(f64::total_cmp);
        delays
    }
}

fn beyond_least(trips: &Trips) -> Vec<f64> {
    let least = trips.least();
    sorted(&trips.times).into_iter().map(|time| (time - least).max(0.0)).collect()
}

/// The queue, and the share of the losses that it explains. A full packet takes `full` seconds on the link.
fn queue(delays: &Delays, full: f64) -> (Queue, f64) {
    let Delays { transfers, at_loss, requests, lost } = delays;
    if full <= 0.0 {
        return (Queue::Unseen, 0.0);
    }
    let packets = |delay: f64| libm::round(delay / full).max(1.0) as u64;
    let waits = |delays: &[f64]| at(delays, 0.9) > QUEUE * full;
    if !waits(transfers) {
        // without timestamps data show no delay before the point of capture, but answers beside them do
        let is_full = *lost > 0;
        return match waits(requests) {
            true => (Queue::Fifo { packets: packets(at(requests, 0.995)), is_full }, if is_full { 1.0 } else { 0.0 }),
            false => (Queue::Unseen, 0.0),
        };
    }
    let (request, transfer) = (at(requests, 0.5), at(transfers, 0.5));
    let own = Queue::FlowQueues { request, transfer };
    let has_requests = requests.len() >= ENOUGH_REQUESTS;
    if has_requests && at(requests, 0.9) < OWN_QUEUE * transfer {
        return (own, 1.0);
    }
    let longest = at(transfers, 0.995);
    let open = Queue::Fifo { packets: packets(longest), is_full: false };
    if at_loss.len() < FEWEST_LOSSES {
        return (open, 0.0);
    }
    let share = |of: &[f64], from: f64| of.iter().filter(|delay| **delay >= from).count() as f64 / of.len() as f64;
    let [near_full, usual] = [at_loss, transfers].map(|delays| share(delays, NEAR_FULL * longest));
    // as often as elsewhere, packets are lost by chance there too
    let elsewhere = (1.0 - near_full) / (1.0 - usual).max(1e-3);
    let deviation = libm::sqrt(usual * (1.0 - usual) / at_loss.len() as f64);
    let is_more = near_full >= MORE_OFTEN * usual * elsewhere && near_full - usual >= SURE * deviation;
    if near_full >= FULL && is_more {
        return (Queue::Fifo { packets: packets(longest), is_full: true }, (1.0 - elsewhere).max(0.0));
    }
    let mut losses = at_loss.clone();
    losses.sort_by(f64::total_cmp);
    let is_by_chance = 1.0 - share(transfers, at(&losses, 0.5)) < LONGER;
    if is_by_chance || transfer > CONTROLLED.max(2.0 * QUEUE * full) {
        return (open, 0.0);
    }
    match has_requests && request >= SHARED_QUEUE * transfer {
        true => (Queue::Codel, 1.0),
        false => (own, 1.0),
    }
}

/// Losses of which the queue dropped the share `dropped`.
fn losses(flows: &Flows<'_>, survey: &Survey, dropped: f64) -> Losses {
    let mut losses = Losses::default();
    for transfer in &flows.transfers {
        let side = transfer.sending();
        losses.segments += side.segments;
        losses.before += side.lost_before;
        losses.after += transfer.lost(survey) - side.lost_before;
    }
    losses.before += flows.requests.iter().map(Requests::lost_unseen).sum::<u64>();
    losses.segments += flows.requests.iter().map(Requests::handshake_packets).sum::<u64>();
    for connection in flows.requests.iter().flat_map(|of| &of.connections) {
        let [client, server] = [connection.client.address, connection.server.address];
        for (side, (from, to)) in connection.sides.iter().zip([(client, server), (server, client)]) {
            losses.segments += side.segments;
            losses.before += side.lost_before;
            // what is sent again behind the link had arrived there
            losses.after += if survey.hops(from, to) > 0 { 0 } else { side.lost_after };
        }
    }
    let mut directions = 0.0;
    for echo in &flows.echoes {
        losses.unanswered += echo.exchanges.unanswered;
        if let Some(timeout) = echo.timeout().filter(|found| found.is_regular) {
            losses.unseen += timeout.unseen;
        }
        losses.requests += echo.exchanges.requests();
        directions += 2.0 * (echo.exchanges.requests() + losses.unseen) as f64;
    }
    let lost = (losses.before + losses.after) as f64;
    losses.by_chance = lost * (1.0 - dropped);
    losses.share = match losses.segments {
        0 if directions > 0.0 => (losses.unanswered + losses.unseen) as f64 / directions,
        0 => 0.0,
        segments => losses.by_chance / (segments as f64 + lost),
    };
    losses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue whose delay goes up and down between two values, s.
    fn sawtooth(least: f64, most: f64) -> Vec<f64> {
        (0..100).map(|step| least + (most - least) * f64::from(step) / 99.0).collect()
    }

    fn delays(transfers: Vec<f64>, at_loss: &[f64], requests: Vec<f64>) -> Delays {
        Delays { transfers, at_loss: at_loss.to_vec(), requests, lost: at_loss.len() as u64 }
    }

    #[test]
    fn a_queue_that_loses_packets_when_it_is_longest_is_full_then() {
        let found = queue(&delays(sawtooth(0.01, 0.1), &[0.1, 0.098, 0.099, 0.1], Vec::new()), 1e-3);
        assert_eq!(found, (Queue::Fifo { packets: 99, is_full: true }, 1.0));
    }

    #[test]
    fn losses_at_any_length_of_the_queue_are_by_chance() {
        let found = queue(&delays(sawtooth(0.0, 0.1), &[0.03, 0.001, 0.05, 0.02, 0.06], Vec::new()), 1e-3);
        assert_eq!(found, (Queue::Fifo { packets: 99, is_full: false }, 0.0));
    }

    #[test]
    fn losses_at_the_longer_times_of_a_short_queue_are_those_of_codel() {
        let mut transfers = sawtooth(0.002, 0.012);
        transfers.extend([0.06, 0.07]);
        let losses = [0.010, 0.011, 0.009, 0.010];
        let (found, dropped) = queue(&delays(transfers.clone(), &losses, sawtooth(0.002, 0.012)), 1e-3);
        assert_eq!((found, dropped), (Queue::Codel, 1.0));
        let (found, _) = queue(&delays(transfers, &losses, sawtooth(0.0, 0.008)), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
    }

    #[test]
    fn requests_that_do_not_wait_behind_transfers_have_a_queue_of_their_own() {
        let (found, _) = queue(&delays(sawtooth(0.01, 0.03), &[], vec![0.001; 20]), 1e-3);
        assert!(matches!(found, Queue::FlowQueues { .. }), "{found:?}");
    }

    #[test]
    fn without_a_delay_nothing_shows_the_queue() {
        assert_eq!(queue(&delays(sawtooth(0.0, 0.002), &[], Vec::new()), 1e-3), (Queue::Unseen, 0.0));
        assert_eq!(queue(&delays(sawtooth(0.0, 0.002), &[], Vec::new()), 0.0), (Queue::Unseen, 0.0));
    }
}
