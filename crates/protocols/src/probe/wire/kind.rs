//! Packet kinds.

use super::ParseError;

/// Kind of a packet by its number.
#[allow(missing_docs)] // each is described by its PDU
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Hello = 1,
    Cookie,
    Open,
    Opened,
    Refused,
    Probe,
    Reply,
    Load,
    Start,
    Query,
    Stop,
    Report,
    Close,
    Closed,
    Stream,
    Granted,
    StreamReport,
    PhaseQuery,
    PhaseReport,
}

impl Kind {
    const ALL: [Kind; 19] = [
        Kind::Hello,
        Kind::Cookie,
        Kind::Open,
        Kind::Opened,
        Kind::Refused,
        Kind::Probe,
        Kind::Reply,
        Kind::Load,
        Kind::Start,
        Kind::Query,
        Kind::Stop,
        Kind::Report,
        Kind::Close,
        Kind::Closed,
        Kind::Stream,
        Kind::Granted,
        Kind::StreamReport,
        Kind::PhaseQuery,
        Kind::PhaseReport,
    ];

    pub(super) fn of(number: u8) -> Result<Kind, ParseError> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == number).ok_or(ParseError::Kind(number))
    }

    /// Whether its packets have the fixed length of control packets.
    pub fn is_control(self) -> bool {
        !matches!(self, Kind::Probe | Kind::Reply | Kind::Load)
    }
}
