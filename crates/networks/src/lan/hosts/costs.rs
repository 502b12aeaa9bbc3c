//! What a host spends on packets.

use sojourn_core::Duration;

/// Octets of the buffers in which data are counted.
const CLUSTER: u64 = 2048;

/// What a host's processor and adapter spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Processor: sends a packet.
    pub send: Work,
    /// Processor: receives one.
    pub receive: Work,
    /// From a packet's last bit to the interrupt.
    pub receive_delay: Duration,
    /// Bits a second over which the adapter copies a packet before it goes on; `None`: it goes on as it comes.
    pub bus_rate: Option<u64>,
}

/// What the processor spends on a packet, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Each with data.
    pub packet: Duration,
    /// Each octet of data.
    pub per_byte: Duration,
    /// Each started 2048 octets of data.
    pub per_cluster: Duration,
    /// Each without data.
    pub ack: Duration,
}

impl Work {
    /// What a packet with `octets` octets of data takes.
    #[inline]
    pub fn of(&self, octets: u32) -> Duration {
        if octets == 0 {
            return self.ack;
        }
        let octets = u64::from(octets);
        self.packet + self.per_byte.times(octets) + self.per_cluster.times(octets.div_ceil(CLUSTER))
    }
}
