//! What a station counts, for whoever asks how it fares.

/// Something a station counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// I frames sent for the first time.
    InformationSent,
    /// I frames sent again.
    InformationResent,
    /// I frames received in sequence, or stored until their turn.
    InformationReceived,
    /// I frames dropped: out of sequence, received before, or while busy.
    InformationDropped,
    /// REJ and SREJ frames sent.
    RejectsSent,
    /// REJ and SREJ frames received.
    RejectsReceived,
    /// Times T1 expired.
    Timeouts,
    /// Polls sent to ask how things stand.
    Enquiries,
    /// Links begun anew, by either station.
    Resets,
    /// FRMR frames sent.
    FrameRejectsSent,
    /// FRMR frames received.
    FrameRejectsReceived,
    /// Set-ups that fell back from v2.2 to v2.0.
    FallBacks,
    /// Frames that had no place in their link's state and were passed over.
    Ignored,
}

impl Counter {
    /// All counters.
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

/// A station's counts since it was made.
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
