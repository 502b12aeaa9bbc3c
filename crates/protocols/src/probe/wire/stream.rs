//! What a TCP connection is asked to carry.

use super::Fault;
use crate::cursor::{Reader, Writer};

/// Which way a TCP connection carries what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// Load to the agent.
    Up = 1,
    /// Load to the client.
    Down,
    /// Probes to the agent, replies to the client.
    Echo,
}

/// What a TCP connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Which way.
    pub direction: Direction,
    /// The congestion control that the agent is to use.
    pub congestion: Congestion,
    /// Bits per second that the agent paces its sending to, 0 for as fast as it goes.
    pub bit_rate: u64,
    /// Octets after which the agent stops sending, 0 for no such end.
    pub octets: u64,
    /// Time after which the agent stops sending, 0 for no such end.
    pub duration_ns: u64,
}

/// The name of a congestion control as the operating system knows it: `cubic`; the empty one leaves it to the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Congestion([u8; 16]);

impl Congestion {
    /// What the system uses unasked.
    pub const SYSTEM: Congestion = Congestion([0; 16]);

    /// The name, if it is of up to 16 letters, digits, `_` and `-`.
    pub fn new(name: &str) -> Option<Congestion> {
        let mut bytes = [0; 16];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Congestion(bytes).name().map(|_| Congestion(bytes))
    }

    /// The name; `None` for what no name can be.
    fn name(&self) -> Option<&str> {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        let plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        (plain && rest.iter().all(|byte| *byte == 0)).then(|| std::str::from_utf8(name).ok()).flatten()
    }

    /// The name, empty where it is left to the system.
    pub fn as_str(&self) -> &str {
        self.name().unwrap_or_default()
    }
}

impl Stream {
    pub(super) fn parse(reader: &mut Reader) -> Result<Stream, Fault> {
        let direction = match reader.byte("direction")? {
            1 => Direction::Up,
            2 => Direction::Down,
            3 => Direction::Echo,
            value => return Err(Fault::Value { field: "direction", value }),
        };
        let congestion = Congestion(reader.array("congestion control")?);
        if congestion.name().is_none() {
            return Err(Fault::Value { field: "congestion control", value: congestion.0[0] });
        }
        let (bit_rate, octets) = (reader.u64("bit rate")?, reader.u64("volume")?);
        Ok(Stream { direction, congestion, bit_rate, octets, duration_ns: reader.u64("duration")? })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        writer.byte(self.direction as u8);
        writer.bytes(&self.congestion.0);
        writer.u64(self.bit_rate);
        writer.u64(self.octets);
        writer.u64(self.duration_ns);
    }
}
