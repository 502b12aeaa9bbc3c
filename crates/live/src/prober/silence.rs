//! Why a phase ends early, and when a silent peer counts as lost.

use sojourn_core::{Duration, Time};

use super::packets::Packets;
use crate::io::network_error::NetworkError;

/// The peer counts as lost after this time without a response if sending returned errors.
const ERROR_SILENCE: Duration = Duration::from_secs(1);
/// The peer counts as lost after this time without a response, or after three timeouts if that is longer.
const SILENCE: Duration = Duration::from_secs(5);

/// Why a phase ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The user cancelled the measurement.
    Cancelled,
    /// The peer stopped responding.
    PeerLost {
        /// Time of the last response, or the start.
        since: Time,
        /// The last network error, if any.
        error: Option<NetworkError>,
    },
    /// The number of requests reached its limit.
    Full,
}

/// Errors of the network, and the silence of the peer since its last response.
#[derive(Debug)]
pub struct Silence {
    began: Time,
    timeout: Duration,
    /// The last network error, and when it occurred.
    error: Option<(NetworkError, Time)>,
}

impl Silence {
    /// Counted from `began`; a request's timeout lengthens it.
    pub fn since(began: Time, timeout: Duration) -> Silence {
        Silence { began, timeout, error: None }
    }

    /// A network error occurred.
    pub fn error(&mut self, error: NetworkError, now: Time) {
        self.error = Some((error, now));
    }

    /// Whether the peer counts as lost in a phase that ends at `until`.
    pub fn check(&self, now: Time, until: Time, packets: &Packets) -> Result<(), EndReason> {
        let last = packets.last_answer().unwrap_or(self.began);
        // with few requests there are few responses
        let unheard = packets.all().iter().rev().take(3).filter(|packet| packet.received.is_none()).count();
        let error = self.error.filter(|(_, at)| *at > last).map(|(error, _)| error);
        let limit = if error.is_some() { ERROR_SILENCE } else { SILENCE.max(self.timeout.times(3)) };
        if unheard == 3 && now.since(last) > limit && now < until {
            return Err(EndReason::PeerLost { since: last, error });
        }
        Ok(())
    }
}
