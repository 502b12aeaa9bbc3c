//! What a resource management cell says, in cells a second.

use crate::atm::rate::CodedRate;
use crate::atm::resource_management::{Direction, ResourceManagement};

/// The content of a resource management cell, its rates as exact as its maker knew them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateCell {
    /// Whether a switch or the destination made it, rather than the source (BN).
    pub notification: bool,
    /// Whether the source is to slow down (CI).
    pub congestion: bool,
    /// Whether the source is not to speed up (NI).
    pub no_increase: bool,
    /// The most that the source may send (ER).
    pub explicit_rate: f64,
    /// What the source was allowed when it sent the cell (CCR).
    pub current_rate: f64,
    /// What it is always allowed (MCR).
    pub minimum_rate: f64,
}

impl RateCell {
    /// The cell as bytes tell it, its rates rounded down to 16 bits.
    pub fn coded(&self, direction: Direction) -> ResourceManagement {
        ResourceManagement {
            direction,
            notification: self.notification,
            congestion: self.congestion,
            no_increase: self.no_increase,
            explicit_rate: CodedRate::rounded_down(self.explicit_rate),
            current_rate: CodedRate::rounded_down(self.current_rate),
            minimum_rate: CodedRate::rounded_down(self.minimum_rate),
        }
    }

    /// What a cell says that came as bytes.
    pub fn of(cell: &ResourceManagement) -> Self {
        RateCell {
            notification: cell.notification,
            congestion: cell.congestion,
            no_increase: cell.no_increase,
            explicit_rate: cell.explicit_rate.cells_per_second(),
            current_rate: cell.current_rate.cells_per_second(),
            minimum_rate: cell.minimum_rate.cells_per_second(),
        }
    }
}
