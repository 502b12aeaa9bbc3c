//! What a terminal is set to.

use sojourn_core::Duration;

/// A PC, its serial line, and how its TNC makes packets.
#[derive(Clone, Copy, Debug)]
pub struct TerminalSettings {
    /// Octets of a packet at most (PACLEN).
    pub paclen: u16,
    /// A character on the serial line.
    pub character: Duration,
    /// From one character that the PC sends to the next, no less than `character`.
    pub interval: Duration,
    /// Whether the PC is held up while the TNC transmits.
    pub excludes_transmission: bool,
    /// How short packets are ended.
    pub mode: DataMode,
    /// The PC's program, before it sends.
    pub turnaround: Duration,
    /// Characters not acknowledged that the TNC holds before it holds the PC up.
    pub send_buffer: u32,
    /// Characters on their way to the PC from which on it sends RNR.
    pub receive_buffer: u32,
}

/// How short packets are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataMode {
    /// By the character that ends a block.
    Converse,
    /// By a timer.
    Transparent {
        /// How long it runs.
        packet_time: Duration,
        /// Whether each character starts it anew.
        restarts: bool,
    },
}

/// How long a character of so many bits takes on a serial line: always something, so that lines of characters end.
pub fn character_time(bits: u64, bit_rate: u64) -> Duration {
    Duration::from_units(bits, bit_rate).max(Duration::from_picoseconds(1))
}
