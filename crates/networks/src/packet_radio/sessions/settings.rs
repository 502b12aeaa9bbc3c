//! A user who opens sessions, or a mailbox that forwards.

use sojourn_core::Duration;
use sojourn_engine::arrivals::{Arrivals, Process};

use crate::packet_radio::site::Path;

/// The sessions of one station of a flow.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// The flow's name.
    pub flow: String,
    /// The flow, counted from 0.
    pub number: u32,
    /// The stations: the one that connects, and its peer.
    pub ends: [u32; 2],
    /// Path and its setup.
    pub path: Path,
    /// Exchanges of a session.
    pub exchanges: u32,
    /// Octets of a request and of a response, as they are sent.
    pub sizes: [u32; 2],
    /// Largest packet in octets that each end sends (PACLEN).
    pub paclen: [u16; 2],
    /// Unacknowledged packets that each end's TNC buffers before flow control stops its program.
    pub buffers: [u16; 2],
    /// Mean time from a response to the next request, exponential.
    pub think_time: Duration,
    /// Time from the last octet of a request to the first of its response.
    pub turnaround: Duration,
    /// Timeout of the setup and of an exchange.
    pub timeout: Duration,
    /// When sessions begin.
    pub arrivals: Arrivals,
    /// The arrival process, and the delay before it starts.
    pub process: (Process, Duration),
    /// Sessions that wait while one is open.
    pub queue: u32,
}
