//! The paths between hosts: their delay, from the times of packets to both ends and back.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::side::Side;
use super::spacing::FRAMING;
use super::survey::Survey;
use super::trips::{SHORT, Trip, Trips};
use sojourn_capture::Service;

/// A packet is back to back with the one before if it arrives within this multiple of its own transmission time.
const RIGHT_BEHIND: f64 = 1.05;
/// Octets of a header of IP, which each fragment has.
const IP_HEADER: f64 = 20.0;

/// The link between the two sides, as far as the time on it is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Bit/s; infinite where packets show no rate.
    pub rate: f64,
    /// Octets of the longest packet of IP.
    pub mtu: f64,
}

impl Line {
    /// Time of a packet of IP on the line, in fragments where it is too long, s.
    pub fn time(&self, octets: f64) -> f64 {
        let fragments = (octets / self.mtu).ceil().max(1.0);
        8.0 * (octets + fragments * FRAMING + (fragments - 1.0) * IP_HEADER) / self.rate
    }
}

/// How the delay of a path was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Times to both hosts.
    Both,
    /// The time to one host; the point of capture is beside the other one.
    Beside,
    /// The time to one host; that to the other one in proportion to the routers on the path.
    Hops,
    /// Nothing: the point of capture is beside the host that answers.
    Nothing,
}

/// The path between two hosts.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub left: IpAddr,
    pub right: IpAddr,
    /// Delay in one direction, s.
    pub delay: f64,
    pub known: Known,
    /// Whether the packets that show it came right behind others, and so may have waited for them.
    pub has_waited: bool,
    /// Times of round trips that it was found from.
    pub trips: u64,
}

impl Path {
    /// The path between two hosts, of which both sides are known.
    pub fn new(survey: &Survey, sides: &BTreeMap<IpAddr, usize>, [left, right]: [IpAddr; 2], line: Line) -> Path {
        let [to_left, to_right] = [trips(survey, left, right), trips(survey, right, left)];
        let count = to_left.times.seen() + to_right.times.seen();
        let from = |host: IpAddr, peer: IpAddr| f64::from(survey.hops(host, peer));
        let (of_left, of_right) = (from(left, right), from(right, left));
        let mut has_waited = false;
        let (delay, known) = match (to_left.shortest(), to_right.shortest()) {
            (Some(one), Some(other)) => {
                let of_connections = between(survey, left, right).filter_map(|sides| shortest_half(sides, line));
                let shortest = of_connections.min_by(|one, other| one.0.total_cmp(&other.0));
                let came_behind = |(trip, from)| came_right_behind(survey, sides, from, trip, line);
                has_waited = shortest
                    .is_some_and(|(_, [one, other])| [(one, left), (other, right)].into_iter().any(came_behind));
                (shortest.map_or_else(|| half(one, other, line), |(delay, _)| delay), Known::Both)
            }
            (None, Some(trip)) => one_sided(trip, of_right, of_left, line),
            (Some(trip), None) => one_sided(trip, of_left, of_right, line),
            (None, None) => (0.0, Known::Nothing),
        };
        Path { left, right, delay: delay.max(0.0), known, has_waited, trips: count }
    }
}

/// Times from the point of capture to a host and back, of packets between it and `peer`; those of programs that compute an
/// answer only where there are no others.
pub(super) fn trips(survey: &Survey, host: IpAddr, peer: IpAddr) -> Trips {
    let mut trips = Trips::default();
    between(survey, host, peer).for_each(|[side, _]| trips.merge(&side.trips));
    let echoes = survey.flows.iter().filter(|(key, _)| (key.client, key.server) == (peer, host));
    for is_system in [true, false] {
        if trips.shortest().is_none() {
            let own = echoes.clone().filter(|(key, _)| (key.service == Service::Echo) == is_system);
            own.for_each(|(_, flow)| trips.merge(&flow.responses));
        }
    }
    trips
}

