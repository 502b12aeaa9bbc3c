//! Bounds of FDDI rings: the guarantees of the timed-token protocol.
//!
//! No rotation takes longer than twice the target token rotation time, as long as allocations keep the rule of the
//! standard: K. C. Sevcik and M. J. Johnson, *Cycle time properties of the FDDI token ring protocol*, IEEE Transactions on
//! Software Engineering 13(3), 1987; M. J. Johnson, *Proof that timing requirements of the FDDI token ring protocol are
//! satisfied*, IEEE Transactions on Communications 35(6), 1987.

use crate::ring::{Class, LARGEST_FRAME_TIME, Problem, RingSettings, problems};
use crate::scenario::site;
use crate::site::{Flow, Site};
use sojourn_core::Duration;
use sojourn_scenario::{Problems, Scenario};

use sojourn_bounds::report::{Bounded, END_TO_END, Report, Theorem, Worst};

const ROTATION: Theorem =
    Theorem { name: "a rotation takes at most 2 TTRT", source: "Sevcik and Johnson 1987; Johnson 1987" };
const ACCESS: Theorem = Theorem {
    name: "synchronous access: a rotation of 2 TTRT, and the frame",
    source: "Sevcik and Johnson 1987; Johnson 1987",
};

/// The bounds of a scenario of kind `fddi`.
pub fn bounds(scenario: &Scenario) -> Result<Report, Problems> {
    let site = site(scenario)?;
    let mut report = Report::default();
    report.assume(
        "the sum of synchronous allocations, the ring latency, the longest frame and the token is at most TTRT, and every \
         station keeps to its allocation (ANSI X3.139, 5.2.6)",
    );
    let observed = site.probed_port().map(|port| usize::from(port.ring));
    for (number, ring) in site.rings.iter().enumerate() {
        let is_observed = observed.map_or(site.rings.len() == 1, |observed| observed == number);
        let metric = is_observed.then_some("token_rotation");
        let rotation = rotation(&site, &ring.settings).map(|most| (Worst::Delay(most), ROTATION));
        report.row("token", &ring.name, metric, rotation);
    }
    for flow in &site.flows {
        access(&site, flow, &mut report);
    }
    let why = "processors of hosts, and timers and windows of XTP, have no theorem: the largest simulated and its quantiles \
               stand for the bound";
    for flow in site.flows.iter().filter(|flow| flow.probe) {
        report.row(&flow.name, END_TO_END, Some("response_time"), Err(why.to_owned()));
    }
    Ok(report)
}

/// The longest rotation of a ring's token.
fn rotation(site: &Site, ring: &RingSettings) -> Result<Duration, String> {
    if site.impairment.token_loss.is_some() {
        return Err("the token is lost by chance: a claim may take the place of any rotation".to_owned());
    }
    if ring.macs.iter().any(|mac| !mac.enforce_allocation) {
        return Err("stations do not keep to their allocations (enforce_allocation = false)".to_owned());
    }
    let broken = problems(ring).into_iter().find(|problem| matches!(problem, Problem::SynchronousRule { .. }));
    match broken {
        Some(problem) => Err(problem.to_string()),
        None => Ok(ring.ttrt().unwrap_or_default().times(2)),
    }
}

/// How long a flow's frame that is first in line waits at its sender, and is sent.
fn access(site: &Site, flow: &Flow, report: &mut Report) {
    let sender = &site.hosts[flow.from as usize];
    let port = sender.ports[0];
    let ring = &site.rings[usize::from(port.ring)];
    let hop = format!("access of {} to {}", sender.name, ring.name);
    let bounded: Bounded = match flow.class {
        Class::Synchronous => rotation(site, &ring.settings).map(|most| {
            let sends = ring.settings.macs[port.mac as usize].synchronous_allocation.min(LARGEST_FRAME_TIME);
            (Worst::Delay(most + sends), ACCESS)
        }),
        Class::Asynchronous(_) => {
            Err("asynchronous frames are sent only while the token is early: others may use all of that time"
                .to_owned())
        }
    };
    report.row(&flow.name, &hop, None, bounded);
}
