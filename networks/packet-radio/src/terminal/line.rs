//! The serial line between PC and TNC, and the link behind it.

use sojourn_protocols::ax25::machine::LinkId;

use super::serial_input::Input;
use super::serial_output::Output;
use super::settings::TerminalSettings;
use crate::context::Context;
use crate::information::{Information, Payload};
use crate::latency_budget::Component;

/// The serial line, and the link that the TNC connects it to.
#[derive(Clone, Debug)]
pub struct Line {
    /// From the PC to the TNC.
    pub input: Input,
    /// From the TNC to the PC.
    pub output: Output,
    /// Port and link.
    pub link: Option<(usize, LinkId)>,
    receive_buffer: u32,
    /// Whether the link is in the receiver-busy condition (RNR) because the buffer is full.
    busy: bool,
}

impl Line {
    /// An idle line without a link.
    pub fn new(settings: TerminalSettings) -> Self {
        Line {
            input: Input::new(settings),
            output: Output::new(settings.character),
            link: None,
            receive_buffer: settings.receive_buffer,
            busy: false,
        }
    }

    /// Whether data from the PC go to this link.
    pub fn is_attached(&self, port: usize, link: LinkId) -> bool {
        self.link == Some((port, link))
    }

    /// Data from the PC go to this link.
    pub fn attach(&mut self, port: usize, link: LinkId) {
        self.detach();
        self.link = Some((port, link));
    }

    /// The link is down.
    pub fn detach(&mut self) {
        self.link = None;
        self.busy = false;
        self.input.clear();
    }

    /// Queues data of the link for the PC.
    pub fn deliver(&mut self, context: &mut Context<'_>, port: usize, link: LinkId, payload: Payload) {
        self.output.push(context.now, payload);
        if self.output.waiting() >= self.receive_buffer && !self.busy {
            self.busy = true;
            context.set_busy(port, link, true);
        }
    }

    /// The next data that have reached the PC.
    pub fn receive(&mut self, context: &mut Context<'_>) -> Option<Payload> {
        let payload = self.output.take(context.now)?;
        if context.round_trips.contains_octet(&payload) {
            context.round_trips.account(Component::SerialLine, context.now);
        }
        if self.busy && self.output.waiting() <= self.receive_buffer / 2 {
            self.busy = false;
            if let Some((port, link)) = self.link {
                context.set_busy(port, link, false);
            }
        }
        Some(payload)
    }

    /// Sends complete packets on the link.
    pub fn send(&mut self, context: &mut Context<'_>) {
        while let Some((packet, last)) = self.input.take(context.now) {
            if context.round_trips.contains_octet(&packet) {
                context.round_trips.account(Component::SerialLine, last);
                context.round_trips.account(Component::PacketFormation, context.now);
            }
            if let Some((port, link)) = self.link {
                context.send(port, link, Information::User(packet));
            }
        }
    }
}
