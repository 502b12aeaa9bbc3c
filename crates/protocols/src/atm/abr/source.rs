//! Source behavior: decides which cell is sent when, and adapts ACR (TM 4.0, 5.10.4, rules 1 to 13; the drafts of
//! 1995 by [`Parameters`]).

use sojourn_core::{Duration, Time};

use super::parameters::{Decrease, IdleRule, Parameters};
use super::rm_cell::RmCell;

/// Source end system of one direction of a connection.
///
/// [`next_departure`](Self::next_departure) is when a cell may be sent, and [`next_cell`](Self::next_cell) then which. The
/// caller sends that cell; a link may delay it, but must keep the order of the cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    parameters: Parameters,
    /// Increase of ACR per BRM cell, cells/s.
    increase: f64,
    /// Share by which a BRM cell with CI decreases ACR.
    decrease: f64,
    acr: f64,
    /// Cell interval at ACR; none if ACR is 0.
    spacing: Option<Duration>,
    /// When the next in-rate cell may be sent.
    slot: Time,
    /// Time of the last in-rate cell.
    last: Option<Time>,
    /// Time of the last in-rate FRM cell.
    last_frm: Option<Time>,
    /// Time of the last out-of-rate FRM cell.
    last_out_of_rate: Option<Time>,
    cells_since_frm: u32,
    /// In-rate FRM cells since the last BRM cell with BN 0.
    unacked_frm: u32,
    /// BRM cell that waits to be sent.
    brm: Option<RmCell>,
    brm_since_frm: bool,
    /// Decrease of ACR by the cells sent since the last BRM cell, cells/s (EPRCA, 1994).
    eprca_debt: f64,
}

/// The next cell of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextCell {
    /// A forward RM (FRM) cell.
    Forward {
        /// Fields of the cell.
        cell: RmCell,
        /// Whether it is an out-of-rate cell, sent with CLP 1.
        out_of_rate: bool,
    },
    /// A backward RM (BRM) cell to the source of the opposite direction.
    Backward(RmCell),
    /// A data cell of the virtual circuit.
    Data,
}

impl Source {
    /// A source that has not sent yet.
    pub fn new(parameters: Parameters) -> Self {
        Source {
            increase: parameters.increase(),
            decrease: parameters.decrease_share(),
            acr: parameters.icr,
            spacing: spacing(parameters.icr),
            slot: if parameters.icr > 0.0 { Time::ZERO } else { Time::NEVER },
            parameters,
            last: None,
            last_frm: None,
            last_out_of_rate: None,
            cells_since_frm: 0,
            unacked_frm: 0,
            brm: None,
            brm_since_frm: false,
            eprca_debt: 0.0,
        }
    }

    /// Allowed cell rate (ACR), cells/s.
    pub fn acr(&self) -> f64 {
        self.acr
    }

    /// Whether a BRM cell waits to be sent.
    pub fn has_brm(&self) -> bool {
        self.brm.is_some()
    }

    /// Queues an RM cell that the destination has turned around. It replaces one that still waits, whose information is
    /// older (TM 4.0, 5.10.5, rule 3).
    pub fn turn_around(&mut self, mut brm: RmCell) {
        let replaced = self.brm.filter(|_| self.parameters.keeps_ci);
        brm.ci |= replaced.is_some_and(|replaced| replaced.ci);
        self.brm = Some(brm);
    }

    /// When [`next_cell`](Self::next_cell) will return a cell, given whether data wait; [`Time::NEVER`] if it will not.
    #[inline]
    pub fn next_departure(&self, data: bool) -> Time {
        let in_rate = if data || self.has_brm() { self.slot } else { self.frm_due_by_trm() };
        in_rate.min(self.out_of_rate_due(data))
    }

    /// The cell to send at `now`, if one may be sent, given whether `data` wait.
    #[inline]
    pub fn next_cell(&mut self, now: Time, data: bool) -> Option<NextCell> {
        if now < self.next_departure(data) {
            return None;
        }
        if now >= self.slot && self.frm_is_due(now, data) {
            return Some(self.send_frm(now));
        }
        if now >= self.slot && self.has_brm() && (!self.brm_since_frm || !data) {
            self.brm_since_frm = true;
            let brm = self.brm.take();
            self.sent(now);
            return brm.map(NextCell::Backward);
        }
        if now >= self.slot && data {
            self.sent(now);
            return Some(NextCell::Data);
        }
        (now >= self.out_of_rate_due(data)).then(|| {
            self.last_out_of_rate = Some(now);
            NextCell::Forward { cell: self.frm(), out_of_rate: true }
        })
    }

