//! ATM adaptation layer 5 (AAL5, I.363.5): a packet padded so that its trailer ends a cell.

use crc::{CRC_32_BZIP2, Crc, Table};

use super::cell::PAYLOAD_LENGTH;
use super::error::{Aal5Error, EmitError};

/// Octets of the trailer: user-to-user indication, common part indicator, length and CRC-32.
pub const TRAILER_LENGTH: usize = 8;
/// Maximum octets of a packet (CPCS-SDU).
pub const MAX_PACKET: usize = 65_535;

// the CRC catalogue lists the parameters of AAL5 under another name
const CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_BZIP2);

/// An AAL5 frame (CPCS-PDU).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// User-to-user indication (CPCS-UU), transparent to AAL5.
    pub user_to_user: u8,
    /// The packet (CPCS-SDU), 1 to 65 535 octets.
    pub packet: &'a [u8],
}

/// Number of cells of a packet of `octets` octets.
pub const fn cells(octets: usize) -> usize {
    (octets + TRAILER_LENGTH).div_ceil(PAYLOAD_LENGTH)
}

/// The frame of a packet: the concatenated payloads of its cells.
pub fn to_bytes(packet: &[u8]) -> Result<Vec<u8>, EmitError> {
    Frame { user_to_user: 0, packet }.to_bytes()
}

impl<'a> Frame<'a> {
    /// Parses the concatenated payloads of a frame's cells.
    pub fn parse(frame: &'a [u8]) -> Result<Self, Aal5Error> {
        let error = Aal5Error::FrameLength(frame.len());
        if frame.is_empty()
            || !frame.len().is_multiple_of(PAYLOAD_LENGTH)
            || frame.len() > cells(MAX_PACKET) * PAYLOAD_LENGTH
        {
            return Err(error);
        }
        let (covered, found) = frame.split_last_chunk().ok_or(error)?;
        let (found, expected) = (u32::from_be_bytes(*found), CRC.checksum(covered));
        if found != expected {
            return Err(Aal5Error::Crc { found, expected });
        }
        let (padded, &[user_to_user, indicator, high, low]) = covered.split_last_chunk().ok_or(error)?;
        if indicator != 0 {
            return Err(Aal5Error::Cpi(indicator));
        }
        let octets = u16::from_be_bytes([high, low]);
        let filled = frame.len() / PAYLOAD_LENGTH;
        match padded.get(..octets.into()) {
            Some(packet) if octets > 0 && cells(packet.len()) == filled => Ok(Frame { user_to_user, packet }),
            _ => Err(Aal5Error::PacketLength { octets, cells: filled }),
        }
    }

    /// The octets of the frame, padding and trailer included.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let error = EmitError::PacketLength(self.packet.len());
        let octets = u16::try_from(self.packet.len()).ok().filter(|&octets| octets > 0).ok_or(error)?;
        let mut frame = vec![0; cells(self.packet.len()) * PAYLOAD_LENGTH];
        let end = frame.len();
        frame[..self.packet.len()].copy_from_slice(self.packet);
        frame[end - 8] = self.user_to_user;
        frame[end - 6..end - 4].copy_from_slice(&octets.to_be_bytes());
        let crc = CRC.checksum(&frame[..end - 4]);
        frame[end - 4..].copy_from_slice(&crc.to_be_bytes());
        Ok(frame)
    }
}
