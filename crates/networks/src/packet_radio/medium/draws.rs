//! The draws of a member: slots it lets pass, and bit errors. Both forget, so that one draw stands for many chances.

use sojourn_core::Stream;
use sojourn_engine::sample::standard_exponential;
use sojourn_protocols::ax25::hdlc::air_time::UNITS_PER_BIT;

/// How many slots pass before the one a station takes, each being taken with chance p: geometric, drawn as the whole
/// part of an exponential of mean -1 / ln(1 - p).
#[derive(Debug)]
pub struct Slots {
    mean: f64,
}

impl Slots {
    pub fn new(persistence: f64) -> Self {
        Slots { mean: -1.0 / libm::log1p(-persistence) }
    }

    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        (standard_exponential(stream) * self.mean) as u64
    }
}

/// Bit errors in all that a station receives, as the air time to the next: b bits are without one with chance
/// (1 - bit error rate)^b.
#[derive(Debug)]
pub struct Errors {
    /// Mean air time from one to the next, in units of `air_time`; infinite without errors.
    mean: f64,
    /// Units to the next.
    next: f64,
    stream: Stream,
}

impl Errors {
    pub fn new(bit_error_rate: f64, mut stream: Stream) -> Self {
        let mean = -(UNITS_PER_BIT as f64) / libm::log1p(-bit_error_rate);
        Errors { mean, next: standard_exponential(&mut stream) * mean, stream }
    }

    /// Whether one falls into the next so many units of air time.
    #[inline]
    pub fn strike(&mut self, units: u64) -> bool {
        self.next -= units as f64;
        if self.next > 0.0 {
            return false;
        }
        self.next = standard_exponential(&mut self.stream) * self.mean;
        true
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn stream() -> Stream {
        Streams::new(1, 0).stream("test")
    }

    #[test]
    fn a_slot_is_taken_with_chance_p_whatever_went_before() {
        for persistence in [1.0 / 256.0, 0.25, 0.9] {
            let (slots, mut stream) = (Slots::new(persistence), stream());
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
    fn a_station_that_always_persists_lets_no_slot_pass() {
        let (slots, mut stream) = (Slots::new(1.0), stream());
        assert!((0..100).all(|_| slots.draw(&mut stream) == 0));
    }

    #[test]
    fn a_frame_of_b_bits_survives_with_chance_one_less_the_bit_error_rate_to_the_b() {
        for (bit_error_rate, bits) in [(1e-5, 2_215u64), (1e-3, 500), (0.2, 3)] {
            let mut errors = Errors::new(bit_error_rate, stream());
            let frames = 200_000;
            let survivors = (0..frames).filter(|_| !errors.strike(bits * UNITS_PER_BIT)).count();
            let (share, expected) = (survivors as f64 / f64::from(frames), (1.0 - bit_error_rate).powi(bits as i32));
            let tolerance = 4.0 * (expected * (1.0 - expected) / f64::from(frames)).sqrt();
            assert!((share - expected).abs() < tolerance, "{bit_error_rate} {bits}: {share} {expected}");
        }
    }

    #[test]
    fn without_a_bit_error_rate_no_frame_is_spoilt() {
        let mut errors = Errors::new(0.0, stream());
        assert!((0..1000).all(|_| !errors.strike(u64::from(u32::MAX))));
    }
}
