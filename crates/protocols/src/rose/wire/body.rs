//! The packet after its header: type and what follows.

use std::sync::Arc;

use super::{Call, Cause, Diagnostic, Facilities, ParseError};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

const CALL_REQUEST: u8 = 0x0b;
const CALL_ACCEPTED: u8 = 0x0f;
const CLEAR_REQUEST: u8 = 0x13;
const CLEAR_CONFIRMATION: u8 = 0x17;
const RECEIVE_READY: u8 = 0x01;
const RECEIVE_NOT_READY: u8 = 0x05;
const REJECT: u8 = 0x09;
const INTERRUPT: u8 = 0x23;
const INTERRUPT_CONFIRMATION: u8 = 0x27;
const RESET_REQUEST: u8 = 0x1b;
const RESET_CONFIRMATION: u8 = 0x1f;
const RESTART_REQUEST: u8 = 0xfb;
const RESTART_CONFIRMATION: u8 = 0xff;
const DIAGNOSTIC: u8 = 0xf1;
const MORE: u8 = 0x10;
/// Maximum sequence number.
const NUMBER_LIMIT: u8 = 7;

/// The packet types. Where X.25 has a name for each direction (CALL REQUEST and INCOMING CALL), the DTE's name is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// CALL REQUEST: sets up a circuit to an address and a callsign.
    CallRequest(Arc<Call>),
    /// CALL ACCEPTED. Addresses and facilities in it are ignored, and not sent.
    CallAccepted,
    /// CLEAR REQUEST: clears a circuit or refuses a call.
    ClearRequest {
        /// The cause code of X.25.
        cause: Cause,
        /// The diagnostic code of X.25.
        diagnostic: Diagnostic,
        /// Where the call failed, if indicated.
        facilities: Option<Arc<Facilities>>,
    },
    /// CLEAR CONFIRMATION: the channel is free (p1).
    ClearConfirmation,
    /// DATA: user data, numbered.
    Data {
        /// P(S), the packet send sequence number.
        p_s: u8,
        /// P(R), the packet receive sequence number: the next packet expected.
        p_r: u8,
        /// M: the next packet continues these data.
        more: bool,
        /// The user data of the packet.
        data: D,
    },
    /// RR: receive ready; acknowledges up to P(R).
    ReceiveReady {
        /// P(R), the packet receive sequence number: the next packet expected.
        p_r: u8,
    },
    /// RNR: receive not ready.
    ReceiveNotReady {
        /// P(R), the packet receive sequence number: the next packet expected.
        p_r: u8,
    },
    /// REJ: retransmit from P(R).
    Reject {
        /// P(R), the packet receive sequence number: the next packet expected.
        p_r: u8,
    },
    /// INTERRUPT: data outside the window.
    Interrupt(D),
    /// INTERRUPT CONFIRMATION: another may be sent.
    InterruptConfirmation,
    /// RESET REQUEST: restarts numbering at 0; data in flight are lost.
    ResetRequest {
        /// The cause code of X.25.
        cause: Cause,
        /// The diagnostic code of X.25.
        diagnostic: Diagnostic,
    },
    /// RESET CONFIRMATION: data flow resumes.
    ResetConfirmation,
    /// RESTART REQUEST: clears all circuits of the trunk.
    RestartRequest {
        /// The cause code of X.25.
        cause: Cause,
        /// The diagnostic code of X.25.
        diagnostic: Diagnostic,
    },
    /// RESTART CONFIRMATION: the packet layer is ready (r1).
    RestartConfirmation,
    /// DIAGNOSTIC: reports an invalid packet.
    Diagnostic {
        /// The diagnostic code of X.25.
        code: Diagnostic,
        /// The header of the invalid packet, if indicated.
        header: Option<[u8; 3]>,
    },
}

