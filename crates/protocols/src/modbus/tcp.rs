//! Frames on TCP: the MBAP header and a PDU (Modbus Messaging on TCP/IP V1.0b, section 3.1).

use super::LONGEST_PDU;
use super::error::Fault;

/// The port of servers.
pub const PORT: u16 = 502;
/// Octets of the MBAP header: transaction, protocol, length and unit.
pub const HEADER: usize = 7;
/// The unit of a server that has its own address, and of none behind it.
pub const OWN_UNIT: u8 = 255;
/// The function of UMAS, by which programs and data of a controller are transferred in longer frames.
pub const UMAS: u8 = 90;
/// The longest value of the length field: unit and PDU.
pub const LONGEST_LENGTH: u16 = LONGEST_PDU as u16 + 1;

/// A frame on TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adu<'a> {
    /// The identifier by which a client finds the request of a response.
    pub transaction: u16,
    /// The server behind a gateway, or [`OWN_UNIT`].
    pub unit: u8,
    /// Function and data.
    pub pdu: &'a [u8],
}

/// Octets on the stream of a PDU.
pub const fn length(pdu: usize) -> usize {
    HEADER + pdu
}

/// Appends the frame of a PDU, which has at most [`LONGEST_PDU`] octets.
pub fn emit(transaction: u16, unit: u8, pdu: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&transaction.to_be_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes.extend_from_slice(&(pdu.len() as u16 + 1).to_be_bytes());
    bytes.push(unit);
    bytes.extend_from_slice(pdu);
}

/// Octets of the frame at the beginning of a stream; `None` where more of the header is needed.
///
/// The length is that of a PDU with a function, unless the function is [`UMAS`], which the caller may see in an eighth octet.
pub fn frame_length(stream: &[u8]) -> Result<Option<usize>, Fault> {
    let Some(&[_, _, p1, p0, l1, l0]) = stream.first_chunk() else { return Ok(None) };
    let (protocol, length) = (u16::from_be_bytes([p1, p0]), u16::from_be_bytes([l1, l0]));
    let is_umas = stream.get(HEADER).is_some_and(|function| function & 0x7f == UMAS);
    let longest = if is_umas { u16::MAX } else { LONGEST_LENGTH };
    match (protocol, length) {
        (0, 2..) if length <= longest => Ok(Some(6 + usize::from(length))),
        (0, _) => Err(Fault::Length(length)),
        (other, _) => Err(Fault::Protocol(other)),
    }
}

/// The frame at the beginning of a stream, and the octets behind it; `None` where more of it is needed. After a fault the
/// rest of the stream cannot be read.
pub fn parse(stream: &[u8]) -> Result<Option<(Adu<'_>, &[u8])>, Fault> {
    let Some(length) = frame_length(stream)? else { return Ok(None) };
    let Some((frame, rest)) = stream.split_at_checked(length) else { return Ok(None) };
    let Some((&[t1, t0, _, _, _, _, unit], pdu)) = frame.split_first_chunk() else { return Ok(None) };
    Ok(Some((Adu { transaction: u16::from_be_bytes([t1, t0]), unit, pdu }, rest)))
}
