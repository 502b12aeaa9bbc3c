//! Frames in captures: lines of candump (`(1620000000.000000) can0 123#DEADBEEF`) and records of SocketCAN
//! (LINKTYPE_CAN_SOCKETCAN, 227).
//!
//! A classical frame with a data length code above 8 has it behind its data in a log (`_B`); no length depends on it.

use std::fmt;

use thiserror::Error;

use super::frame::{CLASSIC_LIMIT, Content, FD_LENGTHS, FD_LIMIT, Id};

/// The identifier has 29 bits.
const EXTENDED: u32 = 0x8000_0000;
/// It is a remote frame.
const REMOTE: u32 = 0x4000_0000;
/// It is a message of the driver about errors.
const ERROR: u32 = 0x2000_0000;
/// Flag of CAN FD: bit rate switch.
const BRS: u8 = 1;
/// Flag of CAN FD: the sender is error passive.
const ESI: u8 = 2;
/// Flag of CAN FD: it is such a frame.
const FDF: u8 = 4;

/// Length of a record's header.
const HEADER: usize = 8;

/// A frame of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged<D> {
    /// Identifier.
    pub id: Id,
    /// What it carries.
    pub content: Content<D>,
}

/// A line of candump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'t> {
    /// Microseconds since 1970.
    pub time_us: u64,
    /// The interface.
    pub interface: &'t str,
    /// The frame.
    pub frame: Logged<Vec<u8>>,
}

/// Why a line or a record cannot be parsed as a frame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// The line does not begin with a time in parentheses.
    #[error("expected a time in parentheses as (1620000000.000000), found `{0}`")]
    Time(String),
    /// There is no interface.
    #[error("expected an interface as can0 behind the time")]
    Interface,
    /// There is no frame.
    #[error("expected a frame as 123#DEADBEEF, found `{0}`")]
    Frame(String),
    /// An identifier of another length than 3 or 8 digits, or out of range.
    #[error("expected an identifier of 3 or 8 hexadecimal digits, found `{0}`")]
    Id(String),
    /// Data other than pairs of hexadecimal digits.
    #[error("expected pairs of hexadecimal digits, found `{0}`")]
    Data(String),
    /// A number of bytes that no frame has.
    #[error("{found} bytes of data, expected {expected}")]
    Length {
        /// As found.
        found: usize,
        /// What there may be.
        expected: &'static str,
    },
    /// A record that is shorter than its header, or than the data that it announces.
    #[error("record of {found} bytes, expected {expected}")]
    Record {
        /// Bytes found.
        found: usize,
        /// Bytes expected.
        expected: usize,
    },
    /// A message of the driver about errors, and no frame of the bus.
    #[error("an error message of the driver, no frame")]
    Driver,
}

impl<'t> Line<'t> {
    /// Parses a line, without its end.
    pub fn parse(line: &'t str) -> Result<Line<'t>, LogError> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let time_us = time(first).ok_or_else(|| LogError::Time(brief(first)))?;
        let interface = words.next().ok_or(LogError::Interface)?;
        let frame = frame(words.next().ok_or_else(|| LogError::Frame(String::new()))?)?;
        Ok(Line { time_us, interface, frame })
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.time_us / 1_000_000, self.time_us % 1_000_000);
        write!(f, "({seconds}.{rest:06}) {} {}#", self.interface, self.frame.id)?;
        let data: &[u8] = match &self.frame.content {
            Content::Remote(0) => return f.write_str("R"),
            Content::Remote(code) => return write!(f, "R{code:X}"),
            Content::Data(data) => data,
            Content::Fd { data, brs, esi } => {
                write!(f, "#{:X}", u8::from(*brs) | u8::from(*esi) << 1)?;
                data
            }
        };
        data.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

fn time(word: &str) -> Option<u64> {
    let (seconds, rest) = word.strip_prefix('(')?.strip_suffix(')')?.split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds) || !is_number(rest) || rest.len() != 6 {
        return None;
    }
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(rest.parse().ok()?)
}

fn frame(word: &str) -> Result<Logged<Vec<u8>>, LogError> {
    let (id, rest) = word.split_once('#').ok_or_else(|| LogError::Frame(brief(word)))?;
    if driver(id).is_some() {
        return Err(LogError::Driver);
    }
    let id = identifier(id).ok_or_else(|| LogError::Id(brief(id)))?;
    let rest = if rest.starts_with('#') { rest } else { rest.split_once('_').map_or(rest, |(before, _)| before) };
    let content = match (rest.strip_prefix('#'), rest.strip_prefix('R')) {
        (Some(fd), _) => {
            let flags = fd.chars().next().and_then(|digit| digit.to_digit(16));
            let flags = flags.ok_or_else(|| LogError::Data(brief(fd)))? as u8;
            let data = hexadecimal(&fd[1..])?;
            check_fd(data.len())?;
            Content::Fd { data, brs: flags & BRS != 0, esi: flags & ESI != 0 }
        }
        (_, Some("")) => Content::Remote(0),
        (_, Some(code)) => match u8::from_str_radix(code, 16) {
            Ok(code) if code <= 8 => Content::Remote(code),
            _ => return Err(LogError::Data(brief(code))),
        },
        _ => {
            let data = hexadecimal(rest)?;
            check_classic(data.len())?;
            Content::Data(data)
        }
    };
    Ok(Logged { id, content })
}

