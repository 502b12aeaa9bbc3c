//! Request for a TCP connection.

use super::ParseError;
use crate::cursor::{Reader, Writer};

/// Use of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// Load from client to agent.
    Up = 1,
    /// Load from agent to client.
    Down,
    /// Probes to the agent and replies to the client.
    Echo,
    /// Lines: the client asks the agent to measure others, which reports to the client.
    Measure,
}

/// Purpose and parameters of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Direction and kind of the data.
    pub direction: Direction,
    /// Congestion control algorithm for the agent's socket.
    pub congestion: Congestion,
    /// Pacing rate of the agent, bit/s; 0 for no pacing.
    pub bit_rate: u64,
    /// Volume after which the agent stops sending, octets; 0 for no limit.
    pub octets: u64,
    /// Time after which the agent stops sending, ns; 0 for no limit.
    pub duration_ns: u64,
    /// Differentiated services code point of the agent's packets, 0 to 63.
    pub dscp: u8,
}

/// Name of a congestion control algorithm in the operating system, such as `cubic`; empty for the system's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Congestion([u8; 16]);

impl Congestion {
    /// The operating system's default.
    pub const SYSTEM: Congestion = Congestion([0; 16]);

    /// Creates a name of up to 16 letters, digits, `_` and `-`.
    pub fn new(name: &str) -> Option<Congestion> {
        let mut bytes = [0; 16];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Congestion(bytes).name().map(|_| Congestion(bytes))
    }

    /// The name; `None` if it is invalid.
    fn name(&self) -> Option<&str> {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        let plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        (plain && rest.iter().all(|byte| *byte == 0)).then(|| std::str::from_utf8(name).ok()).flatten()
    }

    /// The name; empty for the system's default.
    pub fn as_str(&self) -> &str {
        self.name().unwrap_or_default()
    }
}

impl Stream {
    pub(super) fn parse(reader: &mut Reader) -> Result<Stream, ParseError> {
        let direction = match reader.byte("direction")? {
            1 => Direction::Up,
            2 => Direction::Down,
            3 => Direction::Echo,
            4 => Direction::Measure,
            value => return Err(ParseError::Value { field: "direction", value }),
        };
        let congestion = Congestion(reader.array("congestion control")?);
        if congestion.name().is_none() {
            return Err(ParseError::Value { field: "congestion control", value: congestion.0[0] });
        }
        let (bit_rate, octets) = (reader.u64("bit rate")?, reader.u64("volume")?);
        let (duration_ns, dscp) = (reader.u64("duration")?, dscp(reader)?);
        Ok(Stream { direction, congestion, bit_rate, octets, duration_ns, dscp })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        writer.byte(self.direction as u8);
        writer.bytes(&self.congestion.0);
        writer.u64(self.bit_rate);
        writer.u64(self.octets);
        writer.u64(self.duration_ns);
        writer.byte(self.dscp);
    }
}

/// A differentiated services code point: six bits (RFC 2474).
pub(super) fn dscp(reader: &mut Reader) -> Result<u8, ParseError> {
    match reader.byte("DSCP")? {
        value @ 0..64 => Ok(value),
        value => Err(ParseError::Value { field: "DSCP", value }),
    }
}
