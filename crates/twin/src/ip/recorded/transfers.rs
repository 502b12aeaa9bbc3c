//! Transfers over TCP as they were: when each began, what it carried, and the rate that its sender kept.
//!
//! A transfer that answers a request, or is one, is that request. Any other is a bulk transfer that stops when it did. Each has a
//! sender of its own, whose send buffer holds no more than the rate needs: what a sender has written ahead would be sent after it
//! stops.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use sojourn_core::Time;

use super::super::connection::Connection;
use super::super::flow_key::FlowKey;
use super::super::flows::is_bulk;
use super::super::side::Side;
use super::super::survey::Survey;
use super::super::transactions::{Exchange, Flow};
use super::MOST;

/// User data of a full segment of the scenario, and the headers of IP and TCP with timestamps, octets.
const SEGMENT: f64 = 1448.0;
const HEADERS: f64 = 52.0;
/// Octets that a sender may send at once: two full packets. An answer begins as soon as it did.
pub(super) const BURST: f64 = 3000.0;
/// Segments in flight at the least, so that acknowledgements never wait for a timer.
const FEWEST_IN_FLIGHT: f64 = 4.0;
/// Send buffer of a host by default, octets.
const SEND_BUFFER: f64 = 4.0 * 1024.0 * 1024.0;

/// A transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer<'a> {
    pub connection: &'a Connection,
    /// The request that it answers, or that it is.
    pub exchange: Option<Exchange>,
}

/// The largest transfers of a capture, in the order of their begins.
pub(super) fn of<'a>(survey: &'a Survey, flows: &BTreeMap<FlowKey, Flow>) -> Vec<Transfer<'a>> {
    let mut found: Vec<&Connection> = survey.all_connections().filter(|connection| is_bulk(connection)).collect();
    found.sort_by_key(|connection| std::cmp::Reverse(connection.bytes));
    found.truncate(MOST);
    found.sort_by_key(|connection| connection.begin);
    let mut taken: BTreeSet<(FlowKey, Time)> = BTreeSet::new();
    let transfer = |connection: &'a Connection| {
        let key = connection.key();
        let exchanges = flows.get(&key).map_or(&[][..], |flow| &flow.exchanges[..]);
        let free = exchanges.iter().filter(|exchange| !taken.contains(&(key, exchange.begin)));
        let own = free.filter(|exchange| carries(exchange, connection));
        let exchange = own.max_by_key(|exchange| exchange.octets[connection.sender()]).copied();
        taken.extend(exchange.map(|exchange| (key, exchange.begin)));
        Transfer { connection, exchange }
    };
    found.into_iter().map(transfer).collect()
}

/// Whether an exchange is that of a connection, and carries most of its data.
fn carries(exchange: &Exchange, connection: &Connection) -> bool {
    let sender = connection.sender();
    let side = &connection.sides[sender];
    let Some((first, last)) = side.first.zip(side.last) else { return false };
    let message = [exchange.begin, exchange.end][sender];
    let octets = u64::from(exchange.octets[sender]);
    (first..=last).contains(&message) && exchange.begin >= connection.begin && 2 * octets >= side.octets
}

