//! How far a clock may be off (RFC 4656 section 4.1.2, RFC 8186 section 2.1).

use super::timestamp::Format;

/// The estimate that goes with a stamp: 16 bits, of which the last 14 say `multiplier * 2^(scale - 32)` seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorEstimate {
    /// S: whether the clock follows UTC by a source outside its host.
    pub synchronized: bool,
    /// Z: how the stamps are written.
    pub format: Format,
    /// 0 to 63.
    pub scale: u8,
    /// 1 to 255; 0 says that nobody knows.
    pub multiplier: u8,
}

const SYNCHRONIZED: u16 = 1 << 15;
const PTP: u16 = 1 << 14;
const LARGEST_SCALE: u8 = 63;

impl ErrorEstimate {
    /// The estimate of a clock that nobody vouches for: the largest, and not synchronized.
    pub const NOBODY_KNOWS: ErrorEstimate =
        ErrorEstimate { synchronized: false, format: Format::Ntp, scale: LARGEST_SCALE, multiplier: 255 };

    /// The smallest estimate that is not below `seconds`, the largest there is when none is.
    pub fn of(seconds: f64, synchronized: bool, format: Format) -> ErrorEstimate {
        let units = libm::ceil(libm::ldexp(seconds, 32)).max(1.0);
        let scale = (0..LARGEST_SCALE).find(|scale| units <= libm::ldexp(255.0, i32::from(*scale)));
        let scale = scale.unwrap_or(LARGEST_SCALE);
        let multiplier = libm::ceil(libm::ldexp(units, -i32::from(scale))).min(255.0) as u8;
        ErrorEstimate { synchronized, format, scale, multiplier }
    }

    /// Seconds; `None` when the sender does not know.
    pub fn seconds(self) -> Option<f64> {
        let exponent = i32::from(self.scale) - 32;
        (self.multiplier > 0).then(|| libm::ldexp(f64::from(self.multiplier), exponent))
    }

    /// Its two octets as a number.
    pub fn bits(self) -> u16 {
        let synchronized = if self.synchronized { SYNCHRONIZED } else { 0 };
        let format = if self.format == Format::Ptp { PTP } else { 0 };
        synchronized | format | u16::from(self.scale & LARGEST_SCALE) << 8 | u16::from(self.multiplier)
    }

    /// What two octets say.
    pub fn from_bits(bits: u16) -> ErrorEstimate {
        ErrorEstimate {
            synchronized: bits & SYNCHRONIZED != 0,
            format: if bits & PTP != 0 { Format::Ptp } else { Format::Ntp },
            scale: (bits >> 8) as u8 & LARGEST_SCALE,
            multiplier: bits as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_never_below_what_was_asked_and_less_than_two_units_of_its_scale_above() {
        for exponent in -40..30 {
            for mantissa in [1.0, 1.37, 1.999] {
                let seconds = libm::ldexp(mantissa, exponent);
                let estimate = ErrorEstimate::of(seconds, true, Format::Ntp);
                let said = estimate.seconds().unwrap();
                assert!(said >= seconds, "{seconds} s became {said} s");
                let unit = libm::ldexp(1.0, i32::from(estimate.scale) - 32);
                assert!(said - seconds < 2.0 * unit, "{seconds} s became {said} s");
            }
        }
    }

    #[test]
    fn the_largest_estimate_stands_for_all_beyond() {
        let largest = ErrorEstimate::of(f64::MAX, false, Format::Ntp);
        assert_eq!(largest, ErrorEstimate::NOBODY_KNOWS);
    }

    #[test]
    fn no_multiplier_is_no_estimate() {
        assert_eq!(ErrorEstimate::from_bits(0).seconds(), None);
    }

    #[test]
    fn every_pair_of_octets_is_an_estimate_that_gives_it_again() {
        for bits in 0..=u16::MAX {
            assert_eq!(ErrorEstimate::from_bits(bits).bits(), bits);
        }
        let estimate = ErrorEstimate::from_bits(0b1100_0011_0000_0001);
        assert!(estimate.synchronized && estimate.format == Format::Ptp);
        assert_eq!((estimate.scale, estimate.multiplier), (3, 1));
    }
}
