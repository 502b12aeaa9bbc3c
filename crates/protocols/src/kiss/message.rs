//! KISS frames: port, command and data.

use std::fmt;

use super::error::{Fault, PortError};
use super::{FEND, FESC, TFEND, TFESC};

/// The largest port number.
pub const PORT_LIMIT: u8 = 15;
/// The command byte that ends KISS mode, whatever port it seems to name.
const RETURN: u8 = 0xff;
const DATA: u8 = 0;
const TRANSMIT_DELAY: u8 = 1;
const PERSISTENCE: u8 = 2;
const SLOT_TIME: u8 = 3;
const TRANSMIT_TAIL: u8 = 4;
const FULL_DUPLEX: u8 = 5;
const SET_HARDWARE: u8 = 6;

/// One KISS frame, to or from a port of a TNC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<D> {
    /// The radio port, 0 to 15; 15 for [`Command::Return`].
    pub port: u8,
    /// The command and its data.
    pub command: Command<D>,
}

/// The command of a KISS frame. A TNC sends only [`Data`](Command::Data).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<D> {
    /// An AX.25 frame without flags and FCS.
    Data(D),
    /// TXDELAY: from keying to the first frame, in units of 10 ms.
    TxDelay(u8),
    /// P (persistence): the probability of keying in a free slot, times 256, minus 1.
    Persistence(u8),
    /// SlotTime: the slot interval, in units of 10 ms.
    SlotTime(u8),
    /// TXtail: from the last frame to unkeying, in units of 10 ms.
    TxTail(u8),
    /// FullDuplex: whether to transmit without carrier sense.
    FullDuplex(bool),
    /// SetHardware: settings specific to the TNC.
    SetHardware(D),
    /// Return: leaves KISS mode.
    Return,
}

impl<D> Command<D> {
    const fn code(&self) -> u8 {
        match self {
            Command::Data(_) => DATA,
            Command::TxDelay(_) => TRANSMIT_DELAY,
            Command::Persistence(_) => PERSISTENCE,
            Command::SlotTime(_) => SLOT_TIME,
            Command::TxTail(_) => TRANSMIT_TAIL,
            Command::FullDuplex(_) => FULL_DUPLEX,
            Command::SetHardware(_) => SET_HARDWARE,
            Command::Return => RETURN & 15,
        }
    }
}

impl<D: AsRef<[u8]>> Message<D> {
    /// Appends the encoded frame, from one [`FEND`] to the other.
    pub fn emit(&self, bytes: &mut Vec<u8>) -> Result<(), PortError> {
        if self.port > PORT_LIMIT {
            return Err(PortError(self.port));
        }
        let first = if matches!(self.command, Command::Return) { RETURN } else { self.port << 4 | self.command.code() };
        bytes.push(FEND);
        escape(first, bytes);
        match &self.command {
            Command::Data(data) | Command::SetHardware(data) => {
                data.as_ref().iter().for_each(|byte| escape(*byte, bytes));
            }
            Command::TxDelay(value)
            | Command::Persistence(value)
            | Command::SlotTime(value)
            | Command::TxTail(value) => escape(*value, bytes),
            Command::FullDuplex(on) => bytes.push(u8::from(*on)),
            Command::Return => {}
        }
        bytes.push(FEND);
        Ok(())
    }
}

fn escape(byte: u8, bytes: &mut Vec<u8>) {
    match byte {
        FEND => bytes.extend([FESC, TFEND]),
        FESC => bytes.extend([FESC, TFESC]),
        other => bytes.push(other),
    }
}

impl<'a> Message<&'a [u8]> {
    /// Parses what lies between two [`FEND`]s, unescaped: a command byte and its argument. Further bytes after a number
    /// are ignored, as TNCs do.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let (first, rest) = bytes.split_first().ok_or(Fault::Empty)?;
        let port = first >> 4;
        if *first == RETURN {
            return Ok(Message { port, command: Command::Return });
        }
        let number = rest.first().copied().ok_or(Fault::NoValue(first & 15));
        let command = match first & 15 {
            DATA => Command::Data(rest),
            TRANSMIT_DELAY => Command::TxDelay(number?),
            PERSISTENCE => Command::Persistence(number?),
            SLOT_TIME => Command::SlotTime(number?),
            TRANSMIT_TAIL => Command::TxTail(number?),
            FULL_DUPLEX => Command::FullDuplex(number? != 0),
            SET_HARDWARE => Command::SetHardware(rest),
            other => return Err(Fault::Command(other)),
        };
        Ok(Message { port, command })
    }
}

impl<D: AsRef<[u8]>> fmt::Display for Message<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |value: &u8| u16::from(*value) * 10;
        write!(f, "port {}: ", self.port)?;
        match &self.command {
            Command::Data(data) => write!(f, "frame of {} octets", data.as_ref().len()),
            Command::TxDelay(value) => write!(f, "TXDELAY {} ms", milliseconds(value)),
            Command::Persistence(value) => write!(f, "persistence {}/256", u16::from(*value) + 1),
            Command::SlotTime(value) => write!(f, "slot time {} ms", milliseconds(value)),
            Command::TxTail(value) => write!(f, "TXtail {} ms", milliseconds(value)),
            Command::FullDuplex(on) => write!(f, "{} duplex", if *on { "full" } else { "half" }),
            Command::SetHardware(data) => write!(f, "hardware setting of {} bytes", data.as_ref().len()),
            Command::Return => f.write_str("return"),
        }
    }
}
