//! The frame after its addresses: control field, protocol identifier and information.

use super::error::EmitError;
use super::sequence::{Modulo, SequenceSet};
use super::{FrameReject, ParseError, Pid, Xid};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::within;

/// The P/F bit of a control field of one octet, which U frames have whatever the modulo.
const POLL_FINAL: u8 = 0x10;
const UI: u8 = 0x03;
const DM: u8 = 0x0f;
const SABM: u8 = 0x2f;
const DISC: u8 = 0x43;
const UA: u8 = 0x63;
const SABME: u8 = 0x6f;
const FRMR: u8 = 0x87;
const XID: u8 = 0xaf;
const TEST: u8 = 0xe3;

/// The decoded control field and what follows it, one variant for each frame type of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// I: information with sequence numbers.
    I {
        /// The modulus of the link's sequence numbers.
        modulo: Modulo,
        /// N(S), the send sequence number.
        n_s: u8,
        /// N(R), the receive sequence number: the next I frame expected.
        n_r: u8,
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field of the frame.
        data: D,
    },
    /// S: supervisory; acknowledges, and controls flow or requests retransmission.
    S {
        /// The modulus of the link's sequence numbers.
        modulo: Modulo,
        /// RR, RNR, REJ or SREJ.
        kind: Supervisory,
        /// N(R), the receive sequence number: the next I frame expected.
        n_r: u8,
        /// In a multi-selective SREJ, the further frames requested.
        further: SequenceSet,
    },
    /// UI: unnumbered information, outside any connection.
    Ui {
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field of the frame.
        data: D,
    },
    /// SABM: sets up a link modulo 8.
    Sabm,
    /// SABME: sets up a link modulo 128.
    Sabme,
    /// DISC: disconnects a link.
    Disc,
    /// DM: disconnected mode; there is no link.
    Dm,
    /// UA: acknowledges SABM, SABME or DISC.
    Ua,
    /// FRMR: frame reject, with its information unless that has an unknown form.
    Frmr(Option<FrameReject>),
    /// XID: exchange identification, the parameters a station offers.
    Xid(Xid),
    /// TEST: the peer returns the same information.
    Test(D),
}

/// The four supervisory frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supervisory {
    /// RR: receive ready; acknowledges up to N(R).
    Rr,
    /// RNR: receive not ready.
    Rnr,
    /// REJ: go-back-N from N(R).
    Rej,
    /// SREJ: selective reject of frame N(R).
    Srej,
}

impl Supervisory {
    const fn code(self) -> u8 {
        match self {
            Supervisory::Rr => 0x01,
            Supervisory::Rnr => 0x05,
            Supervisory::Rej => 0x09,
            Supervisory::Srej => 0x0d,
        }
    }

    const fn of_code(control: u8) -> Self {
        match control & 0x0c {
            0x00 => Supervisory::Rr,
            0x04 => Supervisory::Rnr,
            0x08 => Supervisory::Rej,
            _ => Supervisory::Srej,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Supervisory::Rr => "RR",
            Supervisory::Rnr => "RNR",
            Supervisory::Rej => "REJ",
            Supervisory::Srej => "SREJ",
        }
    }
}

impl<D> Body<D> {
    /// The frame's name in the standard.
    pub const fn name(&self) -> &'static str {
        match self {
            Body::I { .. } => "I",
            Body::S { kind, .. } => kind.name(),
            Body::Ui { .. } => "UI",
            Body::Sabm => "SABM",
            Body::Sabme => "SABME",
            Body::Disc => "DISC",
            Body::Dm => "DM",
            Body::Ua => "UA",
            Body::Frmr(_) => "FRMR",
            Body::Xid(_) => "XID",
            Body::Test(_) => "TEST",
        }
    }

    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Body<E> {
        match self {
            Body::I { modulo, n_s, n_r, pid, data } => Body::I { modulo, n_s, n_r, pid, data: map(data) },
            Body::S { modulo, kind, n_r, further } => Body::S { modulo, kind, n_r, further },
            Body::Ui { pid, data } => Body::Ui { pid, data: map(data) },
            Body::Sabm => Body::Sabm,
            Body::Sabme => Body::Sabme,
            Body::Disc => Body::Disc,
            Body::Dm => Body::Dm,
            Body::Ua => Body::Ua,
            Body::Frmr(reject) => Body::Frmr(reject),
            Body::Xid(xid) => Body::Xid(xid),
            Body::Test(data) => Body::Test(map(data)),
        }
    }

    /// The control field, its first octet in the lower half, and whether it has two octets.
    pub fn control(&self, poll_final: bool) -> (u16, bool) {
        let flag = if poll_final { POLL_FINAL } else { 0 };
        let numbered = |modulo, first: u8, receive: u8| match modulo {
            Modulo::Eight => (u16::from(receive << 5 | flag | first), false),
            Modulo::OneHundredTwentyEight => (u16::from_le_bytes([first, receive << 1 | u8::from(poll_final)]), true),
        };
        let unnumbered = match self {
            Body::I { modulo, n_s, n_r, .. } => return numbered(*modulo, n_s << 1, *n_r),
            Body::S { modulo, kind, n_r, .. } => return numbered(*modulo, kind.code(), *n_r),
            Body::Ui { .. } => UI,
            Body::Sabm => SABM,
            Body::Sabme => SABME,
            Body::Disc => DISC,
            Body::Dm => DM,
            Body::Ua => UA,
            Body::Frmr(_) => FRMR,
            Body::Xid(_) => XID,
            Body::Test(_) => TEST,
        };
        (u16::from(unnumbered | flag), false)
    }
}

