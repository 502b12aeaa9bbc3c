//! The DIAG packet: what is wrong, why, and a text for people.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// What a DIAG says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub code: Code,
    /// Why.
    pub value: Value,
    /// A text, not necessarily UTF-8.
    pub text: Vec<u8>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Code {
    /// The association is refused.
    Refused = 1,
    /// The association is abandoned.
    Abandoned,
    /// There is no such context.
    InvalidContext,
    /// A request is refused.
    RequestRefused,
    /// Joining is refused.
    JoinRefused,
    /// The peer broke the protocol.
    ProtocolError,
    /// The packet is larger than the receiver takes.
    MaximumPacketSize,
}

/// Why it is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Value {
    /// Not said.
    #[default]
    Unspecified,
    /// Nobody listens.
    NoListener,
    /// The options are refused.
    Options,
    /// The address format is refused.
    AddressFormat,
    /// The address is malformed.
    MalformedAddress,
    /// The traffic format is refused.
    TrafficFormat,
    /// The traffic specification is refused.
    TrafficRefused,
    /// The traffic specification is malformed.
    MalformedTraffic,
    /// There is no provider.
    NoProvider,
    /// There is no resource left.
    NoResource,
    /// The host goes down.
    HostDown,
    /// A retransmission does not fit what was sent before.
    InvalidRetransmission,
    /// The context is in the wrong state.
    WrongState,
    /// Joining is denied.
    JoinDenied,
}

impl Code {
    /// All codes, from 1.
    pub const ALL: [Code; 7] = [
        Code::Refused,
        Code::Abandoned,
        Code::InvalidContext,
        Code::RequestRefused,
        Code::JoinRefused,
        Code::ProtocolError,
        Code::MaximumPacketSize,
    ];
}

impl Value {
    /// All values, from 0.
    pub const ALL: [Value; 14] = [
        Value::Unspecified,
        Value::NoListener,
        Value::Options,
        Value::AddressFormat,
        Value::MalformedAddress,
        Value::TrafficFormat,
        Value::TrafficRefused,
        Value::MalformedTraffic,
        Value::NoProvider,
        Value::NoResource,
        Value::HostDown,
        Value::InvalidRetransmission,
        Value::WrongState,
        Value::JoinDenied,
    ];
}

impl Diagnostic {
    /// A diagnostic without text.
    pub const fn new(code: Code, value: Value) -> Self {
        Diagnostic { code, value, text: Vec::new() }
    }

    /// Bytes after the header.
    pub fn length(&self) -> usize {
        8 + self.text.len()
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let (code, value) = (reader.u32("diagnostic code")?, reader.u32("diagnostic value")?);
        let known = Code::ALL.into_iter().find(|known| *known as u32 == code);
        let code = known.ok_or(ParseError::DiagnosticCode(code))?;
        let known = Value::ALL.into_iter().find(|known| *known as u32 == value);
        let value = known.ok_or(ParseError::DiagnosticValue(value))?;
        Ok(Diagnostic { code, value, text: reader.rest().to_vec() })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        writer.u32(self.code as u32);
        writer.u32(self.value as u32);
        writer.bytes(&self.text);
    }
}
