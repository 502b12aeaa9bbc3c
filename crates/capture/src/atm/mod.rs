//! ATM virtual circuits: cells, AAL5 frames, and the packets that LLC encapsulation carries (RFC 2684, 5).
//!
//! ```text
//! link type 123   direction and kind 1 | VPI 1 | VCI 2 | packet of an AAL5 frame
//! link type 197   ERF header 16 | extension headers 8 each | cell header 4, without HEC | cell payload, or AAL5 frame
//! ```
//!
//! The frames of a circuit are reassembled from its cells, and each is verified by length and CRC: a lost cell
//! appears as a frame that does not parse. The first frame of a circuit may have begun before the capture; it is not
//! counted if it is incomplete.
//!
//! Memory is bounded by [`CIRCUITS`], each with a frame of at most 65 535 octets.

use sojourn_protocols::atm::aal5::{Frame, cells};
use sojourn_protocols::atm::{Aal5Error, Cell, CellHeader, Interface, PayloadType, Reassembler, Reassembly};
use sojourn_protocols::limits::Truncated;

use crate::ip::IpTracker;
use crate::ip::link::{Carried, ethernet, logical_link};
use crate::open_table::OpenTable;
use crate::{Address, LinkType, Packet, Sink};

/// Circuits whose frames are put together at the same time.
pub const CIRCUITS: usize = 1_024;

/// The kind of a packet of link type 123 with LLC encapsulation.
const LLC: u8 = 2;

/// Type of an extensible record, and the bit that announces an extension header.
mod record {
    pub const ETHERNET: u8 = 2;
    pub const CELL: u8 = 3;
    pub const AAL5: u8 = 4;
    pub const EXTENSION: u8 = 0x80;
}

/// Why a record does not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum RecordError {
    #[error(transparent)]
    Truncated(#[from] Truncated),
    #[error("record type {0}")]
    Type(u8),
}

