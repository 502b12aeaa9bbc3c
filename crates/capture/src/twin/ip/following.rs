//! In which direction messages go over the link that they share with transfers.
//!
//! What waits behind a packet of data on a busy link comes one transmission time after it, again and again; what goes in the other
//! direction comes at any time between two of them. So the time from the last data of a transfer to a message has a value that many
//! have in common only where both go in the same direction.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::Time;

use super::flow_key::FlowKey;
use super::trips::sorted;
use crate::arrivals::Reservoir;

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
    /// The last data from a host to another.
    data: Vec<((IpAddr, IpAddr), Time)>,
    times: BTreeMap<(FlowKey, By), Vec<Reservoir>>,
}

impl Following {
    /// Data of a transfer arrive at `to`.
    pub fn data(&mut self, from: IpAddr, to: IpAddr, now: Time) {
        if let Some((_, last)) = self.data.iter_mut().find(|(direction, _)| *direction == (from, to)) {
            *last = now;
        } else if self.data.len() < DIRECTIONS {
            self.data.push(((from, to), now));
        }
    }

    /// A message of a flow arrives.
    pub fn message(&mut self, flow: FlowKey, by: By, now: Time) {
        if self.data.is_empty() || self.times.len() >= 2 * FLOWS && !self.times.contains_key(&(flow, by)) {
            return;
        }
        let times = self.times.entry((flow, by)).or_default();
        times.resize_with(self.data.len(), || Reservoir::new(SAMPLE));
        for (times, (_, last)) in times.iter_mut().zip(&self.data) {
            times.push(now.since(*last).seconds());
        }
    }

    /// How many messages of a flow came sooner behind data that share the link with them, by their sender, than they take on it
    /// themselves, `time` in s, and of how many.
    pub fn sooner(&self, flow: FlowKey, by: By, time: f64, shares: impl Fn(IpAddr) -> bool) -> (usize, usize) {
        let times = self.times.get(&(flow, by)).map_or(&[][..], Vec::as_slice);
        let beside = times.iter().zip(&self.data).filter(|(_, ((from, _), _))| shares(*from));
        let all: Vec<f64> = beside.flat_map(|(times, _)| times.values()).copied().collect();
        (all.iter().filter(|found| **found < SOONER * time).count(), all.len())
    }

    /// The side of the client, 0 or 1, by which data its messages and those of the server follow; `None` where nothing shows it.
    pub fn client_side(&self, flow: FlowKey, sides: &BTreeMap<IpAddr, usize>) -> Option<usize> {
        let mut most = [0.0_f64; 2];
        for by in [By::Client, By::Server] {
            let times = self.times.get(&(flow, by)).map_or(&[][..], Vec::as_slice);
            for (times, ((from, _), _)) in times.iter().zip(&self.data) {
                let Some(sender) = sides.get(from) else { continue };
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
    use crate::Service;

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
            following.data(STORE, LAPTOP, now);
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
    fn answers_that_come_at_any_time_between_data_show_no_direction() {
        let following = following(|number| 1 + 1709 * number % 6000);
        assert_eq!(following.client_side(flow(), &BTreeMap::from([(STORE, 0), (LAPTOP, 1)])), None);
    }
}
