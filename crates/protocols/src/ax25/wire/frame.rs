//! The whole frame, as it lies between the flags without its FCS.

use super::{Addressing, Body, EmitError, Modulo, ParseError};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::front;

/// The shortest frame: two addresses and a control field.
pub const SHORTEST: usize = 15;

/// An AX.25 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<D> {
    /// Who speaks to whom.
    pub addressing: Addressing,
    /// The P/F bit: a command polls with it, a response is final with it.
    pub poll_final: bool,
    /// What the frame says.
    pub body: Body<D>,
}

impl<D> Frame<D> {
    /// The same frame with other user data.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Frame<E> {
        Frame { addressing: self.addressing, poll_final: self.poll_final, body: self.body.map(map) }
    }
}

impl<'a> Frame<&'a [u8]> {
    /// Reads a frame of a link that counts by `modulo`. Frames of no link read alike with either.
    pub fn parse(bytes: &'a [u8], modulo: Modulo) -> Result<Self, ParseError> {
        Frame::parse_with(bytes, |_| modulo)
    }

    /// Reads a frame; its addresses tell how its link counts.
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
    /// Octets of the frame, without flags and FCS.
    pub fn length(&self) -> usize {
        self.addressing.length() + self.body.length()
    }

    /// Refuses a frame that has no bytes: a number beyond its range.
    pub fn check(&self) -> Result<(), EmitError> {
        self.body.check()
    }

    /// Writes the frame to the front of `buffer`; how many octets it took.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        self.addressing.write(&mut writer);
        self.body.write(self.poll_final, &mut writer);
        Ok(needed)
    }

    /// The frame's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