    /// Processes a BRM cell received (rules 8 and 9).
    pub fn receive_brm(&mut self, brm: RmCell) {
        let Parameters { mcr, pcr, decrease, .. } = self.parameters;
        if !brm.bn {
            self.unacked_frm = 0;
        }
        let debt = std::mem::take(&mut self.eprca_debt);
        let rate = match decrease {
            Decrease::OnCi if brm.ci => self.acr * (1.0 - self.decrease),
            Decrease::PerCell if brm.ci => self.acr,
            _ if brm.ni => self.acr + debt,
            _ => self.acr + debt + self.increase,
        };
        self.change_acr(rate.min(pcr).min(brm.er).max(mcr));
    }

    /// Whether an FRM cell is next, when an in-rate cell may be sent (rules 2 and 3a).
    fn frm_is_due(&self, now: Time, data: bool) -> bool {
        let Some(last) = self.last_frm else { return data || self.has_brm() };
        let Parameters { nrm, mrm, trm, .. } = self.parameters;
        let by_count = self.cells_since_frm + 1 >= nrm && (data || self.has_brm());
        let by_time = self.cells_since_frm >= mrm && now.since(last) >= trm;
        by_count || by_time
    }

    /// When an FRM cell is sent by Trm though neither data nor a BRM cell wait.
    fn frm_due_by_trm(&self) -> Time {
        let enough = self.cells_since_frm >= self.parameters.mrm;
        match self.last_frm {
            Some(last) if enough && self.parameters.frm_without_data => (last + self.parameters.trm).max(self.slot),
            _ => Time::NEVER,
        }
    }

    /// When an out-of-rate FRM cell is sent (rule 11).
    fn out_of_rate_due(&self, data: bool) -> Time {
        let tcr = self.parameters.tcr;
        if self.acr > tcr || !data {
            return Time::NEVER;
        }
        let last = self.last_out_of_rate.max(self.last_frm);
        last.map_or(Time::ZERO, |last| spacing(tcr).map_or(Time::NEVER, |spacing| last + spacing))
    }

    fn send_frm(&mut self, now: Time) -> NextCell {
        self.use_it_or_lose_it(now);
        if self.unacked_frm >= self.parameters.crm {
            let rate = self.acr * (1.0 - self.parameters.cdf);
            self.change_acr(rate.max(self.parameters.mcr));
        }
        self.unacked_frm = self.unacked_frm.saturating_add(1);
        let cell = self.frm();
        self.sent(now);
        self.last_frm = Some(now);
        self.cells_since_frm = 0;
        self.brm_since_frm = false;
        NextCell::Forward { cell, out_of_rate: false }
    }

    /// The fields of an FRM cell sent now (rules 7 and 10).
    fn frm(&self) -> RmCell {
        let Parameters { pcr, mcr, .. } = self.parameters;
        RmCell { bn: false, ci: false, ni: false, er: pcr, ccr: self.acr, mcr }
    }

    /// Decreases an ACR above ICR after an idle period (rule 5).
    fn use_it_or_lose_it(&mut self, now: Time) {
        let Some(last) = self.last_frm else { return };
        let (idle, icr) = (now.since(last), self.parameters.icr);
        if self.acr <= icr {
            return;
        }
        match self.parameters.idle {
            IdleRule::Keep => {}
            IdleRule::Reset(adtf) if idle > adtf => self.change_acr(icr),
            IdleRule::Reset(_) => {}
            IdleRule::Decay { tof, tdf } => {
                let frm_interval = f64::from(self.parameters.nrm) / self.acr;
                if idle.seconds() > tof * frm_interval {
                    let left = (1.0 - idle.seconds() * tdf).max(0.0);
                    self.change_acr((self.acr * left).max(icr));
                }
            }
        }
    }

    /// An in-rate cell is sent.
    #[inline]
    fn sent(&mut self, now: Time) {
        self.cells_since_frm = self.cells_since_frm.saturating_add(1);
        self.last = Some(now);
        if self.parameters.decrease == Decrease::PerCell {
            let per_cell = self.decrease / f64::from(self.parameters.nrm);
            let rate = (self.acr * (1.0 - per_cell)).max(self.parameters.mcr);
            self.eprca_debt += self.acr - rate;
            self.set_acr(rate);
        }
        self.slot = self.next_slot();
    }

    /// Sets ACR, and reschedules the next cell if the source does that.
    fn change_acr(&mut self, rate: f64) {
        self.set_acr(rate);
        if self.parameters.reschedules {
            self.slot = self.next_slot();
        }
    }

    fn set_acr(&mut self, rate: f64) {
        let Parameters { mcr, pcr, .. } = self.parameters;
        debug_assert!((mcr..=pcr).contains(&rate), "ACR {rate} is outside MCR to PCR");
        self.acr = rate;
        self.spacing = spacing(rate);
    }

    #[inline]
    fn next_slot(&self) -> Time {
        let Some(spacing) = self.spacing else { return Time::NEVER };
        self.last.map_or(Time::ZERO, |last| last + spacing)
    }
}

/// Interval between cells at `rate` cells/s; none if the rate is 0.
fn spacing(rate: f64) -> Option<Duration> {
    if rate > 0.0 { Duration::from_seconds(1.0 / rate) } else { None }
}
