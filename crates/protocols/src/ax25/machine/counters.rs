//! Event counters of a station.

use crate::counters;

/// An event that a station counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// I frames sent for the first time.
    InformationSent,
    /// I frames sent again.
    InformationResent,
    /// I frames delivered in sequence.
    InformationReceived,
    /// I frames dropped: out of sequence, duplicate, or received while own receiver busy.
    InformationDropped,
    /// REJ and SREJ frames sent.
    RejectsSent,
    /// REJ and SREJ frames received.
    RejectsReceived,
    /// Expiries of T1, in any state.
    Timeouts,
    /// Enquiries sent: RR, RNR or I commands with P.
    Enquiries,
    /// Links re-established, by either station.
    Resets,
    /// FRMR frames sent to peers.
    FrameRejectsSent,
    /// FRMR frames received from peers.
    FrameRejectsReceived,
    /// Set-ups that fell back from v2.2 to v2.0.
    FallBacks,
    /// Frames without meaning in their link's state, ignored.
    Ignored,
}

impl Counter {
    /// All counters, in the order of their indices.
    pub const ALL: [Counter; 13] = [
        Counter::InformationSent,
        Counter::InformationResent,
        Counter::InformationReceived,
        Counter::InformationDropped,
        Counter::RejectsSent,
        Counter::RejectsReceived,
        Counter::Timeouts,
        Counter::Enquiries,
        Counter::Resets,
        Counter::FrameRejectsSent,
        Counter::FrameRejectsReceived,
        Counter::FallBacks,
        Counter::Ignored,
    ];
}

impl From<Counter> for usize {
    fn from(counter: Counter) -> usize {
        counter as usize
    }
}

/// A station's counts since it was created.
pub type Counters = counters::Counters<Counter, { Counter::ALL.len() }>;
