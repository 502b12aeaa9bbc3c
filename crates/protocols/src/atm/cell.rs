//! A cell: 53 octets.

use super::error::{CellError, EmitError};
use super::header::{CellHeader, Interface};

/// Octets of a cell's payload.
pub const PAYLOAD: usize = 48;

/// A header and what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where the cell goes and what it is.
    pub header: CellHeader,
    /// What it carries.
    pub payload: [u8; PAYLOAD],
}

impl Cell {
    /// Octets of a cell.
    pub const LENGTH: usize = 5 + PAYLOAD;

    /// Reads the 53 octets of a cell.
    pub fn parse(octets: &[u8], interface: Interface) -> Result<Self, CellError> {
        let wrong = CellError::Length(octets.len());
        let (header, payload) = octets.split_first_chunk().ok_or(wrong)?;
        let payload = payload.try_into().map_err(|_| wrong)?;
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
