//! Destination behavior: turns RM cells around with the congestion state of the data cells (TM 4.0, 5.10.5).

use super::rm_cell::RmCell;

/// Destination end system of one direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// EFCI state of the last data cell.
    efci: bool,
    latches_efci: bool,
}

impl Destination {
    /// A destination that keeps the EFCI state until a data cell without EFCI arrives, instead of resetting it with the
    /// first RM cell turned around.
    pub fn latching_efci() -> Self {
        Destination { efci: false, latches_efci: true }
    }

    /// A data cell arrived with this EFCI state.
    #[inline]
    pub fn receive_data(&mut self, efci: bool) {
        self.efci = efci;
    }

    /// Turns a forward RM (FRM) cell around into a backward RM (BRM) cell.
    pub fn turn_around(&mut self, frm: RmCell) -> RmCell {
        let efci = self.efci;
        self.efci &= self.latches_efci;
        RmCell { bn: false, ci: frm.ci || efci, ..frm }
    }
}
