//! Timers: load that is due, and sessions that end.

use std::ops::Bound;

use sojourn_core::{Duration, Time};

use super::event::Event;
use super::io::{Output, Path};
use super::machine::{ENDED_RETENTION, Ended, Server};
use super::session::Session;
use crate::probe::wire::{Packet, Pdu, Reason, Token};

/// Load to a client continues for this long after the client last confirmed that it receives it.
const LOAD_LEASE: Duration = Duration::from_secs(2);
/// Maximum load packets of a session per wake-up, so that others are served.
const BATCH: u32 = 64;

impl Server {
    pub(super) fn end_at_volume_limit(&mut self, now: Time, token: Token) {
        if self.sessions.get(&token).is_some_and(|session| session.volume_left() == 0) {
            self.end(now, token, Reason::VolumeLimit, 0);
        }
    }

    /// Ends a session and notifies its client, in response to control packet `sequence` if not 0.
    pub(super) fn end(&mut self, now: Time, token: Token, reason: Reason, sequence: u64) {
        let Some(session) = self.sessions.remove(&token) else { return };
        self.transmit(session.path, token, sequence, Pdu::Closed { reason, report: session.report });
        self.outputs.push_back(Output::EndStreams { token });
        self.log(Event::Closed(session.summary(reason)));
        let Session { token, path: Path { peer, .. }, nonce, report, .. } = session;
        self.ended.push_back(Ended { token, peer, nonce, reason, report, at: now });
    }

    pub(super) fn forget_ended(&mut self, now: Time) {
        while self.ended.front().is_some_and(|ended| now.since(ended.at) > ENDED_RETENTION) {
            self.ended.pop_front();
        }
    }

    /// Processes what is due in all sessions; returns when the next action is due.
    pub(super) fn wake_sessions(&mut self, now: Time) -> Time {
        let mut next = Time::NEVER;
        let mut at = self.sessions.first_key_value().map(|(token, _)| *token);
        while let Some(token) = at {
            next = next.min(self.wake_session(now, token));
            let after = (Bound::Excluded(token), Bound::Unbounded);
            at = self.sessions.range(after).next().map(|(token, _)| *token);
        }
        next
    }

    /// Processes what is due in one session; returns when the next action is due.
    fn wake_session(&mut self, now: Time, token: Token) -> Time {
        let Some(session) = self.sessions.get_mut(&token) else { return Time::NEVER };
        let (peer, until, idle_at) = (session.path.peer, session.until(), session.idle_at());
        if now >= until || now >= idle_at {
            self.end(now, token, if now >= until { Reason::TimeLimit } else { Reason::Idle }, 0);
            return Time::NEVER;
        }
        let lease_expired = session.sending.is_some_and(|sending| now.since(sending.confirmed) > LOAD_LEASE);
        if lease_expired {
            session.sending = None;
            self.log(Event::LeaseOver { peer });
        }
        self.send_load(now, token);
        let due = self.sessions.get(&token).and_then(|session| session.sending?.due());
        due.unwrap_or(Time::NEVER).min(until).min(idle_at)
    }

    fn send_load(&mut self, now: Time, token: Token) {
        let Some(session) = self.sessions.get_mut(&token) else { return };
        let Some(mut sending) = session.sending.take() else { return };
        let proof = self.cookies.proof(now, session.path.peer, &token);
        for _ in 0..BATCH {
            if !sending.take(now) {
                break;
            }
            let (octets, sequence) = (sending.octets, session.report.sent_packets);
            let packet = Packet { token, sequence, pdu: Pdu::Load { sent_ns: now.picoseconds() / 1000, proof } };
            session.report.sent_packets += 1;
            session.report.sent_octets += u64::from(octets);
            session.account(u64::from(octets));
            let dscp = sending.dscp;
            self.outputs.push_back(Output::Transmit { path: session.path, packet, octets, dscp });
        }
        session.sending = sending.due().map(|_| sending);
        self.end_at_volume_limit(now, token);
    }
}
