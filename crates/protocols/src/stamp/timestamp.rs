//! Timestamps in the formats of NTP and PTP.

/// Seconds from the epoch of NTP, 1900, to that of Unix, 1970.
const NTP_TO_UNIX: u64 = 2_208_988_800;
const NANOSECONDS: u64 = 1_000_000_000;

/// Format of a timestamp, which Z of the error estimate selects (RFC 8762, 4.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Seconds since 1900 and a fraction of 2^-32 s (RFC 5905).
    #[default]
    Ntp,
    /// Seconds since 1970 in the time scale of PTP, and nanoseconds (IEEE 1588-2008, truncated to 32 bits of seconds).
    Ptp,
}

/// A timestamp in a packet; its [`Format`] is given by the error estimate that follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamp {
    /// Seconds since the format's epoch, modulo 2^32.
    pub seconds: u32,
    /// Fraction of a second, in units of 2^-32 s (NTP) or 1 ns (PTP).
    pub fraction: u32,
}

impl Timestamp {
    /// The timestamp of an instant in ns since 1970-01-01 UTC.
    pub fn of(unix_ns: u64, format: Format) -> Timestamp {
        let (seconds, nanoseconds) = (unix_ns / NANOSECONDS, unix_ns % NANOSECONDS);
        match format {
            Format::Ntp => Timestamp {
                seconds: (seconds + NTP_TO_UNIX) as u32,
                // rounded up, so that rounding down restores the nanosecond
                fraction: (nanoseconds << 32).div_ceil(NANOSECONDS) as u32,
            },
            Format::Ptp => Timestamp { seconds: seconds as u32, fraction: nanoseconds as u32 },
        }
    }

    /// Nanoseconds since 1970-01-01 UTC. NTP seconds denote 1968 to 2104 (RFC 4330, section 3), PTP seconds 1970 to 2106.
    pub fn unix_ns(self, format: Format) -> u64 {
        let (seconds, fraction) = (u64::from(self.seconds), u64::from(self.fraction));
        match format {
            Format::Ntp => {
                let era = if self.seconds < 1 << 31 { 1 << 32 } else { 0 };
                let nanoseconds = (fraction * NANOSECONDS + (1 << 31)) >> 32;
                ((seconds + era).saturating_sub(NTP_TO_UNIX)) * NANOSECONDS + nanoseconds
            }
            // a PTP fraction of a second or more is invalid, and added as is
            Format::Ptp => seconds * NANOSECONDS + fraction,
        }
    }

    /// The eight octets of the field.
    pub fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.seconds) << 32 | u64::from(self.fraction)).to_be_bytes()
    }

    /// Parses the eight octets of the field.
    pub fn from_bits(bits: u64) -> Timestamp {
        Timestamp { seconds: (bits >> 32) as u32, fraction: bits as u32 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_epochs_match_the_standards() {
        let ntp = |unix_s: u64| Timestamp::of(unix_s * NANOSECONDS, Format::Ntp);
        assert_eq!(ntp(0), Timestamp { seconds: 0x83aa_7e80, fraction: 0 }, "1970 is 2 208 988 800 s after 1900");
        assert_eq!(ntp(2_085_978_496), Timestamp { seconds: 0, fraction: 0 }, "the NTP era ends in February 2036");
        assert_eq!(Timestamp::of(1_500_000_000, Format::Ntp).fraction, 1 << 31);
        assert_eq!(Timestamp::of(1_500_000_000, Format::Ptp), Timestamp { seconds: 1, fraction: 500_000_000 });
    }

    proptest! {
        #[test]
        fn an_instant_survives_to_the_nanosecond(unix_ns in 0..4_200_000_000 * NANOSECONDS) {
            for format in [Format::Ntp, Format::Ptp] {
                prop_assert_eq!(Timestamp::of(unix_ns, format).unix_ns(format), unix_ns);
            }
        }

        #[test]
        fn any_eight_octets_are_an_instant(bits: u64) {
            let stamp = Timestamp::from_bits(bits);
            prop_assert_eq!(stamp.to_bytes(), bits.to_be_bytes());
            let _ = (stamp.unix_ns(Format::Ntp), stamp.unix_ns(Format::Ptp));
        }
    }
}
