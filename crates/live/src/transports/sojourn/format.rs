//! The probe format of `sojourn://`.

use sojourn_core::Time;
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::wire::{MIN_PACKET, Pdu, Reason};

use crate::prober::peer::{PeerTimes, Request, ResidenceTime};
use crate::prober::tcp_peer::StreamFormat;
use crate::prober::udp_peer::ProbeFormat;

/// Probes of an open session.
#[derive(Debug)]
pub struct Probes {
    /// The session that the agent has granted.
    pub session: Session,
    /// Why the agent closed it, if it did.
    pub ended: Option<Reason>,
}

impl Probes {
    /// Probes of a session that was just opened.
    pub fn new(session: Session) -> Probes {
        Probes { session, ended: None }
    }
}

impl ProbeFormat for Probes {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        let octets = u16::try_from(request.octets).unwrap_or(u16::MAX);
        self.session.encode_probe(request.sequence, leaves.picoseconds() / 1000, octets, datagram);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let packet = self.session.decode(datagram).ok()?;
        match packet.pdu {
            Pdu::Reply { receive_ns, receive_by_kernel, residence } => {
                let stay = |residence: sojourn_protocols::probe::wire::Residence| {
                    let sequence = packet.sequence.checked_sub(residence.earlier.into())?;
                    Some(ResidenceTime { sequence, ns: residence.ns.into() })
                };
                let earlier = residence.and_then(stay);
                let far = PeerTimes { received: receive_ns, sent: None, earlier, kernel: receive_by_kernel };
                Some((packet.sequence, Some(far)))
            }
            Pdu::Closed { reason, .. } => {
                self.ended = Some(reason);
                None
            }
            _ => None,
        }
    }

    fn min_octets(&self) -> u32 {
        MIN_PACKET.into()
    }
}

impl StreamFormat for Probes {}