impl<D> Body<D> {
    /// The packet's name in X.25.
    pub const fn name(&self) -> &'static str {
        match self {
            Body::CallRequest(_) => "CALL REQUEST",
            Body::CallAccepted => "CALL ACCEPTED",
            Body::ClearRequest { .. } => "CLEAR REQUEST",
            Body::ClearConfirmation => "CLEAR CONFIRMATION",
            Body::Data { .. } => "DATA",
            Body::ReceiveReady { .. } => "RR",
            Body::ReceiveNotReady { .. } => "RNR",
            Body::Reject { .. } => "REJ",
            Body::Interrupt(_) => "INTERRUPT",
            Body::InterruptConfirmation => "INTERRUPT CONFIRMATION",
            Body::ResetRequest { .. } => "RESET REQUEST",
            Body::ResetConfirmation => "RESET CONFIRMATION",
            Body::RestartRequest { .. } => "RESTART REQUEST",
            Body::RestartConfirmation => "RESTART CONFIRMATION",
            Body::Diagnostic { .. } => "DIAGNOSTIC",
        }
    }

    /// The third octet of the header.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Body::CallRequest(_) => CALL_REQUEST,
            Body::CallAccepted => CALL_ACCEPTED,
            Body::ClearRequest { .. } => CLEAR_REQUEST,
            Body::ClearConfirmation => CLEAR_CONFIRMATION,
            Body::Data { p_s, p_r, more, .. } => p_r << 5 | if *more { MORE } else { 0 } | p_s << 1,
            Body::ReceiveReady { p_r } => p_r << 5 | RECEIVE_READY,
            Body::ReceiveNotReady { p_r } => p_r << 5 | RECEIVE_NOT_READY,
            Body::Reject { p_r } => p_r << 5 | REJECT,
            Body::Interrupt(_) => INTERRUPT,
            Body::InterruptConfirmation => INTERRUPT_CONFIRMATION,
            Body::ResetRequest { .. } => RESET_REQUEST,
            Body::ResetConfirmation => RESET_CONFIRMATION,
            Body::RestartRequest { .. } => RESTART_REQUEST,
            Body::RestartConfirmation => RESTART_CONFIRMATION,
            Body::Diagnostic { .. } => DIAGNOSTIC,
        }
    }

    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Body<E> {
        match self {
            Body::CallRequest(call) => Body::CallRequest(call),
            Body::CallAccepted => Body::CallAccepted,
            Body::ClearRequest { cause, diagnostic, facilities } => {
                Body::ClearRequest { cause, diagnostic, facilities }
            }
            Body::ClearConfirmation => Body::ClearConfirmation,
            Body::Data { p_s, p_r, more, data } => Body::Data { p_s, p_r, more, data: map(data) },
            Body::ReceiveReady { p_r } => Body::ReceiveReady { p_r },
            Body::ReceiveNotReady { p_r } => Body::ReceiveNotReady { p_r },
            Body::Reject { p_r } => Body::Reject { p_r },
            Body::Interrupt(data) => Body::Interrupt(map(data)),
            Body::InterruptConfirmation => Body::InterruptConfirmation,
            Body::ResetRequest { cause, diagnostic } => Body::ResetRequest { cause, diagnostic },
            Body::ResetConfirmation => Body::ResetConfirmation,
            Body::RestartRequest { cause, diagnostic } => Body::RestartRequest { cause, diagnostic },
            Body::RestartConfirmation => Body::RestartConfirmation,
            Body::Diagnostic { code, header } => Body::Diagnostic { code, header },
        }
    }
}

