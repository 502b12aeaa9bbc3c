//! Airtime of a station's frames.

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
/// Octets of an address.
const ADDRESS: u64 = 7;
/// Octets of a frame besides addresses and information: two of control, and the protocol identifier.
const CONTROL: u64 = 3;

impl Air {
    /// Keying overhead of a burst: TXDELAY and TXTAIL.
    pub fn keying(&self) -> Duration {
        self.transmit_delay + self.transmit_tail
    }

    /// Duration of a frame without keying, bit stuffing included.
    pub fn frame(&self, octets: &[u8]) -> Duration {
        air_time::exact_time(octets, self.bit_rate)
    }

    /// Longest duration of a frame with this much information over this many digipeaters, without keying: a stuffed bit after
    /// every fifth.
    pub fn longest_frame(&self, digipeaters: usize, information: u64) -> Duration {
        let octets = ADDRESS * (2 + digipeaters as u64) + CONTROL + information + FCS;
        Duration::from_units(octets * 8 * 6 / 5 + 8, self.bit_rate)
    }

    /// Longest duration of a burst of its own of one frame without information.
    pub fn control_burst(&self, digipeaters: usize) -> Duration {
        self.keying() + self.longest_frame(digipeaters, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_frame_takes_longer_than_the_longest() {
        let air = Air { bit_rate: 1200, transmit_delay: Duration::ZERO, transmit_tail: Duration::ZERO };
        for digipeaters in [0, 8] {
            let ones = vec![0xff; 7 * (2 + digipeaters) + 3 + 256];
            let longest = air.longest_frame(digipeaters, 256);
            assert!(air.frame(&ones) <= longest);
            assert!(air.frame(&ones) + air.frame(&[0; 4]) > longest, "and it is not much longer than that");
        }
    }
}
