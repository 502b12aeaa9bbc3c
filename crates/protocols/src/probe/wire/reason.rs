//! Reasons of refusals and of ends of sessions.

use std::fmt;

use super::ParseError;
use crate::cursor::Reader;

/// Why an agent refused a request, or a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The agent supports [`VERSION`](super::VERSION) only.
    Version = 1,
    /// The agent's maximum number of sessions is open.
    Busy,
    /// The maximum number of sessions per address is open.
    AddressBusy,
    /// The maximum number of TCP connections is open.
    StreamsBusy,
    /// The agent sends no load to clients that a key does not authenticate.
    LoadDisabled,
    /// The request exceeds the limits granted.
    ExceedsLimits,
    /// The operating system does not support the request.
    Unsupported,
    /// The session does not exist or has ended.
    NoSession,
    /// The client closed the session.
    ClientClosed,
    /// The idle timeout expired.
    Idle,
    /// The duration granted has elapsed.
    TimeLimit,
    /// The volume granted is used up.
    VolumeLimit,
    /// The agent is shutting down.
    ShuttingDown,
    /// The client did not confirm that it receives at its address.
    Unconfirmed,
    /// The agent does not measure others for its clients.
    MayNotMeasure,
}

impl Reason {
    const ALL: [Reason; 15] = [
        Reason::Version,
        Reason::Busy,
        Reason::AddressBusy,
        Reason::StreamsBusy,
        Reason::LoadDisabled,
        Reason::ExceedsLimits,
        Reason::Unsupported,
        Reason::NoSession,
        Reason::ClientClosed,
        Reason::Idle,
        Reason::TimeLimit,
        Reason::VolumeLimit,
        Reason::ShuttingDown,
        Reason::Unconfirmed,
        Reason::MayNotMeasure,
    ];

    pub(super) fn parse(reader: &mut Reader) -> Result<Reason, ParseError> {
        let value = reader.byte("reason")?;
        let found = Reason::ALL.into_iter().find(|reason| *reason as u8 == value);
        found.ok_or(ParseError::Value { field: "reason", value })
    }
}

/// Completes "the agent refused: " and "the session ended: ".
impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Reason::Version => "it supports another protocol version",
            Reason::Busy => "its maximum number of sessions is open",
            Reason::AddressBusy => "its maximum number of sessions for this address is open",
            Reason::StreamsBusy => "the maximum number of TCP connections is open",
            Reason::LoadDisabled => "it sends load only to clients with its key",
            Reason::ExceedsLimits => "the request exceeds the limits granted",
            Reason::Unsupported => "its operating system does not support the request",
            Reason::NoSession => "the session does not exist or has ended",
            Reason::ClientClosed => "the client closed it",
            Reason::Idle => "the idle timeout expired",
            Reason::TimeLimit => "the duration granted has elapsed",
            Reason::VolumeLimit => "the volume granted is used up",
            Reason::ShuttingDown => "the agent is shutting down",
            Reason::Unconfirmed => "the client did not confirm that it receives at its address",
            Reason::MayNotMeasure => "it measures no others for its clients",
        })
    }
}
