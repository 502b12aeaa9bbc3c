//! A frame in the adapter, with the timestamps of its latency budget.

use sojourn_core::Time;

/// A frame from the ring in packet memory, with the instants its latency budget needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Received {
    /// Length in bytes.
    pub size: u32,
    /// Buffers of packet memory that it holds.
    pub buffers: u32,
    /// When its last bit entered the adapter.
    pub last_bit: Time,
    /// When all of it was in packet memory.
    pub stored: Time,
    /// When its forwarding vector was there, too.
    pub parsed: Time,
    /// When the control stage took it up.
    pub taken_up: Time,
    /// Whether the host has a buffer for it.
    pub has_host_buffer: bool,
    /// When the control stage asked for its ownership write.
    pub moved: Time,
    /// When the first hexawords were staged.
    pub staged: Time,
    /// When the control stage was through with it.
    pub handed_over: Time,
}

/// A frame to send.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Its number, from 0.
    pub number: u64,
    /// Length in bytes.
    pub size: u32,
    /// Buffers of packet memory that it holds.
    pub buffers: u32,
    /// When the control stage began to fetch its entry.
    pub begun: Time,
    /// When the entry was there.
    pub entered: Time,
    /// When enough of its data were in packet memory.
    pub fetched: Time,
    /// When the control stage took it up again, to move it to the ring's side.
    pub taken_up: Time,
    /// When it was there.
    pub moved: Time,
    /// When its first bit may leave.
    pub earliest: Time,
}

impl Sent {
    /// A frame that the adapter begins with at `now`.
    pub fn new(number: u64, size: u32, buffers: u32, now: Time) -> Self {
        let [begun, entered, fetched, taken_up, moved, earliest] = [now; 6];
        Sent { number, size, buffers, begun, entered, fetched, taken_up, moved, earliest }
    }
}
