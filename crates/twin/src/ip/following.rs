//! Infers the direction in which messages cross the link that they share with transfers.
//!
//! A packet that queues behind a data packet on a busy link arrives one transmission time after it, again and again;
//! one in the other direction arrives at any time between two of them. The time from the last data packet of a
//! transfer to a message therefore has a mode only if both cross the link in the same direction.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::Time;

use super::flow_key::FlowKey;
use super::trips::sorted;
use sojourn_capture::arrivals::Reservoir;

/// Directions of data and flows of messages that are followed.
const DIRECTIONS: usize = 16;
const FLOWS: usize = 64;
/// Times kept of each.
const SAMPLE: usize = 256;
/// Fewest of them that have to be the same.
const FEWEST: usize = 5;
/// Ratio of the times that count as the same.
const WIDTH: f64 = 1.03;
/// Their share of all, and how many times that of the other direction.
const SHARE: f64 = 0.1;
const MORE_OFTEN: f64 = 1.5;

/// A message that comes after less than this share of its own time on a link did not come over it at one go.
const SOONER: f64 = 0.8;

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    Client,
    Server,
}

/// Times from data to messages.
#[derive(Debug, Default)]
pub(super) struct Following {
    data: Vec<Data>,
    times: BTreeMap<(FlowKey, By), Vec<Reservoir>>,
    /// By data beside which they went.
    thinks: BTreeMap<FlowKey, Vec<Vec<Think>>>,
}

/// How long a client thought before a request that went in one queue with data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Think {
    /// From the answer until the last data before the request were sent, and the first behind it, s; may be negative.
    pub least: f64,
    pub most: f64,
}

impl Think {
    /// How far it is known, s.
    pub fn width(&self) -> f64 {
        self.most - self.least
    }
}

/// Data from a host to another.
#[derive(Debug)]
struct Data {
    from: IpAddr,
    to: IpAddr,
    last: Time,
    /// When the acknowledgement was captured upon which they were sent.
    cause: Option<Time>,
    /// Requests that no data of known cause have followed yet: of which flow, when the answer before was captured, and the cause of
    /// the data before.
    pending: Vec<(FlowKey, Time, Time)>,
}

impl Following {
    /// Data of a transfer arrive at `to`; the packet upon which they were sent was captured at `cause`, where that is known.
    pub fn data(&mut self, from: IpAddr, to: IpAddr, now: Time, cause: Option<Time>) {
        let is_own = |data: &Data| (data.from, data.to) == (from, to);
        if self.data.len() < DIRECTIONS && !self.data.iter().any(is_own) {
            self.data.push(Data { from, to, last: now, cause: None, pending: Vec::new() });
        }
        let Some(number) = self.data.iter().position(is_own) else { return };
        let data = &mut self.data[number];
        data.last = now;
        let Some(cause) = cause else { return };
        data.cause = Some(cause);
        for (flow, answered, before) in data.pending.drain(..) {
            let thinks = self.thinks.entry(flow).or_default();
            thinks.resize_with(DIRECTIONS, Vec::new);
            // what leaves a queue in order has come in order
            if cause >= before && cause >= answered && thinks[number].len() < SAMPLE {
                let since = |at: Time| {
                    if at >= answered { at.since(answered).seconds() } else { -answered.since(at).seconds() }
                };
                thinks[number].push(Think { least: since(before), most: since(cause) });
            }
        }
    }

    /// A request of a flow is captured, the answer before it was at `answered`.
    pub fn request(&mut self, flow: FlowKey, answered: Time) {
        if self.thinks.len() < FLOWS || self.thinks.contains_key(&flow) {
            for data in self.data.iter_mut().filter(|data| data.pending.len() < FLOWS) {
                data.pending.extend(data.cause.map(|before| (flow, answered, before)));
            }
        }
    }

    /// How long the client of a flow thought before requests beside data that share the link with them, by their sender: those data
    /// that most requests went beside.
    pub fn thinks(&self, flow: FlowKey, shares: impl Fn(IpAddr) -> bool) -> &[Think] {
        let thinks = self.thinks.get(&flow).map_or(&[][..], Vec::as_slice);
        let beside = thinks.iter().zip(&self.data).filter(|(_, data)| shares(data.from));
        beside.map(|(thinks, _)| thinks.as_slice()).max_by_key(|thinks| thinks.len()).unwrap_or_default()
    }

    /// A message of a flow arrives.
    pub fn message(&mut self, flow: FlowKey, by: By, now: Time) {
        if self.data.is_empty() || self.times.len() >= 2 * FLOWS && !self.times.contains_key(&(flow, by)) {
            return;
        }
        let times = self.times.entry((flow, by)).or_default();
        times.resize_with(self.data.len(), || Reservoir::new(SAMPLE));
        for (times, data) in times.iter_mut().zip(&self.data) {
            times.push(now.since(data.last).seconds());
        }
    }

