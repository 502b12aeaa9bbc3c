//! ATM adaptation layer 5 (I.363.5): a packet, padded so that its trailer ends a cell.

use crc::{CRC_32_BZIP2, Crc, Table};

use super::cell::PAYLOAD;
use super::error::{Aal5Error, EmitError};

/// Octets after packet and pad: user-to-user indication, common part indicator, length and CRC.
pub const TRAILER: usize = 8;
/// Octets of the largest packet.
pub const LARGEST_PACKET: usize = 65_535;

// the parameters of AAL5 have the name of another program in the catalogue
const CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_BZIP2);

/// A frame that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The user-to-user indication, carried for the users alone.
    pub user_to_user: u8,
    /// The packet.
    pub packet: &'a [u8],
}

/// How many cells a packet of `octets` octets fills.
pub const fn cells(octets: usize) -> usize {
    (octets + TRAILER).div_ceil(PAYLOAD)
}

/// The frame of a packet: what the payloads of its cells are, one after the other.
pub fn to_bytes(packet: &[u8]) -> Result<Vec<u8>, EmitError> {
    Frame { user_to_user: 0, packet }.to_bytes()
}

impl<'a> Frame<'a> {
    /// Reads the payloads of a frame's cells.
    pub fn parse(frame: &'a [u8]) -> Result<Self, Aal5Error> {
        let wrong = Aal5Error::FrameLength(frame.len());
        if frame.is_empty() || !frame.len().is_multiple_of(PAYLOAD) || frame.len() > cells(LARGEST_PACKET) * PAYLOAD {
            return Err(wrong);
        }
        let (covered, found) = frame.split_last_chunk().ok_or(wrong)?;
        let (found, expected) = (u32::from_be_bytes(*found), CRC.checksum(covered));
        if found != expected {
            return Err(Aal5Error::Crc { found, expected });
        }
        let (padded, &[user_to_user, indicator, high, low]) = covered.split_last_chunk().ok_or(wrong)?;
        if indicator != 0 {
            return Err(Aal5Error::CommonPartIndicator(indicator));
        }
        let octets = u16::from_be_bytes([high, low]);
        let filled = frame.len() / PAYLOAD;
        match padded.get(..octets.into()) {
            Some(packet) if octets > 0 && cells(packet.len()) == filled => Ok(Frame { user_to_user, packet }),
            _ => Err(Aal5Error::PacketLength { octets, cells: filled }),
        }
    }

    /// The frame's octets.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let wrong = EmitError::PacketLength(self.packet.len());
        let octets = u16::try_from(self.packet.len()).ok().filter(|&octets| octets > 0).ok_or(wrong)?;
        let mut frame = vec![0; cells(self.packet.len()) * PAYLOAD];
        let end = frame.len();
        frame[..self.packet.len()].copy_from_slice(self.packet);
        frame[end - 8] = self.user_to_user;
        frame[end - 6..end - 4].copy_from_slice(&octets.to_be_bytes());
        let crc = CRC.checksum(&frame[..end - 4]);
        frame[end - 4..].copy_from_slice(&crc.to_be_bytes());
        Ok(frame)
    }
}
