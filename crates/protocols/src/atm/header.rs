//! The five octets before a cell's payload.

use crc::{CRC_8_I_432_1, Crc, Table};

use super::error::{CellError, EmitError};
use crate::limits::within;

const HEC: Crc<u8, Table<1>> = Crc::<u8, Table<1>>::new(&CRC_8_I_432_1);

/// Between which two parties a link lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interface {
    /// A host and a switch (UNI): 4 bits of generic flow control, 8 of VPI.
    #[default]
    User,
    /// Two switches (NNI): 12 bits of VPI.
    Network,
}

/// What a cell carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadType {
    /// PT 0 to 3: data of a user.
    User {
        /// Whether a switch on the way was congested (EFCI).
        congestion: bool,
        /// Whether it is the last cell of an AAL5 frame.
        last: bool,
    },
    /// PT 4: operation and maintenance of a segment.
    SegmentMaintenance,
    /// PT 5: operation and maintenance from end to end.
    EndToEndMaintenance,
    /// PT 6: resource management.
    ResourceManagement,
    /// PT 7.
    Reserved,
}

/// A cell's header without its HEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellHeader {
    /// Generic flow control, 0 to 15; always 0 between switches.
    pub generic_flow_control: u8,
    /// Virtual path identifier, 0 to 255 at a user's interface, 0 to 4095 between switches.
    pub path: u16,
    /// Virtual channel identifier.
    pub channel: u16,
    /// What the payload is.
    pub payload_type: PayloadType,
    /// Whether the cell is dropped before others (CLP 1).
    pub low_priority: bool,
}

impl PayloadType {
    /// Data that no congested switch has seen.
    pub const fn user(last: bool) -> Self {
        PayloadType::User { congestion: false, last }
    }

    const fn of(bits: u8) -> Self {
        match bits & 7 {
            4 => PayloadType::SegmentMaintenance,
            5 => PayloadType::EndToEndMaintenance,
            6 => PayloadType::ResourceManagement,
            7 => PayloadType::Reserved,
            user => PayloadType::User { congestion: user & 2 != 0, last: user & 1 != 0 },
        }
    }

    /// The three bits of PT.
    pub const fn bits(self) -> u8 {
        match self {
            PayloadType::User { congestion, last } => (congestion as u8) << 1 | last as u8,
            PayloadType::SegmentMaintenance => 4,
            PayloadType::EndToEndMaintenance => 5,
            PayloadType::ResourceManagement => 6,
            PayloadType::Reserved => 7,
        }
    }
}

impl CellHeader {
    /// The header of a cell on path `path` and channel `channel` that is not to be dropped before others.
    pub const fn new(path: u16, channel: u16, payload_type: PayloadType) -> Self {
        CellHeader { generic_flow_control: 0, path, channel, payload_type, low_priority: false }
    }

    /// Reads the five octets of a header.
    pub fn parse(octets: [u8; 5], interface: Interface) -> Result<Self, CellError> {
        let [a, b, c, d, found] = octets;
        let expected = hec([a, b, c, d]);
        if found != expected {
            return Err(CellError::HeaderErrorControl { found, expected });
        }
        Ok(Self::parse_without_hec([a, b, c, d], interface))
    }

    /// Reads the four octets before the HEC, which captures leave out.
    pub fn parse_without_hec(octets: [u8; 4], interface: Interface) -> Self {
        let bits = u32::from_be_bytes(octets);
        let (generic_flow_control, path) = match interface {
            Interface::User => ((bits >> 28) as u8, (bits >> 20) as u16 & 0xff),
            Interface::Network => (0, (bits >> 20) as u16),
        };
        CellHeader {
            generic_flow_control,
            path,
            channel: (bits >> 4) as u16,
            payload_type: PayloadType::of((bits >> 1) as u8),
            low_priority: bits & 1 != 0,
        }
    }

    /// The four octets before the HEC.
    pub fn to_bytes_without_hec(self, interface: Interface) -> Result<[u8; 4], EmitError> {
        let (largest_path, largest_control) = match interface {
            Interface::User => (0xff, 15),
            Interface::Network => (0xfff, 0),
        };
        within("virtual path identifier", self.path.into(), largest_path)?;
        within("generic flow control", self.generic_flow_control.into(), largest_control)?;
        let bits = u32::from(self.generic_flow_control) << 28
            | u32::from(self.path) << 20
            | u32::from(self.channel) << 4
            | u32::from(self.payload_type.bits()) << 1
            | u32::from(self.low_priority);
        Ok(bits.to_be_bytes())
    }

    /// The five octets of the header.
    pub fn to_bytes(self, interface: Interface) -> Result<[u8; 5], EmitError> {
        let [a, b, c, d] = self.to_bytes_without_hec(interface)?;
        Ok([a, b, c, d, hec([a, b, c, d])])
    }
}

/// The header error control of the four octets before it: x^8 + x^2 + x + 1, then 55 added (I.432.1, 4.3.2).
pub fn hec(octets: [u8; 4]) -> u8 {
    HEC.checksum(&octets)
}
