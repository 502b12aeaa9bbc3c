//! What a switch counts, for whoever asks how it fares.

/// Counts since the switch was switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls taken from users and neighbours.
    pub calls: u64,
    /// Calls refused here: no route, no channel, a loop.
    pub refused: u64,
    /// Calls that came back by a wrong route, of those refused.
    pub loops: u64,
    /// Both ends of a link took the same channel.
    pub collisions: u64,
    /// Data packets and frames handed on.
    pub forwarded: u64,
    /// Data packets sent again because the neighbour asked for them.
    pub resent: u64,
    /// Data packets dropped because their circuit was reset, cleared or restarted.
    pub lost: u64,
    /// RR and RNR packets sent.
    pub rr_rnr_sent: u64,
    /// RNR packets sent, of those.
    pub rnr_sent: u64,
    /// Circuits reset, by either end.
    pub resets: u64,
    /// Restarts of links, by either end.
    pub restarts: u64,
    /// Packets that fitted no state or no channel, and requests that nobody answered.
    pub protocol_errors: u64,
}
