//! The information field of XID: the parameters a station offers (AX.25 v2.2 section 4.3.3.7, ISO 8885).
//!
//! Written strictly, parsed liberally: parameters in any order, unknown ones skipped, numbers of one to four octets,
//! and the two bit fields in either octet order, since implementations differ.

use thiserror::Error;

use crate::limits::{OutOfRange, within};

const FORMAT: u8 = 0x82;
const GROUP: u8 = 0x80;
const HEADER: usize = 4;

const CLASSES: u8 = 2;
const FUNCTIONS: u8 = 3;
const INFORMATION_BITS: u8 = 6;
const WINDOW: u8 = 8;
const ACKNOWLEDGEMENT_TIMER: u8 = 9;
const RETRIES: u8 = 10;

/// The parameters a station offers or has agreed to; an absent parameter keeps its default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xid {
    /// Half or full duplex.
    pub classes: Option<Classes>,
    /// Optional functions of HDLC.
    pub functions: Option<Functions>,
    /// N1: octets of information the station accepts in one I frame, up to 8191. Encoded in bits.
    pub n1: Option<u16>,
    /// k: unacknowledged I frames the station accepts, 1 to 127.
    pub k: Option<u8>,
    /// T1, the acknowledgement timer, in milliseconds.
    pub t1_ms: Option<u16>,
    /// N2, 0 to 255.
    pub n2: Option<u8>,
}

/// Classes of procedures: always balanced asynchronous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Classes {
    /// One direction at a time.
    HalfDuplex,
    /// Both directions at once.
    FullDuplex,
}

/// Optional functions of HDLC, numbered as ISO 8885 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Functions(u32);

/// Why the information field of an XID frame is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum XidError {
    /// It ends within the named part.
    #[error("the XID information ends within its {0}")]
    Truncated(&'static str),
    /// A format identifier other than 82.
    #[error("XID format {0:02x} is not 82")]
    Format(u8),
    /// A group identifier other than 80.
    #[error("XID group {0:02x} is not 80")]
    Group(u8),
}

impl Functions {
    /// Bit 1: REJ, the reject frame.
    pub const REJECT: Functions = Functions(1 << 1);
    /// Bit 2: SREJ, the selective reject frame.
    pub const SELECTIVE_REJECT: Functions = Functions(1 << 2);
    /// Bit 7: addresses of many octets, always set.
    pub const EXTENDED_ADDRESS: Functions = Functions(1 << 7);
    /// Bit 10: sequence numbers modulo 8.
    pub const MODULO_8: Functions = Functions(1 << 10);
    /// Bit 11: sequence numbers modulo 128.
    pub const MODULO_128: Functions = Functions(1 << 11);
    /// Bit 13: TEST, always set.
    pub const TEST: Functions = Functions(1 << 13);
    /// Bit 15: FCS of 16 bits, always set.
    pub const FCS_16: Functions = Functions(1 << 15);
    /// Bit 17: synchronous transmission, always set.
    pub const SYNCHRONOUS: Functions = Functions(1 << 17);
    /// Bit 21: SREJ that lists several frames.
    pub const MULTI_SELECTIVE_REJECT: Functions = Functions(1 << 21);
    /// Bit 22: segmentation and reassembly.
    pub const SEGMENTER: Functions = Functions(1 << 22);
    /// The functions that every AX.25 station has.
    pub const ALWAYS: Functions =
        Functions(Self::EXTENDED_ADDRESS.0 | Self::TEST.0 | Self::FCS_16.0 | Self::SYNCHRONOUS.0);

    /// The union of both sets of functions.
    pub const fn with(self, other: Functions) -> Self {
        Functions(self.0 | other.0)
    }

    /// Whether all functions of `other` are included.
    pub const fn has(self, other: Functions) -> bool {
        self.0 & other.0 == other.0
    }

    /// From the three octets of the parameter. The extended address bit is always set: its position indicates the
    /// octet order.
    fn parse(octets: [u8; 3]) -> Self {
        let [first, middle, last] = octets;
        let swapped = first & 0x80 == 0 && last & 0x80 != 0;
        let octets = if swapped { [last, middle, first, 0] } else { [first, middle, last, 0] };
        Functions(u32::from_le_bytes(octets))
    }

    fn emit(self) -> [u8; 3] {
        let [first, middle, last, _] = self.0.to_le_bytes();
        [first, middle, last]
    }
}

