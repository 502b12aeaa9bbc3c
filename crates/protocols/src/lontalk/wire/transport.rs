//! TPDU and SPDU: messages with a transaction number, by which responses and duplicates are matched.

use super::application::Apdu;
use super::error::ParseError;
use super::members::Members;
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

/// The authentication bit and transaction number of a TPDU or SPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbering {
    /// The receiver is to challenge the sender.
    pub authenticated: bool,
    /// Transaction number, 0 to 15.
    pub transaction: u8,
}

/// A PDU of the transport layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tpdu<D> {
    /// An acknowledged message (ACKD).
    Acknowledged(Apdu<D>),
    /// An unacknowledged-repeated message (UNACKD_RPT).
    Repeated(Apdu<D>),
    /// The acknowledgement of a message (ACK).
    Acknowledgement,
    /// The members that have acknowledged; the message follows (REMINDER).
    Reminder(Members),
    /// The members that have acknowledged, and the message (REM/MSG).
    ReminderMessage(Members, Apdu<D>),
}

/// A PDU of the session layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spdu<D> {
    /// A request to an application (REQUEST).
    Request(Apdu<D>),
    /// The response of an application (RESPONSE).
    Response(Apdu<D>),
    /// The members that have responded; the request follows (REMINDER).
    Reminder(Members),
    /// The members that have responded, and the request (REM/MSG).
    ReminderMessage(Members, Apdu<D>),
}

const AUTHENTICATED: u8 = 0x80;
/// Maximum list of a REM/MSG: members 0 to 15; a longer list is sent as a REMINDER.
const REMINDER_MESSAGE_LIMIT: u8 = 2;
const REMINDER_LIMIT: u8 = 8;

impl Numbering {
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        within("transaction number", usize::from(self.transaction), 15)
    }

    fn parse(reader: &mut Reader<'_>, field: &'static str) -> Result<(Self, u8), ParseError> {
        let byte = reader.byte(field)?;
        Ok((Numbering { authenticated: byte & AUTHENTICATED != 0, transaction: byte & 0x0f }, byte >> 4 & 7))
    }

    fn emit(&self, kind: u8, writer: &mut Writer<'_>) {
        let authenticated = if self.authenticated { AUTHENTICATED } else { 0 };
        writer.byte(authenticated | kind << 4 | self.transaction);
    }
}

fn check_reminder_message(members: &Members) -> Result<(), OutOfRange> {
    within("REM/MSG member list length", members.list_length(), usize::from(REMINDER_MESSAGE_LIMIT))
}

impl<D> Tpdu<D> {
    /// Converts the user data with `map`.
    pub fn map<E>(self, data: impl FnOnce(D) -> E) -> Tpdu<E> {
        match self {
            Tpdu::Acknowledged(apdu) => Tpdu::Acknowledged(apdu.map(data)),
            Tpdu::Repeated(apdu) => Tpdu::Repeated(apdu.map(data)),
            Tpdu::Acknowledgement => Tpdu::Acknowledgement,
            Tpdu::Reminder(members) => Tpdu::Reminder(members),
            Tpdu::ReminderMessage(members, apdu) => Tpdu::ReminderMessage(members, apdu.map(data)),
        }
    }

    /// The APDU, if the PDU carries one.
    pub fn apdu(&self) -> Option<&Apdu<D>> {
        match self {
            Tpdu::Acknowledged(apdu) | Tpdu::Repeated(apdu) | Tpdu::ReminderMessage(_, apdu) => Some(apdu),
            Tpdu::Acknowledgement | Tpdu::Reminder(_) => None,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Tpdu::Acknowledged(_) => 0,
            Tpdu::Repeated(_) => 1,
            Tpdu::Acknowledgement => 2,
            Tpdu::Reminder(_) => 4,
            Tpdu::ReminderMessage(..) => 5,
        }
    }

    pub(super) fn members(&self) -> Option<&Members> {
        match self {
            Tpdu::Reminder(members) | Tpdu::ReminderMessage(members, _) => Some(members),
            _ => None,
        }
    }
}

