//! Modbus on a serial line: a request and what follows it on the wire.
//!
//! ```text
//! link type 147   frame of RTU mode with its CRC, of a user's own link type
//! link type 250   header of RTAC 12 | frame of RTU mode with its CRC
//! ```
//!
//! A line carries one request at a time, and frames do not say who sent them. A frame that can be the answer to the open
//! request, from the same unit, of the same function and as long as was asked for, is its answer; any other frame is the next
//! request. One that repeats the open request is a further attempt; the functions that are answered by an echo of the request
//! are the exception.
//!
//! A frame is stamped at its end: a response time is from the end of the request to the end of the answer.

mod line;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::modbus::rtu;

use self::line::{Line, OnLine};
use crate::{LinkType, Packet, Sink, Tracker};

/// Octets of RTAC's header: two stamps of four, the event, the control lines, and a footer of two (Wireshark,
/// packet-rtacser.c).
const RTAC_HEADER: usize = 12;
/// Bits of a character with parity, or with a second stop bit in its place.
const CHARACTER_BITS: u64 = 11;
/// Lines followed, one for each interface.
const LINE_LIMIT: usize = 256;

/// Follows the requests of serial lines.
#[derive(Debug, Default)]
pub struct ModbusRtu {
    lines: BTreeMap<u32, Line>,
}

/// Whether frames of Modbus are read from this link type.
pub(crate) fn is_read(link_type: LinkType) -> bool {
    matches!(link_type, LinkType::USER0 | LinkType::RTAC_SERIAL)
}

impl Tracker for ModbusRtu {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        let header = if packet.link_type == LinkType::RTAC_SERIAL { RTAC_HEADER } else { 0 };
        let Some(octets) = packet.data.get(header..) else {
            return out.unparsed(packet, "RTAC", "the header is not whole");
        };
        if octets.is_empty() {
            // of a record of RTAC, that control lines have changed
            return;
        }
        let length = packet.original_length.saturating_sub(header as u32);
        out.busy(packet.interface, packet.time, u64::from(length) * CHARACTER_BITS);
        match rtu::parse(octets) {
            Ok(frame) => {
                let medium = if self.lines.contains_key(&packet.interface) || self.lines.len() < LINE_LIMIT {
                    packet.interface
                } else {
                    out.note("More than 256 serial lines: those of later interfaces are followed as one.");
                    u32::MAX
                };
                let on_line = OnLine { time: packet.time, length, unit: frame.unit, pdu: frame.pdu };
                self.lines.entry(medium).or_default().frame(&on_line, out);
            }
            Err(fault) => out.unparsed(packet, "Modbus RTU", fault),
        }
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        for line in std::mem::take(&mut self.lines).values_mut() {
            line.finish(end, out);
        }
    }
}