/// Whether the packet of `from` that ends a trip was captured right behind another one from its side, early in the capture. Of long
/// packets there are more than those of a handshake, and the shortest time is one without a wait.
fn came_right_behind(survey: &Survey, sides: &BTreeMap<IpAddr, usize>, from: IpAddr, trip: Trip, line: Line) -> bool {
    if trip.octets > SHORT {
        return false;
    }
    let within = RIGHT_BEHIND * line.time(trip.octets);
    let before = survey.early.iter().filter(|(time, _)| *time < trip.at && trip.at.since(*time).seconds() <= within);
    before.map(|(_, sender)| sender).any(|sender| sides.get(sender) == sides.get(&from))
}

/// The sides of the connections between two hosts, that of `host` first.
fn between(survey: &Survey, host: IpAddr, peer: IpAddr) -> impl Iterator<Item = [&Side; 2]> {
    survey.all_connections().filter_map(move |connection| {
        let [client, server] = &connection.sides;
        match (connection.client.address, connection.server.address) {
            ends if ends == (host, peer) => Some([client, server]),
            ends if ends == (peer, host) => Some([server, client]),
            _ => None,
        }
    })
}

/// The delay that the times to both ends of a connection show, s, and these times. What goes to one end comes from the other: of short packets, and
/// of long ones, the times on the line are known, wherever it is, but not of short ones to one end and long ones to the other.
fn shortest_half(sides: [&Side; 2], line: Line) -> Option<(f64, [Trip; 2])> {
    let [one, other] = sides.map(|side| &side.trips);
    let alike = [(one.short, other.short), (one.long, other.long)];
    let pairs = alike.into_iter().filter_map(|(one, other)| Some([one?, other?]));
    let halves = pairs.map(|trips| (half(trips[0], trips[1], line), trips));
    halves.min_by(|one, other| one.0.total_cmp(&other.0))
}

/// Half of the times to both hosts and back, less those of the packets on the line, s.
fn half(one: Trip, other: Trip, line: Line) -> f64 {
    0.5 * (one.seconds + other.seconds - line.time(one.octets) - line.time(other.octets))
}

/// The delay of a path from the time to the host that is `near` routers away, where the other one is `far` routers away.
fn one_sided(trip: Trip, near: f64, far: f64, line: Line) -> (f64, Known) {
    let delay = |factor: f64| 0.5 * factor * trip.seconds - line.time(trip.octets);
    match (near > 0.0, far > 0.0) {
        (_, false) => (delay(1.0), Known::Beside),
        (true, true) => (delay(1.0 + far / near), Known::Hops),
        (false, true) => (0.0, Known::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_core::{Duration, Time};

    use super::*;

    const LINE: Line = Line { rate: 1e6, mtu: 1500.0 };

    #[test]
    fn a_datagram_longer_than_the_mtu_takes_the_time_of_its_fragments() {
        assert_eq!(LINE.time(962.0), 8e-3);
        assert!((LINE.time(4028.0) - 8e-6 * (4028.0 + 3.0 * 38.0 + 40.0)).abs() < 1e-12);
    }

    #[test]
    fn the_time_to_one_host_is_that_of_the_path_beside_the_other_host() {
        let trip = Trip { seconds: 0.1, octets: 962.0, at: Time::ZERO };
        let (delay, known) = one_sided(trip, 3.0, 0.0, LINE);
        assert!((delay - 0.042).abs() < 1e-12 && known == Known::Beside);
        let (delay, known) = one_sided(trip, 2.0, 2.0, LINE);
        assert!((delay - 0.092).abs() < 1e-12 && known == Known::Hops);
        assert_eq!(one_sided(trip, 0.0, 4.0, LINE), (0.0, Known::Nothing));
    }

    #[test]
    fn a_packet_that_comes_its_own_time_on_the_link_after_another_one_came_right_behind_it() {
        let [left, right] = [1, 2].map(|number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number)));
        let sides = BTreeMap::from([(left, 0), (right, 1)]);
        let at = |microseconds| Time::ZERO + Duration::from_micros(microseconds);
        let survey = Survey { early: vec![(at(1000), left)], ..Survey::default() };
        let behind = |from, time| {
            // 62 octets and the framing take 800 us
            let trip = Trip { seconds: 0.01, octets: 62.0, at: at(time) };
            came_right_behind(&survey, &sides, from, trip, LINE)
        };
        assert_eq!([behind(left, 1800), behind(left, 1900), behind(right, 1800)], [true, false, false]);
    }
}