impl Classes {
    /// From the parameter's octets: balanced (bit 0), half duplex (bit 5), full duplex (bit 6), in whichever octet.
    fn parse(octets: &[u8]) -> Option<Self> {
        let all = octets.iter().fold(0, |all, octet| all | octet);
        match (all & 0x40 != 0, all & 0x20 != 0) {
            (true, _) => Some(Classes::FullDuplex),
            (false, true) => Some(Classes::HalfDuplex),
            (false, false) => None,
        }
    }

    const fn emit(self) -> [u8; 2] {
        match self {
            Classes::HalfDuplex => [0x21, 0],
            Classes::FullDuplex => [0x41, 0],
        }
    }
}

/// A number of one octet to four, the most significant first, no more than `limit`.
fn number(octets: &[u8], limit: u32) -> Option<u32> {
    (1..=4).contains(&octets.len()).then(|| {
        let value = octets.iter().fold(0, |value, octet| value << 8 | u32::from(*octet));
        value.min(limit)
    })
}

impl Xid {
    /// Parses the information field of an XID frame; an empty field has no parameters.
    pub(super) fn parse(information: &[u8]) -> Result<Self, XidError> {
        let mut xid = Xid::default();
        let Some((format, rest)) = information.split_first() else { return Ok(xid) };
        if *format != FORMAT {
            return Err(XidError::Format(*format));
        }
        let ([group, high, low], rest) = rest.split_first_chunk().ok_or(XidError::Truncated("header"))?;
        if *group != GROUP {
            return Err(XidError::Group(*group));
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let mut parameters = rest.get(..length).ok_or(XidError::Truncated("group"))?;
        while let Some(([parameter, length], rest)) = parameters.split_first_chunk() {
            let (value, rest) =
                rest.split_at_checked(usize::from(*length)).ok_or(XidError::Truncated("parameter value"))?;
            xid.take(*parameter, value);
            parameters = rest;
        }
        if parameters.is_empty() { Ok(xid) } else { Err(XidError::Truncated("parameter")) }
    }

    fn take(&mut self, parameter: u8, value: &[u8]) {
        match parameter {
            CLASSES => self.classes = Classes::parse(value),
            FUNCTIONS => self.functions = value.try_into().ok().map(Functions::parse),
            INFORMATION_BITS => {
                self.n1 = number(value, 0xffff).map(|bits| (bits / 8) as u16).filter(|n| *n > 0);
            }
            WINDOW => self.k = number(value, 127).map(|k| k as u8).filter(|k| *k > 0),
            ACKNOWLEDGEMENT_TIMER => self.t1_ms = number(value, 0xffff).map(|ms| ms as u16),
            RETRIES => self.n2 = number(value, 0xff).map(|n| n as u8),
            _ => {}
        }
    }

    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        within("N1", self.n1.unwrap_or(1).into(), 0xffff / 8)?;
        within("k", self.k.unwrap_or(1).into(), 127)
    }

    pub(super) fn length(&self) -> usize {
        let sized = |present, octets: usize| if present { 2 + octets } else { 0 };
        HEADER
            + sized(self.classes.is_some(), 2)
            + sized(self.functions.is_some(), 3)
            + sized(self.n1.is_some(), 2)
            + sized(self.k.is_some(), 1)
            + sized(self.t1_ms.is_some(), 2)
            + sized(self.n2.is_some(), 1)
    }

    pub(super) fn emit(&self, buffer: &mut [u8]) {
        let [high, low] = ((self.length() - HEADER) as u16).to_be_bytes();
        let mut filled = 0;
        let mut append = |octets: &[u8]| {
            buffer[filled..filled + octets.len()].copy_from_slice(octets);
            filled += octets.len();
        };
        append(&[FORMAT, GROUP, high, low]);
        let mut parameter = |number: u8, value: Option<&[u8]>| {
            if let Some(value) = value {
                append(&[number, value.len() as u8]);
                append(value);
            }
        };
        parameter(CLASSES, self.classes.map(Classes::emit).as_ref().map(|octets| &octets[..]));
        parameter(FUNCTIONS, self.functions.map(Functions::emit).as_ref().map(|octets| &octets[..]));
        let bits = self.n1.map(|octets| (octets * 8).to_be_bytes());
        parameter(INFORMATION_BITS, bits.as_ref().map(|octets| &octets[..]));
        parameter(WINDOW, self.k.map(|k| [k]).as_ref().map(|octets| &octets[..]));
        let timer = self.t1_ms.map(u16::to_be_bytes);
        parameter(ACKNOWLEDGEMENT_TIMER, timer.as_ref().map(|octets| &octets[..]));
        parameter(RETRIES, self.n2.map(|n| [n]).as_ref().map(|octets| &octets[..]));
    }
}
