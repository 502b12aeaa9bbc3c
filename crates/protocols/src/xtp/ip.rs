//! XTP straight on IPv4, protocol number 36: for captures, and for frames that carry IP.

use crate::UserData;
use crate::xtp::wire::{EmitError, Packet, checksum};

/// The protocol number of XTP in an IPv4 header.
pub const PROTOCOL: u8 = 36;

/// Bytes of an IPv4 header without options.
pub const HEADER_LENGTH: usize = 20;

const TIME_TO_LIVE: u8 = 64;

/// An IPv4 datagram that carries an XTP packet. It is user data itself, so a frame can enclose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram<D> {
    /// Who sends it.
    pub source: [u8; 4],
    /// Whom it is for.
    pub destination: [u8; 4],
    /// The `identification` field.
    pub identification: u16,
    /// What it carries.
    pub packet: Packet<D>,
}

impl<D: UserData> Datagram<D> {
    /// Refuses a packet that has no bytes, or too many for an IPv4 datagram.
    pub fn check(&self) -> Result<(), EmitError> {
        self.packet.check()?;
        let length = self.length();
        if length > usize::from(u16::MAX) { Err(EmitError::TooLong(length)) } else { Ok(()) }
    }

    /// Replaces `record` by the datagram's bytes: a record of a capture file of link type 101.
    pub fn capture_record(&self, record: &mut Vec<u8>) -> Result<(), EmitError> {
        self.check()?;
        record.clear();
        record.resize(self.length(), 0);
        self.emit(record);
        Ok(())
    }

    fn header(&self) -> [u8; HEADER_LENGTH] {
        let mut header = [0; HEADER_LENGTH];
        header[0] = 0x45;
        header[2..4].copy_from_slice(&(self.length() as u16).to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[8] = TIME_TO_LIVE;
        header[9] = PROTOCOL;
        header[12..16].copy_from_slice(&self.source);
        header[16..20].copy_from_slice(&self.destination);
        let check = checksum::complement(checksum::sum(&header));
        header[10..12].copy_from_slice(&check.to_be_bytes());
        header
    }
}

impl<D: UserData> UserData for Datagram<D> {
    fn length(&self) -> usize {
        HEADER_LENGTH + self.packet.length()
    }

    /// Writes the datagram; a packet that [`check`](Datagram::check) refuses leaves its bytes as they were.
    fn emit(&self, buffer: &mut [u8]) {
        if let Some((header, packet)) = buffer.split_at_mut_checked(HEADER_LENGTH)
            && self.packet.emit(packet).is_ok()
        {
            header.copy_from_slice(&self.header());
        }
    }
}
