//! Parameters negotiated at connection setup, and the rules in which the drafts differ.

use sojourn_core::Duration;

/// Parameters of one direction of a connection, named as in TM 4.0, 5.10.2, and in the drafts of 1995 for `air`, `rdf`,
/// `tof` and `tdf`. Rates are in cells/s.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Peak cell rate (PCR): upper bound of ACR.
    pub pcr: f64,
    /// Minimum cell rate (MCR): lower bound of ACR.
    pub mcr: f64,
    /// Initial cell rate (ICR): ACR at the start and after idle periods.
    pub icr: f64,
    /// Additive increase rate (AIR): a BRM cell without congestion increases ACR by AIR x Nrm (PCR x RIF in TM 4.0).
    pub air: f64,
    /// Rate decrease factor (RDF): a BRM cell with congestion decreases ACR by ACR x Nrm/RDF (Nrm/RDF is RDF in TM 4.0).
    pub rdf: f64,
    /// When ACR is decreased by congestion.
    pub decrease: Decrease,
    /// Nrm: cells per forward RM (FRM) cell, at least 2.
    pub nrm: u32,
    /// Mrm: minimum number of cells between FRM cells that are due by Trm.
    pub mrm: u32,
    /// Trm: upper bound of the time between FRM cells.
    pub trm: Duration,
    /// Whether an FRM cell due by Trm is sent though no data are waiting.
    pub frm_without_data: bool,
    /// Tagged cell rate (TCR): rate of out-of-rate FRM cells, sent while ACR is at most TCR.
    pub tcr: f64,
    /// CRM: FRM cells without a BRM cell received in return after which ACR decreases (Xrm in the drafts).
    pub crm: u32,
    /// Cutoff decrease factor (CDF): share by which each FRM cell beyond CRM decreases ACR, 0 to 1 (Xdf in the drafts).
    pub cdf: f64,
    /// Use-it-or-lose-it rule for ACR above ICR.
    pub idle: IdleRule,
    /// Whether a changed ACR reschedules the next cell, or only the cells after it.
    pub reschedules: bool,
    /// Whether a BRM cell that replaces one still waiting to be sent inherits its CI.
    pub keeps_ci: bool,
}

/// When congestion decreases ACR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Decrease {
    /// With each BRM cell that has CI set.
    #[default]
    OnCi,
    /// With each cell sent; a BRM cell without CI restores the decrease (EPRCA, 1994).
    PerCell,
}

/// Use-it-or-lose-it rule: what an idle period does to an ACR above ICR (TM 4.0, 5.10.4, rule 5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IdleRule {
    /// ACR is kept as it is.
    Keep,
    /// ACR is reset to ICR when the time since the last FRM cell exceeds this (ACR decrease time factor, ADTF).
    Reset(Duration),
    /// When the time since the last FRM cell exceeds `tof` x Nrm/ACR, ACR decreases by the share `tdf` per second of it,
    /// at most to ICR (drafts of 1995).
    Decay {
        /// Time out factor (TOF): multiple of the FRM interval at ACR.
        tof: f64,
        /// Time decrease factor (TDF), 1/s.
        tdf: f64,
    },
}

impl Parameters {
    /// The defaults of TM 4.0, 5.10.2, for `pcr` in cells/s: RIF 1/16, RDF 1/16, Nrm 32, Mrm 2, Trm 100 ms, TCR
    /// 10 cells/s, CRM 32, CDF 1/16, ADTF 0.5 s.
    pub fn traffic_management_4(pcr: f64) -> Self {
        Parameters {
            pcr,
            mcr: 0.0,
            icr: pcr,
            air: pcr / 16.0 / 32.0,
            rdf: 32.0 * 16.0,
            decrease: Decrease::OnCi,
            nrm: 32,
            mrm: 2,
            trm: Duration::from_millis(100),
            frm_without_data: true,
            tcr: 10.0,
            crm: 32,
            cdf: 1.0 / 16.0,
            idle: IdleRule::Reset(Duration::from_millis(500)),
            reschedules: true,
            keeps_ci: false,
        }
    }

    /// Increase of ACR per BRM cell, cells/s.
    pub(super) fn increase(&self) -> f64 {
        self.air * f64::from(self.nrm)
    }

    /// Share by which a BRM cell with CI decreases ACR.
    pub(super) fn decrease_share(&self) -> f64 {
        f64::from(self.nrm) / self.rdf
    }
}
