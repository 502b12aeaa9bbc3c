//! How long a modem's carrier detection (DCD) stays on after the last carrier it heard.

use sojourn_core::{CopyKey, Duration, Rekey, Stream};
use sojourn_protocols::ax25::hdlc::air_time::UNITS_PER_BIT;

/// When DCD drops after the last carrier.
#[derive(Clone, Debug)]
pub enum DcdHold {
    /// After so long.
    Constant(Duration),
    /// When the receiver has delivered this many 1 bits in a row. The bits of its noise are random, so 2 (2^run - 1) of them are
    /// needed on average: 510 for a run of eight.
    Ones {
        /// Length of the run.
        run: u32,
        /// Random stream of the noise.
        noise: Stream,
    },
}

impl DcdHold {
    /// DCD drops with the carrier.
    pub const NONE: DcdHold = DcdHold::Constant(Duration::ZERO);

    /// Whether DCD drops with the carrier.
    pub fn is_none(&self) -> bool {
        matches!(self, DcdHold::Constant(Duration::ZERO))
    }

    /// The hold after a carrier, on a channel of `bit_rate`.
    pub fn next(&mut self, bit_rate: u64) -> Duration {
        match self {
            DcdHold::Constant(hold) => *hold,
            DcdHold::Ones { run, noise } => {
                Duration::from_units(bits_until_run(*run, noise) * UNITS_PER_BIT, bit_rate * UNITS_PER_BIT)
            }
        }
    }
}

impl Rekey for DcdHold {
    fn rekey(&mut self, copy: CopyKey) {
        if let DcdHold::Ones { noise, .. } = self {
            noise.rekey(copy);
        }
    }
}

/// Number of random bits up to and including the first `run` 1 bits in a row.
fn bits_until_run(run: u32, noise: &mut Stream) -> u64 {
    let (mut bits, mut ones) = (0, 0);
    loop {
        let word = noise.bits();
        for place in 0..u64::BITS {
            bits += 1;
            ones = if word >> place & 1 == 1 { ones + 1 } else { 0 };
            if ones >= run {
                return bits;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    #[test]
    fn a_run_of_eight_takes_510_random_bits_on_average_and_eight_at_least() {
        let mut noise = Streams::new(1, 0).stream("test");
        let draws: Vec<u64> = (0..40_000).map(|_| bits_until_run(8, &mut noise)).collect();
        let mean = draws.iter().sum::<u64>() as f64 / draws.len() as f64;
        // the standard deviation of such a wait is about its mean: 2.5 bits of 40 000 draws
        assert!((mean - 510.0).abs() < 10.0, "{mean}");
        let at_once = draws.iter().filter(|&&bits| bits == 8).count() as f64 / draws.len() as f64;
        assert_eq!(draws.iter().min(), Some(&8));
        assert!((at_once * 256.0 - 1.0).abs() < 0.25, "{at_once}");
    }

    #[test]
    fn a_run_of_one_is_the_first_1_bit() {
        let mut noise = Streams::new(2, 0).stream("test");
        let mean = (0..40_000).map(|_| bits_until_run(1, &mut noise)).sum::<u64>() as f64 / 40_000.0;
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn random_bits_take_their_time_at_the_bit_rate() {
        let mut hold = DcdHold::Ones { run: 8, noise: Streams::new(3, 0).stream("test") };
        let mut noise = Streams::new(3, 0).stream("test");
        let bits = bits_until_run(8, &mut noise);
        assert_eq!(hold.next(1200), Duration::from_units(bits, 1200));
        assert_eq!(DcdHold::Constant(Duration::from_millis(7)).next(1200), Duration::from_millis(7));
    }
}
