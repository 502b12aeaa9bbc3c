//! Requests and notifications from their offer to their end.

use sojourn_core::Time;

use super::latency_budget::LatencyBudget;

/// A request of an application, or a notification.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Index of its source.
    pub source: u32,
    /// The station that is asked.
    pub to: u32,
    /// Distinguishes it from others of its number; 0 of one that has ended.
    pub serial: u32,
    /// With Who-Is, the serial number of the broadcast; else 0.
    pub broadcast: u32,
    /// When the application offered it.
    pub started: Time,
    /// When it was sent for the first time.
    pub sent: Time,
    /// Octets of its NPDU.
    pub size: u16,
    /// Retries so far.
    pub attempt: u8,
    /// Whether its reply waits for the server's token.
    pub is_postponed: bool,
    /// Where its time went.
    pub budget: LatencyBudget,
}

/// A packet between two events: a reply that is being made, in a router, on an IP network.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// What it carries.
    pub npdu: super::npdu::Npdu,
    /// The port at which it is.
    pub port: u32,
    /// Losses of power of the port when it came.
    pub epoch: u32,
}
