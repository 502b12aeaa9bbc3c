//! Frames in datagrams: a map of MessagePack, as the bus `udp_multicast` of python-can sends one for each frame.
//!
//! Keys that a frame does not have, as `timestamp` and `channel`, are skipped; those that are missing have the defaults of
//! python-can's `Message`.

mod reader;

use thiserror::Error;

pub use self::reader::PackError;
use self::reader::Reader;
use super::frame::{CLASSIC_LIMIT, Content, FD_LENGTHS, Id, IdError};
use super::log::Logged;

/// Why a datagram cannot be read as a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DatagramError {
    /// It cannot be read as MessagePack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A key has a value of another kind.
    #[error("`{0}` is {1}")]
    Kind(&'static str, &'static str),
    /// There is no identifier.
    #[error("expected a map with the key `arbitration_id`")]
    NoId,
    /// The identifier has too many bits.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A number of bytes that no frame has.
    #[error("{0} bytes of data, expected up to 8, or of CAN FD a length that has a code, up to 64")]
    Length(usize),
    /// A message of a driver about errors, and no frame of the bus.
    #[error("an error message of a driver, no frame")]
    Driver,
}

/// The fields of a datagram.
#[derive(Clone, Copy, Debug)]
struct Fields<'b> {
    id: Option<u32>,
    extended: bool,
    remote: bool,
    error: bool,
    fd: bool,
    brs: bool,
    esi: bool,
    length: Option<u64>,
    data: &'b [u8],
}

impl<'b> Logged<&'b [u8]> {
    /// Reads a datagram; what follows its map is refused.
    pub fn of_datagram(datagram: &'b [u8]) -> Result<Self, DatagramError> {
        let mut reader = Reader::new(datagram);
        let mut fields = Fields::default();
        for _ in 0..reader.map()? {
            let key = reader.text()?;
            fields.take(key, &mut reader)?;
        }
        reader.end()?;
        fields.frame()
    }
}

impl Default for Fields<'_> {
    fn default() -> Self {
        let (extended, remote, error, fd, brs, esi) = (true, false, false, false, false, false);
        Fields { id: None, extended, remote, error, fd, brs, esi, length: None, data: &[] }
    }
}

impl<'b> Fields<'b> {
    fn take(&mut self, key: &[u8], reader: &mut Reader<'b>) -> Result<(), DatagramError> {
        let mut flag = |name| reader.boolean()?.ok_or(DatagramError::Kind(name, "true or false"));
        match key {
            b"is_extended_id" => self.extended = flag("is_extended_id")?,
            b"is_remote_frame" => self.remote = flag("is_remote_frame")?,
            b"is_error_frame" => self.error = flag("is_error_frame")?,
            b"is_fd" => self.fd = flag("is_fd")?,
            b"bitrate_switch" => self.brs = flag("bitrate_switch")?,
            b"error_state_indicator" => self.esi = flag("error_state_indicator")?,
            b"arbitration_id" => {
                let number = reader.number()?.and_then(|number| u32::try_from(number).ok());
                self.id = Some(number.ok_or(DatagramError::Kind("arbitration_id", "a whole number of up to 29 bits"))?);
            }
            b"dlc" => self.length = Some(reader.number()?.ok_or(DatagramError::Kind("dlc", "a whole number"))?),
            b"data" => self.data = reader.octets()?.ok_or(DatagramError::Kind("data", "octets"))?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    fn frame(self) -> Result<Logged<&'b [u8]>, DatagramError> {
        if self.error {
            return Err(DatagramError::Driver);
        }
        let value = self.id.ok_or(DatagramError::NoId)?;
        let id = if self.extended { Id::extended(value)? } else { Id::base(value)? };
        let length = self.data.len();
        let content = if self.remote {
            let code = self.length.unwrap_or(0);
            Content::Remote(if code > 8 { return Err(DatagramError::Length(code as usize)) } else { code as u8 })
        } else if self.fd {
            if !FD_LENGTHS.iter().any(|&known| usize::from(known) == length) {
                return Err(DatagramError::Length(length));
            }
            Content::Fd { data: self.data, brs: self.brs, esi: self.esi }
        } else if length > CLASSIC_LIMIT {
            return Err(DatagramError::Length(length));
        } else {
            Content::Data(self.data)
        };
        Ok(Logged { id, content })
    }
}

impl<D: AsRef<[u8]>> Logged<D> {
    /// Writes it as a datagram, which was sent at this time since 1970.
    pub fn emit_datagram(&self, seconds: f64, datagram: &mut Vec<u8>) {
        let (data, length, fd, brs, esi): (&[u8], u8, bool, bool, bool) = match &self.content {
            Content::Remote(code) => (&[], *code, false, false, false),
            Content::Data(data) => (data.as_ref(), data.as_ref().len() as u8, false, false, false),
            Content::Fd { data, brs, esi } => (data.as_ref(), data.as_ref().len() as u8, true, *brs, *esi),
        };
        datagram.clear();
        datagram.push(0x8b);
        key(datagram, "timestamp");
        datagram.push(0xcb);
        datagram.extend(seconds.to_be_bytes());
        key(datagram, "arbitration_id");
        number(datagram, self.id.value());
        flag(datagram, "is_extended_id", self.id.is_extended());
        flag(datagram, "is_remote_frame", self.content.is_remote());
        flag(datagram, "is_error_frame", false);
        key(datagram, "channel");
        datagram.push(0xc0);
        key(datagram, "dlc");
        number(datagram, length.into());
        key(datagram, "data");
        datagram.extend([0xc4, data.len() as u8]);
        datagram.extend(data);
        flag(datagram, "is_fd", fd);
        flag(datagram, "bitrate_switch", brs);
        flag(datagram, "error_state_indicator", esi);
    }
}

/// A text of up to 31 bytes.
fn key(datagram: &mut Vec<u8>, name: &str) {
    datagram.push(0xa0 | name.len() as u8);
    datagram.extend(name.as_bytes());
}

fn flag(datagram: &mut Vec<u8>, name: &str, value: bool) {
    key(datagram, name);
    datagram.push(0xc2 | u8::from(value));
}

/// A number in the shortest form.
fn number(datagram: &mut Vec<u8>, value: u32) {
    match value {
        0..=0x7f => datagram.push(value as u8),
        0x80..=0xff => datagram.extend([0xcc, value as u8]),
        0x100..=0xffff => {
            datagram.push(0xcd);
            datagram.extend((value as u16).to_be_bytes());
        }
        _ => {
            datagram.push(0xce);
            datagram.extend(value.to_be_bytes());
        }
    }
}
