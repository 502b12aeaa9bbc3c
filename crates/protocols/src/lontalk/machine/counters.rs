//! Event counters of a node (the statistics of ISO/IEC 14908-1 and more).

/// An event that a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// Packets received with a CRC error. Counted by the driver.
    TransmissionErrors,
    /// Transactions that failed after all retries.
    TransactionTimeouts,
    /// Messages lost because no receive record was free.
    ReceiveTransactionFull,
    /// Messages lost because no application buffer was free.
    LostMessages,
    /// Packets lost because no network buffer was free. Counted by the driver.
    MissedMessages,
    /// Acknowledgements and responses that match no open transaction.
    LateAcknowledgements,
    /// Collisions detected. Counted by the driver.
    Collisions,
    /// Times that the backlog estimate would have exceeded its limit. Counted by the driver.
    BacklogOverflows,
    /// Retries of acknowledged and request messages.
    Retries,
    /// Duplicates received and not delivered.
    Duplicates,
    /// Incorrect replies to challenges.
    AuthenticationFailures,
    /// Responses of the application to requests whose receive record has expired.
    LateResponses,
}

impl Counter {
    /// All counters, in the order of their indices.
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

/// A node's counts since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u32; Counter::ALL.len()]);

impl Counters {
    /// Adds one to `counter`, saturating.
    pub const fn count(&mut self, counter: Counter) {
        let cell = &mut self.0[counter as usize];
        *cell = cell.saturating_add(1);
    }

    /// The count of `counter`.
    pub const fn get(&self, counter: Counter) -> u32 {
        self.0[counter as usize]
    }
}
