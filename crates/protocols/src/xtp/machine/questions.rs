//! What a context has asked its peer, and what has been answered: synchronising numbers and the handshake.

use sojourn_core::Time;

use super::round_trip::RoundTrip;
use super::sync::is_after;

/// Requests for status, by their synchronising numbers.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// The last number given out.
    pub sync: u32,
    /// The highest number echoed.
    answered: u32,
    /// The number whose echo ends the handshake.
    handshake: Option<u32>,
    /// How often the handshake's question has been repeated.
    pub retries: u8,
    /// How often in succession the peer answered that there is still no room.
    pub waits: u8,
    /// The peer has answered.
    established: bool,
    pub round_trip: RoundTrip,
}

impl Questions {
    /// A number for a packet that asks. One that carries data for the first time measures the round trip.
    #[inline]
    pub fn ask(&mut self, measure: Option<Time>) -> u32 {
        self.sync = self.sync.wrapping_add(1);
        if let Some(now) = measure {
            self.round_trip.asked(self.sync, now);
        }
        self.sync
    }

    /// A number for the handshake's question.
    pub fn ask_in_handshake(&mut self) -> u32 {
        self.round_trip.forget_requests();
        let sync = self.ask(None);
        self.handshake = Some(sync);
        sync
    }

    /// Whether something asked has not been answered.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.sync != self.answered
    }

    /// Whether data must wait for the handshake's answer.
    #[inline]
    pub fn in_handshake(&self) -> bool {
        self.handshake.is_some()
    }

    /// Whether the peer has ever answered.
    pub fn is_established(&self) -> bool {
        self.established
    }

    /// The peer has answered for the first time.
    pub fn establish(&mut self) {
        self.established = true;
    }

    /// Whether `echo` is of a number given out.
    #[inline]
    pub fn was_asked(&self, echo: u32) -> bool {
        !is_after(echo, self.sync)
    }

    /// Whether a complaint about a packet with number `sync` is about the handshake's question, not an older packet.
    pub fn is_of_handshake(&self, sync: u32) -> bool {
        self.handshake.is_some_and(|saved| !is_after(saved, sync))
    }

    /// Takes an answer; whether it is newer than those before.
    #[inline]
    pub fn answer(&mut self, echo: u32, now: Time) -> bool {
        let newer = is_after(echo, self.answered);
        if newer {
            self.answered = echo;
            self.retries = 0;
        }
        self.round_trip.answered(echo, now);
        if self.handshake.is_some_and(|saved| !is_after(saved, echo)) {
            self.handshake = None;
        }
        newer
    }
}
