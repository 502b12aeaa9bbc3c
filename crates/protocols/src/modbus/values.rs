//! Counts, addresses, coils and registers in PDUs.

use super::error::PduError;
use super::function::Function;
use crate::cursor::Reader;

/// Rejects a count outside 1 to `most`.
pub(super) fn counted(function: Function, count: usize, most: u16) -> Result<u16, PduError> {
    match u16::try_from(count) {
        Ok(within) if (1..=most).contains(&within) => Ok(within),
        _ => Err(PduError::Count { function: function.code(), count, most }),
    }
}

/// Rejects addresses above 65 535.
pub(super) fn addressed(address: u16, count: u16) -> Result<(), PduError> {
    let is_within = u32::from(address) + u32::from(count) <= 0x1_0000;
    if is_within { Ok(()) } else { Err(PduError::Address { address, count }) }
}

const COIL_ON: u16 = 0xff00;

pub(super) fn coil(value: u16) -> Result<bool, PduError> {
    match value {
        COIL_ON => Ok(true),
        0 => Ok(false),
        other => Err(PduError::Coil(other)),
    }
}

pub(super) fn coil_value(on: bool) -> u16 {
    if on { COIL_ON } else { 0 }
}

/// The data behind a count of octets, which must be `needed`.
pub(super) fn data<'a>(reader: &mut Reader<'a>, needed: usize) -> Result<&'a [u8], PduError> {
    let given = usize::from(reader.byte("count of octets")?);
    if given != needed {
        return Err(PduError::Octets { given, needed });
    }
    Ok(reader.take(needed, "data")?)
}

pub(super) fn registers(octets: &[u8]) -> Vec<u16> {
    octets.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

/// The first `count` bits of packed octets.
pub fn unpack(octets: &[u8], count: u16) -> Vec<bool> {
    let bits = octets.iter().flat_map(|octet| (0..8).map(move |bit| octet >> bit & 1 != 0));
    bits.take(usize::from(count)).collect()
}

/// Bits as packed octets.
pub fn pack(values: &[bool]) -> Vec<u8> {
    let octet = |bits: &[bool]| bits.iter().rev().fold(0, |octet, &bit| octet << 1 | u8::from(bit));
    values.chunks(8).map(octet).collect()
}

/// Appends fields to a PDU.
pub(super) struct Fields<'a>(pub &'a mut Vec<u8>);

impl Fields<'_> {
    pub fn words(&mut self, values: &[u16]) {
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_be_bytes()));
    }

    /// The count of octets, which fits as counts of values are limited, and the octets.
    pub fn data(&mut self, octets: &[u8]) {
        self.0.push(octets.len() as u8);
        self.0.extend_from_slice(octets);
    }

    pub fn registers(&mut self, values: &[u16]) {
        self.0.push((2 * values.len()) as u8);
        self.words(values);
    }
}
