//! Error estimate of a clock (RFC 4656, section 4.1.2; RFC 8186, section 2.1).

use super::timestamp::Format;

/// Error estimate of a timestamp: `multiplier * 2^(scale - 32)` seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorEstimate {
    /// S: whether the clock is synchronized to UTC by an external source.
    pub synchronized: bool,
    /// Z: format of the timestamps, NTP or PTP.
    pub format: Format,
    /// Scale, 0 to 63.
    pub scale: u8,
    /// Multiplier, 1 to 255; 0 means unknown.
    pub multiplier: u8,
}

const SYNCHRONIZED: u16 = 1 << 15;
const PTP: u16 = 1 << 14;
const MAX_SCALE: u8 = 63;

impl ErrorEstimate {
    /// The maximum estimate, not synchronized: that of a clock without known error.
    pub const UNKNOWN: ErrorEstimate =
        ErrorEstimate { synchronized: false, format: Format::Ntp, scale: MAX_SCALE, multiplier: 255 };

    /// The smallest estimate that is at least `seconds`, or the maximum.
    pub fn of(seconds: f64, synchronized: bool, format: Format) -> ErrorEstimate {
        let units = libm::ceil(libm::ldexp(seconds, 32)).max(1.0);
        let scale = (0..MAX_SCALE).find(|scale| units <= libm::ldexp(255.0, i32::from(*scale)));
        let scale = scale.unwrap_or(MAX_SCALE);
        let multiplier = libm::ceil(libm::ldexp(units, -i32::from(scale))).min(255.0) as u8;
        ErrorEstimate { synchronized, format, scale, multiplier }
    }

    /// The estimate in seconds; `None` if unknown.
    pub fn seconds(self) -> Option<f64> {
        let exponent = i32::from(self.scale) - 32;
        (self.multiplier > 0).then(|| libm::ldexp(f64::from(self.multiplier), exponent))
    }

    /// The 16 bits of the field.
    pub fn bits(self) -> u16 {
        let synchronized = if self.synchronized { SYNCHRONIZED } else { 0 };
        let format = if self.format == Format::Ptp { PTP } else { 0 };
        synchronized | format | u16::from(self.scale & MAX_SCALE) << 8 | u16::from(self.multiplier)
    }

    /// Parses the 16 bits of the field.
    pub fn from_bits(bits: u16) -> ErrorEstimate {
        ErrorEstimate {
            synchronized: bits & SYNCHRONIZED != 0,
            format: if bits & PTP != 0 { Format::Ptp } else { Format::Ntp },
            scale: (bits >> 8) as u8 & MAX_SCALE,
            multiplier: bits as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_rounded_up_by_less_than_two_units_of_its_scale() {
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
    fn errors_beyond_the_maximum_saturate() {
        let largest = ErrorEstimate::of(f64::MAX, false, Format::Ntp);
        assert_eq!(largest, ErrorEstimate::UNKNOWN);
    }

    #[test]
    fn a_multiplier_of_0_is_an_unknown_estimate() {
        assert_eq!(ErrorEstimate::from_bits(0).seconds(), None);
    }

    #[test]
    fn every_16_bit_value_survives_parsing_and_emitting() {
        for bits in 0..=u16::MAX {
            assert_eq!(ErrorEstimate::from_bits(bits).bits(), bits);
        }
        let estimate = ErrorEstimate::from_bits(0b1100_0011_0000_0001);
        assert!(estimate.synchronized && estimate.format == Format::Ptp);
        assert_eq!((estimate.scale, estimate.multiplier), (3, 1));
    }
}
