//! Status requests of a context and their reports: sync numbers and the synchronizing handshake.

use sojourn_core::Time;

use super::outcome::Violation;
use super::round_trip::RoundTrip;
use super::sync_number::is_after;

/// Status requests by their sync numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct SyncState {
    /// Last sync number sent.
    pub sync: u32,
    /// Highest echo received.
    echo: u32,
    /// Sync number whose echo ends the handshake in progress.
    handshake: Option<u32>,
    /// Repetitions of the handshake's request.
    pub retries: u8,
    /// Consecutive reports without new allocation.
    pub waits: u8,
    /// Whether a report was received.
    established: bool,
    pub round_trip: RoundTrip,
}

impl SyncState {
    /// The sync number of a packet that requests status. One with new data measures the RTT.
    #[inline]
    pub fn next_sync(&mut self, measure: Option<Time>) -> u32 {
        self.sync = self.sync.wrapping_add(1);
        if let Some(now) = measure {
            self.round_trip.asked(self.sync, now);
        }
        self.sync
    }

    /// Starts a handshake or repeats its request; returns its sync number.
    pub fn start_handshake(&mut self) -> u32 {
        self.round_trip.forget_requests();
        let sync = self.next_sync(None);
        self.handshake = Some(sync);
        sync
    }

    /// Whether a status request is unanswered.
    #[inline]
    pub fn has_unanswered(&self) -> bool {
        self.sync != self.echo
    }

    /// Whether a handshake is in progress, for which data wait.
    #[inline]
    pub fn in_handshake(&self) -> bool {
        self.handshake.is_some()
    }

    /// Whether a report was ever received.
    pub fn is_established(&self) -> bool {
        self.established
    }

    /// A report was received; returns whether it is the first.
    pub fn establish(&mut self) -> bool {
        !std::mem::replace(&mut self.established, true)
    }

    /// Rejects an `echo` above the sync numbers sent.
    #[inline]
    pub fn check_echo(&self, echo: u32) -> Result<(), Violation> {
        if is_after(echo, self.sync) { Err(Violation::EchoBeyondSync) } else { Ok(()) }
    }

    /// Whether a DIAG with sync number `sync` concerns the handshake's request, not an older packet.
    pub fn concerns_handshake(&self, sync: u32) -> bool {
        self.handshake.is_some_and(|saved| !is_after(saved, sync))
    }

    /// Processes an echo; returns whether it is newer than those before.
    #[inline]
    pub fn on_echo(&mut self, echo: u32, now: Time) -> bool {
        let newer = is_after(echo, self.echo);
        if newer {
            self.echo = echo;
            self.retries = 0;
        }
        self.round_trip.answered(echo, now);
        if self.handshake.is_some_and(|saved| !is_after(saved, echo)) {
            self.handshake = None;
        }
        newer
    }
}
