//! Dimensions of quantities, and the units in which they may be written.

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// A time; its SI unit is the second.
    Time,
    /// Rate, in events per second.
    Rate,
    /// Bit rate, in bits per second.
    BitRate,
    /// A size; its unit in results is the byte.
    Size,
    /// A size; its unit in results is the bit.
    Bits,
    /// Size, in ATM cells.
    Cells,
    /// A frequency; its SI unit is the hertz.
    Frequency,
    /// A length; its SI unit is the metre.
    Length,
    /// A ratio of powers, in decibels.
    Level,
    /// A share of one: `5 %` or `0.05`.
    Fraction,
    /// A number without unit.
    None,
}

/// A unit: `numerator * 10^exponent / divisor` of the SI unit.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    /// Symbol, as written in values.
    pub name: &'static str,
    pub(crate) numerator: u64,
    pub(crate) exponent: i32,
    pub(crate) divisor: u64,
}

impl Unit {
    /// One of it, in the SI unit.
    pub(crate) fn in_si(&self) -> f64 {
        self.numerator as f64 * 10f64.powi(self.exponent) / self.divisor as f64
    }
}

const fn unit(name: &'static str, numerator: u64, exponent: i32, divisor: u64) -> Unit {
    Unit { name, numerator, exponent, divisor }
}

pub(crate) const ONE: Unit = unit("", 1, 0, 1);

const TIME: &[Unit] = &[
    unit("ps", 1, -12, 1),
    unit("ns", 1, -9, 1),
    unit("µs", 1, -6, 1),
    unit("us", 1, -6, 1),
    unit("μs", 1, -6, 1), // the Greek letter, beside the micro sign
    unit("ms", 1, -3, 1),
    unit("s", 1, 0, 1),
    unit("min", 60, 0, 1),
    unit("h", 3600, 0, 1),
    unit("day", 86_400, 0, 1),
];
const RATE: &[Unit] =
    &[unit("/s", 1, 0, 1), unit("/min", 1, 0, 60), unit("/h", 1, 0, 3600), unit("/day", 1, 0, 86_400)];
const BIT_RATE: &[Unit] =
    &[unit("bit/s", 1, 0, 1), unit("kbit/s", 1, 3, 1), unit("Mbit/s", 1, 6, 1), unit("Gbit/s", 1, 9, 1)];
const SIZE: &[Unit] = &[
    unit("B", 1, 0, 1),
    unit("kB", 1, 3, 1),
    unit("MB", 1, 6, 1),
    unit("KiB", 1 << 10, 0, 1),
    unit("MiB", 1 << 20, 0, 1),
];
const BITS: &[Unit] = &[unit("bit", 1, 0, 1)];
const CELLS: &[Unit] = &[unit("cells", 1, 0, 1), unit("cell", 1, 0, 1)];
const FREQUENCY: &[Unit] = &[unit("Hz", 1, 0, 1), unit("kHz", 1, 3, 1), unit("MHz", 1, 6, 1), unit("GHz", 1, 9, 1)];
const LENGTH: &[Unit] = &[unit("m", 1, 0, 1), unit("km", 1, 3, 1)];
const LEVEL: &[Unit] = &[unit("dB", 1, 0, 1)];
const FRACTION: &[Unit] = &[unit("%", 1, -2, 1)];

impl Dimension {
    /// All that have units.
    pub const ALL: [Dimension; 10] = [
        Dimension::Time,
        Dimension::Rate,
        Dimension::BitRate,
        Dimension::Size,
        Dimension::Bits,
        Dimension::Cells,
        Dimension::Frequency,
        Dimension::Length,
        Dimension::Level,
        Dimension::Fraction,
    ];

    /// The units a value may be written in.
    pub const fn units(self) -> &'static [Unit] {
        match self {
            Dimension::Time => TIME,
            Dimension::Rate => RATE,
            Dimension::BitRate => BIT_RATE,
            Dimension::Size => SIZE,
            Dimension::Bits => BITS,
            Dimension::Cells => CELLS,
            Dimension::Frequency => FREQUENCY,
            Dimension::Length => LENGTH,
            Dimension::Level => LEVEL,
            Dimension::Fraction => FRACTION,
            Dimension::None => &[],
        }
    }

    /// The unit results are in.
    pub const fn si(self) -> &'static str {
        match self {
            Dimension::Time => "s",
            Dimension::Rate => "1/s",
            Dimension::BitRate => "bit/s",
            Dimension::Size => "B",
            Dimension::Bits => "bit",
            Dimension::Cells => "cells",
            Dimension::Frequency => "Hz",
            Dimension::Length => "m",
            Dimension::Level => "dB",
            Dimension::Fraction | Dimension::None => "1",
        }
    }

    /// Whether a number without unit is a value.
    pub const fn bare(self) -> bool {
        matches!(self, Dimension::Fraction | Dimension::None)
    }

    /// What an error calls it, with an article.
    pub const fn noun(self) -> &'static str {
        match self {
            Dimension::Time => "a time",
            Dimension::Rate => "a rate",
            Dimension::BitRate => "a bit rate",
            Dimension::Size => "a size",
            Dimension::Bits => "a count of bits",
            Dimension::Cells => "a count of cells",
            Dimension::Frequency => "a frequency",
            Dimension::Length => "a length",
            Dimension::Level => "a level",
            Dimension::Fraction => "a share",
            Dimension::None => "a number",
        }
    }

    /// The units for an error, without second spellings.
    pub fn units_in_words(self) -> String {
        let names = self.units().iter().map(|unit| unit.name).filter(|name| !matches!(*name, "us" | "μs" | "cell"));
        names.collect::<Vec<_>>().join(", ")
    }
}