impl<'a> Body<&'a [u8]> {
    /// Parses what follows the addresses: the body, and the P/F bit.
    pub(super) fn read(reader: &mut Reader<'a>, modulo: Modulo) -> Result<(Self, bool), ParseError> {
        let control = reader.byte("control field")?;
        if control & 3 == 3 {
            let body = Body::read_unnumbered(control & !POLL_FINAL, reader)?;
            return Ok((body, control & POLL_FINAL != 0));
        }
        let (send, receive, poll_final) = match modulo {
            Modulo::Eight => (control >> 1 & 7, control >> 5, control & POLL_FINAL != 0),
            Modulo::OneHundredTwentyEight => {
                let second = reader.byte("control field")?;
                (control >> 1, second >> 1, second & 1 != 0)
            }
        };
        let body = if control & 1 == 0 {
            let pid = Pid(reader.byte("protocol identifier")?);
            Body::I { modulo, n_s: send, n_r: receive, pid, data: reader.rest() }
        } else if modulo == Modulo::OneHundredTwentyEight && control & 0xf0 != 0 {
            return Err(ParseError::Control(control));
        } else {
            let kind = Supervisory::of_code(control);
            Body::S { modulo, kind, n_r: receive, further: list(kind, receive, modulo, reader.rest())? }
        };
        Ok((body, poll_final))
    }

    fn read_unnumbered(control: u8, reader: &mut Reader<'a>) -> Result<Self, ParseError> {
        let body = match control {
            UI => Body::Ui { pid: Pid(reader.byte("protocol identifier")?), data: reader.rest() },
            SABM => Body::Sabm,
            SABME => Body::Sabme,
            DISC => Body::Disc,
            DM => Body::Dm,
            UA => Body::Ua,
            FRMR => Body::Frmr(FrameReject::parse(reader.rest())),
            XID => Body::Xid(Xid::parse(reader.rest())?),
            TEST => Body::Test(reader.rest()),
            _ => return Err(ParseError::Control(control)),
        };
        expect_end(body.name(), reader.rest())?;
        Ok(body)
    }
}

fn expect_end(frame: &'static str, rest: &[u8]) -> Result<(), ParseError> {
    if rest.is_empty() { Ok(()) } else { Err(ParseError::Information { frame, octets: rest.len() }) }
}

/// Parses the further sequence numbers of an SREJ frame, in any order; a repeated N(R) is ignored.
fn list(kind: Supervisory, receive: u8, modulo: Modulo, octets: &[u8]) -> Result<SequenceSet, ParseError> {
    if kind != Supervisory::Srej {
        expect_end(kind.name(), octets)?;
    }
    let mut further = SequenceSet::NONE;
    for octet in octets {
        let (number, other) = match modulo {
            Modulo::Eight => (octet >> 5, octet & 0x1f),
            Modulo::OneHundredTwentyEight => (octet >> 1, octet & 1),
        };
        if other != 0 {
            return Err(ParseError::SequenceNumber(*octet));
        }
        further.insert(number);
    }
    further.remove(receive);
    Ok(further)
}

impl<D: UserData> Body<D> {
    /// Length of control field, protocol identifier and information in octets.
    pub(super) fn length(&self) -> usize {
        let control = if self.control(false).1 { 2 } else { 1 };
        control
            + match self {
                Body::I { data, .. } | Body::Ui { data, .. } => 1 + data.length(),
                Body::S { further, .. } => further.len(),
                Body::Frmr(reject) => reject.map_or(0, |reject| reject.length()),
                Body::Xid(xid) => xid.length(),
                Body::Test(data) => data.length(),
                Body::Sabm | Body::Sabme | Body::Disc | Body::Dm | Body::Ua => 0,
            }
    }

    pub(super) fn check(&self) -> Result<(), EmitError> {
        match self {
            Body::I { modulo, n_s, n_r, .. } => {
                within("N(S)", (*n_s).into(), modulo.largest().into())?;
                within("N(R)", (*n_r).into(), modulo.largest().into())?;
            }
            Body::S { modulo, kind, n_r, further } => {
                within("N(R)", (*n_r).into(), modulo.largest().into())?;
                let listed = further.from_on(0, Modulo::OneHundredTwentyEight).last().unwrap_or(0);
                within("listed N(R)", listed.into(), modulo.largest().into())?;
                let misplaced = *kind != Supervisory::Srej && !further.is_empty() || further.contains(*n_r);
                if misplaced {
                    return Err(EmitError::List);
                }
            }
            Body::Frmr(Some(reject)) => reject.check()?,
            Body::Xid(xid) => xid.check()?,
            _ => {}
        }
        Ok(())
    }

    pub(super) fn write(&self, poll_final: bool, writer: &mut Writer<'_>) {
        let (control, two) = self.control(poll_final);
        let [first, second] = control.to_le_bytes();
        writer.byte(first);
        if two {
            writer.byte(second);
        }
        match self {
            Body::I { pid, data, .. } | Body::Ui { pid, data } => {
                writer.byte(pid.0);
                data.emit(writer.space(data.length()));
            }
            Body::S { modulo, n_r, further, .. } => {
                let shift = if *modulo == Modulo::Eight { 5 } else { 1 };
                further.from_on(*n_r, *modulo).for_each(|number| writer.byte(number << shift));
            }
            Body::Frmr(Some(reject)) => reject.emit(writer.space(reject.length())),
            Body::Xid(xid) => xid.emit(writer.space(xid.length())),
            Body::Test(data) => data.emit(writer.space(data.length())),
            _ => {}
        }
    }
}
