//! Offered and carried load of rings and processors.
//!
//! Periodic and random messages can overload a processor or a ring; bulk data and closed loops wait for what they
//! sent before. Backlog counts the waiting messages of such flows, wherever they wait.

use sojourn_core::Duration;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::Record;

use super::ring::Tally;
use super::site::{Flow, Mode, Site, Traffic};

/// What a run has observed of rings, processors and flows.
pub(super) struct Observed<'a> {
    pub mode: Mode,
    pub seconds: f64,
    pub rings: &'a [Tally],
    /// Busy time of each host's CPU.
    pub busy: &'a [Duration],
    /// Messages of each flow: those offered, and those that came to an end.
    pub messages: Vec<[u64; 2]>,
}

/// Records what they were offered and carried.
pub(super) fn report(site: &Site, run: &Observed<'_>, record: &mut Record) {
    let seconds = run.seconds;
    if seconds <= 0.0 {
        return;
    }
    let ring_demand = demand(site, run, |_| true);
    for (ring, tally) in site.rings.iter().zip(run.rings) {
        let Tally { frames, busy, .. } = *tally;
        let utilisation = busy.seconds() / seconds;
        let demand = ring_demand.map(|share| utilisation * share);
        let carried = frames as f64 / seconds;
        let offered = carried * ring_demand.unwrap_or(1.0);
        let name = if ring.name.is_empty() { "ring" } else { &ring.name };
        record.load(
            name,
            Load { unit: "packets/s".to_owned(), offered, carried, utilisation: Some(utilisation), demand },
        );
    }
    for (number, (host, busy)) in (0..).zip(site.hosts.iter().zip(run.busy)) {
        let utilisation = busy.seconds() / seconds;
        let share = demand(site, run, |flow| flow.from == number || flow.to.contains(&number));
        let demand = share.map(|share| utilisation * share);
        let offered = demand.unwrap_or(utilisation);
        let load = Load { unit: "1".to_owned(), offered, carried: utilisation, utilisation: Some(utilisation), demand };
        record.load(format!("processor of {}", host.name), load);
    }
}

/// Messages offered by the flows that pass, by those of them that came to an end; `None` where some wait for others.
fn demand(site: &Site, run: &Observed<'_>, passes: impl Fn(&Flow) -> bool) -> Option<f64> {
    let is_open = |flow: &Flow| match &flow.traffic {
        Traffic::Voice(_) => true,
        Traffic::Messages(process, ..) => !process.arrivals().is_closed(),
        Traffic::Bulk(_) | Traffic::AfterWrite(..) => false,
    };
    let passing = || site.flows.iter().zip(&run.messages).filter(|(flow, _)| passes(flow));
    if run.mode != Mode::Steady || site.timeline.is_some() || !passing().all(|(flow, _)| is_open(flow)) {
        return None;
    }
    let sums = passing().map(|(_, messages)| messages);
    let (offered, ended) = sums.fold((0, 0), |(all, through), [offered, ended]| (all + offered, through + ended));
    (ended > 0).then(|| offered as f64 / ended as f64)
}
