//! Names of what belongs to a line, and its units.

use sojourn_protocols::modbus::{BROADCAST, HIGHEST_UNIT};

use super::line::Line;

/// Names of what belongs to a line.
#[derive(Debug)]
pub(super) struct Names {
    /// A suffix where there are several lines.
    suffix: String,
}

impl Names {
    /// Those with a suffix.
    pub const fn new(suffix: String) -> Names {
        Names { suffix }
    }

    pub fn line(&self) -> String {
        format!("line{}", self.suffix)
    }

    pub fn client(&self) -> String {
        format!("client{}", self.suffix)
    }

    pub fn unit(&self, unit: u8) -> String {
        format!("unit{}-{unit}", self.suffix)
    }
}

/// The units that are asked.
pub(super) fn units(line: &Line) -> Vec<u8> {
    let mut units: Vec<u8> =
        line.polls.keys().map(|key| key.unit).filter(|unit| (BROADCAST + 1..=HIGHEST_UNIT).contains(unit)).collect();
    units.sort_unstable();
    units.dedup();
    units
}
