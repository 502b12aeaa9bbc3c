//! What was seen of a station.

use sojourn_core::{Duration, Time};

/// Times of one kind: how many, their sum, the longest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// How many.
    pub count: u64,
    /// Their sum in picoseconds.
    pub sum: u128,
    /// The longest.
    pub most: Duration,
}

impl Spans {
    /// Adds a time.
    pub fn add(&mut self, span: Duration) {
        self.count += 1;
        self.sum += u128::from(span.picoseconds());
        self.most = self.most.max(span);
    }

    /// Their mean in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * 1e-12)
    }
}

/// A station: what it sent and received, and how long it took. A master with all, a slave with replies alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// Frames sent.
    pub frames: u64,
    /// Their octets from preamble to CRC.
    pub octets: u64,
    /// Tokens passed on, those sent again included.
    pub tokens_passed: u64,
    /// Tokens received, those sent again left out.
    pub tokens_received: u64,
    /// Times that a token to it was sent again.
    pub token_retries: u64,
    /// Tokens sent to itself.
    pub own_tokens: u64,
    /// Tokens that it passed on without having received the last one.
    pub tokens_out_of_order: u64,
    /// Polls For Master sent.
    pub polls: u64,
    /// Replies to Poll For Master sent.
    pub poll_replies: u64,
    /// Highest address that it polled: its Max_Master, once it has polled all.
    pub highest_polled: Option<u8>,
    /// Most tokens received between two polls (Npoll).
    pub tokens_between_polls: Option<u64>,
    /// Data expecting a reply (DER) sent.
    pub requests: u64,
    /// Data not expecting a reply (DNER) sent: replies and all else.
    pub unsolicited: u64,
    /// Replies Postponed sent.
    pub postponed: u64,
    /// Test Requests sent.
    pub test_requests: u64,
    /// Test Responses sent.
    pub test_responses: u64,
    /// Most frames sent with one token: at most its Max_Info_Frames.
    pub frames_per_token: u32,
    /// Between two tokens that it received.
    pub rotation: Spans,
    /// Treply.
    pub token_reply: Spans,
    /// Tusage.
    pub usage_timeout: Spans,
    /// Trpfm.
    pub poll_reply: Spans,
    /// Tder.
    pub reply: Spans,
    /// Tpostpd.
    pub postponed_reply: Spans,
    /// Instance of the device that it announced itself as.
    pub device: Option<u32>,
    /// When it received the last token.
    pub(super) token_at: Option<Time>,
    /// Tokens received until its last poll.
    pub(super) tokens_at_poll: Option<u64>,
}
