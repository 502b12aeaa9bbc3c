//! The verdict on every datagram of a relay: the ground truth of a measurement through it.

use sojourn_core::Time;

/// Octets kept of a datagram: the header and timestamps of every probe.
const HEAD: usize = 64;

/// What happened to a datagram, by the clock of the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Whether it was sent to the remote host, rather than from it.
    pub is_forward: bool,
    /// When the relay received it.
    pub arrived: Time,
    /// When the relay sent it on: never if it was dropped, twice if it was duplicated.
    pub delivered: Vec<Time>,
    /// Its length in octets.
    pub octets: usize,
    /// Its first octets.
    pub head: Vec<u8>,
}

/// Every datagram of a relay, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct PassedDatagrams(pub Vec<Passed>);

impl PassedDatagrams {
    /// A datagram arrived; returns its number.
    pub fn arrived(&mut self, arrived: Time, is_forward: bool, datagram: &[u8]) -> usize {
        let head = datagram[..datagram.len().min(HEAD)].to_vec();
        self.0.push(Passed { is_forward, arrived, delivered: Vec::new(), octets: datagram.len(), head });
        self.0.len() - 1
    }

    /// A datagram was sent on.
    pub fn delivered(&mut self, number: usize, at: Time) {
        self.0[number].delivered.push(at);
    }
}
