//! A station's address: a callsign and a secondary station identifier.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Octets of a callsign.
const CALLSIGN_LIMIT: usize = 6;
/// The largest secondary station identifier (SSID).
const SSID_LIMIT: u8 = 15;

/// A callsign of one to six letters and digits, and an SSID of 0 to 15, written `NJ7P-4`.
///
/// Six digits alone are valid too: ROSE encodes the remote switch's address as a callsign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// ASCII, padded with spaces.
    callsign: [u8; CALLSIGN_LIMIT],
    ssid: u8,
}

/// Why a text or an address field is not a valid address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The callsign is empty.
    #[error("empty callsign: expected one to six letters and digits")]
    Empty,
    /// The callsign has more than six characters.
    #[error("a callsign of {0} characters is longer than 6")]
    TooLong(usize),
    /// The callsign contains a character that is neither a letter nor a digit.
    #[error("{character:?} at position {position} of a callsign is not a letter or digit")]
    Character {
        /// The character; when parsing octets, the octet's upper seven bits.
        character: char,
        /// Its position in the callsign, from 1.
        position: usize,
    },
    /// What follows the hyphen is not a number from 0 to 15.
    #[error("expected an SSID from 0 to 15 after the hyphen")]
    Ssid,
}

impl Address {
    /// Fills unused entries of a list.
    pub(crate) const BLANK: Address = Address { callsign: [b' '; CALLSIGN_LIMIT], ssid: 0 };

    /// The address of `callsign` with `ssid`. Lower case is converted to upper case.
    pub fn new(callsign: &str, ssid: u8) -> Result<Self, AddressError> {
        if ssid > SSID_LIMIT {
            return Err(AddressError::Ssid);
        }
        let length = callsign.chars().count();
        match length {
            0 => return Err(AddressError::Empty),
            1..=CALLSIGN_LIMIT => {}
            _ => return Err(AddressError::TooLong(length)),
        }
        let mut octets = [b' '; CALLSIGN_LIMIT];
        for (index, character) in callsign.chars().enumerate() {
            if !character.is_ascii_alphanumeric() {
                return Err(AddressError::Character { character, position: index + 1 });
            }
            octets[index] = character.to_ascii_uppercase() as u8;
        }
        Ok(Address { callsign: octets, ssid })
    }

    /// The callsign without padding.
    pub fn callsign(&self) -> &str {
        let end = self.callsign.iter().position(|octet| *octet == b' ').unwrap_or(CALLSIGN_LIMIT);
        std::str::from_utf8(&self.callsign[..end]).unwrap_or_default()
    }

    /// The secondary station identifier, 0 to 15.
    pub const fn ssid(&self) -> u8 {
        self.ssid
    }

    /// Reads the six octets of a callsign and the octet with the SSID, whose other bits are ignored.
    pub(crate) fn parse(octets: &[u8; 7]) -> Result<Self, AddressError> {
        let mut callsign = [b' '; CALLSIGN_LIMIT];
        let mut length = 0;
        for (index, octet) in octets[..CALLSIGN_LIMIT].iter().enumerate() {
            let character = octet >> 1;
            let padding = character == b' ';
            let known = padding || character.is_ascii_uppercase() || character.is_ascii_digit();
            if octet & 1 != 0 || !known || (!padding && length < index) {
                return Err(AddressError::Character { character: char::from(character), position: index + 1 });
            }
            if !padding {
                callsign[index] = character;
                length = index + 1;
            }
        }
        if length == 0 {
            return Err(AddressError::Empty);
        }
        Ok(Address { callsign, ssid: octets[CALLSIGN_LIMIT] >> 1 & SSID_LIMIT })
    }

    /// The seven octets, with all bits zero except callsign and SSID.
    pub(crate) fn emit(&self) -> [u8; 7] {
        let mut octets = [0; 7];
        for (octet, character) in octets.iter_mut().zip(self.callsign) {
            *octet = character << 1;
        }
        octets[CALLSIGN_LIMIT] = self.ssid << 1;
        octets
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// Reads `CALL` or `CALL-SSID`.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let Some((callsign, ssid)) = text.split_once('-') else { return Address::new(text, 0) };
        let digits = !ssid.is_empty() && ssid.len() <= 2 && ssid.bytes().all(|byte| byte.is_ascii_digit());
        match ssid.parse() {
            Ok(ssid) if digits => Address::new(callsign, ssid),
            _ => Err(AddressError::Ssid),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ssid {
            0 => f.write_str(self.callsign()),
            ssid => write!(f, "{}-{ssid}", self.callsign()),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
