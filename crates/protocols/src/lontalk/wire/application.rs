//! The APDU: a destination-and-type byte (two for a network variable), then the application's bytes.

use super::error::ParseError;
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

/// Maximum bytes of a network variable.
pub const NETWORK_VARIABLE_LIMIT: usize = 31;
/// Maximum data bytes of an explicit message.
pub const EXPLICIT_LIMIT: usize = 228;
/// Maximum length of an APDU: destination-and-type byte and data.
pub const APDU_LIMIT: usize = EXPLICIT_LIMIT + 1;

/// An application PDU: destination-and-type byte and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apdu<D> {
    /// The destination and type.
    pub kind: ApduKind,
    /// The data after the header.
    pub data: D,
}

/// The destination and type of an APDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApduKind {
    /// An explicit message with an application's code, 0x00 to 0x3F. Responses of all kinds use these codes too.
    Application(u8),
    /// A frame of another protocol, 0x0 to 0xF.
    Foreign(u8),
    /// A network diagnostic message.
    Diagnostic(Diagnostic),
    /// A network management message.
    Management(Management),
    /// A network variable message.
    NetworkVariable {
        /// Direction: whether input or output variables are addressed.
        direction: Direction,
        /// The selector of the binding, 0 to 0x3FFF.
        selector: u16,
    },
}

/// The network variables that a message addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Input variables: an update, or the response to a poll.
    ToInput,
    /// Output variables: a poll.
    ToOutput,
}

/// The code of a diagnostic message, 0x50 to 0x5F.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic(u8);

/// The code of a management message, 0x60 to 0x7F.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Management(u8);

/// Declares the named codes of a code type, once, for constants and names alike.
macro_rules! codes {
    ($type:ident, $range:pat, $response:expr, $mask:expr, $($code:literal $name:ident $text:literal),+ $(,)?) => {
        impl $type {
            $(#[doc = concat!("Code ", stringify!($code), ", ", $text, ".")] pub const $name: $type = $type($code);)+

/// The code of a message of this type; `None` outside the type's range.
            pub const fn new(code: u8) -> Option<Self> {
                if matches!(code, $range) { Some($type(code)) } else { None }
            }

            /// The byte on the wire.
            pub const fn code(self) -> u8 {
                self.0
            }

            /// The code's name, if it is assigned.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($code => Some($text),)+
                    _ => None,
                }
            }

            /// The code of the response that reports success, or failure.
            pub const fn response(self, success: bool) -> ApduKind {
                let outcome = if success { $response.0 } else { $response.1 };
                ApduKind::Application(outcome | self.0 & $mask)
            }
        }
    };
}

codes!(Diagnostic, 0x50..=0x5f, (0x30u8, 0x10u8), 0x0fu8,
    0x51 QUERY_STATUS "query status",
    0x52 PROXY "proxy",
    0x53 CLEAR_STATUS "clear status",
    0x54 QUERY_TRANSCEIVER "query transceiver status",
);

codes!(Management, 0x60..=0x7f, (0x20u8, 0x00u8), 0x1fu8,
    0x61 QUERY_ID "query id",
    0x62 RESPOND_TO_QUERY "respond to query",
    0x63 UPDATE_DOMAIN "update domain",
    0x64 LEAVE_DOMAIN "leave domain",
    0x65 UPDATE_KEY "update key",
    0x66 UPDATE_ADDRESS "update address",
    0x67 QUERY_ADDRESS "query address",
    0x68 QUERY_NETWORK_VARIABLE_CONFIGURATION "query network variable configuration",
    0x69 UPDATE_GROUP_ADDRESS "update group address",
    0x6a QUERY_DOMAIN "query domain",
    0x6b UPDATE_NETWORK_VARIABLE_CONFIGURATION "update network variable configuration",
    0x6c SET_NODE_MODE "set node mode",
    0x6d READ_MEMORY "read memory",
    0x6e WRITE_MEMORY "write memory",
    0x6f CHECKSUM_RECALCULATE "checksum recalculate",
    0x70 WINK "wink",
    0x71 MEMORY_REFRESH "memory refresh",
    0x72 QUERY_STANDARD_TYPES "query standard network variable types",
    0x73 NETWORK_VARIABLE_FETCH "network variable fetch",
    0x7f SERVICE_PIN "service pin",
);

/// The response code of a node whose application is off line.
pub const OFF_LINE_RESPONSE: ApduKind = ApduKind::Application(0x3f);

/// The service-pin message, sent when the service pin is pressed: the data of [`Management::SERVICE_PIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServicePin {
    /// The node's unique id (Neuron ID).
    pub unique_id: super::UniqueId,
    /// The program ID of its application.
    pub program_id: [u8; 8],
}