impl<D> Spdu<D> {
    /// Converts the user data with `map`.
    pub fn map<E>(self, data: impl FnOnce(D) -> E) -> Spdu<E> {
        match self {
            Spdu::Request(apdu) => Spdu::Request(apdu.map(data)),
            Spdu::Response(apdu) => Spdu::Response(apdu.map(data)),
            Spdu::Reminder(members) => Spdu::Reminder(members),
            Spdu::ReminderMessage(members, apdu) => Spdu::ReminderMessage(members, apdu.map(data)),
        }
    }

    /// The APDU, if the PDU carries one.
    pub fn apdu(&self) -> Option<&Apdu<D>> {
        match self {
            Spdu::Request(apdu) | Spdu::Response(apdu) | Spdu::ReminderMessage(_, apdu) => Some(apdu),
            Spdu::Reminder(_) => None,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Spdu::Request(_) => 0,
            Spdu::Response(_) => 2,
            Spdu::Reminder(_) => 4,
            Spdu::ReminderMessage(..) => 5,
        }
    }

    pub(super) fn members(&self) -> Option<&Members> {
        match self {
            Spdu::Reminder(members) | Spdu::ReminderMessage(members, _) => Some(members),
            _ => None,
        }
    }
}

impl<'a> Tpdu<&'a [u8]> {
    pub(super) fn parse(reader: &mut Reader<'a>) -> Result<(Numbering, Self), ParseError> {
        let (numbering, kind) = Numbering::parse(reader, "TPDU")?;
        let pdu = match kind {
            0 => Tpdu::Acknowledged(Apdu::parse(reader)?),
            1 => Tpdu::Repeated(Apdu::parse(reader)?),
            2 => Tpdu::Acknowledgement,
            4 => Tpdu::Reminder(Members::parse(REMINDER_LIMIT, reader)?),
            5 => Tpdu::ReminderMessage(Members::parse(REMINDER_MESSAGE_LIMIT, reader)?, Apdu::parse(reader)?),
            other => return Err(ParseError::TransportType(other)),
        };
        Ok((numbering, pdu))
    }
}

impl<'a> Spdu<&'a [u8]> {
    pub(super) fn parse(reader: &mut Reader<'a>) -> Result<(Numbering, Self), ParseError> {
        let (numbering, kind) = Numbering::parse(reader, "SPDU")?;
        let pdu = match kind {
            0 => Spdu::Request(Apdu::parse(reader)?),
            2 => Spdu::Response(Apdu::parse(reader)?),
            4 => Spdu::Reminder(Members::parse(REMINDER_LIMIT, reader)?),
            5 => Spdu::ReminderMessage(Members::parse(REMINDER_MESSAGE_LIMIT, reader)?, Apdu::parse(reader)?),
            other => return Err(ParseError::SessionType(other)),
        };
        Ok((numbering, pdu))
    }
}

/// Length, check and emission are the same in both layers: a byte, an optional member list, an optional APDU.
macro_rules! sizes {
    ($type:ident) => {
        impl<D: UserData> $type<D> {
            pub(super) fn length(&self) -> usize {
                let list = self.members().map_or(0, |members| 1 + members.list_length());
                1 + list + self.apdu().map_or(0, Apdu::length)
            }

            pub(super) fn check(&self) -> Result<(), OutOfRange> {
                if let $type::ReminderMessage(members, _) = self {
                    check_reminder_message(members)?;
                }
                self.apdu().map_or(Ok(()), Apdu::check)
            }

            pub(super) fn emit(&self, numbering: Numbering, writer: &mut Writer<'_>) {
                numbering.emit(self.kind(), writer);
                if let Some(members) = self.members() {
                    members.emit(writer);
                }
                if let Some(apdu) = self.apdu() {
                    apdu.emit(writer);
                }
            }
        }
    };
}

sizes!(Tpdu);
sizes!(Spdu);
