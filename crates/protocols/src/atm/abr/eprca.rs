//! Intelligent marking of EPRCA: the switch marks by a running mean of the ACRs it sees (L. Roberts, ATM Forum
//! 94-0735R1, 1994). Constants and their names after Kalyanaraman.

use super::rm_cell::RmCell;

/// Parameters of the switch algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingSettings {
    /// Averaging factor (AV) of the mean ACR, 1/16.
    pub av: f64,
    /// Down pressure factor (DPF): connections with CCR above DPF x MACR are marked when congested, 7/8.
    pub dpf: f64,
    /// Explicit reduction factor (ERF): their ER is ERF x MACR, 15/16.
    pub erf: f64,
    /// Major reduction factor (MRF): ER of all connections is MRF x MACR when very congested, 1/4.
    pub mrf: f64,
    /// Queue threshold (QT): congested above this number of cells.
    pub qt: u32,
    /// Very congested queue threshold (DQT), cells.
    pub dqt: u32,
}

/// Mean ACR of one output port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntelligentMarking {
    settings: MarkingSettings,
    macr: f64,
}

impl IntelligentMarking {
    /// An output port with the given initial mean ACR, cells/s.
    pub fn new(settings: MarkingSettings, macr: f64) -> Self {
        IntelligentMarking { settings, macr }
    }

    /// Mean ACR (MACR), cells/s.
    pub fn macr(&self) -> f64 {
        self.macr
    }

    /// Processes an FRM cell.
    pub fn forward(&mut self, cell: &RmCell) {
        self.macr += (cell.ccr - self.macr) * self.settings.av;
    }

    /// Processes a BRM cell while `queued` cells wait at the output port of its forward direction.
    pub fn backward(&self, queued: u32, cell: &mut RmCell) {
        let MarkingSettings { dpf, erf, mrf, qt, dqt, .. } = self.settings;
        if queued > dqt {
            cell.er = cell.er.min(mrf * self.macr);
        } else if queued > qt && cell.ccr > dpf * self.macr {
            cell.er = cell.er.min(erf * self.macr);
        }
    }
}
