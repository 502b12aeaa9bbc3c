//! What can be wrong with bytes that claim to be of ATM, and with values that are to become bytes.

use thiserror::Error;

use crate::limits::OutOfRange;

/// Why bytes are no cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CellError {
    /// A cell has 53 octets.
    #[error("{0} octets are no cell of 53")]
    Length(usize),
    /// The header error control does not fit the header.
    #[error("the HEC is {found:02x} and should be {expected:02x}")]
    HeaderErrorControl {
        /// What the cell carries.
        found: u8,
        /// What belongs to its header.
        expected: u8,
    },
}

/// Why the payloads of cells are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Aal5Error {
    /// An AAL5 frame is one to 1366 payloads of 48 octets.
    #[error("{0} octets are no AAL5 frame: it is a multiple of 48, at most 65568")]
    FrameLength(usize),
    /// The CRC does not fit the frame.
    #[error("the CRC is {found:08x} and should be {expected:08x}")]
    Crc {
        /// What the frame carries.
        found: u32,
        /// What belongs to its octets.
        expected: u32,
    },
    /// The common part indicator is 0.
    #[error("the common part indicator is {0:02x} and should be 00")]
    CommonPartIndicator(u8),
    /// The length does not fit the number of cells.
    #[error("the length says {octets} octets, which do not fill {cells} cells")]
    PacketLength {
        /// What the trailer says; 0 is the frame of an abort.
        octets: u16,
        /// How many cells there are.
        cells: usize,
    },
}

/// Why the payload of a cell is no resource management.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ResourceManagementError {
    /// Another protocol than the available bit rate service.
    #[error("protocol {0:02x} is not that of the available bit rate service, 01")]
    Protocol(u8),
    /// The CRC does not fit the payload.
    #[error("the CRC is {found:03x} and should be {expected:03x}")]
    Crc {
        /// What the cell carries.
        found: u16,
        /// What belongs to its payload.
        expected: u16,
    },
}

/// Why a value cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// A field holds a number beyond its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// An AAL5 frame carries 1 to 65535 octets.
    #[error("a packet of {0} octets does not fit an AAL5 frame, which carries 1 to 65535")]
    PacketLength(usize),
}
