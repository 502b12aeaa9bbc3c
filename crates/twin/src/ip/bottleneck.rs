//! The bottleneck link: its rate, loss and queue.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::delays::Delays;
use super::flows::{Flows, Transfer};
use super::path::Line;
use super::queue::{QUEUE, Queue, readings};
use super::requests::Requests;
use super::side::Side;
use super::spacing::{Dispersion, FRAMING};
use super::survey::Survey;
use super::trips::{at, sorted};

/// Headers of TCP over IPv4, with timestamps and without, octets.
const TCP_HEADERS: f64 = 40.0;
const TIMESTAMPS: f64 = 12.0;
/// Octets of a packet of Ethernet.
const USUAL_MTU: f64 = 1500.0;
/// Losses from which the rate that they allow is known.
const FEWEST_FOR_CONTROL: f64 = 50.0;
/// Window of a sender that halves it at each loss, times the square root of the share of losses, segments.
const MATHIS: f64 = 1.22;
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
    /// Mean time that data waited, s.
    pub busy: f64,
    /// The same of what either side sends, where requests wait with them, and its standard deviation, s.
    pub waiting: [(f64, f64); 2],
}

impl Bottleneck {
    /// What flows between the `sides` allow of the link that they share, the likeliest first.
    pub fn readings(survey: &Survey, flows: &Flows<'_>, sides: &BTreeMap<IpAddr, usize>) -> Vec<Bottleneck> {
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
        // that of the direction that loses most: packets that go in the other one have a queue of their own
        let [left, right] = [0, 1].map(|side| Delays::new(side, flows, sides, survey, line));
        let waiting = [&left, &right].map(|of| (of.mean(), deviation(&of.transfers)));
        let of_left = (left.lost, left.transfers.len()) >= (right.lost, right.transfers.len());
        let delays = if of_left { left } else { right };
        let is_seldom_filled = at(&delays.transfers, 0.5) < QUEUE * full;
        let mut queues = readings(&delays, full);
        if matches!(source, RateSource::Acknowledgements(_)) && is_seldom_filled {
            // seen before the link: data wait behind their own bursts alone, and what is lost then, is lost by chance
            queues.insert(0, (Queue::Unseen, 0.0));
        }
        let of_queue = |(queue, dropped): (Queue, f64)| {
            let losses = losses(flows, survey, dropped);
            let busy = if queue == Queue::Unseen { 0.0 } else { delays.mean() };
            let is_shared = matches!(queue, Queue::Fifo { .. } | Queue::Codel);
            let waiting = if is_shared { waiting } else { Default::default() };
            Bottleneck { line, source, losses, queue, busy, waiting }
        };
        queues.into_iter().map(of_queue).collect()
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
    pub fn is_behind_link(&self, survey: &Survey) -> bool {
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
    pub fn lost(&self, survey: &Survey) -> u64 {
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
