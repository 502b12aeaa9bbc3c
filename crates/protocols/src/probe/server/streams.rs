//! TCP connections of sessions: grants and transferred octets.

use std::net::SocketAddr;

use sojourn_core::Time;

use super::event::Event;
use super::io::{Grant, Output};
use super::machine::Server;
use super::session::nanoseconds;
use crate::authentication::Tag;
use crate::probe::wire::{Direction, Limits, NO_TOKEN, Nonce, Packet, Pdu, Reason, Stream, Token};

impl Server {
    pub(super) fn stream_requested(&mut self, now: Time, connection: u64, from: SocketAddr, packet: Packet) {
        let Packet { token, sequence, pdu } = packet;
        let refused = |reason| Pdu::Refused { nonce: Nonce::default(), reason };
        let (pdu, grant) = match pdu {
            Pdu::Hello { nonce } if self.is_answered(nonce, from) => {
                (Some(Pdu::Cookie { nonce, cookie: self.cookies.cookie(now, from, &nonce) }), None)
            }
            Pdu::Stream(stream) => match self.grant(now, from, token, sequence, stream) {
                Ok((grant, limits)) => (Some(Pdu::Granted { limits }), Some(grant)),
                Err(reason) => {
                    self.log(Event::Refused { peer: from, reason });
                    // any other refusal is of a session that lives, in answer to a frame that was not received before
                    let is_answered = reason != Reason::NoSession || self.is_answered(token, from);
                    (is_answered.then(|| refused(reason)), None)
                }
            },
            Pdu::Hello { .. } => (None, None),
            _ => (self.is_answered(token, from).then(|| refused(Reason::Unsupported)), None),
        };
        if let Some(Grant { direction, .. }) = grant {
            self.log(Event::Stream { peer: from, direction });
        }
        let packet = pdu.map(|pdu| Packet { token, sequence, pdu });
        self.outputs.push_back(Output::StreamResponse { connection, packet, grant });
    }

    /// Answers a first frame of another version with this one.
    pub(super) fn refuse_stream_version(&mut self, connection: u64, from: SocketAddr, tag: Tag) {
        let pdu = Pdu::Refused { nonce: Nonce::default(), reason: Reason::Version };
        let packet = self.is_answered(tag, from).then_some(Packet { token: NO_TOKEN, sequence: 0, pdu });
        self.outputs.push_back(Output::StreamResponse { connection, packet, grant: None });
    }

    /// Whether a first frame outside a session, which may be a copy of one that was captured, is answered: by the random
    /// value that it carries, and whatever port the connection comes from.
    fn is_answered(&mut self, value: [u8; 16], from: SocketAddr) -> bool {
        let is_answered = self.answered.allows(value, SocketAddr::new(from.ip(), 0));
        if !is_answered {
            self.log(Event::Replayed { peer: from });
        }
        is_answered
    }

    fn grant(
        &mut self,
        now: Time,
        from: SocketAddr,
        token: Token,
        sequence: u64,
        stream: Stream,
    ) -> Result<(Grant, Limits), Reason> {
        let session = self.sessions.get_mut(&token).filter(|session| session.path.peer.ip() == from.ip());
        let session = session.ok_or(Reason::NoSession)?;
        if !session.stream_sequences.is_new(sequence) {
            session.report.replayed += 1;
            return Err(Reason::NoSession);
        }
        session.last_received = now;
        if stream.direction == Direction::Measure && !self.rules.measures {
            return Err(Reason::MayNotMeasure);
        }
        if session.streams >= session.limits.streams {
            return Err(Reason::StreamsBusy);
        }
        session.streams += 1;
        let bounded = |wanted: u64, max: u64| if wanted == 0 { max } else { wanted.min(max) };
        let time_left = session.until().since(now);
        let time = if stream.duration_ns == 0 { time_left } else { nanoseconds(stream.duration_ns, time_left) };
        let grant = Grant {
            token,
            number: sequence,
            direction: stream.direction,
            congestion: stream.congestion,
            dscp: stream.dscp,
            packet_rate: session.limits.packet_rate,
            // a client may have opened with a rate of 0
            bit_rate: bounded(stream.bit_rate, session.limits.bit_rate).max(1),
            octets: bounded(stream.octets, session.volume_left()),
            until: now + time,
            longest: session.limits.longest,
        };
        Ok((grant, session.limits))
    }

    pub(super) fn stream_progress(&mut self, now: Time, token: Token, octets_in: u64, octets_out: u64) {
        let Some(session) = self.sessions.get_mut(&token) else { return };
        session.last_received = now;
        session.stream_octets_in += octets_in;
        session.stream_octets_out += octets_out;
        session.account(octets_in + octets_out);
        self.end_at_volume_limit(now, token);
    }
}
