//! The NODES broadcast: the destinations a node can reach, with their qualities.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{ParseError, address};
use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};
use crate::limits::{ShortBuffer, front};

/// The first octet of a broadcast.
const SIGNATURE: u8 = 0xff;
/// Maximum characters of an alias.
const ALIAS_LENGTH: usize = 6;
/// Length of an entry in octets: callsign, alias, best neighbour, quality.
const ENTRY_LENGTH: usize = 21;
/// Maximum entries of one broadcast frame, within 256 octets of information.
pub const ENTRY_LIMIT: usize = 11;

/// A node's alias (mnemonic), up to six characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias([u8; ALIAS_LENGTH]);

/// Why a text is not a valid alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AliasError {
    /// The alias has more than six characters.
    #[error("an alias of {0} characters is longer than 6")]
    TooLong(usize),
    /// The alias contains a character that is not printable ASCII.
    #[error("{0:?} in an alias is not a printable ASCII character")]
    Character(char),
}

/// One frame of a broadcast: the information of a UI frame to `NODES` with PID CF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The alias of the broadcasting node.
    pub alias: Alias,
    /// The destinations, at most [`ENTRY_LIMIT`] to fit an I field of 256 octets.
    pub entries: Vec<Entry>,
}

/// A destination in a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The address of the destination node.
    pub destination: Address,
    /// The alias of the destination node.
    pub alias: Alias,
    /// The next hop of the broadcasting node's best route.
    pub best_neighbour: Address,
    /// The quality of that route, 0 to 255.
    pub quality: u8,
}

impl Alias {
    /// The alias of a node without one: spaces.
    pub const NONE: Alias = Alias([b' '; ALIAS_LENGTH]);

    /// The alias without padding; a character that is not printable ASCII shows as a dot.
    pub fn text(&self) -> String {
        let shown = self.0.map(|octet| if octet == b' ' || octet.is_ascii_graphic() { octet } else { b'.' });
        String::from_utf8_lossy(&shown).trim_end().to_owned()
    }
}

impl FromStr for Alias {
    type Err = AliasError;

    fn from_str(text: &str) -> Result<Self, AliasError> {
        let length = text.chars().count();
        if length > ALIAS_LENGTH {
            return Err(AliasError::TooLong(length));
        }
        let mut octets = [b' '; ALIAS_LENGTH];
        for (octet, character) in octets.iter_mut().zip(text.chars()) {
            if !character.is_ascii_graphic() {
                return Err(AliasError::Character(character));
            }
            *octet = character.to_ascii_uppercase() as u8;
        }
        Ok(Alias(octets))
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Nodes {
    /// Parses a broadcast. Entries with invalid callsigns, and a truncated last entry, are ignored.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let signature = reader.byte("signature")?;
        if signature != SIGNATURE {
            return Err(ParseError::Signature(signature));
        }
        let alias = Alias(reader.array("alias")?);
        let entries = reader.rest().chunks_exact(ENTRY_LENGTH).filter_map(|octets| Entry::parse(octets).ok()).collect();
        Ok(Nodes { alias, entries })
    }

    /// Length of the broadcast in octets.
    pub fn length(&self) -> usize {
        1 + ALIAS_LENGTH + self.entries.len() * ENTRY_LENGTH
    }

    /// Writes the broadcast to the front of `buffer`; returns the octets written.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, ShortBuffer> {
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        writer.byte(SIGNATURE);
        writer.bytes(&self.alias.0);
        for entry in &self.entries {
            address::write(&mut writer, entry.destination, false);
            writer.bytes(&entry.alias.0);
            address::write(&mut writer, entry.best_neighbour, false);
            writer.byte(entry.quality);
        }
        Ok(needed)
    }

    /// Encodes the broadcast to a new vector.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes).expect("a buffer of the broadcast's length");
        bytes
    }
}

impl Entry {
    fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let mut reader = Reader(octets);
        Ok(Entry {
            destination: address::read(&mut reader, "destination node")?,
            alias: Alias(reader.array("alias")?),
            best_neighbour: address::read(&mut reader, "best neighbour")?,
            quality: reader.byte("quality")?,
        })
    }
}
