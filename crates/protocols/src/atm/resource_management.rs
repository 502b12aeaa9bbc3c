//! Resource management cells of the available bit rate service (Traffic Management 4.0, 5.10.3; I.371, 7.1).

use crc::{CRC_10_ATM, Crc, Table};

use super::cell::PAYLOAD;
use super::error::ResourceManagementError;
use super::rate::CodedRate;

const CRC: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&CRC_10_ATM);
const PROTOCOL: u8 = 1;
/// What fills the reserved octets, as in empty cells.
const RESERVED: u8 = 0x6a;

const BACKWARD: u8 = 1 << 7;
const EXPLICIT_NOTIFICATION: u8 = 1 << 6;
const CONGESTION: u8 = 1 << 5;
const NO_INCREASE: u8 = 1 << 4;

/// Which way a resource management cell goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the source, with the data.
    Forward,
    /// Back to the source.
    Backward,
}

/// The payload of a resource management cell. The request/acknowledge bit, queue length and sequence number of I.371
/// are not used by the ATM Forum; they are sent as 0 and not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceManagement {
    /// Which way it goes.
    pub direction: Direction,
    /// Whether a switch or the destination made it, rather than the source (BN).
    pub notification: bool,
    /// Whether the source is to slow down (CI).
    pub congestion: bool,
    /// Whether the source is not to speed up (NI).
    pub no_increase: bool,
    /// The most that the source may send (ER).
    pub explicit_rate: CodedRate,
    /// What the source was allowed when it sent the cell (CCR).
    pub current_rate: CodedRate,
    /// What it is always allowed (MCR).
    pub minimum_rate: CodedRate,
}

impl ResourceManagement {
    /// Reads the payload of a cell with payload type 6.
    pub fn parse(payload: &[u8; PAYLOAD]) -> Result<Self, ResourceManagementError> {
        let [protocol, message, a, b, c, d, e, f, ..] = *payload;
        let found = u16::from_be_bytes([payload[46], payload[47]]) & 0x3ff;
        let expected = crc(payload);
        if found != expected {
            return Err(ResourceManagementError::Crc { found, expected });
        }
        if protocol != PROTOCOL {
            return Err(ResourceManagementError::Protocol(protocol));
        }
        let rate = |high, low| CodedRate(u16::from_be_bytes([high, low]));
        Ok(ResourceManagement {
            direction: if message & BACKWARD != 0 { Direction::Backward } else { Direction::Forward },
            notification: message & EXPLICIT_NOTIFICATION != 0,
            congestion: message & CONGESTION != 0,
            no_increase: message & NO_INCREASE != 0,
            explicit_rate: rate(a, b),
            current_rate: rate(c, d),
            minimum_rate: rate(e, f),
        })
    }

    /// The payload.
    pub fn to_bytes(&self) -> [u8; PAYLOAD] {
        let flag = |set, bit| if set { bit } else { 0 };
        let mut payload = [RESERVED; PAYLOAD];
        payload[0] = PROTOCOL;
        payload[1] = flag(self.direction == Direction::Backward, BACKWARD)
            | flag(self.notification, EXPLICIT_NOTIFICATION)
            | flag(self.congestion, CONGESTION)
            | flag(self.no_increase, NO_INCREASE);
        for (octets, rate) in
            payload[2..8].chunks_exact_mut(2).zip([self.explicit_rate, self.current_rate, self.minimum_rate])
        {
            octets.copy_from_slice(&rate.0.to_be_bytes());
        }
        payload[8..16].fill(0);
        payload[46..].fill(0);
        let crc = crc(&payload);
        payload[46..].copy_from_slice(&crc.to_be_bytes());
        payload
    }
}

/// The CRC-10 of the first 374 bits of a payload, moved by two bits so that they end an octet; zeros before the first
/// bit change nothing.
fn crc(payload: &[u8; PAYLOAD]) -> u16 {
    let mut moved = [0; PAYLOAD - 1];
    let mut before = 0;
    for (octet, &payload) in moved.iter_mut().zip(payload) {
        *octet = before << 6 | payload >> 2;
        before = payload;
    }
    CRC.checksum(&moved)
}
