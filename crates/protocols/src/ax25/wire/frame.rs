//! A frame between its flags, without its FCS.

use super::{Addressing, Body, EmitError, Modulo, ParseError};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::front;

/// Length of the shortest frame in octets: two addresses and a control field.
pub const SHORTEST: usize = 15;

/// An AX.25 frame of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<D> {
    /// Destination, source and digipeater path.
    pub addressing: Addressing,
    /// The P/F bit: P in a command, F in a response.
    pub poll_final: bool,
    /// Control field and information.
    pub body: Body<D>,
}

impl<D> Frame<D> {
    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Frame<E> {
        Frame { addressing: self.addressing, poll_final: self.poll_final, body: self.body.map(map) }
    }
}

impl<'a> Frame<&'a [u8]> {
    /// Parses a frame of a link with this modulus. The modulus matters for I and S frames only.
    pub fn parse(bytes: &'a [u8], modulo: Modulo) -> Result<Self, ParseError> {
        Frame::parse_with(bytes, |_| modulo)
    }

    /// Parses a frame; `modulo` looks up the link's modulus by the frame's addresses.
    pub fn parse_with(bytes: &'a [u8], modulo: impl FnOnce(&Addressing) -> Modulo) -> Result<Self, ParseError> {
        if bytes.len() < SHORTEST {
            return Err(ParseError::TooShort(bytes.len()));
        }
        let mut reader = Reader(bytes);
        let addressing = Addressing::read(&mut reader)?;
        let modulo = modulo(&addressing);
        let (body, poll_final) = Body::read(&mut reader, modulo)?;
        Ok(Frame { addressing, poll_final, body })
    }
}

impl<D: UserData> Frame<D> {
    /// Length of the frame in octets, without flags and FCS.
    pub fn length(&self) -> usize {
        self.addressing.length() + self.body.length()
    }

    /// Refuses a frame with a field out of range.
    pub fn check(&self) -> Result<(), EmitError> {
        self.body.check()
    }

    /// Writes the frame to the front of `buffer`; returns the octets written.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        self.addressing.write(&mut writer);
        self.body.write(self.poll_final, &mut writer);
        Ok(needed)
    }

    /// Encodes the frame to a new vector.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
