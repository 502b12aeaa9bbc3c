//! XTP directly over IPv4, protocol number 36: for captures, and for frames that carry IP.

use crate::UserData;
use crate::ip::{self, Payload, PseudoHeader};
use crate::xtp::wire::{EmitError, Packet};

pub use crate::ip::{HEADER_LENGTH, protocol::XTP as PROTOCOL};

/// An IPv4 datagram that carries an XTP packet.
pub type Datagram<D> = ip::Datagram<Packet<D>>;

impl<D: UserData> Payload for Packet<D> {
    const PROTOCOL: u8 = PROTOCOL;

    fn length(&self) -> usize {
        self.length()
    }

    fn emit(&self, buffer: &mut [u8], _: &PseudoHeader) -> bool {
        self.emit(buffer).is_ok()
    }
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
}
