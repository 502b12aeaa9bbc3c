//! What can be wrong with bytes that claim to be a packet.

use thiserror::Error;

use crate::cursor::CutField;

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Fewer octets than the shortest packet has.
    #[error("{0} octets are no packet: the shortest has 64")]
    Short(usize),
    /// The tag is not that of the key: the sender has another key or none, or the packet was changed on its way.
    #[error("the tag is not that of the key")]
    Unauthenticated,
    /// It does not begin as packets do.
    #[error("the packet does not begin with SJN")]
    Magic,
    /// Its sender speaks another version.
    #[error("the packet is of version {0}, and version 1 is spoken here")]
    Version(u8),
    /// The kind is not known.
    #[error("there is no kind {0} of packets")]
    Kind(u8),
    /// The length field does not fit.
    #[error("the packet says that it has {said} octets, and has {found}")]
    Length {
        /// The field.
        said: u16,
        /// What came.
        found: usize,
    },
    /// A control packet has 128 octets.
    #[error("a control packet has 128 octets, not {0}")]
    ControlLength(usize),
    /// It belongs to another session.
    #[error("the packet belongs to another session")]
    Session,
    /// The packet ends within a field.
    #[error("the packet ends within its {0}")]
    Cut(&'static str),
    /// A field has a value without meaning.
    #[error("{value} means nothing as {field}")]
    Value {
        /// The field.
        field: &'static str,
        /// What it holds.
        value: u8,
    },
}

impl From<CutField> for Fault {
    fn from(CutField(field): CutField) -> Fault {
        Fault::Cut(field)
    }
}