impl<'a> Body<&'a [u8]> {
    /// Parses what follows the header, whose third octet is `kind`.
    pub(super) fn read(kind: u8, reader: &mut Reader<'a>) -> Result<Self, ParseError> {
        let receive = kind >> 5;
        let body = match kind {
            CALL_REQUEST => Body::CallRequest(Arc::new(Call::read(reader)?)),
            CALL_ACCEPTED => {
                reader.rest();
                Body::CallAccepted
            }
            CLEAR_REQUEST => read_clear(reader)?,
            CLEAR_CONFIRMATION => Body::ClearConfirmation,
            INTERRUPT => Body::Interrupt(reader.rest()),
            INTERRUPT_CONFIRMATION => Body::InterruptConfirmation,
            RESET_REQUEST => {
                let (cause, diagnostic) = reason(reader)?;
                Body::ResetRequest { cause, diagnostic }
            }
            RESET_CONFIRMATION => Body::ResetConfirmation,
            RESTART_REQUEST => {
                let (cause, diagnostic) = reason(reader)?;
                Body::RestartRequest { cause, diagnostic }
            }
            RESTART_CONFIRMATION => Body::RestartConfirmation,
            DIAGNOSTIC => {
                let code = Diagnostic(reader.byte("diagnostic code")?);
                Body::Diagnostic { code, header: reader.rest().first_chunk().copied() }
            }
            _ if kind & 1 == 0 => {
                Body::Data { p_s: kind >> 1 & NUMBER_LIMIT, p_r: receive, more: kind & MORE != 0, data: reader.rest() }
            }
            _ => match kind & 0x1f {
                RECEIVE_READY => Body::ReceiveReady { p_r: receive },
                RECEIVE_NOT_READY => Body::ReceiveNotReady { p_r: receive },
                REJECT => Body::Reject { p_r: receive },
                _ => return Err(ParseError::Type(kind)),
            },
        };
        reader.end()?;
        Ok(body)
    }
}

/// Parses cause and diagnostic; the diagnostic may be missing.
fn reason(reader: &mut Reader<'_>) -> Result<(Cause, Diagnostic), ParseError> {
    let cause = Cause(reader.byte("cause")?);
    Ok((cause, reader.byte("diagnostic").map_or(Diagnostic::NONE, Diagnostic)))
}

fn read_clear<'a>(reader: &mut Reader<'a>) -> Result<Body<&'a [u8]>, ParseError> {
    let (cause, diagnostic) = reason(reader)?;
    let mut facilities = None;
    if !reader.0.is_empty() {
        Call::read_addresses(reader)?;
        let found = Facilities::read(reader)?;
        facilities = (found != Facilities::default()).then(|| Arc::new(found));
    }
    Ok(Body::ClearRequest { cause, diagnostic, facilities })
}

impl<D: UserData> Body<D> {
    /// Length of what follows the header in octets.
    pub(super) fn length(&self) -> usize {
        match self {
            Body::CallRequest(call) => call.length(),
            Body::ClearRequest { facilities, .. } => {
                2 + facilities.as_ref().map_or(0, |facilities| 1 + facilities.length())
            }
            Body::CallAccepted | Body::ResetRequest { .. } | Body::RestartRequest { .. } => 2,
            Body::Data { data, .. } | Body::Interrupt(data) => data.length(),
            Body::Diagnostic { header, .. } => 1 + header.map_or(0, |header| header.len()),
            Body::ClearConfirmation
            | Body::ReceiveReady { .. }
            | Body::ReceiveNotReady { .. }
            | Body::Reject { .. }
            | Body::InterruptConfirmation
            | Body::ResetConfirmation
            | Body::RestartConfirmation => 0,
        }
    }

    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        match self {
            Body::Data { p_s, p_r, .. } => {
                within("P(S)", (*p_s).into(), NUMBER_LIMIT.into())?;
                within("P(R)", (*p_r).into(), NUMBER_LIMIT.into())
            }
            Body::ReceiveReady { p_r } | Body::ReceiveNotReady { p_r } | Body::Reject { p_r } => {
                within("P(R)", (*p_r).into(), NUMBER_LIMIT.into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Body::CallRequest(call) => call.write(writer),
            Body::CallAccepted => writer.bytes(&[0, 0]),
            Body::ClearRequest { cause, diagnostic, facilities } => {
                writer.bytes(&[cause.0, diagnostic.0]);
                if let Some(facilities) = facilities {
                    writer.byte(0);
                    facilities.write(writer);
                }
            }
            Body::ResetRequest { cause, diagnostic } | Body::RestartRequest { cause, diagnostic } => {
                writer.bytes(&[cause.0, diagnostic.0]);
            }
            Body::Data { data, .. } | Body::Interrupt(data) => data.emit(writer.space(data.length())),
            Body::Diagnostic { code, header } => {
                writer.byte(code.0);
                header.iter().for_each(|header| writer.bytes(header));
            }
            _ => {}
        }
    }
}
