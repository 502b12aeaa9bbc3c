//! The 16-bit floating-point rates of resource management cells (I.371, 5.5.6.3; Traffic Management 4.0, 5.10.3.1).

/// A 16-bit coded rate: a reserved bit, "not zero" bit n, five bits of exponent e and nine of mantissa m, for
/// n 2^e (1 + m/512) cells/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodedRate(pub u16);

const NOT_ZERO: u16 = 1 << 14;

impl CodedRate {
    /// The maximum rate that can be coded, 4 290 772 992 cells/s.
    pub const MAX: CodedRate = CodedRate(0x7fff);

    /// The largest coded rate that does not exceed `cells_per_second`. Rates below 1 and NaN are coded as 0.
    pub fn rounded_down(cells_per_second: f64) -> Self {
        if cells_per_second.is_nan() || cells_per_second < 1.0 {
            return CodedRate(0);
        }
        if cells_per_second >= Self::MAX.cells_per_second() {
            return Self::MAX;
        }
        // an f64 has the same form: its exponent is biased by 1023, its mantissa has 52 bits
        let bits = cells_per_second.to_bits();
        let exponent = (bits >> 52) as u16 - 1023;
        let mantissa = (bits >> 43) as u16 & 0x1ff;
        CodedRate(NOT_ZERO | exponent << 9 | mantissa)
    }

    /// The rate in cells/s. The reserved bit is ignored.
    pub fn cells_per_second(self) -> f64 {
        if self.0 & NOT_ZERO == 0 {
            return 0.0;
        }
        let exponent = self.0 >> 9 & 0x1f;
        let mantissa = self.0 & 0x1ff;
        f64::from(1_u32 << exponent) * (1.0 + f64::from(mantissa) / 512.0)
    }
}
