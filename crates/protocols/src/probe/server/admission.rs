//! Opening of sessions: a cookie for every client, and a session for one that returns it, within the limits.

use std::net::SocketAddr;

use sojourn_core::Time;

use super::event::{Event, canonical};
use super::io::{Path, Rules};
use super::machine::Server;
use super::session::{Session, client_network};
use crate::authentication::Tag;
use crate::probe::wire::{CONTROL_LENGTH, Cookie, Limits, NO_TOKEN, Nonce, Pdu, Reason, Token};

/// Ended sessions retained per permitted session, of a client network and in all.
const ENDED_PER_SESSION: u32 = 4;

impl Server {
    pub(super) fn send_cookie(&mut self, now: Time, path: Path, nonce: Nonce) {
        if !self.answered.allows(nonce, path.peer) {
            return self.log(Event::Replayed { peer: path.peer });
        }
        if self.sessionless.take(now, 1) {
            let cookie = self.cookies.cookie(now, path.peer, &nonce);
            self.transmit(path, NO_TOKEN, 0, Pdu::Cookie { nonce, cookie });
        }
    }

    pub(super) fn open(&mut self, now: Time, path: Path, nonce: Nonce, cookie: &Cookie, wanted: Limits) {
        let from = path.peer;
        if !self.cookies.verifies(now, from, &nonce, cookie) {
            return self.log(Event::BadCookie { peer: from });
        }
        self.forget_ended(now);
        if self.ended.iter().any(|ended| ended.peer == from && ended.nonce == nonce) {
            return self.log(Event::Replayed { peer: from });
        }
        let opened = self.sessions.values().find(|session| session.path.peer == from && session.nonce == nonce);
        let (token, granted) = match opened.map(|session| (session.token, session.limits)) {
            Some(opened) => opened,
            None => match self.refusal(from) {
                Some(reason) => return self.refuse(now, path, nonce, reason),
                None => self.begin(now, path, nonce, wanted),
            },
        };
        let proof = self.cookies.proof(now, from, &token);
        let canonical = canonical(from);
        let seen_at = Some(SocketAddr::new(canonical.ip(), canonical.port()));
        self.transmit(path, token, 0, Pdu::Opened { nonce, granted, proof, seen_at });
    }

    /// Why no further session can be opened for that address.
    fn refusal(&self, from: SocketAddr) -> Option<Reason> {
        let Rules { sessions, sessions_per_address, .. } = self.rules;
        let same = |peer: SocketAddr| client_network(peer.ip()) == client_network(from.ip());
        let open_there = self.sessions.values().filter(|session| same(session.path.peer)).count();
        let ended_there = self.ended.iter().filter(|ended| same(ended.peer)).count();
        let remembered = |sessions: u32| sessions.saturating_mul(ENDED_PER_SESSION) as usize;
        if self.sessions.len() >= sessions as usize || self.ended.len() >= remembered(sessions) {
            return Some(Reason::Busy);
        }
        let busy = open_there >= sessions_per_address as usize || ended_there >= remembered(sessions_per_address);
        busy.then_some(Reason::AddressBusy)
    }

    fn begin(&mut self, now: Time, path: Path, nonce: Nonce, wanted: Limits) -> (Token, Limits) {
        let peer = path.peer;
        let token = self.cookies.token(self.opened, peer, &nonce);
        let granted = self.rules.limits.min(wanted);
        let session = Session::new(now, token, path, nonce, granted);
        self.opened += 1;
        self.next = self.next.min(session.until()).min(session.idle_at());
        self.sessions.insert(token, session);
        self.log(Event::Opened { peer, granted });
        (token, granted)
    }

    /// Answers a packet of another version with this one, unless the response were longer than the packet.
    pub(super) fn refuse_version(&mut self, now: Time, path: Path, octets: u16, tag: Tag) {
        if !self.answered.allows(tag, path.peer) {
            return self.log(Event::Replayed { peer: path.peer });
        }
        if octets >= CONTROL_LENGTH {
            self.refuse(now, path, Nonce::default(), Reason::Version);
        }
    }

    fn refuse(&mut self, now: Time, path: Path, nonce: Nonce, reason: Reason) {
        if self.sessionless.take(now, 1) {
            self.transmit(path, NO_TOKEN, 0, Pdu::Refused { nonce, reason });
            self.log(Event::Refused { peer: path.peer, reason });
        }
    }
}
