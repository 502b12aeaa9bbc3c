//! Values of MessagePack, as its specification has their first octets.

use thiserror::Error;

/// Why octets cannot be read as MessagePack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// It ends within a value.
    #[error("the datagram ends within a value")]
    Short,
    /// An octet that begins no value.
    #[error("no value of MessagePack begins with C1h")]
    Unassigned,
    /// It is another value than a map.
    #[error("expected a map of MessagePack, found {0:02X}h")]
    NoMap(u8),
    /// A key is another value than a text.
    #[error("expected a text as key, found {0:02X}h")]
    NoText(u8),
    /// Octets follow the map.
    #[error("{0} bytes follow the map")]
    Trailing(usize),
}

/// A position in octets.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
enum Value<'b> {
    Boolean(bool),
    Number(u64),
    Octets(&'b [u8]),
    /// Another, with this many values in it.
    Other(u64),
}

impl<'b> Reader<'b> {
    /// The beginning of octets.
    pub const fn new(rest: &'b [u8]) -> Reader<'b> {
        Reader { rest }
    }

    /// The number of entries of a map that begins here.
    pub fn map(&mut self) -> Result<u64, PackError> {
        match self.octet()? {
            head @ 0x80..=0x8f => Ok(u64::from(head & 15)),
            0xde => self.unsigned(2),
            0xdf => self.unsigned(4),
            head => Err(PackError::NoMap(head)),
        }
    }

    /// A text.
    pub fn text(&mut self) -> Result<&'b [u8], PackError> {
        let head = self.octet()?;
        let length = match head {
            0xa0..=0xbf => u64::from(head & 31),
            0xd9 => self.unsigned(1)?,
            0xda => self.unsigned(2)?,
            0xdb => self.unsigned(4)?,
            head => return Err(PackError::NoText(head)),
        };
        self.take(length)
    }

    /// True or false; `None` of another value, which is passed.
    pub fn boolean(&mut self) -> Result<Option<bool>, PackError> {
        let value = self.value()?;
        Ok(if let Value::Boolean(value) = value { Some(value) } else { None })
    }

    /// A whole number that is not negative; `None` of another value.
    pub fn number(&mut self) -> Result<Option<u64>, PackError> {
        let value = self.value()?;
        Ok(if let Value::Number(value) = value { Some(value) } else { None })
    }

    /// Binary data; `None` of another value.
    pub fn octets(&mut self) -> Result<Option<&'b [u8]>, PackError> {
        let value = self.value()?;
        Ok(if let Value::Octets(octets) = value { Some(octets) } else { None })
    }

    /// Passes a value with all that is in it.
    pub fn skip(&mut self) -> Result<(), PackError> {
        let mut left = 1_u64;
        while left > 0 {
            left -= 1;
            if let Value::Other(within) = self.value()? {
                left = left.saturating_add(within);
            }
        }
        Ok(())
    }

    /// Whether all is read.
    pub const fn end(self) -> Result<(), PackError> {
        if self.rest.is_empty() { Ok(()) } else { Err(PackError::Trailing(self.rest.len())) }
    }

    fn value(&mut self) -> Result<Value<'b>, PackError> {
        let head = self.octet()?;
        let passed = |reader: &mut Self, length: u64| reader.take(length).map(|_| Value::Other(0));
        match head {
            0x00..=0x7f => Ok(Value::Number(head.into())),
            0x80..=0x8f => Ok(Value::Other(2 * u64::from(head & 15))),
            0x90..=0x9f => Ok(Value::Other(u64::from(head & 15))),
            0xa0..=0xbf => passed(self, u64::from(head & 31)),
            0xc0 | 0xe0..=0xff => Ok(Value::Other(0)),
            0xc1 => Err(PackError::Unassigned),
            0xc2 | 0xc3 => Ok(Value::Boolean(head == 0xc3)),
            0xc4..=0xc6 => {
                let length = self.unsigned(1 << (head - 0xc4))?;
                self.take(length).map(Value::Octets)
            }
            // extensions: a length, a type, and the data
            0xc7..=0xc9 => {
                let length = self.unsigned(1 << (head - 0xc7))?;
                passed(self, 1 + length)
            }
            0xca => passed(self, 4),
            0xcb => passed(self, 8),
            0xcc..=0xcf => self.unsigned(1 << (head - 0xcc)).map(Value::Number),
            0xd0..=0xd3 => self.signed(1 << (head - 0xd0)),
            0xd4..=0xd8 => passed(self, 1 + (1 << (head - 0xd4))),
            0xd9..=0xdb => {
                let length = self.unsigned(1 << (head - 0xd9))?;
                passed(self, length)
            }
            0xdc | 0xdd => self.unsigned(2 << (head - 0xdc)).map(Value::Other),
            0xde | 0xdf => self.unsigned(2 << (head - 0xde)).map(|entries| Value::Other(2 * entries)),
        }
    }

    /// A signed number; one below 0 counts as another value.
    fn signed(&mut self, octets: u64) -> Result<Value<'b>, PackError> {
        let value = self.unsigned(octets)?;
        let is_negative = value >> (8 * octets - 1) == 1;
        Ok(if is_negative { Value::Other(0) } else { Value::Number(value) })
    }

    fn unsigned(&mut self, octets: u64) -> Result<u64, PackError> {
        Ok(self.take(octets)?.iter().fold(0, |value, octet| value << 8 | u64::from(*octet)))
    }

    fn octet(&mut self) -> Result<u8, PackError> {
        Ok(self.take(1)?[0])
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], PackError> {
        let length = usize::try_from(length).map_err(|_| PackError::Short)?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(PackError::Short)?;
        self.rest = rest;
        Ok(taken)
    }
}
