//! One client's session: who it is, what it may still do, and what it has done.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use sojourn_core::{Duration, Time};

use super::allowance::Allowance;
use super::event::Summary;
use super::sending::Sending;
use super::window::Window;
use crate::probe::wire::{Held, Limits, Nonce, Reason, Report, Token};

/// What may exceed a rate at once; a client's pacing is as uneven as its scheduler.
const BURST: Duration = Duration::from_millis(100);
/// Replies that are remembered to have left until others tell of them; a driver may learn of some dozens at once.
const MOST_LEFT: usize = 64;
/// The longest session, whatever is granted: instants end after 213 days.
const LONGEST_SECONDS: u32 = 30 * 86_400;

/// An open session.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub token: Token,
    pub peer: SocketAddr,
    /// Of its opening, so that one asked for twice is one.
    pub nonce: Nonce,
    pub limits: Limits,
    opened_at: Time,
    pub last_heard: Time,
    pub sequences: Window,
    pub stream_sequences: Window,
    /// The number of the latest control packet.
    pub control: u64,
    /// What was answered to it, if it was refused.
    pub refusal: Option<Reason>,
    packets: Allowance,
    bits: Allowance,
    /// Octets of both directions.
    volume: u64,
    pub report: Report,
    pub sending: Option<Sending>,
    /// How long replies known to have left were held, with their sequence numbers, until other replies tell of them.
    left: VecDeque<(u64, Held)>,
    pub streams: u16,
    pub stream_octets_in: u64,
    pub stream_octets_out: u64,
}

impl Session {
    pub fn new(now: Time, token: Token, peer: SocketAddr, nonce: Nonce, limits: Limits) -> Session {
        Session {
            token,
            peer,
            nonce,
            limits,
            opened_at: now,
            last_heard: now,
            sequences: Window::default(),
            stream_sequences: Window::default(),
            control: 0,
            refusal: None,
            packets: Allowance::new(u64::from(limits.packet_rate), BURST),
            bits: Allowance::new(limits.bit_rate, BURST),
            volume: 0,
            report: Report::default(),
            sending: None,
            left: VecDeque::with_capacity(MOST_LEFT),
            streams: 0,
            stream_octets_in: 0,
            stream_octets_out: 0,
        }
    }

    /// When the time granted is over.
    pub fn until(&self) -> Time {
        self.opened_at + Duration::from_secs(u64::from(self.limits.seconds.min(LONGEST_SECONDS)))
    }

    /// When it ends unless the client says something.
    pub fn idle_at(&self) -> Time {
        self.last_heard + Duration::from_secs(u64::from(self.limits.idle_seconds))
    }

    /// Whether a packet of the client is within its limits; if so it is accounted for.
    pub fn affords(&mut self, now: Time, octets: u16) -> bool {
        let affordable =
            octets <= self.limits.longest && self.packets.take(now, 1) && self.bits.take(now, 8 * u64::from(octets));
        if affordable {
            self.spend(u64::from(octets));
        }
        affordable
    }

    /// So many octets went either way.
    pub fn spend(&mut self, octets: u64) {
        self.volume = self.volume.saturating_add(octets);
    }

    /// What is left of the volume granted.
    pub fn volume_left(&self) -> u64 {
        self.limits.octets.saturating_sub(self.volume)
    }

    /// The reply to `sequence` left, so long after its probe came.
    pub fn reply_left(&mut self, sequence: u64, held_ns: u64, by_kernel: bool) {
        // what does not fit the field is not told
        let Ok(ns) = u32::try_from(held_ns) else { return };
        if self.left.len() == MOST_LEFT {
            self.left.pop_front();
        }
        self.left.push_back((sequence, Held { earlier: 0, ns, by_kernel }));
    }

    /// What the reply to `sequence` tells of an earlier one; it is told once.
    pub fn held_before(&mut self, sequence: u64) -> Option<Held> {
        let (_, held) = self.left.front().filter(|(left, _)| *left < sequence).copied()?;
        let (left, _) = self.left.pop_front()?;
        Some(Held { earlier: u32::try_from(sequence - left).ok()?, ..held })
    }

    /// What came of it.
    pub fn summary(&self, reason: Reason) -> Summary {
        Summary {
            peer: self.peer,
            reason,
            lasted: self.last_heard.since(self.opened_at),
            report: self.report,
            stream_octets_in: self.stream_octets_in,
            stream_octets_out: self.stream_octets_out,
        }
    }
}

/// Addresses that one user can have: one of IPv4, and of IPv6 the /64 that a host is given (RFC 4291, section 2.5.4).
pub(super) fn user(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => IpAddr::from((u128::from(address) & !u128::from(u64::MAX)).to_be_bytes()),
    }
}

/// A span that a packet names, as far as it is within `most`.
pub(super) fn nanoseconds(named: u64, most: Duration) -> Duration {
    let picoseconds = named.saturating_mul(1000);
    most.min(Duration::from_picoseconds(picoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one_user() {
        let of = |text: &str| user(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"), "as a socket for both families shows it");
        assert_ne!(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"));
    }

    #[test]
    fn a_reply_tells_of_an_earlier_one_only() {
        let limits = Limits::NONE;
        let mut session = Session::new(Time::ZERO, [1; 16], "127.0.0.1:1".parse().unwrap(), [2; 16], limits);
        assert_eq!(session.held_before(7), None);
        session.reply_left(7, 1500, true);
        assert_eq!((session.held_before(7), session.held_before(6)), (None, None));
        assert_eq!(session.held_before(9), Some(Held { earlier: 2, ns: 1500, by_kernel: true }));
        assert_eq!(session.held_before(10), None, "it has been told");
        session.reply_left(8, 1 << 32, true);
        assert_eq!(session.held_before(9), None, "4.3 s do not fit");
    }

    #[test]
    fn replies_that_left_are_told_of_one_by_one_and_of_too_many_the_oldest_are_not() {
        let peer = "127.0.0.1:1".parse().unwrap();
        let mut session = Session::new(Time::ZERO, [1; 16], peer, [2; 16], Limits::NONE);
        (0..70).for_each(|sequence| session.reply_left(sequence, 1000 + sequence, true));
        for sequence in 100..100 + MOST_LEFT as u64 {
            let told = session.held_before(sequence).unwrap();
            assert_eq!((told.earlier, told.ns), (100 - 6, 1000 + sequence as u32 - 100 + 6));
        }
        assert_eq!(session.held_before(200), None);
    }
}
