//! Identifiers, and the frames of the transport protocol.

use thiserror::Error;

use super::PACKET;

/// The fields of a 29-bit identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// 0 (highest) to 7.
    pub priority: u8,
    /// Parameter group: data page, PDU format, and PDU specific unless that is an address.
    pub pgn: u32,
    /// To whom.
    pub destination: Address,
    /// Source address.
    pub source: u8,
}

/// Whom a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// All, by the parameter group (PDU format 240 and above).
    Group,
    /// One node; 255 is all.
    Node(u8),
}

impl Identifier {
    /// Reads the fields of an identifier.
    pub const fn of(id: u32) -> Identifier {
        let (priority, source) = ((id >> 26 & 7) as u8, id as u8);
        let (page, format, specific) = (id >> 24 & 3, id >> 16 & 0xff, id >> 8 & 0xff);
        let (pgn, destination) = match format {
            240.. => (page << 16 | format << 8 | specific, Address::Group),
            _ => (page << 16 | format << 8, Address::Node(specific as u8)),
        };
        Identifier { priority, pgn, destination, source }
    }

    /// The identifier.
    pub const fn value(self) -> u32 {
        let specific = match self.destination {
            Address::Group => 0,
            Address::Node(node) => (node as u32) << 8,
        };
        ((self.priority & 7) as u32) << 26 | (self.pgn & 0x3_ffff) << 8 | specific | self.source as u32
    }
}

/// Connection management (TP.CM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Request to send: bytes, packets, most packets for a clear to send.
    Rts {
        /// Bytes of the message.
        size: u16,
        /// Packets of the message.
        packets: u8,
        /// Most packets between two answers.
        most: u8,
        /// Parameter group.
        pgn: u32,
    },
    /// Clear to send: this many packets from the next on; none: hold.
    Cts {
        /// Packets.
        packets: u8,
        /// Sequence number of the next.
        next: u8,
        /// Parameter group.
        pgn: u32,
    },
    /// The message is complete.
    EndOfMessage {
        /// Bytes of the message.
        size: u16,
        /// Packets of the message.
        packets: u8,
        /// Parameter group.
        pgn: u32,
    },
    /// A message to all follows.
    Bam {
        /// Bytes of the message.
        size: u16,
        /// Packets of the message.
        packets: u8,
        /// Parameter group.
        pgn: u32,
    },
    /// The connection is aborted.
    Abort {
        /// Why.
        reason: AbortReason,
        /// Parameter group.
        pgn: u32,
    },
}

/// Why a connection is aborted (SAE J1939-21, table 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortReason {
    /// The node is in another connection.
    Busy,
    /// Resources are needed for something else.
    Resources,
    /// A timeout.
    Timeout,
    /// Another code.
    Other(u8),
}

impl AbortReason {
    const fn of(code: u8) -> AbortReason {
        match code {
            1 => AbortReason::Busy,
            2 => AbortReason::Resources,
            3 => AbortReason::Timeout,
            other => AbortReason::Other(other),
        }
    }

    const fn code(self) -> u8 {
        match self {
            AbortReason::Busy => 1,
            AbortReason::Resources => 2,
            AbortReason::Timeout => 3,
            AbortReason::Other(code) => code,
        }
    }
}

/// Why bytes cannot be parsed as connection management or data transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// Not 8 bytes.
    #[error("transport protocol frame of {0} bytes, expected 8")]
    Length(usize),
    /// A control byte that the standard does not assign.
    #[error("unknown control byte {0}, expected 16 (RTS), 17 (CTS), 19 (end of message), 32 (BAM) or 255 (abort)")]
    Kind(u8),
    /// The packets do not carry the bytes.
    #[error("{size} bytes in {packets} packets of 7")]
    Size {
        /// Bytes.
        size: u16,
        /// Packets.
        packets: u8,
    },
    /// The sequence number 0.
    #[error("packet number 0, expected 1 to 255")]
    Sequence,
}

impl Control {
    /// Parses the data of a frame.
    pub fn parse(bytes: &[u8]) -> Result<Control, ControlError> {
        let &[kind, a, b, c, d, p, q, r] = bytes else { return Err(ControlError::Length(bytes.len())) };
        let (size, pgn) = (u16::from_le_bytes([a, b]), u32::from_le_bytes([p, q, r, 0]));
        let sized = |control| match usize::from(size).div_ceil(PACKET) == usize::from(c) && size > 8 {
            true => Ok(control),
            false => Err(ControlError::Size { size, packets: c }),
        };
        match kind {
            16 => sized(Control::Rts { size, packets: c, most: d, pgn }),
            17 if a > 0 && b == 0 => Err(ControlError::Sequence),
            17 => Ok(Control::Cts { packets: a, next: b, pgn }),
            19 => sized(Control::EndOfMessage { size, packets: c, pgn }),
            32 => sized(Control::Bam { size, packets: c, pgn }),
            255 => Ok(Control::Abort { reason: AbortReason::of(a), pgn }),
            other => Err(ControlError::Kind(other)),
        }
    }

    /// Its bytes.
    pub fn to_bytes(self) -> [u8; 8] {
        let (kind, [a, b], c, d, pgn) = match self {
            Control::Rts { size, packets, most, pgn } => (16, size.to_le_bytes(), packets, most, pgn),
            Control::Cts { packets, next, pgn } => (17, [packets, next], 0xff, 0xff, pgn),
            Control::EndOfMessage { size, packets, pgn } => (19, size.to_le_bytes(), packets, 0xff, pgn),
            Control::Bam { size, packets, pgn } => (32, size.to_le_bytes(), packets, 0xff, pgn),
            Control::Abort { reason, pgn } => (255, [reason.code(), 0xff], 0xff, 0xff, pgn),
        };
        let [p, q, r, _] = pgn.to_le_bytes();
        [kind, a, b, c, d, p, q, r]
    }
}

/// A packet of a message (TP.DT); behind the end of the message it is padded with FFh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataTransfer {
    /// From 1.
    pub sequence: u8,
    /// Data.
    pub data: [u8; PACKET],
}

impl DataTransfer {
    /// Parses the data of a frame.
    pub fn parse(bytes: &[u8]) -> Result<DataTransfer, ControlError> {
        let (&sequence, data) = bytes.split_first().ok_or(ControlError::Length(0))?;
        let data = data.try_into().map_err(|_| ControlError::Length(bytes.len()))?;
        if sequence == 0 { Err(ControlError::Sequence) } else { Ok(DataTransfer { sequence, data }) }
    }

    /// Its bytes.
    pub fn to_bytes(self) -> [u8; 8] {
        let [a, b, c, d, e, f, g] = self.data;
        [self.sequence, a, b, c, d, e, f, g]
    }
}
