//! A session: its client, what is left of its limits, and its counters.

use std::collections::VecDeque;
use std::net::IpAddr;

use sojourn_core::{Duration, Time};

use super::event::Summary;
use super::io::Path;
use super::load::Load;
use super::phases::Phases;
use super::rate_limiter::RateLimiter;
use super::replay_window::ReplayWindow;
use crate::probe::wire::{Limits, Nonce, Reason, Report, Residence, Token};

/// Burst tolerance of the rate limits; clients pace as unevenly as their schedulers.
const BURST: Duration = Duration::from_millis(100);
/// Residence times kept until later replies carry them; a driver may report dozens at once.
const MAX_PENDING_RESIDENCES: usize = 64;
/// Maximum duration of a session: instants end after 213 days.
const MAX_SECONDS: u32 = 30 * 86_400;

/// An open session.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub token: Token,
    /// Addresses of its opening.
    pub path: Path,
    /// Nonce of its opening, by which a retransmitted Open is recognized.
    pub nonce: Nonce,
    pub limits: Limits,
    opened_at: Time,
    pub last_received: Time,
    pub sequences: ReplayWindow,
    pub stream_sequences: ReplayWindow,
    /// Sequence number of the latest control packet.
    pub control: u64,
    /// Reason, if that packet was refused.
    pub refusal: Option<Reason>,
    packets: RateLimiter,
    bits: RateLimiter,
    /// Octets transferred in both directions.
    volume: u64,
    pub report: Report,
    pub phases: Phases,
    pub sending: Option<Load>,
    /// Residence times of transmitted replies by sequence number, until later replies carry them.
    residences: VecDeque<(u64, Residence)>,
    pub streams: u16,
    pub stream_octets_in: u64,
    pub stream_octets_out: u64,
}

impl Session {
    pub fn new(now: Time, token: Token, path: Path, nonce: Nonce, limits: Limits) -> Session {
        Session {
            token,
            path,
            nonce,
            limits,
            opened_at: now,
            last_received: now,
            sequences: ReplayWindow::default(),
            stream_sequences: ReplayWindow::default(),
            control: 0,
            refusal: None,
            packets: RateLimiter::new(u64::from(limits.packet_rate), BURST),
            bits: RateLimiter::new(limits.bit_rate, BURST),
            volume: 0,
            report: Report::default(),
            phases: Phases::default(),
            sending: None,
            residences: VecDeque::with_capacity(MAX_PENDING_RESIDENCES),
            streams: 0,
            stream_octets_in: 0,
            stream_octets_out: 0,
        }
    }

    /// End of the time granted.
    pub fn until(&self) -> Time {
        self.opened_at + Duration::from_secs(u64::from(self.limits.seconds.min(MAX_SECONDS)))
    }

    /// When it ends unless a packet arrives from the client.
    pub fn idle_at(&self) -> Time {
        self.last_received + Duration::from_secs(u64::from(self.limits.idle_seconds))
    }

    /// Whether a packet of the client conforms to its limits; if so it is counted.
    pub fn admits(&mut self, now: Time, octets: u16) -> bool {
        let conforms =
            octets <= self.limits.longest && self.packets.take(now, 1) && self.bits.take(now, 8 * u64::from(octets));
        if conforms {
            self.account(u64::from(octets));
        }
        conforms
    }

    /// Counts octets of either direction towards the volume.
    pub fn account(&mut self, octets: u64) {
        self.volume = self.volume.saturating_add(octets);
    }

    /// Remaining octets of the volume granted.
    pub fn volume_left(&self) -> u64 {
        self.limits.octets.saturating_sub(self.volume)
    }

    /// The reply to `sequence` was transmitted after this residence time.
    pub fn reply_sent(&mut self, sequence: u64, residence_ns: u64, by_kernel: bool) {
        // a residence time beyond the field's range is not reported
        let Ok(ns) = u32::try_from(residence_ns) else { return };
        if self.residences.len() == MAX_PENDING_RESIDENCES {
            self.residences.pop_front();
        }
        self.residences.push_back((sequence, Residence { earlier: 0, ns, by_kernel }));
    }

    /// The residence time of an earlier reply, for the reply to `sequence` to carry; each is reported once.
    pub fn take_residence_before(&mut self, sequence: u64) -> Option<Residence> {
        let (_, residence) = self.residences.front().filter(|(left, _)| *left < sequence).copied()?;
        let (left, _) = self.residences.pop_front()?;
        // nor is one of a reply beyond the range of its field
        let earlier = u32::try_from(sequence - left).ok().filter(|earlier| *earlier < 1 << 24)?;
        Some(Residence { earlier, ..residence })
    }

    /// Result of the session so far.
    pub fn summary(&self, reason: Reason) -> Summary {
        Summary {
            token: self.token,
            peer: self.path.peer,
            reason,
            lasted: self.last_received.since(self.opened_at),
            report: self.report,
            stream_octets_in: self.stream_octets_in,
            stream_octets_out: self.stream_octets_out,
        }
    }
}

/// The network that counts as one client: an IPv4 address, or the /64 of an IPv6 host (RFC 4291, section 2.5.4).
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => IpAddr::from((u128::from(address) & !u128::from(u64::MAX)).to_be_bytes()),
    }
}

/// A duration requested in ns, limited to `max`.
pub(super) fn nanoseconds(requested: u64, max: Duration) -> Duration {
    let picoseconds = requested.saturating_mul(1000);
    max.min(Duration::from_picoseconds(picoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Path {
        Path { peer: "127.0.0.1:1".parse().unwrap(), local: None }
    }

    #[test]
    fn the_addresses_of_an_ipv6_network_are_one_client() {
        let of = |text: &str| client_network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"), "as a dual-stack socket reports it");
        assert_ne!(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"));
    }

    #[test]
    fn a_reply_reports_the_residence_time_of_an_earlier_one_only() {
        let limits = Limits::NONE;
        let mut session = Session::new(Time::ZERO, [1; 16], path(), [2; 16], limits);
        assert_eq!(session.take_residence_before(7), None);
        session.reply_sent(7, 1500, true);
        assert_eq!((session.take_residence_before(7), session.take_residence_before(6)), (None, None));
        assert_eq!(session.take_residence_before(9), Some(Residence { earlier: 2, ns: 1500, by_kernel: true }));
        assert_eq!(session.take_residence_before(10), None, "it was reported");
        session.reply_sent(8, 1 << 32, true);
        assert_eq!(session.take_residence_before(9), None, "4.3 s exceed the field");
        session.reply_sent(10, 1500, true);
        assert_eq!(session.take_residence_before(10 + (1 << 24)), None, "as many replies exceed theirs");
    }

    #[test]
    fn residence_times_are_reported_one_by_one_and_the_oldest_are_dropped() {
        let mut session = Session::new(Time::ZERO, [1; 16], path(), [2; 16], Limits::NONE);
        (0..70).for_each(|sequence| session.reply_sent(sequence, 1000 + sequence, true));
        for sequence in 100..100 + MAX_PENDING_RESIDENCES as u64 {
            let reported = session.take_residence_before(sequence).unwrap();
            assert_eq!((reported.earlier, reported.ns), (100 - 6, 1000 + sequence as u32 - 100 + 6));
        }
        assert_eq!(session.take_residence_before(200), None);
    }
}
