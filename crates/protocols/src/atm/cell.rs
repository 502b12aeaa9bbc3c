//! A cell of 53 octets (I.361, 2).

use super::error::{CellError, EmitError};
use super::header::{CellHeader, Interface};

/// Octets of a cell's payload (I.361, 2.1).
pub const PAYLOAD_LENGTH: usize = 48;

/// An ATM cell of 53 octets (ITU-T I.361).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Header without its HEC.
    pub header: CellHeader,
    /// Payload of 48 octets.
    pub payload: [u8; PAYLOAD_LENGTH],
}

impl Cell {
    /// Octets of a cell, header included.
    pub const LENGTH: usize = 5 + PAYLOAD_LENGTH;

    /// Parses the 53 octets of a cell.
    pub fn parse(octets: &[u8], interface: Interface) -> Result<Self, CellError> {
        let error = CellError::Length(octets.len());
        let (header, payload) = octets.split_first_chunk().ok_or(error)?;
        let payload = payload.try_into().map_err(|_| error)?;
        Ok(Cell { header: CellHeader::parse(*header, interface)?, payload })
    }

    /// The 53 octets of the cell.
    pub fn to_bytes(&self, interface: Interface) -> Result<[u8; Self::LENGTH], EmitError> {
        let mut octets = [0; Self::LENGTH];
        octets[..5].copy_from_slice(&self.header.to_bytes(interface)?);
        octets[5..].copy_from_slice(&self.payload);
        Ok(octets)
    }
}
