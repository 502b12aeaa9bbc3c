//! The probe format of STAMP's session-sender.

use sojourn_core::Time;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::stamp::{ErrorEstimate, Reply, Sender, length, pad};

use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;
use crate::prober::peer::{PeerTimes, Request};
use crate::prober::udp_peer::ProbeFormat;

/// Probes and their replies.
#[derive(Debug)]
pub struct Probing {
    sender: Sender,
    key: Option<Key>,
    clock: Clock,
    /// Sequence number of the last probe; a packet holds its low 32 bits.
    last: u64,
}

impl Probing {
    /// Probes of a session.
    pub fn new(session: u16, key: Option<Key>, clock: Clock) -> Probing {
        Probing { sender: Sender::new(session, ErrorEstimate::UNKNOWN), key, clock, last: 0 }
    }

    /// A warning with the losses in each direction, if any.
    pub fn losses(&self) -> Option<String> {
        let losses = self.sender.losses()?;
        Some(format!(
            "the reflector numbers its replies: {} packets were lost in the forward direction, {} in the return direction",
            losses.forward, losses.backward
        ))
    }

    /// The full sequence number of a probe from its low 32 bits.
    fn whole(&self, low: u32) -> u64 {
        self.last.saturating_sub(u64::from((self.last as u32).wrapping_sub(low)))
    }
}

impl ProbeFormat for Probing {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        self.last = request.sequence;
        let probe = self.sender.probe(request.sequence as u32, Pair::read(&self.clock).wall_ns_at(leaves));
        probe.emit(self.key.as_ref(), datagram);
        pad(datagram, request.octets as usize);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let (reply, _) = Reply::parse(datagram, self.key.as_ref()).ok()?;
        self.sender.take(&reply).ok()?;
        let format = reply.error.format;
        let (received, sent) = (reply.received.unix_ns(format), reply.timestamp.unix_ns(format));
        Some((
            self.whole(reply.probe_sequence),
            Some(PeerTimes { received, sent: Some(sent), earlier: None, kernel: false }),
        ))
    }

    fn min_octets(&self) -> u32 {
        length(self.key.as_ref()) as u32
    }

    fn has_wall_clock(&self) -> bool {
        true
    }
}