impl ServicePin {
    /// Parses the data of a service-pin message; `None` unless it has 14 bytes.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let (unique_id, program_id) = data.split_first_chunk()?;
        Some(ServicePin { unique_id: *unique_id, program_id: program_id.try_into().ok()? })
    }

    /// The data of the service-pin message.
    pub fn emit(&self) -> [u8; 14] {
        let mut data = [0; 14];
        data[..6].copy_from_slice(&self.unique_id);
        data[6..].copy_from_slice(&self.program_id);
        data
    }
}

const NETWORK_VARIABLE: u8 = 0x80;
const TO_OUTPUT: u8 = 0x40;

impl ApduKind {
    /// Length of the header before the data in bytes.
    pub const fn length(&self) -> usize {
        if matches!(self, ApduKind::NetworkVariable { .. }) { 2 } else { 1 }
    }

    fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let first = reader.byte("APDU")?;
        Ok(match first {
            0x00..=0x3f => ApduKind::Application(first),
            0x40..=0x4f => ApduKind::Foreign(first & 0x0f),
            0x50..=0x5f => ApduKind::Diagnostic(Diagnostic(first)),
            0x60..=0x7f => ApduKind::Management(Management(first)),
            _ => ApduKind::NetworkVariable {
                direction: if first & TO_OUTPUT == 0 { Direction::ToInput } else { Direction::ToOutput },
                selector: u16::from_be_bytes([first & 0x3f, reader.byte("network variable selector")?]),
            },
        })
    }

    fn check(&self) -> Result<(), OutOfRange> {
        match *self {
            ApduKind::Application(code) => within("application code", usize::from(code), 0x3f),
            ApduKind::Foreign(code) => within("foreign frame code", usize::from(code), 0x0f),
            ApduKind::Diagnostic(_) | ApduKind::Management(_) => Ok(()),
            ApduKind::NetworkVariable { selector, .. } => within("selector", usize::from(selector), 0x3fff),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) {
        match *self {
            ApduKind::Application(code) => writer.byte(code),
            ApduKind::Foreign(code) => writer.byte(0x40 | code),
            ApduKind::Diagnostic(code) => writer.byte(code.0),
            ApduKind::Management(code) => writer.byte(code.0),
            ApduKind::NetworkVariable { direction, selector } => {
                let direction = if direction == Direction::ToOutput { TO_OUTPUT } else { 0 };
                let [high, low] = selector.to_be_bytes();
                writer.bytes(&[NETWORK_VARIABLE | direction | high, low]);
            }
        }
    }
}

impl<D> Apdu<D> {
    /// An explicit message with an application's code.
    pub const fn explicit(code: u8, data: D) -> Self {
        Apdu { kind: ApduKind::Application(code), data }
    }

    /// A network variable update.
    pub const fn update(selector: u16, data: D) -> Self {
        Apdu { kind: ApduKind::NetworkVariable { direction: Direction::ToInput, selector }, data }
    }

    /// Converts the data with `map`.
    pub fn map<E>(self, data: impl FnOnce(D) -> E) -> Apdu<E> {
        Apdu { kind: self.kind, data: data(self.data) }
    }
}

impl<'a> Apdu<&'a [u8]> {
    pub(super) fn parse(reader: &mut Reader<'a>) -> Result<Self, ParseError> {
        let kind = ApduKind::parse(reader)?;
        let data = reader.rest();
        if matches!(kind, ApduKind::NetworkVariable { .. }) && data.len() > NETWORK_VARIABLE_LIMIT {
            return Err(ParseError::NetworkVariable(data.len()));
        }
        if data.len() > EXPLICIT_LIMIT {
            return Err(ParseError::Application(data.len()));
        }
        Ok(Apdu { kind, data })
    }
}

impl<D: UserData> Apdu<D> {
    /// Length of the APDU in bytes.
    pub fn length(&self) -> usize {
        self.kind.length() + self.data.length()
    }

    /// Refuses codes and lengths out of range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        self.kind.check()?;
        match self.kind {
            ApduKind::NetworkVariable { .. } => {
                within("network variable length", self.data.length(), NETWORK_VARIABLE_LIMIT)
            }
            _ => within("APDU data length", self.data.length(), EXPLICIT_LIMIT),
        }
    }

    /// The APDU's bytes in `buffer`, which must hold [`length`](Apdu::length) of them; the bytes written.
    pub(crate) fn bytes<'b>(&self, buffer: &'b mut [u8]) -> &'b [u8] {
        let length = self.length();
        self.emit(&mut Writer::new(buffer));
        &buffer[..length]
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        self.kind.emit(writer);
        self.data.emit(writer.space(self.data.length()));
    }
}
