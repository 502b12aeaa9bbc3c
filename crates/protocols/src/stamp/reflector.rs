//! The session-reflector (RFC 8762 section 4.3).

use sojourn_core::{Machine, Time};

use super::UNKNOWN_TTL;
use super::error_estimate::ErrorEstimate;
use super::packet::{Probe, Reply};
use super::sessions::Sessions;
use super::timestamp::Timestamp;

/// Answers every probe with one reply; it has no timers.
#[derive(Debug)]
pub struct Reflector<P> {
    /// Absent in a stateless reflector.
    sessions: Option<Sessions<P>>,
    next: Option<Transmit<P>>,
}

/// A test packet that the reflector has received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received<P> {
    /// Address of the sender.
    pub from: P,
    /// The parsed test packet.
    pub probe: Probe,
    /// TLV extensions after the test packet, octets as received (RFC 8972).
    pub extensions: Vec<u8>,
    /// Receive time, ns since 1970-01-01 UTC.
    pub at_unix_ns: u64,
    /// Error estimate of the reflector's clock then, with the format of its timestamps.
    pub error: ErrorEstimate,
    /// TTL or hop limit, if the operating system reports it.
    pub ttl: Option<u8>,
}

/// A reply to transmit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit<P> {
    /// Destination address and port of the reply.
    pub to: P,
    /// The reply; the driver sets its timestamp on transmission.
    pub reply: Reply,
    /// Octets after the probe, to be reflected.
    pub extensions: Vec<u8>,
}

impl<P: Ord + Copy> Reflector<P> {
    /// A reflector; a stateful one has its own sequence numbers.
    pub fn new(stateful: bool) -> Reflector<P> {
        Reflector { sessions: stateful.then(Sessions::new), next: None }
    }
}

impl<P: Ord + Copy> Machine for Reflector<P> {
    type Input = Received<P>;
    type Output = Transmit<P>;

    fn handle(&mut self, now: Time, received: Received<P>) {
        let Received { from, probe, extensions, at_unix_ns, error, ttl } = received;
        let number = self.sessions.as_mut().map(|sessions| sessions.next_number(now, from, probe.session));
        let reply = Reply {
            sequence: number.unwrap_or(probe.sequence),
            timestamp: Timestamp::default(),
            error,
            session: probe.session,
            received: Timestamp::of(at_unix_ns, error.format),
            probe_sequence: probe.sequence,
            probe_timestamp: probe.timestamp,
            probe_error: probe.error,
            probe_ttl: ttl.unwrap_or(UNKNOWN_TTL),
        };
        self.next = Some(Transmit { to: from, reply, extensions });
    }

    fn wake(&mut self, _now: Time) {}

    fn poll_output(&mut self) -> Option<Transmit<P>> {
        self.next.take()
    }

    fn next_wakeup(&self) -> Option<Time> {
        None
    }
}
