//! The probe format of `sojourn://`.

use std::ops::Range;

use sojourn_core::Time;
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::wire::{MIN_PACKET, Pdu, PhaseReport, Reason};

use super::control::ask_phase;
use super::renewal::Renewal;
use crate::io::datagrams::Datagrams;
use crate::prober::peer::{PeerCounts, PeerTimes, Request, ResidenceTime};
use crate::prober::phase_starts::PhaseStarts;
use crate::prober::tcp_peer::StreamFormat;
use crate::prober::udp_peer::ProbeFormat;

/// Probes of a session, which is opened again where the agent has lost it.
#[derive(Debug)]
pub struct Probes {
    /// The session that the agent has granted.
    pub session: Session,
    renewal: Renewal,
    phases: PhaseStarts,
    /// Whether the agent left a request for its counters unanswered: it is not asked again.
    silent: bool,
}

impl Probes {
    /// Probes of a session that was just opened.
    pub fn new(session: Session) -> Probes {
        let renewal = Renewal::new(session.key().clone());
        Probes { session, renewal, phases: PhaseStarts::default(), silent: false }
    }

    /// Why the agent ended the session for good, if it did.
    pub fn ended(&self) -> Option<Reason> {
        self.renewal.reached()
    }
}

impl ProbeFormat for Probes {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        let octets = u16::try_from(request.octets).unwrap_or(u16::MAX);
        self.session.encode_probe(
            request.sequence,
            leaves.picoseconds() / 1000,
            self.phases.current(),
            octets,
            datagram,
        );
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let packet = self.session.decode(datagram).ok()?;
        let Pdu::Reply { receive_ns, receive_by_kernel, residence } = packet.pdu else { return None };
        let stay = |residence: sojourn_protocols::probe::wire::Residence| {
            let sequence = packet.sequence.checked_sub(residence.earlier.into())?;
            Some(ResidenceTime { sequence, ns: residence.ns.into() })
        };
        let earlier = residence.and_then(stay);
        let far = PeerTimes { received: receive_ns, sent: None, earlier, kernel: receive_by_kernel };
        Some((packet.sequence, Some(far)))
    }

    fn min_octets(&self) -> u32 {
        MIN_PACKET.into()
    }

    fn write_control(&mut self, now: Time, datagram: &mut Vec<u8>) -> bool {
        self.renewal.write(now, &mut self.session, datagram)
    }

    fn read_control(&mut self, now: Time, datagram: &[u8]) -> bool {
        self.renewal.read(now, &mut self.session, datagram)
    }

    fn has_restarted(&self) -> bool {
        self.renewal.has_renewed()
    }

    fn ended(&self) -> Option<String> {
        Probes::ended(self).map(|reason| format!("the agent closed the session: {reason}"))
    }

    fn phase_over(&mut self, next: u64) {
        self.phases.phase_over(next);
    }

    fn counts(&mut self, requests: Range<u64>, datagrams: &mut Datagrams) -> Option<PeerCounts> {
        // an agent that lost the session lost its counters
        let is_asked = !self.silent && !self.renewal.has_renewed() && self.ended().is_none();
        let phase = self.phases.number(&requests).filter(|_| is_asked)?;
        let request = self.session.query_phase(phase, datagrams.clock().now());
        let Ok(report) = ask_phase(request, &self.session, datagrams) else {
            self.silent = true;
            return None;
        };
        let PhaseReport { received, replayed, reordered, socket_drops, .. } = report;
        Some(PeerCounts {
            received,
            duplicates: replayed,
            reordered,
            of_return: None,
            socket_drops: Some(socket_drops),
        })
    }
}

impl StreamFormat for Probes {}
