//! What a node counts, for whoever asks how it fares.

/// Something a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// Packets received with a wrong CRC. Noted by the driver.
    TransmissionErrors,
    /// Transactions that failed after all tries.
    TransactionTimeouts,
    /// Messages lost because no receive record was free.
    ReceiveTransactionFull,
    /// Messages lost because no application buffer was free.
    LostMessages,
    /// Packets lost because no network buffer was free. Noted by the driver.
    MissedMessages,
    /// Answers that fit no open transaction.
    LateAcknowledgements,
    /// Collisions detected. Noted by the driver.
    Collisions,
    /// Times the backlog estimate would have passed its limit. Noted by the driver.
    BacklogOverflows,
    /// Further tries of acknowledged and request messages.
    Retries,
    /// Messages received again.
    Duplicates,
    /// Replies to challenges that were wrong.
    AuthenticationFailures,
    /// Responses of the application to requests no longer known.
    LateResponses,
}

impl Counter {
    /// All counters.
    pub const ALL: [Counter; 12] = [
        Counter::TransmissionErrors,
        Counter::TransactionTimeouts,
        Counter::ReceiveTransactionFull,
        Counter::LostMessages,
        Counter::MissedMessages,
        Counter::LateAcknowledgements,
        Counter::Collisions,
        Counter::BacklogOverflows,
        Counter::Retries,
        Counter::Duplicates,
        Counter::AuthenticationFailures,
        Counter::LateResponses,
    ];
}

/// A node's counts since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u32; Counter::ALL.len()]);

impl Counters {
    /// One more of `counter`.
    pub const fn count(&mut self, counter: Counter) {
        let cell = &mut self.0[counter as usize];
        *cell = cell.saturating_add(1);
    }

    /// How many there were.
    pub const fn get(&self, counter: Counter) -> u32 {
        self.0[counter as usize]
    }
}
