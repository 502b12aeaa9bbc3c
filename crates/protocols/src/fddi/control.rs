//! The frame control byte, `CLFF ZZZZ`: class, address length, format and control bits.

use super::error::{EmitError, ParseError};
use crate::limits::within;

/// Frame control (FC) of a token or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameControl {
    /// 00 or 40: void frame.
    Void {
        /// L bit: 48-bit addresses.
        long: bool,
    },
    /// FC 80: nonrestricted token.
    Token,
    /// C0: restricted token, which reserves asynchronous bandwidth to a dialogue of stations.
    RestrictedToken,
    /// C2: beacon, the ring is broken upstream.
    Beacon,
    /// C3: claim, with the bid for the TTRT.
    Claim,
    /// 41 to 4F: station management (SMT); 1 is SMT information, 15 next-station addressing.
    StationManagement(u8),
    /// 50 to 5F: asynchronous LLC; 0 to 7 is the priority, others are reserved.
    AsynchronousLlc(u8),
    /// 60 to 6F: asynchronous, reserved for implementers.
    AsynchronousImplementer(u8),
    /// D0 to D7: synchronous LLC.
    SynchronousLlc(u8),
    /// E0 to EF: synchronous, reserved for implementers.
    SynchronousImplementer(u8),
}

use FrameControl::*;

impl FrameControl {
    /// Parses the FC byte.
    pub const fn parse(byte: u8) -> Result<Self, ParseError> {
        let bits = byte & 0x0f;
        Ok(match byte {
            0x00 => Void { long: false },
            0x40 => Void { long: true },
            0x80 => Token,
            0xc0 => RestrictedToken,
            0xc2 => Beacon,
            0xc3 => Claim,
            0x41..=0x4f => StationManagement(bits),
            0x50..=0x5f => AsynchronousLlc(bits),
            0x60..=0x6f => AsynchronousImplementer(bits),
            0xd0..=0xd7 => SynchronousLlc(bits),
            0xe0..=0xef => SynchronousImplementer(bits),
            _ if byte & 0x40 == 0 => return Err(ParseError::ShortAddresses(byte)),
            _ => return Err(ParseError::FrameControl(byte)),
        })
    }

    /// The FC byte; control bits out of range, which [`check`](Self::check) rejects, are truncated.
    pub const fn byte(self) -> u8 {
        match self {
            Void { long } => (long as u8) << 6,
            Token => 0x80,
            RestrictedToken => 0xc0,
            Beacon => 0xc2,
            Claim => 0xc3,
            StationManagement(bits) => 0x40 | bits & 0x0f,
            AsynchronousLlc(bits) => 0x50 | bits & 0x0f,
            AsynchronousImplementer(bits) => 0x60 | bits & 0x0f,
            SynchronousLlc(bits) => 0xd0 | bits & 0x07,
            SynchronousImplementer(bits) => 0xe0 | bits & 0x0f,
        }
    }

    /// Rejects control bits out of range.
    pub fn check(self) -> Result<(), EmitError> {
        match self {
            StationManagement(0) => return Err(EmitError::NoStationManagement),
            StationManagement(bits) => within("station management type", bits.into(), 15)?,
            AsynchronousLlc(bits) => within("asynchronous LLC control", bits.into(), 15)?,
            SynchronousLlc(bits) => within("synchronous LLC control", bits.into(), 7)?,
            AsynchronousImplementer(bits) | SynchronousImplementer(bits) => {
                within("implementer control", bits.into(), 15)?;
            }
            Void { .. } | Token | RestrictedToken | Beacon | Claim => {}
        }
        Ok(())
    }

    /// Whether the frame uses the synchronous allocation.
    pub const fn is_synchronous(self) -> bool {
        matches!(self, SynchronousLlc(_) | SynchronousImplementer(_))
    }

    /// Whether it is the FC of a token.
    pub const fn is_token(self) -> bool {
        matches!(self, Token | RestrictedToken)
    }

    /// The priority of an asynchronous LLC frame, 0 to 7.
    pub const fn priority(self) -> Option<u8> {
        match self {
            AsynchronousLlc(bits @ 0..=7) => Some(bits),
            _ => None,
        }
    }
}
