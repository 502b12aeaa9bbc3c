//! Time on the air of a station's frames.

use sojourn_core::Duration;
use sojourn_protocols::ax25::hdlc::air_time;

/// Bit rate and keying times of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Air {
    /// Bit rate in bit/s, at least 1.
    pub bit_rate: u64,
    /// TXDELAY: from keying to the first frame.
    pub transmit_delay: Duration,
    /// TXTAIL: from the last frame to unkeying.
    pub transmit_tail: Duration,
}

/// Octets of the FCS.
const FCS: u64 = 2;
/// Octets of a frame besides its information: ten addresses, two octets of control, and the protocol identifier.
const LONGEST_HEADER: u64 = 7 * 10 + 3;

impl Air {
    /// Keying overhead of a burst: TXDELAY and TXTAIL.
    pub fn keying(&self) -> Duration {
        self.transmit_delay + self.transmit_tail
    }

    /// Duration of a frame without keying, bit stuffing included.
    pub fn frame(&self, octets: &[u8]) -> Duration {
        air_time::exact_time(octets, self.bit_rate)
    }

    /// Longest duration of a frame with this much information, without keying: a stuffed bit after every fifth.
    pub fn longest_frame(&self, information: u64) -> Duration {
        let octets = LONGEST_HEADER + information + FCS;
        Duration::from_units(octets * 8 * 6 / 5 + 8, self.bit_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_frame_takes_longer_than_the_longest() {
        let air = Air { bit_rate: 1200, transmit_delay: Duration::ZERO, transmit_tail: Duration::ZERO };
        let ones = vec![0xff; LONGEST_HEADER as usize + 256];
        assert!(air.frame(&ones) <= air.longest_frame(256));
        assert!(air.frame(&ones) + air.frame(&[0; 4]) > air.longest_frame(256), "and it is not much longer than that");
    }
}
