//! Time: load that is due, and sessions that end.

use std::ops::Bound;

use sojourn_core::{Duration, Time};

use super::event::Event;
use super::io::Output;
use super::machine::{Ended, REMEMBERED, Server};
use super::session::Session;
use crate::probe::wire::{Packet, Pdu, Reason, Token};

/// Load to a client goes on for so long without a word from it.
const LEASE: Duration = Duration::from_secs(2);
/// Load packets sent before others have their turn.
const BATCH: u32 = 64;

impl Server {
    pub(super) fn end_if_used_up(&mut self, now: Time, token: Token) {
        if self.sessions.get(&token).is_some_and(|session| session.volume_left() == 0) {
            self.end(now, token, Reason::VolumeOver, 0);
        }
    }

    /// Ends a session and tells its client, in answer to control packet `sequence` if that is not 0.
    pub(super) fn end(&mut self, now: Time, token: Token, reason: Reason, sequence: u64) {
        let Some(session) = self.sessions.remove(&token) else { return };
        self.transmit(session.peer, token, sequence, Pdu::Closed { reason, report: session.report });
        self.outputs.push_back(Output::EndStreams { token });
        self.tell(Event::Closed(session.summary(reason)));
        let Session { token, peer, nonce, report, .. } = session;
        self.ended.push_back(Ended { token, peer, nonce, reason, report, at: now });
    }

    pub(super) fn forget_ended(&mut self, now: Time) {
        while self.ended.front().is_some_and(|ended| now.since(ended.at) > REMEMBERED) {
            self.ended.pop_front();
        }
    }

    /// Does what is due; when something is due again.
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

    /// Does what is due in one session; when it is to be woken again.
    fn wake_session(&mut self, now: Time, token: Token) -> Time {
        let Some(session) = self.sessions.get_mut(&token) else { return Time::NEVER };
        let (peer, until, idle_at) = (session.peer, session.until(), session.idle_at());
        if now >= until || now >= idle_at {
            self.end(now, token, if now >= until { Reason::TimeOver } else { Reason::Idle }, 0);
            return Time::NEVER;
        }
        let silent = now.since(session.last_heard) > LEASE;
        if silent && session.sending.take().is_some() {
            self.tell(Event::LeaseOver { peer });
        }
        self.send_load(now, token);
        let due = self.sessions.get(&token).and_then(|session| session.sending?.due());
        due.unwrap_or(Time::NEVER).min(until).min(idle_at)
    }

    fn send_load(&mut self, now: Time, token: Token) {
        let Some(session) = self.sessions.get_mut(&token) else { return };
        let Some(mut sending) = session.sending.take() else { return };
        for _ in 0..BATCH {
            if !sending.take(now) {
                break;
            }
            let (octets, sequence) = (sending.octets, session.report.sent_packets);
            let packet = Packet { token, sequence, pdu: Pdu::Load { sent_ns: now.picoseconds() / 1000 } };
            session.report.sent_packets += 1;
            session.report.sent_octets += u64::from(octets);
            session.spend(u64::from(octets));
            self.outputs.push_back(Output::Transmit { to: session.peer, packet, octets });
        }
        session.sending = sending.due().map(|_| sending);
        self.end_if_used_up(now, token);
    }
}
