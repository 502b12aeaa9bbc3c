//! Why something is refused, or over.

use std::fmt;

use super::Fault;
use crate::cursor::Reader;

/// Why an agent refuses, or a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The agent speaks [`VERSION`](super::VERSION) alone.
    Version = 1,
    /// As many sessions are open as the agent serves.
    Busy,
    /// As many sessions are open as the agent serves to one address.
    AddressBusy,
    /// As many streams are open as the limits allow.
    StreamsBusy,
    /// The agent sends no load to where it cannot know who is behind an address.
    SendsNothing,
    /// What is asked for is beyond the limits granted.
    BeyondLimits,
    /// The operating system does not have what is asked for.
    Unsupported,
    /// There is no such session, or not any more.
    NoSession,
    /// The client asked for it.
    Asked,
    /// The client has been silent for too long.
    Idle,
    /// The time granted is over.
    TimeOver,
    /// The volume granted is used up.
    VolumeOver,
    /// The agent ends.
    ShuttingDown,
}

impl Reason {
    const ALL: [Reason; 13] = [
        Reason::Version,
        Reason::Busy,
        Reason::AddressBusy,
        Reason::StreamsBusy,
        Reason::SendsNothing,
        Reason::BeyondLimits,
        Reason::Unsupported,
        Reason::NoSession,
        Reason::Asked,
        Reason::Idle,
        Reason::TimeOver,
        Reason::VolumeOver,
        Reason::ShuttingDown,
    ];

    pub(super) fn parse(reader: &mut Reader) -> Result<Reason, Fault> {
        let value = reader.byte("reason")?;
        let found = Reason::ALL.into_iter().find(|reason| *reason as u8 == value);
        found.ok_or(Fault::Value { field: "reason", value })
    }
}

/// In words that follow "the agent refuses: " and "the session ended: ".
impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Reason::Version => "it speaks another version",
            Reason::Busy => "it serves as many sessions as it may",
            Reason::AddressBusy => "it serves as many sessions to this address as it may",
            Reason::StreamsBusy => "as many TCP connections are open as it allows",
            Reason::SendsNothing => "it sends load to clients with its key alone",
            Reason::BeyondLimits => "that is beyond the limits it granted",
            Reason::Unsupported => "its system does not have what was asked for",
            Reason::NoSession => "it has no such session, or not any more",
            Reason::Asked => "the client closed it",
            Reason::Idle => "the client was silent for too long",
            Reason::TimeOver => "the time granted is over",
            Reason::VolumeOver => "the volume granted is used up",
            Reason::ShuttingDown => "the agent ends",
        })
    }
}
