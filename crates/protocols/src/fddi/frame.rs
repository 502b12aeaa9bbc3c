//! Tokens and frames, from frame control to frame check sequence.

use crc::{CRC_32_BZIP2, Crc};

use super::address::Address;
use super::control::FrameControl;
use super::error::{EmitError, ParseError};
use super::length::{MAX_FRAME, MAX_INFO, MIN_FRAME, mac_length};
use crate::UserData;
use crate::limits::front;

/// Bytes of FC and both addresses.
const HEADER_LENGTH: usize = 13;
const FCS_LENGTH: usize = 4;

/// An FDDI frame (ISO 9314-2) without preamble, delimiters and frame status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<D> {
    /// Frame control (FC): class, address length and type.
    pub control: FrameControl,
    /// Destination address (DA): individual, group or broadcast.
    pub destination: Address,
    /// Source address (SA), of the station that strips it.
    pub source: Address,
    /// Information field (INFO), up to 4478 bytes.
    pub information: D,
}

/// An FDDI token (ISO 9314-2), nonrestricted or restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Whether it is a restricted token.
    pub restricted: bool,
}

/// A token or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pdu<D> {
    /// A token, restricted or not.
    Token(Token),
    /// A frame of any class.
    Frame(Frame<D>),
}

/// The frame check sequence of the bytes from FC to INFO: the IEEE 802 polynomial over the bits as sent, most
/// significant first, preset to ones and complemented.
pub fn fcs(bytes: &[u8]) -> u32 {
    // octets are sent in the bit order of CRC-32/BZIP2, not in that of Ethernet
    const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_BZIP2);
    CRC.checksum(bytes)
}

impl Token {
    /// Parses the frame control of a token; `None` if it is not one.
    pub const fn parse(byte: u8) -> Option<Self> {
        match FrameControl::parse(byte) {
            Ok(FrameControl::Token) => Some(Token { restricted: false }),
            Ok(FrameControl::RestrictedToken) => Some(Token { restricted: true }),
            _ => None,
        }
    }

    /// Frame control, the only byte between the delimiters.
    pub const fn byte(self) -> u8 {
        if self.restricted { FrameControl::RestrictedToken.byte() } else { FrameControl::Token.byte() }
    }
}

impl<'a> Pdu<&'a [u8]> {
    /// Parses a token of one byte, or a frame from FC to FCS.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        match bytes {
            [byte] => Token::parse(*byte).map(Pdu::Token).ok_or(ParseError::TooShort(1)),
            _ => Frame::parse(bytes).map(Pdu::Frame),
        }
    }
}

impl<'a> Frame<&'a [u8]> {
    /// Parses a frame from FC to FCS.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        if bytes.len() < MIN_FRAME {
            return Err(ParseError::TooShort(bytes.len()));
        }
        if bytes.len() > MAX_FRAME {
            return Err(ParseError::TooLong(bytes.len()));
        }
        let Some((covered, sequence)) = bytes.split_last_chunk::<FCS_LENGTH>() else {
            return Err(ParseError::TooShort(bytes.len()));
        };
        let (found, expected) = (u32::from_be_bytes(*sequence), fcs(covered));
        if found != expected {
            return Err(ParseError::Fcs { found, expected });
        }
        Frame::parse_without_fcs(covered)
    }

    /// Parses a frame from FC to INFO, as in a capture.
    pub fn parse_without_fcs(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let short = ParseError::TooShort(bytes.len() + FCS_LENGTH);
        let (&control, rest) = bytes.split_first().ok_or(short)?;
        let (&destination, rest) = rest.split_first_chunk::<6>().ok_or(short)?;
        let (&source, information) = rest.split_first_chunk::<6>().ok_or(short)?;
        if information.len() > MAX_INFO {
            return Err(ParseError::TooLong(mac_length(information.len())));
        }
        if Token::parse(control).is_some() {
            return Err(ParseError::TokenWithFrame(control));
        }
        Ok(Frame {
            control: FrameControl::parse(control)?,
            destination: Address::from_bit_reversed(destination),
            source: Address::from_bit_reversed(source),
            information,
        })
    }
}

impl<D: UserData> Frame<D> {
    /// MAC length: the bytes from FC to FCS.
    pub fn length(&self) -> usize {
        mac_length(self.information.length())
    }

    /// Rejects a frame that cannot be emitted: INFO too long, or not the frame control of a frame.
    pub fn check(&self) -> Result<(), EmitError> {
        self.control.check()?;
        if self.control.is_token() {
            return Err(EmitError::Token);
        }
        let information = self.information.length();
        if information > MAX_INFO { Err(EmitError::TooLong(information)) } else { Ok(()) }
    }

    /// Writes FC to FCS to the front of `buffer`; returns the length.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let buffer = front(buffer, needed)?;
        let (covered, sequence) = buffer.split_at_mut(needed - FCS_LENGTH);
        self.fill(covered);
        sequence.copy_from_slice(&fcs(covered).to_be_bytes());
        Ok(needed)
    }

    /// The bytes from FC to FCS.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes FC to INFO; `buffer` is exactly that long.
    pub(super) fn fill(&self, buffer: &mut [u8]) {
        let (header, information) = buffer.split_at_mut(HEADER_LENGTH);
        header[0] = self.control.byte();
        header[1..7].copy_from_slice(&self.destination.bit_reversed());
        header[7..].copy_from_slice(&self.source.bit_reversed());
        self.information.emit(information);
    }

    /// Bytes from FC to INFO.
    pub(super) fn length_without_fcs(&self) -> usize {
        self.length() - FCS_LENGTH
    }
}
