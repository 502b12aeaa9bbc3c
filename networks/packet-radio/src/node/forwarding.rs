//! One direction of a session: queue, forwarding and flow control.

use std::collections::VecDeque;

use sojourn_core::Machine;
use sojourn_protocols::ax25::machine::LinkId;
use sojourn_protocols::netrom::machine::{CircuitId, Input, Node as Protocol};
use sojourn_protocols::{StreamData, UserData};

use super::settings::NodeSettings;
use crate::context::Context;
use crate::information::{Information, Payload};

/// An end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A user's link.
    Link {
        /// The port.
        port: usize,
        /// The link.
        link: LinkId,
    },
    /// A circuit to another node.
    Circuit(CircuitId),
}

/// Data from one end that have not been sent to the other.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    waiting: VecDeque<Message>,
    /// A message being reassembled.
    partial: Option<Payload>,
    /// Whether flow control stops the link that the data come from.
    stopped: bool,
}

#[derive(Clone, Debug)]
struct Message {
    payload: Payload,
    /// Packets of a circuit that are consumed with it.
    packets: u16,
}

impl Flow {
    /// Queues a text of the node.
    pub fn push_text(&mut self, text: &str) {
        self.waiting.push_back(Message { payload: Payload::text(text), packets: 0 });
    }

    /// Queues a frame of a link.
    pub fn push_frame(&mut self, payload: Payload) {
        self.waiting.push_back(Message { payload, packets: 0 });
    }

    /// Queues a packet of a circuit; with `more`, the message continues in the next. Returns whether the packet counts as
    /// consumed: only complete messages are queued for the other end, else a message longer than the circuit's threshold
    /// would choke its own remainder.
    #[must_use]
    pub fn push_packet(&mut self, payload: Payload, more: bool) -> bool {
        let payload = match self.partial.take() {
            None => payload,
            Some(partial) => partial.joined(&payload).unwrap_or_else(|| {
                self.waiting.push_back(Message { payload: partial, packets: 0 });
                payload
            }),
        };
        if more {
            self.partial = Some(payload)
        } else {
            self.waiting.push_back(Message { payload, packets: 1 })
        }
        more
    }

    /// No more data come: a partial message is queued as it is.
    pub fn finish(&mut self) {
        self.waiting.extend(self.partial.take().map(|payload| Message { payload, packets: 0 }));
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes the first message, consumed by the node itself.
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

    /// Forwards as much as the other end accepts.
    pub fn forward(
        &mut self,
        [from, to]: [Option<End>; 2],
        context: &mut Context<'_>,
        protocol: &mut Protocol<Payload>,
        settings: &NodeSettings,
    ) {
        while !self.waiting.is_empty() && to.is_none_or(|to| has_room(to, context, protocol, settings)) {
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

    /// Stops the link that the data come from while the queue is long or the node's buffers are low.
    pub fn apply_back_pressure(
        &mut self,
        from: Option<End>,
        context: &mut Context<'_>,
        threshold: u16,
        buffers_low: bool,
    ) {
        let Some(End::Link { port, link }) = from else { return };
        let (waiting, threshold) = (self.waiting.len(), usize::from(threshold));
        let stopped = match self.stopped {
            // released at half the threshold, so that RNR and RR do not alternate frame by frame
            true => buffers_low || 2 * waiting >= threshold,
            false => buffers_low || waiting >= threshold,
        };
        if std::mem::replace(&mut self.stopped, stopped) != stopped {
            context.set_busy(port, link, stopped);
        }
    }

    /// Queued frames of a link; packets of a circuit are counted there.
    pub fn queued_frames(&self) -> usize {
        self.waiting.iter().filter(|message| message.packets == 0).count()
    }
}

/// Whether an end accepts a message now.
fn has_room(end: End, context: &Context<'_>, protocol: &Protocol<Payload>, settings: &NodeSettings) -> bool {
    match end {
        End::Link { port, link } => context.backlog(port, link) < usize::from(settings.link_admission),
        End::Circuit(circuit) => protocol.has_room(circuit),
    }
}

/// Sends a message, segmented into frames.
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
