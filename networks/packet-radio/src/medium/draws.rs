//! Random draws of a member: slots skipped, bit errors and corrupted frames. The first two are memoryless, so one
//! draw replaces many.

use sojourn_core::{Stream, rekey_fields};
use sojourn_engine::sample::standard_exponential;
use sojourn_protocols::ax25::hdlc::air_time::UNITS_PER_BIT;

/// Number of slots that a station skips, transmitting in each with probability p: geometric, drawn as the integer part of
/// an exponential with mean -1 / ln(1 - p).
#[derive(Clone, Debug)]
pub struct Persistence {
    mean: f64,
}

impl Persistence {
    pub fn new(persistence: f64) -> Self {
        // log1p, since ln(1 - p) loses the digits of a small p
        Persistence { mean: -1.0 / libm::log1p(-persistence) }
    }

    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        (standard_exponential(stream) * self.mean) as u64
    }
}

/// Bit errors at a receiver, as the air time to the next: b bits are error-free with probability (1 - bit error rate)^b.
#[derive(Clone, Debug)]
pub struct BitErrors {
    /// Mean air time between bit errors, in units of `air_time`; infinite without errors.
    mean: f64,
    /// Units to the next bit error.
    next: f64,
    stream: Stream,
}

impl BitErrors {
    pub fn new(bit_error_rate: f64, mut stream: Stream) -> Self {
        let mean = -(UNITS_PER_BIT as f64) / libm::log1p(-bit_error_rate);
        BitErrors { mean, next: standard_exponential(&mut stream) * mean, stream }
    }

    /// The bit error rate from now on. The air time to the next error is memoryless: it is drawn again.
    pub fn set_rate(&mut self, bit_error_rate: f64) {
        self.mean = -(UNITS_PER_BIT as f64) / libm::log1p(-bit_error_rate);
        self.next = standard_exponential(&mut self.stream) * self.mean;
    }

    /// Whether a bit error falls into the next `units` of air time.
    #[inline]
    pub fn hit(&mut self, units: u64) -> bool {
        self.next -= units as f64;
        if self.next > 0.0 {
            return false;
        }
        self.next = standard_exponential(&mut self.stream) * self.mean;
        true
    }

    /// Calls `is_lost` with each bit error of the next `units` of air time, in units from their beginning, until one is too
    /// many; whether one is.
    pub fn each(&mut self, units: u64, mut is_lost: impl FnMut(f64) -> bool) -> bool {
        let mut lost = false;
        while self.next <= units as f64 {
            lost = lost || is_lost(self.next);
            self.next += standard_exponential(&mut self.stream) * self.mean;
        }
        self.next -= units as f64;
        lost
    }
}

rekey_fields!(BitErrors { stream });

/// Frames that a transmitter sends with a wrong FCS, whatever their length and kind.
#[derive(Clone, Debug)]
pub struct FrameErrors {
    /// Share of its frames, 0 to 1.
    pub rate: f64,
    /// Random stream of which they are.
    pub draws: Stream,
}

impl FrameErrors {
    /// Whether the next frame is one of them.
    pub fn spoils(&mut self) -> bool {
        self.draws.unit() < self.rate
    }
}

rekey_fields!(FrameErrors { draws });

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn stream() -> Stream {
        Streams::new(1, 0).stream("test")
    }

    #[test]
    fn each_slot_is_taken_with_probability_p_independently_of_earlier_ones() {
        for persistence in [1.0 / 256.0, 0.25, 0.9] {
            let (slots, mut stream) = (Persistence::new(persistence), stream());
            let draws: Vec<u64> = (0..200_000).map(|_| slots.draw(&mut stream)).collect();
            for passed in [0, 1, 3] {
                let waiting = draws.iter().filter(|&&slots| slots >= passed).count() as f64;
                let taken = draws.iter().filter(|&&slots| slots == passed).count() as f64;
                let tolerance = 4.0 * (persistence * (1.0 - persistence) / waiting).sqrt();
                assert!(
                    (taken / waiting - persistence).abs() < tolerance,
                    "{persistence} {passed} {}",
                    taken / waiting
                );
            }
        }
    }

    #[test]
    fn a_station_with_persistence_1_skips_no_slot() {
        let (slots, mut stream) = (Persistence::new(1.0), stream());
        assert!((0..100).all(|_| slots.draw(&mut stream) == 0));
    }

    #[test]
    fn a_frame_of_b_bits_is_error_free_with_probability_one_minus_the_bit_error_rate_to_the_b() {
        for (bit_error_rate, bits) in [(1e-5, 2_215u64), (1e-3, 500), (0.2, 3)] {
            let mut errors = BitErrors::new(bit_error_rate, stream());
            let frames = 200_000;
            let survivors = (0..frames).filter(|_| !errors.hit(bits * UNITS_PER_BIT)).count();
            let (share, expected) = (survivors as f64 / f64::from(frames), (1.0 - bit_error_rate).powi(bits as i32));
            let tolerance = 4.0 * (expected * (1.0 - expected) / f64::from(frames)).sqrt();
            assert!((share - expected).abs() < tolerance, "{bit_error_rate} {bits}: {share} {expected}");
        }
    }

    #[test]
    fn without_a_bit_error_rate_no_frame_has_an_error() {
        let mut errors = BitErrors::new(0.0, stream());
        assert!((0..1000).all(|_| !errors.hit(u64::from(u32::MAX))));
    }
}
