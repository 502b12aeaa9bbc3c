//! Errors of parsing and emitting ATM cells, AAL5 frames and RM payloads.

use thiserror::Error;

use crate::limits::OutOfRange;

/// Why bytes cannot be parsed as a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CellError {
    /// The length is not 53 octets.
    #[error("cell of {0} octets, expected 53")]
    Length(usize),
    /// The header error control (HEC) does not match the header.
    #[error("HEC mismatch: {found:02x}, expected {expected:02x}")]
    Hec {
        /// HEC field of the header received.
        found: u8,
        /// HEC computed over the header.
        expected: u8,
    },
}

/// Why cell payloads cannot be parsed as an AAL5 frame (CPCS-PDU).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Aal5Error {
    /// The length is not 1 to 1366 payloads of 48 octets.
    #[error("AAL5 frame of {0} octets, expected a multiple of 48 up to 65568")]
    FrameLength(usize),
    /// The CRC-32 does not match the frame.
    #[error("CRC-32 mismatch: {found:08x}, expected {expected:08x}")]
    Crc {
        /// CRC-32 field of the trailer received.
        found: u32,
        /// CRC-32 computed over the frame.
        expected: u32,
    },
    /// The common part indicator (CPI) is not 0.
    #[error("common part indicator {0:02x}, expected 00")]
    Cpi(u8),
    /// The length field does not match the number of cells.
    #[error("length field {octets} does not match {cells} cells")]
    PacketLength {
        /// Length field of the trailer, octets; 0 aborts the frame.
        octets: u16,
        /// Number of cells received.
        cells: usize,
    },
}

/// Why a cell's payload cannot be parsed as an RM payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RmError {
    /// The protocol identifier is not that of ABR.
    #[error("RM protocol identifier {0:02x}, expected 01 (ABR)")]
    ProtocolId(u8),
    /// The CRC-10 does not match the payload.
    #[error("CRC-10 mismatch: {found:03x}, expected {expected:03x}")]
    Crc {
        /// CRC-10 field of the cell received.
        found: u16,
        /// CRC-10 computed over the payload.
        expected: u16,
    },
}

/// Why a value cannot be emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The value of a field is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// The packet is not 1 to 65535 octets long.
    #[error("packet of {0} octets, AAL5 carries 1 to 65535")]
    PacketLength(usize),
}
