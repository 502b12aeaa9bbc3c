//! The heads of PDUs of the application layer (clause 20.1).

use thiserror::Error;

use crate::cursor::Reader;
use crate::limits::Truncated;

/// Bits of the first octet, beside the type.
const SEGMENTED: u8 = 0x08;
const MORE_FOLLOWS: u8 = 0x04;

/// A PDU of the application layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apdu<'a> {
    /// Asks for a reply.
    ConfirmedRequest {
        /// The number by which its answer names it.
        invoke: u8,
        /// Number of its segment; `None` where it has one only.
        segment: Option<u8>,
        /// What is asked for.
        service: u8,
        /// The parameters.
        data: &'a [u8],
    },
    /// Asks for none.
    UnconfirmedRequest {
        /// What it says.
        service: u8,
        /// The parameters.
        data: &'a [u8],
    },
    /// Answers without data.
    SimpleAck {
        /// The number of the request.
        invoke: u8,
    },
    /// Answers with data.
    ComplexAck {
        /// The number of the request.
        invoke: u8,
        /// Whether further segments follow.
        more_follows: bool,
        /// What was asked for.
        service: u8,
        /// The data.
        data: &'a [u8],
    },
    /// Acknowledges segments.
    SegmentAck {
        /// The number of the request.
        invoke: u8,
    },
    /// The request failed.
    Error {
        /// The number of the request.
        invoke: u8,
        /// Class and code, where the service has nothing else.
        code: Option<FailureCode>,
    },
    /// The request could not be read.
    Reject {
        /// The number of the request.
        invoke: u8,
        /// Why.
        reason: u8,
    },
    /// The transaction was ended.
    Abort {
        /// The number of the request.
        invoke: u8,
        /// Why.
        reason: u8,
    },
}

/// Class and code of an error (clause 18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureCode {
    /// The class, 2 of an object and 3 of a property.
    pub class: u32,
    /// The code, 31 of an unknown object and 32 of an unknown property.
    pub code: u32,
}

/// Why octets are not a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ApduError {
    /// It ends within its head.
    #[error("APDU {0}")]
    Truncated(#[from] Truncated),
    /// A type that is not known.
    #[error("APDU type {0}")]
    Type(u8),
}

impl<'a> Apdu<'a> {
    /// Parses the head of a PDU.
    pub fn parse(octets: &'a [u8]) -> Result<Apdu<'a>, ApduError> {
        let mut reader = Reader(octets);
        let first = reader.byte("type")?;
        let (is_segmented, more_follows) = (first & SEGMENTED != 0, first & MORE_FOLLOWS != 0);
        let kind = first >> 4;
        if kind == 0 {
            reader.byte("largest response")?;
        }
        if kind == 1 {
            return Ok(Apdu::UnconfirmedRequest { service: reader.byte("service")?, data: reader.0 });
        }
        if kind > 7 {
            return Err(ApduError::Type(kind));
        }
        let invoke = reader.byte("invoke ID")?;
        let has_segments = is_segmented && matches!(kind, 0 | 3);
        let segment = has_segments.then(|| reader.byte("sequence number")).transpose()?;
        if has_segments {
            reader.byte("window size")?;
        }
        Ok(match kind {
            0 => Apdu::ConfirmedRequest { invoke, segment, service: reader.byte("service")?, data: reader.0 },
            2 => Apdu::SimpleAck { invoke },
            3 => {
                let service = reader.byte("service")?;
                Apdu::ComplexAck { invoke, more_follows: is_segmented && more_follows, service, data: reader.0 }
            }
            4 => Apdu::SegmentAck { invoke },
            5 => {
                reader.byte("service")?;
                Apdu::Error { invoke, code: failure(reader.0) }
            }
            6 => Apdu::Reject { invoke, reason: reader.byte("reason")? },
            _ => Apdu::Abort { invoke, reason: reader.byte("reason")? },
        })
    }
}

/// Class and code as two enumerated values.
fn failure(octets: &[u8]) -> Option<FailureCode> {
    let (class, rest) = enumerated(octets)?;
    let (code, _) = enumerated(rest)?;
    Some(FailureCode { class, code })
}

/// An enumerated value of one or two octets, and what follows it.
fn enumerated(octets: &[u8]) -> Option<(u32, &[u8])> {
    match *octets {
        [0x91, value, ref rest @ ..] => Some((value.into(), rest)),
        [0x92, high, low, ref rest @ ..] => Some((u16::from_be_bytes([high, low]).into(), rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_head() {
        let parse = |octets: &'static [u8]| Apdu::parse(octets).unwrap();
        let asked = Apdu::ConfirmedRequest { invoke: 42, segment: None, service: 12, data: &[9] };
        assert_eq!(parse(&[0x00, 5, 42, 12, 9]), asked);
        let second = Apdu::ConfirmedRequest { invoke: 42, segment: Some(1), service: 12, data: &[] };
        assert_eq!(parse(&[0x0c, 5, 42, 1, 4, 12]), second);
        assert_eq!(parse(&[0x10, 8]), Apdu::UnconfirmedRequest { service: 8, data: &[] });
        assert_eq!(parse(&[0x20, 42, 15]), Apdu::SimpleAck { invoke: 42 });
        let answered = |more_follows, data| Apdu::ComplexAck { invoke: 42, more_follows, service: 12, data };
        assert_eq!(parse(&[0x30, 42, 12, 7]), answered(false, &[7]));
        assert_eq!(parse(&[0x3c, 42, 0, 4, 12]), answered(true, &[]));
        assert_eq!(parse(&[0x40, 42, 0, 4]), Apdu::SegmentAck { invoke: 42 });
        let unknown_object = FailureCode { class: 1, code: 31 };
        assert_eq!(parse(&[0x50, 42, 12, 0x91, 1, 0x91, 31]), Apdu::Error { invoke: 42, code: Some(unknown_object) });
        assert_eq!(parse(&[0x60, 42, 9]), Apdu::Reject { invoke: 42, reason: 9 });
        assert_eq!(parse(&[0x71, 42, 4]), Apdu::Abort { invoke: 42, reason: 4 });
        assert_eq!(Apdu::parse(&[0x80, 42]), Err(ApduError::Type(8)));
    }
}