impl Transfer<'_> {
    /// What its sender sends.
    pub fn side(&self) -> &Side {
        &self.connection.sides[self.connection.sender()]
    }

    /// Whether the client sends: to the server.
    pub fn is_upload(&self) -> bool {
        self.connection.sender() == 0
    }

    /// The hosts that its data go from and to.
    pub fn hosts(&self) -> (IpAddr, IpAddr) {
        let (from, to) = self.connection.direction();
        (from.address, to.address)
    }

    /// The rate of its packets that takes as long as it took, bit/s; `None` where it took no time.
    pub fn rate(&self) -> Option<f64> {
        let octets = self.side().octets as f64;
        let on_the_path = octets + HEADERS * (octets / SEGMENT).ceil();
        let seconds = self.side().seconds();
        (seconds > 0.0).then(|| 8.0 * (on_the_path - BURST) / seconds)
    }

    /// Octets that are sent and not acknowledged at this rate, where it takes `round_trip` seconds.
    pub fn in_flight(&self, round_trip: f64) -> f64 {
        let needed = self.rate().map_or(SEND_BUFFER, |rate| 2.0 * rate * round_trip / 8.0);
        needed.clamp(FEWEST_IN_FLIGHT * SEGMENT, SEND_BUFFER).ceil()
    }

    /// Segments of that.
    pub fn window(&self, round_trip: f64) -> u64 {
        (self.in_flight(round_trip) / SEGMENT).ceil() as u64
    }

    /// Packets of it.
    pub fn packets(&self) -> u64 {
        (self.side().octets as f64 / SEGMENT).ceil() as u64
    }

    /// When its sender stops to write, which has then written so much ahead; from its first data, s.
    pub fn stops_after(&self, round_trip: f64) -> f64 {
        let ahead = self.rate().map_or(0.0, |rate| 8.0 * self.in_flight(round_trip) / rate);
        (self.side().seconds() - ahead).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_capture::{LinkType, Packet, Service};
    use sojourn_core::Duration;

    use super::super::super::packets::segment;
    use super::*;

    /// 200 segments of 1000 octets in 1.99 s, from the server or from the client.
    fn survey(is_upload: bool) -> Survey {
        let (client, server) = ((Ipv4Addr::new(10, 0, 0, 1), 40_000), (Ipv4Addr::new(10, 0, 0, 2), 80));
        let mut survey = Survey::default();
        let mut capture = |number: u64, milliseconds: u64, data: Vec<u8>| {
            let time = Time::ZERO + Duration::from_millis(milliseconds);
            survey.packet(&Packet::whole(number, time, LinkType::RAW_IP, &data));
        };
        capture(1, 0, segment(client, server, (0, 0, 2), &[]));
        let (from, to) = if is_upload { (client, server) } else { (server, client) };
        for number in 0..200_u32 {
            let data = segment(from, to, (1 + 1000 * number, 1, 0x10), &[0; 1000]);
            capture(2 + u64::from(number), 100 + 10 * u64::from(number), data);
        }
        survey
    }

    #[test]
    fn the_rate_of_a_transfer_is_that_of_its_packets_behind_the_first_ones() {
        for is_upload in [false, true] {
            let survey = survey(is_upload);
            let found = of(&survey, &BTreeMap::new());
            assert_eq!((found.len(), found[0].is_upload(), found[0].packets()), (1, is_upload, 139));
            // 200000 octets in 139 full packets: 207228 of IP, 3000 of them at once, in 1.99 s
            let rate = 8.0 * (207_228.0 - 3000.0) / 1.99;
            assert!((found[0].rate().unwrap() - rate).abs() < 1e-6);
        }
    }

    #[test]
    fn a_sender_stops_before_its_last_data_by_what_it_has_written_ahead() {
        let survey = survey(true);
        let transfer = of(&survey, &BTreeMap::new())[0];
        // four segments at 821 kbit/s take 56.4 ms; a round trip of 200 ms keeps twice its 20526 octets in flight
        assert!((transfer.stops_after(0.0) - (1.99 - 8.0 * 5792.0 / transfer.rate().unwrap())).abs() < 1e-9);
        assert_eq!(transfer.in_flight(0.2), 41_051.0);
        assert_eq!(transfer.window(0.2), 29);
    }

    #[test]
    fn an_exchange_is_that_of_a_transfer_if_it_carries_most_of_its_data() {
        let survey = survey(false);
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let exchange = |begin, octets| {
            let [begin, end, complete] = [begin, begin + 20, 2090].map(at);
            Exchange { begin, end, complete, octets }
        };
        let found = |exchanges: Vec<Exchange>| {
            let [client, server] = [[10, 0, 0, 1], [10, 0, 0, 2]].map(IpAddr::from);
            let key = FlowKey { client, server, service: Service::Tcp(80) };
            of(&survey, &BTreeMap::from([(key, Flow { exchanges, ..Flow::default() })]))[0].exchange
        };
        let (small, large) = (exchange(85, [100, 900]), exchange(90, [100, 199_100]));
        assert_eq!(found(vec![small, large]), Some(large));
        assert_eq!(found(vec![small]), None);
        // it began before the connection's data
        assert_eq!(found(vec![exchange(30, [100, 200_000])]), None);
    }
}
