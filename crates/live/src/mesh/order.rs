//! What a coordinator asks an agent for: a document of JSON within limits.

use serde::{Deserialize, Serialize};
use sojourn_core::Duration;
use sojourn_protocols::probe::wire::{MAX_PACKET, MIN_PACKET};

use crate::io::datagrams::Marking;
use crate::prober::plan::{Phase, TimedTest};
use crate::prober::schedule::Schedule;
use crate::prober::windows::event::MONITORED;
use crate::target::{AGENT_SCHEME, Target};

/// Octets of an order, at most.
pub const LONGEST: u32 = 64 << 10;
/// Peers of an order, at most; an agent measures no more of them in all.
pub const MOST_PEERS: usize = 256;
/// Octets of an address, at most, as of a name (RFC 1035, section 2.3.4) with its port.
const LONGEST_ADDRESS: usize = 262;
/// Requests of a window, at most: its report fits a line.
const MOST_REQUESTS: f64 = 4096.0;
/// Rates in requests per second, and lengths in seconds.
const RATES: std::ops::RangeInclusive<f64> = 1.0 / 3600.0..=1000.0;
const WINDOWS_S: std::ops::RangeInclusive<f64> = 1.0..=3600.0;
const TIMEOUTS_S: std::ops::RangeInclusive<f64> = 0.001..=60.0;
const LARGEST_DSCP: u8 = 63;

/// What an agent is to measure until the connection ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Addresses of agents, `192.0.2.7:18620` or `host.example`; a report on one has its place among them.
    pub peers: Vec<String>,
    /// Requests per second to each of them, open loop.
    pub rate: f64,
    /// Octets of user data of a request.
    pub size: u16,
    /// Differentiated services code point of requests, 0 to 63.
    pub dscp: u8,
    /// Length of a window, in seconds.
    pub window_s: f64,
    /// Response timeout, in seconds.
    pub timeout_s: f64,
}

/// Why an order is not carried out, as a sentence for its coordinator.
pub type Refusal = String;

impl Order {
    /// Reads an order, of any sender.
    pub fn read(line: &[u8]) -> Result<Order, Refusal> {
        let order: Order =
            serde_json::from_slice(line).map_err(|fault| format!("the order cannot be read: {fault}"))?;
        order.check()?;
        Ok(order)
    }

    /// As a line.
    pub fn line(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an order is plain data")
    }

    /// Its requests per second to all peers together.
    pub fn whole_rate(&self) -> f64 {
        self.rate * self.peers.len() as f64
    }

    /// Refuses what is out of range.
    pub fn check(&self) -> Result<(), Refusal> {
        let Order { peers, rate, size, dscp, window_s, timeout_s } = self;
        if peers.is_empty() || peers.len() > MOST_PEERS {
            return Err(format!("an order has 1 to {MOST_PEERS} peers, this one {}", peers.len()));
        }
        for peer in peers {
            peer_at(peer)?;
        }
        let ranges = [
            ("the rate, in requests per second,", *rate, RATES),
            ("the window, in seconds,", *window_s, WINDOWS_S),
            ("the timeout, in seconds,", *timeout_s, TIMEOUTS_S),
            ("the number of requests of a window", rate * window_s, 0.0..=MOST_REQUESTS),
            ("the size, in octets,", f64::from(*size), f64::from(MIN_PACKET)..=f64::from(MAX_PACKET)),
            ("the DSCP", f64::from(*dscp), 0.0..=f64::from(LARGEST_DSCP)),
        ];
        match ranges.into_iter().find(|(_, value, range)| !range.contains(value)) {
            Some((what, value, range)) => {
                Err(format!("{what} is {value}, and it is {} to {} at most", range.start(), range.end()))
            }
            None => Ok(()),
        }
    }

    /// The test of each peer.
    pub fn timed(&self) -> TimedTest {
        let duration = |seconds| Duration::from_seconds(seconds).unwrap_or(Duration::from_secs(1));
        let phase = Phase { name: MONITORED, duration: duration(self.window_s), loaded: false, recorded: true };
        TimedTest {
            timeout: duration(self.timeout_s),
            marking: Marking { dscp: self.dscp, ..Marking::default() },
            ..TimedTest::new(Schedule::Periodic { interval: duration(1.0 / self.rate) }, self.size.into(), vec![phase])
        }
    }
}

/// The agent at an address.
pub fn peer_at(address: &str) -> Result<Target, Refusal> {
    let wrong = || format!("`{}` is not the address of an agent", address.chars().take(60).collect::<String>());
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]%".contains(letter);
    if address.len() > LONGEST_ADDRESS || !address.chars().all(is_plain) {
        return Err(wrong());
    }
    let target = Target::parse(&format!("{AGENT_SCHEME}://{address}"), &[AGENT_SCHEME]).map_err(|_| wrong())?;
    target.check_form().map_err(|_| wrong())?;
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order() -> Order {
        let peers = vec!["192.0.2.7:18620".to_owned(), "oslo.example".to_owned(), "[2001:db8::1]:7".to_owned()];
        Order { peers, rate: 1.0, size: 64, dscp: 46, window_s: 60.0, timeout_s: 1.0 }
    }

    #[test]
    fn an_order_is_read_as_it_was_written() {
        assert_eq!(Order::read(&order().line()), Ok(order()));
        assert_eq!(order().whole_rate(), 3.0);
        let timed = order().timed();
        assert_eq!((timed.sizes, timed.marking.dscp, timed.timeout), (vec![64], 46, Duration::from_secs(1)));
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_its_value() {
        let refused = |change: fn(&mut Order)| {
            let mut order = order();
            change(&mut order);
            Order::read(&order.line()).expect_err("it is out of range")
        };
        assert!(refused(|order| order.peers.clear()).contains("1 to 256 peers"));
        assert!(refused(|order| order.peers = vec!["192.0.2.7".into(); 257]).contains("this one 257"));
        assert!(refused(|order| order.peers[0] = "127.0.0.1/metrics".into()).contains("not the address"));
        assert!(refused(|order| order.peers[0] = "x".repeat(263)).contains("not the address"));
        assert!(refused(|order| order.rate = 1001.0).contains("the rate"));
        assert!(refused(|order| order.rate = 0.0).contains("the rate"));
        assert!(refused(|order| (order.rate, order.window_s) = (1000.0, 5.0)).contains("requests of a window"));
        assert!(refused(|order| order.size = 63).contains("the size"));
        assert!(refused(|order| order.dscp = 64).contains("the DSCP"));
        assert!(refused(|order| order.timeout_s = 61.0).contains("the timeout"));
        assert!(Order::read(br#"{"peers":["192.0.2.7"],"rate":1,"shell":"rm"}"#).is_err());
    }

    /// What is accepted of any octets is within limits.
    fn any_octets(bytes: &[u8]) {
        let Ok(order) = Order::read(bytes) else { return };
        assert!(order.peers.len() <= MOST_PEERS && order.rate * order.window_s <= MOST_REQUESTS);
        let timed = order.timed();
        assert!(timed.timeout > Duration::ZERO && timed.duration() >= Duration::from_secs(1));
    }

    proptest! {
        #[test]
        fn any_octets_are_an_order_within_limits_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
            any_octets(&bytes);
        }

        #[test]
        fn a_changed_order_is_one_within_limits_or_none(at in 0..200usize, octet: u8, rate: f64, window_s: f64) {
            let mut line = Order { rate, window_s, ..order() }.line();
            any_octets(&line);
            let at = at % line.len();
            line[at] = octet;
            any_octets(&line);
        }
    }
}
