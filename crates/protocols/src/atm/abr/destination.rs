//! Destination behaviour: resource management cells turn around, with what the data cells brought.

use super::rate_cell::RateCell;

/// The end of one direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// EFCI of the last data cell.
    congested: bool,
    keeps_indication: bool,
}

impl Destination {
    /// A destination whose indication stands until a data cell without it comes, rather than until it has been told.
    pub fn keeping_its_indication() -> Self {
        Destination { congested: false, keeps_indication: true }
    }

    /// A data cell came, with or without EFCI.
    #[inline]
    pub fn data(&mut self, congestion: bool) {
        self.congested = congestion;
    }

    /// A forward resource management cell came: what goes back.
    pub fn turn_around(&mut self, forward: RateCell) -> RateCell {
        let congested = self.congested;
        self.congested &= self.keeps_indication;
        RateCell { notification: false, congestion: forward.congestion || congested, ..forward }
    }
}
