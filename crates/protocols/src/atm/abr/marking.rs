//! A switch that marks by an average of the rates it sees: intelligent marking of EPRCA (L. Roberts, ATM Forum
//! 94-0735R1, 1994). Constants are those told of it by Kalyanaraman.

use super::rate_cell::RateCell;

/// What an operator sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingSettings {
    /// How much of a new rate goes into the average, 1/16.
    pub averaging: f64,
    /// Connections above this share of the average are slowed when the queue is congested, 7/8 (DPF).
    pub above: f64,
    /// The share of the average that they are told then, 15/16 (ERF).
    pub reduction: f64,
    /// The share that all are told when the queue is very congested, 1/4 (MRF).
    pub major_reduction: f64,
    /// Queued cells beyond which the queue is congested (QT).
    pub congested: u32,
    /// Queued cells beyond which it is very congested (DQT).
    pub very_congested: u32,
}

/// The average of one output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntelligentMarking {
    settings: MarkingSettings,
    average: f64,
}

impl IntelligentMarking {
    /// An output whose average begins at `initial` cells a second.
    pub fn new(settings: MarkingSettings, initial: f64) -> Self {
        IntelligentMarking { settings, average: initial }
    }

    /// The average of the rates seen, cells a second (MACR).
    pub fn average(&self) -> f64 {
        self.average
    }

    /// A forward resource management cell passes.
    pub fn forward(&mut self, cell: &RateCell) {
        self.average += (cell.current_rate - self.average) * self.settings.averaging;
    }

    /// A resource management cell goes back while `queued` cells wait at the output that its data pass.
    pub fn backward(&self, queued: u32, cell: &mut RateCell) {
        let MarkingSettings { above, reduction, major_reduction, congested, very_congested, .. } = self.settings;
        if queued > very_congested {
            cell.explicit_rate = cell.explicit_rate.min(major_reduction * self.average);
        } else if queued > congested && cell.current_rate > above * self.average {
            cell.explicit_rate = cell.explicit_rate.min(reduction * self.average);
        }
    }
}
