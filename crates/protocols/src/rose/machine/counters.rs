//! Event counters of a switch.

/// A switch's counts since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls received from users and neighbours.
    pub calls: u64,
    /// Calls refused here: no route, no channel, a loop.
    pub refused: u64,
    /// Calls refused because of a routing loop.
    pub loops: u64,
    /// Call collisions: both ends of a trunk selected the same channel.
    pub collisions: u64,
    /// Data packets and frames forwarded.
    pub forwarded: u64,
    /// Data packets retransmitted after REJ.
    pub resent: u64,
    /// Data packets dropped because their circuit was reset, cleared or restarted.
    pub lost: u64,
    /// RR and RNR packets sent.
    pub rr_rnr_sent: u64,
    /// RNR packets sent to neighbours.
    pub rnr_sent: u64,
    /// Circuits reset, by either end.
    pub resets: u64,
    /// Restarts of trunks, by either end.
    pub restarts: u64,
    /// Packets invalid in their state or channel, and requests without a response.
    pub protocol_errors: u64,
}
