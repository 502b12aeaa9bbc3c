//! Meters that colour packets: green, yellow and red, the drop precedences 1 to 3 of assured forwarding (RFC 2597).
//! Both are color-blind: earlier marks of a packet are ignored.

use sojourn_core::Time;

use super::settings::MeterSettings;
use super::shaping::Bucket;

/// Drop precedence of green packets (AFx1).
pub const GREEN: u8 = 1;
/// Drop precedence of yellow packets (AFx2).
pub const YELLOW: u8 = 2;
/// Drop precedence of red packets (AFx3).
pub const RED: u8 = 3;

/// A meter as it runs.
#[derive(Clone, Copy, Debug)]
pub enum Meter {
    /// RFC 2697: a packet takes from the committed bucket, or all of it from the excess bucket.
    SingleRate {
        /// The committed bucket.
        committed: Bucket,
        /// The excess bucket.
        excess: Spill,
    },
    /// RFC 2698: a packet takes from the peak bucket, and from the committed bucket if it holds enough.
    TwoRate {
        /// The committed bucket.
        committed: Bucket,
        /// The peak bucket.
        peak: Bucket,
    },
}

/// A bucket that fills with what another one has no room for.
#[derive(Clone, Copy, Debug)]
pub struct Spill {
    full: i128,
    level: i128,
}

impl Meter {
    /// A meter whose buckets are full at time 0.
    pub fn new(settings: MeterSettings) -> Self {
        match settings {
            MeterSettings::SingleRate { committed, excess } => {
                let full = Bucket::tokens(excess);
                Meter::SingleRate { committed: Bucket::new(committed), excess: Spill { full, level: full } }
            }
            MeterSettings::TwoRate { committed, peak } => {
                Meter::TwoRate { committed: Bucket::new(committed), peak: Bucket::new(peak) }
            }
        }
    }

    /// The colour of a packet of `octets` octets.
    #[inline]
    pub fn color(&mut self, now: Time, octets: u32) -> u8 {
        match self {
            Meter::SingleRate { committed, excess } => {
                excess.level = excess.full.min(excess.level + committed.spilled(now));
                let needed = Bucket::tokens(u64::from(octets));
                if committed.take(now, octets) {
                    GREEN
                } else if excess.level >= needed {
                    excess.level -= needed;
                    YELLOW
                } else {
                    RED
                }
            }
            Meter::TwoRate { committed, peak } => {
                // RFC 2698, 3: a red packet takes no tokens, a yellow one takes peak tokens only
                if !peak.take(now, octets) {
                    RED
                } else if committed.take(now, octets) {
                    GREEN
                } else {
                    YELLOW
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::super::settings::Shaping;
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// 1000 octets a second.
    const CIR: u64 = 8000;

    #[test]
    fn a_single_rate_meter_fills_the_committed_bucket_first_and_the_excess_bucket_with_the_rest() {
        let committed = Shaping { rate: CIR, burst: 1000 };
        let mut meter = Meter::new(MeterSettings::SingleRate { committed, excess: 500 });
        // both buckets are full
        let burst: Vec<u8> = (0..7).map(|_| meter.color(Time::ZERO, 250)).collect();
        assert_eq!(burst, [GREEN, GREEN, GREEN, GREEN, YELLOW, YELLOW, RED]);
        // 250 octets came, all to the committed bucket
        assert_eq!([meter.color(ms(250), 250), meter.color(ms(250), 250)], [GREEN, RED]);
        // 1250 octets: 1000 fill the committed bucket, 250 spill over
        let burst: Vec<u8> = (0..6).map(|_| meter.color(ms(1500), 250)).collect();
        assert_eq!(burst, [GREEN, GREEN, GREEN, GREEN, YELLOW, RED]);
    }

    #[test]
    fn a_two_rate_meter_asks_the_peak_bucket_first() {
        let committed = Shaping { rate: CIR, burst: 500 };
        let peak = Shaping { rate: 2 * CIR, burst: 1000 };
        let mut meter = Meter::new(MeterSettings::TwoRate { committed, peak });
        let burst: Vec<u8> = (0..5).map(|_| meter.color(Time::ZERO, 250)).collect();
        assert_eq!(burst, [GREEN, GREEN, YELLOW, YELLOW, RED]);
        // 500 octets came to the peak bucket, 250 to the committed one
        let burst: Vec<u8> = (0..3).map(|_| meter.color(ms(250), 250)).collect();
        assert_eq!(burst, [GREEN, YELLOW, RED]);
    }

    #[test]
    fn in_the_long_run_green_is_the_committed_rate_and_green_and_yellow_the_peak_rate() {
        let committed = Shaping { rate: 1_000_000, burst: 3000 };
        let peak = Shaping { rate: 2_500_000, burst: 3000 };
        let mut meter = Meter::new(MeterSettings::TwoRate { committed, peak });
        let mut octets = [0_u64; 4];
        // 1000 octets each ms: 8 Mbit/s, for 60 s
        (0..60_000).for_each(|at| octets[meter.color(ms(at), 1000) as usize] += 1000);
        let rate = |octets: u64| octets as f64 * 8.0 / 60.0;
        assert!((rate(octets[1]) / 1e6 - 1.0).abs() < 0.001, "{octets:?}");
        assert!((rate(octets[1] + octets[2]) / 2.5e6 - 1.0).abs() < 0.001, "{octets:?}");
    }
}
