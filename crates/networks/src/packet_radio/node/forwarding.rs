//! One direction of a session: what waits, and how it goes on.

use std::collections::VecDeque;

use sojourn_core::Machine;
use sojourn_protocols::ax25::machine::LinkId;
use sojourn_protocols::netrom::machine::{CircuitId, Input, Node as Protocol};
use sojourn_protocols::{StreamData, UserData};

use super::settings::NodeSettings;
use crate::packet_radio::information::{Information, Payload};
use crate::packet_radio::station::Context;

/// An end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A user's link.
    Link {
        /// On which port.
        port: usize,
        /// Which.
        link: LinkId,
    },
    /// A circuit to another node.
    Circuit(CircuitId),
}

/// What came from one end and has not gone to the other.
#[derive(Debug, Default)]
pub struct Flow {
    waiting: VecDeque<Message>,
    /// A message whose end has not come.
    begun: Option<Payload>,
    /// Whether the link it comes from is told to wait.
    held: bool,
}

#[derive(Debug)]
struct Message {
    payload: Payload,
    /// Packets of a circuit that are consumed with it.
    packets: u16,
}

impl Flow {
    /// Words of the node itself.
    pub fn say(&mut self, words: &str) {
        self.waiting.push_back(Message { payload: Payload::text(words), packets: 0 });
    }

    /// A frame of a link came in.
    pub fn link(&mut self, payload: Payload) {
        self.waiting.push_back(Message { payload, packets: 0 });
    }

    /// A packet of a circuit came in; with `more`, the message goes on with the next. Whether the packet counts as
    /// consumed: only whole messages wait for the other end, else one that is longer than the circuit's threshold
    /// would choke its own rest.
    #[must_use]
    pub fn circuit(&mut self, payload: Payload, more: bool) -> bool {
        let payload = match self.begun.take() {
            None => payload,
            Some(begun) => begun.joined(&payload).unwrap_or_else(|| {
                self.waiting.push_back(Message { payload: begun, packets: 0 });
                payload
            }),
        };
        if more {
            self.begun = Some(payload)
        } else {
            self.waiting.push_back(Message { payload, packets: 1 })
        }
        more
    }

    /// Nothing more comes: what has begun ends here.
    pub fn ends(&mut self) {
        self.waiting.extend(self.begun.take().map(|payload| Message { payload, packets: 0 }));
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What has come first, taken by the node itself.
    pub fn take(
        &mut self,
        from: Option<End>,
        context: &Context<'_>,
        protocol: &mut Protocol<Payload>,
    ) -> Option<Payload> {
        let message = self.waiting.pop_front()?;
        consumed(from, message.packets, context, protocol);
        Some(message.payload)
    }

    /// Sends on what the other end takes.
    pub fn go_on(
        &mut self,
        [from, to]: [Option<End>; 2],
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
    ) {
        while !self.waiting.is_empty() && to.is_none_or(|to| takes(to, context, protocol, settings)) {
            let Some(payload) = self.take(from, context, protocol) else { return };
            match to {
                Some(End::Link { port, link }) => send(port, link, payload, context),
                Some(End::Circuit(circuit)) => {
                    protocol.handle(context.now, Input::Send { circuit, data: payload });
                }
                None => {}
            }
        }
    }

    /// Has the link that it comes from wait while too much is here, or the node is short of buffers.
    pub fn hold(&mut self, from: Option<End>, context: &mut Context<'_>, threshold: u16, short: bool) {
        let Some(End::Link { port, link }) = from else { return };
        let (waiting, threshold) = (self.waiting.len(), usize::from(threshold));
        let held = match self.held {
            true => short || 2 * waiting >= threshold,
            false => short || waiting >= threshold,
        };
        if std::mem::replace(&mut self.held, held) != held {
            context.set_busy(port, link, held);
        }
    }

    /// Frames of a link that wait; those of a circuit are counted there.
    pub fn held_frames(&self) -> usize {
        self.waiting.iter().filter(|message| message.packets == 0).count()
    }
}

/// Whether an end takes a message now.
fn takes(end: End, context: &Context<'_>, protocol: &Protocol<Payload>, settings: &NodeSettings) -> bool {
    match end {
        End::Link { port, link } => context.backlog(port, link) < usize::from(settings.link_admission),
        End::Circuit(circuit) => protocol.has_room(circuit),
    }
}

/// Sends a message in as many frames as it takes.
fn send(port: usize, link: LinkId, payload: Payload, context: &mut Context<'_>) {
    let limit = usize::from(context.ports[port].links.n1(link));
    let length = payload.length();
    if length <= limit {
        return context.send(port, link, Information::User(payload));
    }
    for start in (0..length).step_by(limit) {
        let part = payload.slice(start, length.min(start + limit));
        context.send(port, link, Information::User(part));
    }
}

fn consumed(from: Option<End>, packets: u16, context: &Context<'_>, protocol: &mut Protocol<Payload>) {
    if let (Some(End::Circuit(circuit)), true) = (from, packets > 0) {
        protocol.handle(context.now, Input::Consumed { circuit, packets });
    }
}
