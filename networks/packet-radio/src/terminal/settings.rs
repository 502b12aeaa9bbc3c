//! Settings of a terminal.

use sojourn_core::Duration;

/// A PC, its serial line, and packet formation in the TNC.
#[derive(Clone, Copy, Debug)]
pub struct TerminalSettings {
    /// Largest packet in octets (PACLEN).
    pub paclen: u16,
    /// Transmission time of a character on the serial line.
    pub character: Duration,
    /// Interval between characters from the PC, no less than `character`.
    pub interval: Duration,
    /// Whether flow control stops the PC while the TNC transmits.
    pub excludes_transmission: bool,
    /// How short packets are completed.
    pub mode: DataMode,
    /// Processing time of the PC's program before it sends.
    pub turnaround: Duration,
    /// Unacknowledged characters that the TNC buffers before flow control stops the PC, if it ever does.
    pub send_buffer: Option<u32>,
    /// Characters queued for the PC at which the TNC sends RNR.
    pub receive_buffer: u32,
}

/// How packets shorter than PACLEN are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataMode {
    /// By the character that ends a block.
    Converse,
    /// By a timer.
    Transparent {
        /// Duration (PACTIME).
        packet_time: Duration,
        /// Whether each character restarts it (PACTIME AFTER).
        restarts: bool,
    },
}

/// Transmission time of a character of `bits` bits on a serial line; at least 1 ps, so that transfers end.
pub fn character_time(bits: u64, bit_rate: u64) -> Duration {
    Duration::from_units(bits, bit_rate).max(Duration::from_picoseconds(1))
}
