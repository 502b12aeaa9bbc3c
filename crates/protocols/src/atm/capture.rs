//! Capture file records of cells and frames.

use super::aal5;
use super::cell::Cell;
use super::error::EmitError;
use super::header::{CellHeader, Interface, PayloadType};
use crate::limits::OutOfRange;

/// Replaces `record` by a packet of LINKTYPE_SUNATM (123) with LLC encapsulation (RFC 2684); `from_user` if a host sent
/// it, not a switch.
pub fn sun_atm_record(packet: &[u8], vpi: u8, vci: u16, from_user: bool, record: &mut Vec<u8>) {
    const LLC: u8 = 2;
    let sent_by_user = u8::from(from_user) << 7;
    let [high, low] = vci.to_be_bytes();
    record.clear();
    record.extend_from_slice(&[sent_by_user | LLC, vpi, high, low]);
    record.extend_from_slice(packet);
}

/// Octets of an ERF header.
const ERF_HEADER: u16 = 16;
/// Records of varying length, from interface 0.
const ERF_FLAGS: u8 = 0x04;

/// Record type of an ERF record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErfType {
    Cell = 3,
    Aal5 = 4,
}

/// Replaces `record` by a cell of LINKTYPE_ERF (197), `since_epoch` picoseconds after 1970-01-01.
pub fn erf_cell_record(
    cell: &Cell,
    interface: Interface,
    since_epoch: u128,
    record: &mut Vec<u8>,
) -> Result<(), EmitError> {
    let header = cell.header.to_bytes_without_hec(interface)?;
    erf_record(ErfType::Cell, since_epoch, header, &cell.payload, record)
}

/// Replaces `record` by a whole AAL5 frame of LINKTYPE_ERF (197), `since_epoch` picoseconds after 1970-01-01, with
/// the header of its last cell. Readers verify padding, length and CRC.
pub fn erf_aal5_record(
    packet: &[u8],
    vpi: u16,
    vci: u16,
    since_epoch: u128,
    record: &mut Vec<u8>,
) -> Result<(), EmitError> {
    let header = CellHeader::new(vpi, vci, PayloadType::user(true)).to_bytes_without_hec(Interface::Uni)?;
    erf_record(ErfType::Aal5, since_epoch, header, &aal5::to_bytes(packet)?, record)
}

fn erf_record(
    kind: ErfType,
    since_epoch: u128,
    header: [u8; 4],
    octets: &[u8],
    record: &mut Vec<u8>,
) -> Result<(), EmitError> {
    let wire_length = header.len() + octets.len();
    let limit = u16::MAX - ERF_HEADER;
    let length = u16::try_from(wire_length).ok().filter(|&length| length <= limit).ok_or(OutOfRange {
        field: "length of an ERF record",
        value: wire_length,
        limit: limit.into(),
    })?;
    // seconds and their fraction, 32 bits each
    let stamp = ((since_epoch << 32) / 1_000_000_000_000) as u64;
    record.clear();
    record.extend_from_slice(&stamp.to_le_bytes());
    record.extend_from_slice(&[kind as u8, ERF_FLAGS]);
    record.extend_from_slice(&(ERF_HEADER + length).to_be_bytes());
    record.extend_from_slice(&[0, 0]);
    record.extend_from_slice(&length.to_be_bytes());
    record.extend_from_slice(&header);
    record.extend_from_slice(octets);
    Ok(())
}