/// Writes a frame of a log (`123#DEADBEEF`) as a record of a SocketCAN capture, messages of the driver about errors as well.
pub fn record_of(word: &str, record: &mut Vec<u8>) -> Result<(), LogError> {
    match frame(word) {
        Ok(frame) => frame.emit(record),
        Err(LogError::Driver) => {
            let (id, data) = word.split_once('#').unwrap_or((word, ""));
            let (id, data) = (driver(id).unwrap_or(ERROR), hexadecimal(data)?);
            check_classic(data.len())?;
            record.clear();
            record.extend(id.to_be_bytes());
            record.extend([data.len() as u8, 0, 0, 0]);
            record.extend(data);
            record.resize(HEADER + CLASSIC_LIMIT, 0);
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The identifier of a message of the driver about errors, with its flag.
fn driver(word: &str) -> Option<u32> {
    let is_id = word.len() == 8 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let id = u32::from_str_radix(word, 16).ok().filter(|_| is_id)?;
    (id & !Id::EXTENDED_LIMIT == ERROR).then_some(id)
}

fn identifier(word: &str) -> Option<Id> {
    let value = || u32::from_str_radix(word, 16).ok().filter(|_| !word.starts_with('+'));
    match word.len() {
        3 => Id::base(value()?).ok(),
        8 => Id::extended(value()?).ok(),
        _ => None,
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, LogError> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    match digits.filter(|digits| digits.len().is_multiple_of(2)) {
        Some(digits) => Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
        None => Err(LogError::Data(brief(text))),
    }
}

fn check_classic(found: usize) -> Result<(), LogError> {
    if found > CLASSIC_LIMIT { Err(LogError::Length { found, expected: "up to 8" }) } else { Ok(()) }
}

fn check_fd(found: usize) -> Result<(), LogError> {
    match FD_LENGTHS.iter().any(|&length| usize::from(length) == found) {
        true => Ok(()),
        false => Err(LogError::Length { found, expected: "0 to 8, 12, 16, 20, 24, 32, 48 or 64" }),
    }
}

/// The beginning of what was found, for a message.
fn brief(text: &str) -> String {
    text.chars().take(24).collect()
}

impl<'b> Logged<&'b [u8]> {
    /// Parses a record of a SocketCAN capture.
    pub fn parse(record: &'b [u8]) -> Result<Self, LogError> {
        let short = |expected| LogError::Record { found: record.len(), expected };
        let Some((&[a, b, c, d, length, flags, _, _], rest)) = record.split_first_chunk::<HEADER>() else {
            return Err(short(HEADER));
        };
        let (word, length) = (u32::from_be_bytes([a, b, c, d]), usize::from(length));
        if word & ERROR != 0 {
            return Err(LogError::Driver);
        }
        let id = match word & EXTENDED {
            0 => Id::base(word & 0x1fff_ffff).map_err(|error| LogError::Id(format!("{:X}", error.value)))?,
            _ => Id::Extended(word & Id::EXTENDED_LIMIT),
        };
        if flags & FDF == 0 && word & REMOTE != 0 {
            check_classic(length)?;
            return Ok(Logged { id, content: Content::Remote(length as u8) });
        }
        let data = rest.get(..length).ok_or_else(|| short(HEADER + length))?;
        let content = if flags & FDF == 0 {
            check_classic(length)?;
            Content::Data(data)
        } else {
            check_fd(length)?;
            Content::Fd { data, brs: flags & BRS != 0, esi: flags & ESI != 0 }
        };
        Ok(Logged { id, content })
    }
}

impl<D: AsRef<[u8]>> Logged<D> {
    /// Writes it as a record of a SocketCAN capture: 16 bytes, or 72 of CAN FD.
    pub fn emit(&self, record: &mut Vec<u8>) {
        record.clear();
        let (extended, remote) = (self.id.is_extended(), self.content.is_remote());
        let word = self.id.value() | if extended { EXTENDED } else { 0 } | if remote { REMOTE } else { 0 };
        record.extend(word.to_be_bytes());
        let (data, flags, room): (&[u8], u8, usize) = match &self.content {
            Content::Remote(code) => (&[][..], 0, usize::from(*code)),
            Content::Data(data) => (data.as_ref(), 0, CLASSIC_LIMIT),
            Content::Fd { data, brs, esi } => {
                (data.as_ref(), FDF | if *brs { BRS } else { 0 } | if *esi { ESI } else { 0 }, FD_LIMIT)
            }
        };
        let data = &data[..data.len().min(room)];
        let length = if remote { room } else { data.len() };
        record.extend([length as u8, flags, 0, 0]);
        record.extend(data);
        record.resize(HEADER + if flags == 0 { CLASSIC_LIMIT } else { FD_LIMIT }, 0);
    }
}
