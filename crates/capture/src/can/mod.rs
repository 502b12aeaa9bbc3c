//! CAN: identifiers with their intervals, the load of each bus bit by bit, and requests that are answered.
//!
//! ```text
//! link type 227         identifier with flags 4 | length | flags of CAN FD | 2 octets | data
//! link types 113, 276   the same behind a header of Linux, protocol 000C or 000D, the identifier in the host's byte order
//! ```
//!
//! | request | answer | a bus has it |
//! |---|---|---|
//! | UDS over ISO-TP (ISO 15765-4): 7DFh, 7E0h to 7E7h; 18DAxxF1h, 18DBxxF1h | 7E8h to 7EFh; 18DAF1xxh | where such frames are requests |
//! | SDO of CANopen (CiA 301): 600h and the node | 580h and the node | once one was answered |
//! | remote frame | data frame of its identifier | always |
//! | J1939 request (PGN 59904) | the parameter group, in one frame or by the transport protocol; acknowledgement (PGN 59392) | where it has three bytes |
//!
//! Every other frame is a message to everyone, a flow of its own by its identifier. Frames are stamped at their end: a
//! response time is from the end of a request's first frame to the end of its answer's first.
//!
//! Metrics: `error_frames`, `bus_offs` and `arbitration_losses` as the driver reports them, `remote_frames`.

mod bus;
mod diagnosis;
mod exchanges;
mod frame;
mod groups;
mod identifiers;
mod objects;
mod on_bus;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::log::Logged;

pub use self::bus::{CanBus, DataPhase};
pub use self::identifiers::{Bits, CanIdentifier, Intervals};

use self::bus::Bus;
use self::exchanges::{Asked, Exchanges, Key};
use self::on_bus::OnBus;
use crate::{Address, FlowId, FlowKey, LinkType, Outcome, Packet, Service, Sink, Tracker};

pub(crate) use self::frame::is_cooked;
pub use self::frame::{RECORD, Recorded, read};

/// Buses followed; those of further interfaces are followed as one.
const BUS_LIMIT: usize = 64;

/// Whether a packet is of a bus.
pub fn is_of_can(packet: &Packet<'_>) -> bool {
    packet.link_type == LinkType::CAN_SOCKETCAN || is_cooked(packet)
}

/// Follows buses, their identifiers and requests.
#[derive(Debug, Default)]
pub struct Can {
    /// How bits of the data phase of CAN FD count.
    pub data_phase: DataPhase,
    buses: BTreeMap<u32, Bus>,
    exchanges: Exchanges,
    diagnosis: diagnosis::Transfers,
    groups: groups::Transports,
}

impl Tracker for Can {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        let mut record = [0; frame::RECORD];
        match frame::read(packet, &mut record) {
            Ok(Recorded::Frame(frame)) => self.frame(packet, &frame, out),
            Ok(Recorded::Error(class)) => errors(class, out),
            Err(fault) => out.unparsed(packet, "CAN", fault),
        }
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        self.exchanges.finish(end, out);
        for (interface, bus) in std::mem::take(&mut self.buses) {
            out.can_bus(bus.found(interface));
        }
    }
}

impl Can {
    fn frame(&mut self, packet: &Packet<'_>, frame: &Logged<&[u8]>, out: &mut Sink) {
        let interface = if self.buses.contains_key(&packet.interface) || self.buses.len() < BUS_LIMIT {
            packet.interface
        } else {
            out.note("More than 64 buses: those of later interfaces are followed as one.");
            u32::MAX
        };
        let bits = self.buses.entry(interface).or_default().frame(packet.time, frame, &self.data_phase, out);
        out.busy(interface, packet.time, bits);
        let data = match frame.content {
            Content::Remote(_) => &[][..],
            Content::Data(data) | Content::Fd { data, .. } => data,
        };
        let on_bus = OnBus { bus: interface, time: packet.time, id: frame.id, data };
        match frame.content.is_remote() {
            true => self.remote(&on_bus, out),
            false => self.data(&on_bus, out),
        }
    }

    /// A remote frame asks for the data frame with its identifier.
    fn remote(&mut self, frame: &OnBus<'_>, out: &mut Sink) {
        let flow =
            out.flow(FlowKey { from: Address::Unknown, to: Address::Can(frame.id), service: Service::RemoteFrame });
        out.count(flow, "remote_frames", 1);
        let asked = Asked { name: 0, flow, begin: out.moment(frame.time), octets: 0 };
        let repeated = self.exchanges.request(Key::Remote(frame.bus, frame.id), asked, out);
        frame.sent(flow, true, repeated, out);
    }

    fn data(&mut self, frame: &OnBus<'_>, out: &mut Sink) {
        let remote = Key::Remote(frame.bus, frame.id);
        if let Some(open) = self.exchanges.open(&remote) {
            let flow = open.flow;
            frame.sent(flow, false, false, out);
            return self.exchanges.end(&remote, Outcome::Answered, frame, out);
        }
        let is_taken = match frame.id {
            Id::Base(_) => objects::frame(frame, &mut self.exchanges, out) || self.diagnosis(frame, out),
            Id::Extended(_) => self.diagnosis(frame, out) || self.groups.frame(frame, &mut self.exchanges, out),
        };
        if !is_taken {
            frame.message(out);
        }
    }

    fn diagnosis(&mut self, frame: &OnBus<'_>, out: &mut Sink) -> bool {
        self.diagnosis.frame(frame, &mut self.exchanges, out)
    }
}

/// Classes of the driver's messages about errors (Linux, `include/uapi/linux/can/error.h`).
mod class {
    pub const LOST_ARBITRATION: u32 = 0x2;
    pub const PROTOCOL: u32 = 0x8;
    pub const ACKNOWLEDGEMENT: u32 = 0x20;
    pub const BUS_OFF: u32 = 0x40;
    pub const BUS_ERROR: u32 = 0x80;
}

/// Counts what a message of the driver reports.
#[cold]
fn errors(found: u32, out: &mut Sink) {
    let error = class::PROTOCOL | class::ACKNOWLEDGEMENT | class::BUS_ERROR;
    let counted =
        [(error, "error_frames"), (class::BUS_OFF, "bus_offs"), (class::LOST_ARBITRATION, "arbitration_losses")];
    for (_, metric) in counted.into_iter().filter(|(classes, _)| found & classes != 0) {
        out.count(FlowId::REST, metric, 1);
    }
    out.note(
        "Error frames are known from messages of the driver alone; the time that they take is not part of utilisation.",
    );
}
