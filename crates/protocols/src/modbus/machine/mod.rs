//! A client and a server of Modbus, over a serial line or TCP.
//!
//! Both handle requests as values whose type the driver chooses: [`Request`](super::Request) and [`Response`](super::Response)
//! where octets are exchanged, or what stands for them in a simulation. Framing is the driver's: it takes the unit and
//! the transaction from a frame, and reports when its own frame has left a serial line.

mod client;
mod memory;
mod server;

pub use client::{Asked, Client, ClientInput, ClientOutput, Order, Outcome, RESPONSE_TIMEOUT, TURNAROUND};
pub use memory::Memory;
pub use server::{Device, Indication, Reply, Server};

/// What carries the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A serial line, RTU or ASCII: one request at a time, unit 0 is a broadcast.
    Serial,
    /// A connection of TCP: requests have transaction identifiers, and unit 0 is a unit.
    Tcp {
        /// Requests that may be open at a time (client), or wait for the one that is carried out (server); at least 1.
        outstanding: u16,
    },
}

impl Carrier {
    /// Requests that may be open at a time.
    pub const fn outstanding(self) -> usize {
        match self {
            Carrier::Serial => 1,
            Carrier::Tcp { outstanding } => outstanding as usize,
        }
    }

    /// Whether a request to `unit` is one that no server answers.
    pub const fn is_broadcast(self, unit: u8) -> bool {
        matches!(self, Carrier::Serial) && unit == super::BROADCAST
    }
}
