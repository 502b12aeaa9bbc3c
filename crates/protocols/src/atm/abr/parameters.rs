//! What is agreed when a connection is set up, and the choices of the drafts.

use sojourn_core::Duration;

/// Parameters of one direction of a connection. The names of Traffic Management 4.0 stand in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The most a source may ever send, cells a second (PCR).
    pub peak_rate: f64,
    /// What it may always send (MCR).
    pub minimum_rate: f64,
    /// What it may send at first, and after a silence (ICR).
    pub initial_rate: f64,
    /// Cells a second more after a resource management cell that came back without congestion (PCR x RIF; AIR x Nrm in
    /// the drafts).
    pub increase: f64,
    /// Share of the rate less after one with congestion, 0 to 1 (RDF; Nrm/RDF in the drafts).
    pub decrease: f64,
    /// How the rate falls.
    pub decreases: Decrease,
    /// One cell of so many is a forward resource management cell, at least 2 (Nrm).
    pub cells_per_forward: u32,
    /// Cells that at least lie between two of them when time calls for one (Mrm).
    pub least_cells_per_forward: u32,
    /// After so long the next forward resource management cell is due (Trm).
    pub longest_silence: Duration,
    /// Whether it goes without data, when time has come.
    pub forward_without_data: bool,
    /// A source at or below this rate keeps asking with resource management cells out of rate, as often as this (TCR).
    pub out_of_rate: f64,
    /// Forward resource management cells after which the rate falls if none has come back (CRM; Xrm in the drafts).
    pub unanswered_limit: u32,
    /// Share of the rate less with each forward resource management cell from then on, 0 to 1 (CDF; Xdf).
    pub unanswered_decrease: f64,
    /// What a silence does to the rate.
    pub idle: IdleRule,
    /// Whether a new rate moves the next cell, or only those after it.
    pub reschedules: bool,
    /// Whether a backward cell that replaces one that still waits tells of the congestion that that would have told.
    pub keeps_congestion: bool,
}

/// When the rate falls by what congestion costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Decrease {
    /// When a resource management cell tells of congestion.
    #[default]
    OnCongestion,
    /// A little with every cell that is sent; a resource management cell without congestion restores it (EPRCA of 1994).
    WithEveryCell,
}

/// What happens to a rate above the initial one that is not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IdleRule {
    /// Nothing.
    Keep,
    /// Beyond so long without a forward resource management cell it falls to the initial rate (ADTF).
    Reset(Duration),
    /// Beyond `factor` times the time that a forward resource management cell takes at this rate, it loses `per_second`
    /// of itself for each second of silence, but does not fall below the initial rate (drafts of 1995: TOF; TDF).
    Decay {
        /// Multiple of the time between two forward resource management cells.
        factor: f64,
        /// Share of the rate, 1/s.
        per_second: f64,
    },
}

impl Parameters {
    /// The defaults of Traffic Management 4.0 (5.10.3) for a peak rate in cells a second: increase by 1/16 of it,
    /// decrease by 1/16, Nrm 32, Mrm 2, Trm 100 ms, TCR 10 cells/s, CDF 1/16, ADTF 0.5 s.
    pub fn traffic_management_4(peak_rate: f64) -> Self {
        Parameters {
            peak_rate,
            minimum_rate: 0.0,
            initial_rate: peak_rate,
            increase: peak_rate / 16.0,
            decrease: 1.0 / 16.0,
            decreases: Decrease::OnCongestion,
            cells_per_forward: 32,
            least_cells_per_forward: 2,
            longest_silence: Duration::from_millis(100),
            forward_without_data: true,
            out_of_rate: 10.0,
            unanswered_limit: 32,
            unanswered_decrease: 1.0 / 16.0,
            idle: IdleRule::Reset(Duration::from_millis(500)),
            reschedules: true,
            keeps_congestion: false,
        }
    }
}
