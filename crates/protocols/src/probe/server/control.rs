//! What clients ask of their sessions.

use std::net::SocketAddr;

use sojourn_core::Time;

use super::event::Event;
use super::machine::{Ended, Server};
use super::sending::Sending;
use super::session::nanoseconds;
use crate::probe::wire::{Limits, Nonce, Packet, Pdu, Reason, SHORTEST, Token};

impl Server {
    pub(super) fn receive_control(&mut self, now: Time, from: SocketAddr, packet: Packet) {
        let Packet { token, sequence, pdu } = packet;
        let Some(session) = self.sessions.get_mut(&token).filter(|session| session.peer == from) else {
            return self.answer_the_late(now, from, packet);
        };
        if sequence < session.control {
            session.report.replayed += 1;
            return self.tell(Event::Replayed { peer: from });
        }
        session.last_heard = now;
        if pdu == Pdu::Close {
            session.control = sequence;
            return self.end(now, token, Reason::Asked, sequence);
        }
        // a question that comes again is answered again and changes nothing
        if sequence > session.control {
            session.control = sequence;
            session.refusal = None;
            match pdu {
                Pdu::Start { bit_rate, octets, duration_ns } => self.start(now, token, bit_rate, octets, duration_ns),
                Pdu::Stop => session.sending = None,
                _ => {}
            }
        }
        let session = &self.sessions[&token];
        let answer = match session.refusal {
            Some(reason) => Pdu::Refused { nonce: Nonce::default(), reason },
            None => Pdu::Report(session.report),
        };
        self.transmit(from, token, sequence, answer);
    }

    /// Tells the client of a session that has ended, or that there is none.
    fn answer_the_late(&mut self, now: Time, from: SocketAddr, Packet { token, sequence, .. }: Packet) {
        if !self.strangers.take(now, 1) {
            return;
        }
        let ended = self.ended.iter().find(|ended| ended.token == token && ended.peer == from);
        let pdu = match ended {
            Some(Ended { reason, report, .. }) => Pdu::Closed { reason: *reason, report: *report },
            None => Pdu::Refused { nonce: Nonce::default(), reason: Reason::NoSession },
        };
        if ended.is_none() {
            self.tell(Event::Stray { peer: from });
        }
        self.transmit(from, token, sequence, pdu);
    }

    fn start(&mut self, now: Time, token: Token, bit_rate: u64, octets: u16, duration_ns: u64) {
        let Some(session) = self.sessions.get_mut(&token) else { return };
        let Limits { packet_rate, longest, sends, .. } = session.limits;
        let fits = (SHORTEST..=longest).contains(&octets)
            && (1..=session.limits.bit_rate).contains(&bit_rate)
            && bit_rate / (8 * u64::from(octets)) <= u64::from(packet_rate);
        session.refusal = match (sends, fits) {
            (false, _) => Some(Reason::SendsNothing),
            (true, false) => Some(Reason::BeyondLimits),
            (true, true) => None,
        };
        let peer = session.peer;
        if let Some(reason) = session.refusal {
            return self.tell(Event::Refused { peer, reason });
        }
        let until = session.until().min(now + nanoseconds(duration_ns, session.until().since(now)));
        session.sending = Some(Sending::new(now, until, bit_rate, octets));
        self.next = now;
        self.tell(Event::Sending { peer, bit_rate, octets });
    }
}
