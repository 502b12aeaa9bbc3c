//! What a node counts, for whoever asks how it fares.

/// Something a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// Information packets sent for the first time.
    InformationSent,
    /// Information packets sent again.
    InformationResent,
    /// Information packets received in sequence, or kept until their turn.
    InformationReceived,
    /// Information packets dropped: received before, too early, or while choked.
    InformationDropped,
    /// Acknowledgements sent by themselves.
    AcknowledgementsSent,
    /// Requests for a missing packet sent.
    NaksSent,
    /// Times the other side was choked.
    Chokes,
    /// Times the transport timer expired.
    Timeouts,
    /// Times a choked sender went on by itself.
    ChokeTimeouts,
    /// Packets of other nodes handed on.
    Forwarded,
    /// Packets dropped with no hop left.
    Expired,
    /// Packets dropped for want of a route.
    Unroutable,
    /// Broadcast frames heard.
    BroadcastsReceived,
    /// Packets that had no place in their circuit's state and were passed over.
    Ignored,
}

impl Counter {
    /// All counters.
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

/// A node's counts since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u64; Counter::ALL.len()]);

impl Counters {
    /// One more of `counter`.
    pub(super) const fn count(&mut self, counter: Counter) {
        self.0[counter as usize] += 1;
    }

    /// How many there were.
    pub const fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}
