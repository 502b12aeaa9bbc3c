//! Handling of a silent peer: when it counts as lost, and why a phase ends early.

use sojourn_core::{Duration, Time};

use super::outages::NetworkErrors;
use super::packets::Packets;
use crate::io::network_error::NetworkError;

/// A peer that never responded counts as absent after this time if sending returned errors.
const ERROR_SILENCE: Duration = Duration::from_secs(1);
/// A peer that never responded counts as absent after this time, or after three timeouts if that is longer.
const SILENCE: Duration = Duration::from_secs(5);
/// A peer is silent after this time without a response.
const SILENT: Duration = Duration::from_secs(1);

/// Why a phase ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The user cancelled the measurement.
    Cancelled,
    /// The peer never responded, or its outage exceeded the limit.
    PeerLost {
        /// Time of the last response, or the start.
        since: Time,
        /// The last network error, if any.
        error: Option<NetworkError>,
    },
    /// The peer ended the measurement.
    Ended {
        /// Time of the last response, or the start.
        since: Time,
        /// Why, as the peer said.
        reason: String,
    },
    /// The number of requests reached its limit.
    Full,
}

impl EndReason {
    /// Where what was measured ends, if not now: requests after the peer ended the measurement are not part of it.
    pub fn until(&self) -> Option<Time> {
        match self {
            EndReason::Ended { since, .. } => Some(*since),
            EndReason::PeerLost { .. } | EndReason::Cancelled | EndReason::Full => None,
        }
    }
}

/// How long a peer may be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilenceLimits {
    /// A request's timeout.
    pub timeout: Duration,
    /// Longest outage; without it the measurement goes on until its end.
    pub outage: Option<Duration>,
    /// Whether the peer has responded before the first request of this run.
    pub has_responded: bool,
}

/// Errors of the network, and the silence of the peer since its last response.
#[derive(Debug)]
pub struct Silence {
    began: Time,
    limits: SilenceLimits,
    /// The last network error, and when it occurred.
    error: Option<(NetworkError, Time)>,
    errors: NetworkErrors,
}

impl Silence {
    /// Counted from `began`.
    pub fn since(began: Time, limits: SilenceLimits) -> Silence {
        Silence { began, limits, error: None, errors: NetworkErrors::default() }
    }

    /// A network error occurred.
    pub fn error(&mut self, error: NetworkError, now: Time) {
        self.error = Some((error, now));
        self.errors.add(error, now);
    }

    /// The errors of the network so far.
    pub fn errors(&self) -> &NetworkErrors {
        &self.errors
    }

    /// Drops errors of the network before a time.
    pub fn forget(&mut self, before: Time) {
        self.errors.forget(before);
    }

    /// All errors of the network.
    pub fn into_errors(self) -> NetworkErrors {
        self.errors
    }

    /// How long the peer has been silent: since when, if its last three requests have no response; with few requests there
    /// are few responses.
    pub fn silent_since(&self, now: Time, packets: &Packets) -> Option<Time> {
        let last = packets.last_answer().unwrap_or(self.began);
        let unheard = packets.all().iter().rev().take(3).filter(|packet| packet.received.is_none()).count();
        (unheard == 3 && now.since(last) > SILENT).then_some(last)
    }

    /// The silence since `last`, for the user.
    pub fn describe(&self, last: Time) -> String {
        let error = self.error.filter(|(_, at)| *at > last);
        let why = error.map_or(String::new(), |(error, _)| format!(" ({error})"));
        let is_answer = error.is_some_and(|(error, _)| error.is_answer());
        let what = if is_answer { "every answer is a failure" } else { "no response" };
        format!("{what} for {:.0} s{why}; the measurement goes on", SILENT.seconds())
    }

    /// Whether a peer that has been silent since `last` counts as lost in a phase that ends at `until`.
    pub fn check(&self, last: Time, now: Time, until: Time, packets: &Packets) -> Result<(), EndReason> {
        let error = self.error.filter(|(_, at)| *at > last).map(|(error, _)| error);
        let SilenceLimits { timeout, outage, has_responded } = self.limits;
        let limit = match (has_responded || packets.has_response(), error) {
            (true, _) => outage,
            (false, Some(_)) => Some(ERROR_SILENCE),
            (false, None) => Some(SILENCE.max(timeout.times(3))),
        };
        if limit.is_some_and(|limit| now.since(last) > limit) && now < until {
            return Err(EndReason::PeerLost { since: last, error });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer::Response;
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    fn silence(outage: Option<Duration>, has_responded: bool) -> Silence {
        Silence::since(at(0), SilenceLimits { timeout: Duration::from_secs(2), outage, has_responded })
    }

    /// Ten requests, one a second, of which the first `answered` have a response.
    fn packets(answered: u64) -> Packets {
        let mut packets = Packets::starting_at(0);
        (0..10).for_each(|second| packets.sent(at(second), at(second)));
        for sequence in 0..answered {
            let received = at(sequence);
            packets.answered(Response { sequence, received, kernel_received: None, far: None, class: None });
        }
        packets
    }

    /// After how many seconds it counts as lost, within a minute.
    fn lost_after(silence: &Silence, packets: &Packets) -> Option<u64> {
        (1..60).find(|now| {
            let last = silence.silent_since(at(*now), packets);
            last.is_some_and(|last| silence.check(last, at(*now), at(100), packets).is_err())
        })
    }

    #[test]
    fn a_peer_that_never_responded_is_absent_after_three_timeouts_or_a_second_with_errors() {
        let mut silence = silence(None, false);
        assert_eq!(lost_after(&silence, &packets(0)), Some(7));
        silence.error(NetworkError::PortClosed, at(1));
        assert_eq!(lost_after(&silence, &packets(0)), Some(2));
    }

    #[test]
    fn without_a_limit_an_outage_never_ends_a_measurement() {
        let mut silence = silence(None, false);
        silence.error(NetworkError::Unreachable, at(6));
        assert_eq!(lost_after(&silence, &packets(5)), None);
    }

    #[test]
    fn an_outage_beyond_the_limit_ends_it_with_the_last_error() {
        let mut silence = silence(Some(Duration::from_secs(20)), false);
        silence.error(NetworkError::Unreachable, at(6));
        assert_eq!(lost_after(&silence, &packets(5)), Some(4 + 21));
        let ended = silence.check(at(4), at(25), at(100), &packets(5));
        assert_eq!(ended, Err(EndReason::PeerLost { since: at(4), error: Some(NetworkError::Unreachable) }));
    }

    #[test]
    fn a_replication_that_begins_in_an_outage_waits_as_well() {
        assert_eq!(lost_after(&silence(None, true), &packets(0)), None);
    }
}
