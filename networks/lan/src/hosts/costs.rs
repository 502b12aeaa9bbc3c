//! Host costs of packets: CPU time and adapter time.

use sojourn_core::Duration;

/// Octets of the buffers in which data are counted.
const CLUSTER: u64 = 2048;

/// CPU time per packet, and times of the adapter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// CPU time to send a packet.
    pub send: Work,
    /// CPU time to receive a packet.
    pub receive: Work,
    /// From a packet's last bit to the interrupt.
    pub receive_delay: Duration,
    /// Bits a second over which the adapter copies a packet before it goes on; `None`: it goes on as it comes.
    pub bus_rate: Option<u64>,
}

impl Costs {
    /// Whether packets take no CPU time at all.
    pub fn are_none(&self) -> bool {
        [self.send, self.receive].iter().all(Work::is_none)
    }
}

/// CPU time of a packet in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Per packet with data.
    pub packet: Duration,
    /// Per octet of data.
    pub per_byte: Duration,
    /// Per started 2048 octets of data.
    pub per_cluster: Duration,
    /// Per packet without data, as an ACK.
    pub ack: Duration,
}

impl Work {
    fn is_none(&self) -> bool {
        [self.packet, self.per_byte, self.per_cluster, self.ack].iter().all(|part| *part == Duration::ZERO)
    }

    /// CPU time of a packet with `octets` octets of data.
    #[inline]
    pub fn of(&self, octets: u32) -> Duration {
        if octets == 0 {
            return self.ack;
        }
        let octets = u64::from(octets);
        self.packet + self.per_byte.times(octets) + self.per_cluster.times(octets.div_ceil(CLUSTER))
    }
}
