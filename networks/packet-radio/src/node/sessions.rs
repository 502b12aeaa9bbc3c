//! The sessions of a node's users.

use std::sync::Arc;

use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::Node as Protocol;

use super::forwarding::End;
use super::session::Session;
use super::settings::NodeSettings;
use crate::context::Context;
use crate::information::Payload;

/// All sessions of a node.
#[derive(Clone, Debug)]
pub struct Sessions {
    all: Vec<Session>,
    /// Prefix of the node's replies.
    prefix: Arc<str>,
}

impl Sessions {
    /// No sessions.
    pub fn new(prefix: &str) -> Self {
        Sessions { all: Vec::new(), prefix: prefix.into() }
    }

    /// A user has connected.
    pub fn open(&mut self, end: End, user: Address) {
        self.all.push(Session::new(user, end, Arc::clone(&self.prefix)));
    }

    /// Receives a frame of a user's link; the first opens the session.
    pub fn receive(&mut self, end: End, user: Address, payload: Payload) {
        if self.side(end).is_none() {
            self.open(end, user);
        }
        if let Some((session, side)) = self.side(end) {
            session.flows[side].push_frame(payload);
        }
    }

    /// Receives a packet of a circuit; returns whether it counts as consumed.
    #[must_use]
    pub fn delivered(&mut self, end: End, payload: Payload, more: bool) -> bool {
        // a packet without a session is consumed
        self.side(end).is_none_or(|(session, side)| session.flows[side].push_packet(payload, more))
    }

    /// A requested end is connected.
    pub fn connected(&mut self, end: End) {
        if let Some((session, _)) = self.side(end) {
            session.connected();
        }
    }

    /// An end is disconnected, or refused the connection.
    pub fn disconnected(&mut self, end: End, refused: bool) {
        if let Some((session, side)) = self.side(end) {
            session.disconnected(side, refused);
        }
    }

    /// Forwards the data of every session, and removes those that have ended.
    pub fn forward(
        &mut self,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
        buffers_low: bool,
    ) {
        for session in &mut self.all {
            session.forward(context, protocol, settings, buffers_low);
        }
        self.all.retain(|session| !session.is_over());
    }

    /// Messages queued in sessions, links and circuits.
    pub fn queued(&self, context: &Context<'_>, protocol: &Protocol<Payload>) -> usize {
        let at_end = |end: &End| match *end {
            End::Link { port, link } => context.backlog(port, link),
            End::Circuit(circuit) => protocol.outstanding(circuit) + protocol.backlog(circuit),
        };
        let of_session = |session: &Session| {
            let ends: usize = session.ends.iter().flatten().map(at_end).sum();
            ends + session.flows.iter().map(|flow| flow.queued_frames()).sum::<usize>()
        };
        self.all.iter().map(of_session).sum()
    }

    /// The session of an end, and its side.
    fn side(&mut self, end: End) -> Option<(&mut Session, usize)> {
        self.all.iter_mut().find_map(|session| session.side(end).map(|side| (session, side)))
    }
}
