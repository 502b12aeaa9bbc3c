//! Event counters of a node.

use crate::counters;

/// An event that a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// Information packets sent for the first time.
    InformationSent,
    /// Information packets sent again.
    InformationResent,
    /// Information packets received in sequence, or buffered out of sequence.
    InformationReceived,
    /// Information packets dropped: duplicate, outside the window, or received while choking.
    InformationDropped,
    /// Information acknowledge packets sent without NAK.
    AcknowledgementsSent,
    /// Information acknowledge packets sent with NAK.
    NaksSent,
    /// Times that the peer was choked.
    Chokes,
    /// Expiries of the transport timeout.
    Timeouts,
    /// Expiries of the choke timeout, after which a choked sender resumed.
    ChokeTimeouts,
    /// Packets of other nodes forwarded.
    Forwarded,
    /// Packets dropped because their time to live expired.
    Expired,
    /// Packets dropped because there is no route.
    Unroutable,
    /// NODES broadcast frames received.
    BroadcastsReceived,
    /// Packets without meaning in their circuit's state, ignored.
    Ignored,
}

impl Counter {
    /// All counters, in the order of their indices.
    pub const ALL: [Counter; 14] = [
        Counter::InformationSent,
        Counter::InformationResent,
        Counter::InformationReceived,
        Counter::InformationDropped,
        Counter::AcknowledgementsSent,
        Counter::NaksSent,
        Counter::Chokes,
        Counter::Timeouts,
        Counter::ChokeTimeouts,
        Counter::Forwarded,
        Counter::Expired,
        Counter::Unroutable,
        Counter::BroadcastsReceived,
        Counter::Ignored,
    ];
}

impl From<Counter> for usize {
    fn from(counter: Counter) -> usize {
        counter as usize
    }
}

/// A node's counts since it was created.
pub type Counters = counters::Counters<Counter, { Counter::ALL.len() }>;
