//! Cell header (I.361, 2.2 and 2.3).

use crc::{CRC_8_I_432_1, Crc, Table};

use super::error::{CellError, EmitError};
use crate::limits::within;

const HEC: Crc<u8, Table<1>> = Crc::<u8, Table<1>>::new(&CRC_8_I_432_1);

/// Interface that a link implements, which determines the header format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interface {
    /// User-network interface (UNI), host to switch: 4 bits of GFC, 8 of VPI.
    #[default]
    Uni,
    /// Network node interface (NNI), switch to switch: 12 bits of VPI.
    Nni,
}

/// Payload type (PT) of a cell, 0 to 7 (ITU-T I.361).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadType {
    /// PT 0 to 3: user data.
    User {
        /// Explicit forward congestion indication (EFCI).
        efci: bool,
        /// ATM-user-to-user (AUU) indication: last cell of an AAL5 frame.
        last: bool,
    },
    /// PT 4: segment operation and maintenance (OAM).
    SegmentOam,
    /// PT 5: end-to-end operation and maintenance (OAM).
    EndToEndOam,
    /// PT 6: resource management (RM).
    ResourceManagement,
    /// PT 7: reserved by ITU-T I.361.
    Reserved,
}

/// A cell's header without its HEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellHeader {
    /// Generic flow control (GFC), 0 to 15 at the UNI, 0 at the NNI.
    pub gfc: u8,
    /// Virtual path identifier (VPI), 0 to 255 at the UNI, 0 to 4095 at the NNI.
    pub vpi: u16,
    /// Virtual channel identifier (VCI), 0 to 65 535.
    pub vci: u16,
    /// Payload type (PT), 0 to 7.
    pub payload_type: PayloadType,
    /// Cell loss priority (CLP): dropped before cells with CLP 0.
    pub clp: bool,
}

impl PayloadType {
    /// User data with EFCI 0.
    pub const fn user(last: bool) -> Self {
        PayloadType::User { efci: false, last }
    }

    const fn of(bits: u8) -> Self {
        match bits & 7 {
            4 => PayloadType::SegmentOam,
            5 => PayloadType::EndToEndOam,
            6 => PayloadType::ResourceManagement,
            7 => PayloadType::Reserved,
            user => PayloadType::User { efci: user & 2 != 0, last: user & 1 != 0 },
        }
    }

    /// The three bits of the PT field.
    pub const fn bits(self) -> u8 {
        match self {
            PayloadType::User { efci, last } => (efci as u8) << 1 | last as u8,
            PayloadType::SegmentOam => 4,
            PayloadType::EndToEndOam => 5,
            PayloadType::ResourceManagement => 6,
            PayloadType::Reserved => 7,
        }
    }
}

impl CellHeader {
    /// A header with GFC 0 and CLP 0.
    pub const fn new(vpi: u16, vci: u16, payload_type: PayloadType) -> Self {
        CellHeader { gfc: 0, vpi, vci, payload_type, clp: false }
    }

    /// Parses the five octets of a header and verifies its HEC.
    pub fn parse(octets: [u8; 5], interface: Interface) -> Result<Self, CellError> {
        let [a, b, c, d, found] = octets;
        let expected = hec([a, b, c, d]);
        if found != expected {
            return Err(CellError::Hec { found, expected });
        }
        Ok(Self::parse_without_hec([a, b, c, d], interface))
    }

    /// Parses the four octets before the HEC, which captures omit.
    pub fn parse_without_hec(octets: [u8; 4], interface: Interface) -> Self {
        let bits = u32::from_be_bytes(octets);
        let (gfc, vpi) = match interface {
            Interface::Uni => ((bits >> 28) as u8, (bits >> 20) as u16 & 0xff),
            Interface::Nni => (0, (bits >> 20) as u16),
        };
        CellHeader {
            gfc,
            vpi,
            vci: (bits >> 4) as u16,
            payload_type: PayloadType::of((bits >> 1) as u8),
            clp: bits & 1 != 0,
        }
    }

    /// The four octets before the HEC.
    pub fn to_bytes_without_hec(self, interface: Interface) -> Result<[u8; 4], EmitError> {
        let (max_vpi, max_gfc) = match interface {
            Interface::Uni => (0xff, 15),
            Interface::Nni => (0xfff, 0),
        };
        within("VPI", self.vpi.into(), max_vpi)?;
        within("GFC", self.gfc.into(), max_gfc)?;
        let bits = u32::from(self.gfc) << 28
            | u32::from(self.vpi) << 20
            | u32::from(self.vci) << 4
            | u32::from(self.payload_type.bits()) << 1
            | u32::from(self.clp);
        Ok(bits.to_be_bytes())
    }

    /// The five octets of the header, HEC included.
    pub fn to_bytes(self, interface: Interface) -> Result<[u8; 5], EmitError> {
        let [a, b, c, d] = self.to_bytes_without_hec(interface)?;
        Ok([a, b, c, d, hec([a, b, c, d])])
    }
}

/// Header error control (HEC) of the first four octets: CRC-8 with x^8 + x^2 + x + 1, XOR 0x55 (I.432.1, 4.3.2).
pub fn hec(octets: [u8; 4]) -> u8 {
    HEC.checksum(&octets)
}
