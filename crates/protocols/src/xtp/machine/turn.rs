//! Services of the endpoint that a context needs while it processes an input.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::outcome::{Event, Purpose, Violation};
use super::output::{ContextId, Output};
use crate::xtp::wire::{Body, Code, Diagnostic, Header, Key, Packet, Value};

/// Current time and output queue.
pub(super) struct Turn<'a, D, H> {
    pub now: Time,
    pub outputs: &'a mut VecDeque<Output<D, H>>,
}

impl<D, H> Turn<'_, D, H> {
    pub fn emit(&mut self, output: Output<D, H>) {
        self.outputs.push_back(output);
    }

    pub fn transmit(&mut self, to: H, packet: Packet<D>, purpose: Purpose) {
        self.emit(Output::Transmit { to, packet, purpose });
    }

    /// Sends a DIAG.
    pub fn send_diagnostic(&mut self, to: H, key: Key, sync: u32, (code, value): (Code, Value)) {
        let body = Body::Diagnostic(Diagnostic::new(code, value));
        let header = Header { key, sync, ..Header::default() };
        self.transmit(to, Packet { header, body }, Purpose::Diagnostic);
    }

    pub fn report(&mut self, context: ContextId, event: Event) {
        self.emit(Output::Report { context: Some(context), event });
    }

    pub fn violation(&mut self, context: ContextId, violation: Violation) {
        self.report(context, Event::Violation(violation));
    }
}
