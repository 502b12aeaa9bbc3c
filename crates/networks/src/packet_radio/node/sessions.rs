//! The users of a node, and which end is whose.

use std::sync::Arc;

use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::Node as Protocol;

use super::forwarding::End;
use super::session::Session;
use super::settings::NodeSettings;
use crate::packet_radio::information::Payload;
use crate::packet_radio::station::Context;

/// All sessions of a node.
#[derive(Debug)]
pub struct Sessions {
    all: Vec<Session>,
    /// How the node begins its answers.
    prefix: Arc<str>,
}

impl Sessions {
    /// Nobody has come.
    pub fn new(prefix: &str) -> Self {
        Sessions { all: Vec::new(), prefix: prefix.into() }
    }

    /// A user has come.
    pub fn come(&mut self, end: End, user: Address) {
        self.all.push(Session::new(user, end, Arc::clone(&self.prefix)));
    }

    /// A frame of a user's link came in; the first makes the user known.
    pub fn typed(&mut self, end: End, user: Address, payload: Payload) {
        if self.side(end).is_none() {
            self.come(end, user);
        }
        if let Some((session, side)) = self.side(end) {
            session.flows[side].link(payload);
        }
    }

    /// A packet of a circuit came in; whether it counts as consumed.
    #[must_use]
    pub fn delivered(&mut self, end: End, payload: Payload, more: bool) -> bool {
        // what nobody waits for is consumed
        self.side(end).is_none_or(|(session, side)| session.flows[side].circuit(payload, more))
    }

    /// An end that was asked for is open.
    pub fn opened(&mut self, end: End) {
        if let Some((session, _)) = self.side(end) {
            session.opened();
        }
    }

    /// An end is gone, or did not want to come.
    pub fn lost(&mut self, end: End, refused: bool) {
        if let Some((session, side)) = self.side(end) {
            session.lost(side, refused);
        }
    }

    /// Lets every session go on, and forgets those that are over.
    pub fn go_on(
        &mut self,
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
        short: bool,
    ) {
        for session in &mut self.all {
            session.go_on(context, protocol, settings, short);
        }
        self.all.retain(|session| !session.is_over());
    }

    /// Messages that the sessions hold, on links and circuits too.
    pub fn held(&self, context: &Context<'_>, protocol: &Protocol<Payload>) -> usize {
        let at_end = |end: &End| match *end {
            End::Link { port, link } => context.backlog(port, link),
            End::Circuit(circuit) => protocol.outstanding(circuit) + protocol.backlog(circuit),
        };
        let of_session = |session: &Session| {
            let ends: usize = session.ends.iter().flatten().map(at_end).sum();
            ends + session.flows.iter().map(|flow| flow.held_frames()).sum::<usize>()
        };
        self.all.iter().map(of_session).sum()
    }

    /// The session that has an end, and on which side.
    fn side(&mut self, end: End) -> Option<(&mut Session, usize)> {
        self.all.iter_mut().find_map(|session| session.side(end).map(|side| (session, side)))
    }
}