    /// How many messages of a flow came sooner behind data that share the link with them, by their sender, than they take on it
    /// themselves, `time` in s, and of how many.
    pub fn sooner(&self, flow: FlowKey, by: By, time: f64, shares: impl Fn(IpAddr) -> bool) -> (usize, usize) {
        let times = self.times.get(&(flow, by)).map_or(&[][..], Vec::as_slice);
        let beside = times.iter().zip(&self.data).filter(|(_, data)| shares(data.from));
        let all: Vec<f64> = beside.flat_map(|(times, _)| times.values()).copied().collect();
        (all.iter().filter(|found| **found < SOONER * time).count(), all.len())
    }

    /// The side of the client, 0 or 1, by which data its messages and those of the server follow; `None` where nothing shows it.
    pub fn client_side(&self, flow: FlowKey, sides: &BTreeMap<IpAddr, usize>) -> Option<usize> {
        let mut most = [0.0_f64; 2];
        for by in [By::Client, By::Server] {
            let times = self.times.get(&(flow, by)).map_or(&[][..], Vec::as_slice);
            for (times, data) in times.iter().zip(&self.data) {
                let Some(sender) = sides.get(&data.from) else { continue };
                let client = if by == By::Client { *sender } else { 1 - *sender };
                most[client] = most[client].max(in_common(times));
            }
        }
        let [left, right] = most;
        let of = |own: f64, other: f64| own >= SHARE && own >= MORE_OFTEN * other;
        match (of(left, right), of(right, left)) {
            (true, _) => Some(0),
            (_, true) => Some(1),
            _ => None,
        }
    }
}

/// The largest share of times that are the same; 0 of few.
fn in_common(times: &Reservoir) -> f64 {
    let times = sorted(times);
    let same = |from: usize| times[from..].iter().take_while(|time| **time <= times[from] * WIDTH).count();
    let most = (0..times.len()).filter(|from| times[*from] > 0.0).map(same).max().unwrap_or(0);
    if most < FEWEST { 0.0 } else { most as f64 / times.len() as f64 }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_core::Duration;

    use super::*;
    use sojourn_capture::Service;

    const STORE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
    const LAPTOP: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

    fn flow() -> FlowKey {
        let host = |number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        FlowKey { client: host(3), server: host(4), service: Service::Udp(7) }
    }

    /// Data every 6 ms; every fourth packet a message of the server follows after `behind` microseconds of a share of them.
    fn following(behind: impl Fn(u64) -> u64) -> Following {
        let mut following = Following::default();
        for number in 0..400_u64 {
            let now = Time::ZERO + Duration::from_millis(6 * number);
            following.data(STORE, LAPTOP, now, None);
            if number % 4 == 0 {
                following.message(flow(), By::Server, now + Duration::from_micros(behind(number)));
            }
        }
        following
    }

    #[test]
    fn answers_that_come_right_behind_data_go_in_its_direction() {
        let following = following(|number| if number % 8 == 0 { 500 } else { 13 * number % 6000 });
        let sides = BTreeMap::from([(STORE, 0), (LAPTOP, 1)]);
        assert_eq!(following.client_side(flow(), &sides), Some(1));
        let sides = BTreeMap::from([(STORE, 1), (LAPTOP, 0)]);
        assert_eq!(following.client_side(flow(), &sides), Some(0));
    }

    #[test]
    fn a_message_that_comes_sooner_behind_data_than_it_takes_was_not_sent_at_one_go() {
        let following = following(|number| if number % 16 == 0 { 1000 } else { 4000 });
        let sooner = |from| following.sooner(flow(), By::Server, 3e-3, |host| host == from);
        assert_eq!((sooner(STORE), sooner(LAPTOP)), ((25, 100), (0, 0)));
    }

    #[test]
    fn a_request_was_sent_between_the_data_that_it_was_captured_between() {
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let mut following = Following::default();
        following.data(LAPTOP, STORE, at(190), Some(at(100)));
        following.request(flow(), at(95));
        following.request(flow(), at(130));
        following.data(LAPTOP, STORE, at(200), None);
        following.data(LAPTOP, STORE, at(210), Some(at(120)));
        let thinks = following.thinks(flow(), |host| host == LAPTOP);
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        // the second one would have been sent before its answer
        assert!(thinks.len() == 1 && close(thinks[0].least, 0.005) && close(thinks[0].most, 0.025), "{thinks:?}");
        assert!(following.thinks(flow(), |host| host == STORE).is_empty());
    }

    #[test]
    fn answers_that_come_at_any_time_between_data_show_no_direction() {
        let following = following(|number| 1 + 1709 * number % 6000);
        assert_eq!(following.client_side(flow(), &BTreeMap::from([(STORE, 0), (LAPTOP, 1)])), None);
    }
}