/// What a record holds.
enum Record<'a> {
    Ethernet(&'a [u8]),
    Cell(CellHeader, &'a [u8]),
    Aal5(CellHeader, &'a [u8]),
}

/// Follows the frames of circuits.
#[derive(Debug)]
pub(crate) struct Circuits {
    open: OpenTable<(u32, u16, u16), Circuit>,
}

#[derive(Debug)]
struct Circuit {
    reassembler: Reassembler,
    /// Whether a frame has ended.
    has_begun: bool,
}

impl Default for Circuits {
    fn default() -> Self {
        Circuits { open: OpenTable::new(CIRCUITS) }
    }
}

/// Whether a packet of this kind is one of an ATM circuit, not an Ethernet frame in an extensible record.
pub(crate) fn is_atm(packet: &Packet<'_>) -> bool {
    match packet.link_type {
        LinkType::SUNATM => true,
        LinkType::ERF => packet.data.get(8).is_none_or(|kind| kind & !record::EXTENSION != record::ETHERNET),
        _ => false,
    }
}

impl Circuits {
    /// Takes a packet of link type 123 or 197; what it carries goes to `ip`.
    pub fn packet(&mut self, packet: &Packet<'_>, ip: &mut IpTracker, out: &mut Sink) {
        if packet.link_type == LinkType::SUNATM {
            return sun_atm(packet, ip, out);
        }
        match parse(packet.data) {
            Ok(Record::Ethernet(frame)) => match ethernet(frame) {
                Ok(carried) => ip.carried(packet, &carried, out),
                Err(error) => out.unparsed(packet, "link", error),
            },
            Ok(Record::Cell(header, payload)) => self.cell(packet, header, payload, ip, out),
            Ok(Record::Aal5(header, frame)) => whole_frame(packet, header, frame, ip, out),
            Err(error) => out.unparsed(packet, "ERF", error),
        }
    }

    /// A cell: of user data a part of the circuit's next frame.
    fn cell(&mut self, packet: &Packet<'_>, header: CellHeader, payload: &[u8], ip: &mut IpTracker, out: &mut Sink) {
        busy(packet, 1, out);
        let PayloadType::User { last, .. } = header.payload_type else {
            // of rate control or management: no network layer
            return ip.carried(
                packet,
                &Carried { ether_type: 0, stations: stations(header), within: None, bytes: payload },
                out,
            );
        };
        let Some(payload) = payload.first_chunk() else {
            return out.unparsed(packet, "ATM", "the payload of a cell is not whole");
        };
        let key = (packet.interface, header.vpi, header.vci);
        if self.open.use_entry(&key).is_none() {
            let reassembler = Reassembler::new(usize::from(u16::MAX));
            if self.open.insert(key, Circuit { reassembler, has_begun: false }).is_some() {
                out.note("More ATM circuits carry cells than are followed at a time: frames of some were given up.");
            }
        }
        let Some(circuit) = self.open.get_mut(&key) else { return };
        let has_begun = circuit.has_begun;
        circuit.has_begun |= last;
        match circuit.reassembler.push(payload, last) {
            Reassembly::Incomplete => {}
            Reassembly::Packet(bytes) => encapsulated(packet, header, bytes, ip, out),
            // it may have begun before the capture
            Reassembly::Invalid(_) | Reassembly::TooLong { .. } if !has_begun => {}
            Reassembly::Invalid(error) => damaged(packet, error, out),
            Reassembly::TooLong { .. } => {
                out.unparsed(packet, "AAL5", "more cells than the longest frame has: the last cell of one was lost");
            }
        }
    }
}

/// A packet of link type 123. Only those with LLC encapsulation are opened.
fn sun_atm(packet: &Packet<'_>, ip: &mut IpTracker, out: &mut Sink) {
    let Some((&[kind, vpi, high, low], bytes)) = packet.data.split_first_chunk() else {
        return out.unparsed(packet, "ATM", Truncated("circuit"));
    };
    let header = CellHeader::new(vpi.into(), u16::from_be_bytes([high, low]), PayloadType::user(true));
    busy(packet, cells((packet.original_length as usize).saturating_sub(4)), out);
    match kind & 0x0f {
        LLC => encapsulated(packet, header, bytes, ip, out),
        // LAN emulation, signalling and others
        kind => ip.carried(
            packet,
            &Carried { ether_type: kind.into(), stations: stations(header), within: None, bytes },
            out,
        ),
    }
}

/// A whole AAL5 frame with padding and trailer. Of one that the capture cut, length and CRC are not verified.
fn whole_frame(packet: &Packet<'_>, header: CellHeader, frame: &[u8], ip: &mut IpTracker, out: &mut Sink) {
    busy(packet, frame.len().div_ceil(sojourn_protocols::atm::PAYLOAD_LENGTH), out);
    if (packet.original_length as usize) > packet.data.len() {
        return encapsulated(packet, header, frame, ip, out);
    }
    match Frame::parse(frame) {
        Ok(frame) => encapsulated(packet, header, frame.packet, ip, out),
        Err(error) => damaged(packet, error, out),
    }
}

/// A packet with LLC encapsulation, whole or cut.
fn encapsulated(packet: &Packet<'_>, header: CellHeader, bytes: &[u8], ip: &mut IpTracker, out: &mut Sink) {
    match logical_link(bytes) {
        Ok((ether_type, bytes)) => {
            ip.carried(packet, &Carried { ether_type, stations: stations(header), within: None, bytes }, out);
        }
        Err(error) => out.unparsed(packet, "LLC", error),
    }
}

/// A frame that does not parse; the values of a CRC would each be a reason of its own.
fn damaged(packet: &Packet<'_>, error: Aal5Error, out: &mut Sink) {
    match error {
        Aal5Error::Crc { .. } => out.unparsed(packet, "AAL5", "CRC-32 mismatch: cells were lost or damaged"),
        Aal5Error::PacketLength { .. } => {
            out.unparsed(packet, "AAL5", "the length field does not match the cells: cells were lost");
        }
        error => out.unparsed(packet, "AAL5", error),
    }
}

fn stations(header: CellHeader) -> [Address; 2] {
    [Address::Circuit(header.vpi, header.vci), Address::Unknown]
}

fn busy(packet: &Packet<'_>, cells: usize, out: &mut Sink) {
    out.busy(packet.interface, packet.time, (cells * Cell::LENGTH) as u64 * 8);
}

/// Time stamp, type, flags, lengths; perhaps extension headers; then an Ethernet frame behind two octets, or the header of
/// a cell, of a frame that of its last cell, and its contents.
fn parse(octets: &[u8]) -> Result<Record<'_>, RecordError> {
    let (header, mut rest) = octets.split_first_chunk::<16>().ok_or(Truncated("ERF header"))?;
    let mut more = header[8] & record::EXTENSION != 0;
    while more {
        let (extension, behind) = rest.split_first_chunk::<8>().ok_or(Truncated("ERF extension header"))?;
        (more, rest) = (extension[0] & record::EXTENSION != 0, behind);
    }
    let kind = header[8] & !record::EXTENSION;
    if kind == record::ETHERNET {
        return Ok(Record::Ethernet(rest.get(2..).ok_or(Truncated("Ethernet destination"))?));
    }
    if kind != record::CELL && kind != record::AAL5 {
        return Err(RecordError::Type(kind));
    }
    // records may be padded behind the length on the wire
    let wire_length = usize::from(u16::from_be_bytes([header[14], header[15]]));
    let rest = &rest[..rest.len().min(wire_length.max(4))];
    let (numbers, contents) = rest.split_first_chunk().ok_or(Truncated("cell header"))?;
    let header = CellHeader::parse_without_hec(*numbers, Interface::Uni);
    Ok(if kind == record::CELL { Record::Cell(header, contents) } else { Record::Aal5(header, contents) })
}

#[cfg(test)]
mod tests;
