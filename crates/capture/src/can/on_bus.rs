//! A frame on a bus, as those take it who follow its requests.

use sojourn_core::Time;
use sojourn_protocols::can::frame::Id;

use crate::{Address, FlowId, FlowKey, Outcome, Sent, Service, Sink, Transaction};

/// A data frame on a bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnBus<'a> {
    pub bus: u32,
    pub time: Time,
    pub id: Id,
    pub data: &'a [u8],
}

impl OnBus<'_> {
    pub fn octets(&self) -> u32 {
        self.data.len() as u32
    }

    /// Reports the frame as a packet of a flow.
    pub fn sent(&self, flow: FlowId, forward: bool, repeated: bool, out: &mut Sink) {
        let octets = self.octets();
        out.sent(Sent { flow, time: self.time, forward, l3_bytes: octets, l4_bytes: octets, repeated });
    }

    /// The flow of messages with the identifier.
    pub fn message_flow(&self, out: &mut Sink) -> FlowId {
        out.flow(FlowKey { from: Address::Can(self.id), to: Address::Everyone, service: Service::Can })
    }

    /// Reports a message that nothing answers.
    pub fn message(&self, out: &mut Sink) {
        let flow = self.message_flow(out);
        self.sent(flow, true, false, out);
        let begin = out.moment(self.time);
        let request_bytes = self.octets();
        out.transaction(Transaction { request_bytes, ..Transaction::of(flow, begin, None, Outcome::Sent) });
    }
}
