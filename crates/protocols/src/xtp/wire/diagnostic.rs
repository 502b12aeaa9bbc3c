//! Diagnostic segment of DIAG packets.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Diagnostic segment of a DIAG packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `code`: the error, 1 to 7.
    pub code: Code,
    /// `val`: reason of the error.
    pub value: Value,
    /// Message text, not necessarily UTF-8.
    pub text: Vec<u8>,
}

/// Diagnostic code, 1 to 7: the error that a DIAG reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Code {
    /// The association is refused.
    Refused = 1,
    /// The association is abandoned.
    Abandoned,
    /// The context does not exist.
    InvalidContext,
    /// A request is refused.
    RequestRefused,
    /// Joining a multicast association is refused.
    JoinRefused,
    /// The peer violated the protocol.
    ProtocolError,
    /// The packet exceeds the receiver's maximum.
    MaximumPacketSize,
}

/// Diagnostic value: reason of an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Value {
    /// The reason is not specified.
    #[default]
    Unspecified,
    /// No listener accepts the address.
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
    /// The service has no provider.
    NoProvider,
    /// The host has insufficient resources.
    NoResource,
    /// The host is shutting down.
    HostDown,
    /// A retransmission differs from the original.
    InvalidRetransmission,
    /// The context is in the wrong state.
    WrongState,
    /// Joining a multicast association is denied.
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

    /// Length after the header, bytes.
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
