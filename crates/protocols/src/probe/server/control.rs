//! Control requests of clients.

use sojourn_core::Time;

use super::event::Event;
use super::io::Path;
use super::load::Load;
use super::machine::{Ended, Server};
use super::session::nanoseconds;
use crate::probe::wire::{Limits, MIN_PACKET, Nonce, Packet, Pdu, Reason, Token};

impl Server {
    pub(super) fn receive_control(&mut self, now: Time, path: Path, packet: Packet) {
        let Packet { token, sequence, pdu } = packet;
        let from = path.peer;
        let Some(session) = self.sessions.get_mut(&token).filter(|session| session.path.peer == from) else {
            return self.respond_without_session(now, path, packet);
        };
        if sequence < session.control {
            session.report.replayed += 1;
            return self.log(Event::Replayed { peer: from });
        }
        session.last_received = now;
        if let (Pdu::Query { proof }, Some(sending)) = (pdu, &mut session.sending)
            && self.cookies.confirms(now, from, &token, proof)
        {
            sending.confirmed = now;
        }
        if pdu == Pdu::Close {
            session.control = sequence;
            return self.end(now, token, Reason::ClientClosed, sequence);
        }
        // a retransmitted request is answered again without effect
        if sequence > session.control {
            session.control = sequence;
            session.refusal = None;
            match pdu {
                Pdu::Start { .. } => self.start(now, token, pdu),
                Pdu::Stop => session.sending = None,
                _ => {}
            }
        }
        let session = &self.sessions[&token];
        let response = match (session.refusal, pdu) {
            (Some(reason), _) => Pdu::Refused { nonce: Nonce::default(), reason },
            (None, Pdu::PhaseQuery { phase }) => Pdu::PhaseReport(session.phases.report(phase)),
            (None, _) => Pdu::Report { report: session.report, proof: self.cookies.proof(now, from, &token) },
        };
        self.transmit(path, token, sequence, response);
    }

    /// Responds to a request of a session that has ended or does not exist.
    fn respond_without_session(&mut self, now: Time, path: Path, Packet { token, sequence, .. }: Packet) {
        if !self.answered.allows(token, path.peer) {
            return self.log(Event::Replayed { peer: path.peer });
        }
        if !self.sessionless.take(now, 1) {
            return;
        }
        let ended = self.ended.iter().find(|ended| ended.token == token && ended.peer == path.peer);
        let pdu = match ended {
            Some(Ended { reason, report, .. }) => Pdu::Closed { reason: *reason, report: *report },
            None => Pdu::Refused { nonce: Nonce::default(), reason: Reason::NoSession },
        };
        if ended.is_none() {
            self.log(Event::Stray { peer: path.peer });
        }
        self.transmit(path, token, sequence, pdu);
    }

    fn start(&mut self, now: Time, token: Token, request: Pdu) {
        let Pdu::Start { bit_rate, octets, duration_ns, dscp, proof } = request else { return };
        let Some(session) = self.sessions.get_mut(&token) else { return };
        let Limits { packet_rate, longest, sends, .. } = session.limits;
        let is_within_limits = (MIN_PACKET..=longest).contains(&octets)
            && (1..=session.limits.bit_rate).contains(&bit_rate)
            && bit_rate / (8 * u64::from(octets)) <= u64::from(packet_rate);
        let peer = session.path.peer;
        session.refusal = match () {
            () if !sends => Some(Reason::LoadDisabled),
            () if !is_within_limits => Some(Reason::ExceedsLimits),
            () if !self.cookies.confirms(now, peer, &token, proof) => Some(Reason::Unconfirmed),
            () => None,
        };
        if let Some(reason) = session.refusal {
            return self.log(Event::Refused { peer, reason });
        }
        let until = session.until().min(now + nanoseconds(duration_ns, session.until().since(now)));
        session.sending = Some(Load::new(now, until, bit_rate, octets, dscp));
        self.next = now;
        self.log(Event::Sending { peer, bit_rate, octets });
    }
}
