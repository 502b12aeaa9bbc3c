//! Callsigns in NET/ROM: the seven octets of AX.25, whose spare bits have no meaning.

use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};

use super::ParseError;

/// Bits 5 and 6 of an address's last octet, sent as ones.
const RESERVED: u8 = 0x60;
/// Bit 0 of an address's last octet: the last of the two.
const LAST: u8 = 0x01;

/// Parses an address; C, reserved and extension bits are ignored, since programs differ.
pub(super) fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Address, ParseError> {
    let octets = reader.array(field)?;
    Address::parse(&octets).map_err(|error| ParseError::Address { field, error })
}

/// Writes an address, as Linux does: reserved bits one, the extension bit only on the last of a pair.
pub(super) fn write(writer: &mut Writer<'_>, address: Address, last: bool) {
    let mut octets = address.emit();
    octets[6] |= RESERVED | if last { LAST } else { 0 };
    writer.bytes(&octets);
}
