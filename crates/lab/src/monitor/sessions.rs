//! The sessions with one target, one after the other, on the thread of that target.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use sojourn_core::Duration;
use sojourn_live::prober::windows::event::{LONGEST_SESSION, WindowEvent, Windows};
use sojourn_live::transport::Measure;
use sojourn_live::{Measurement, Target, Watch, sessions};
use sojourn_scenario::Problems;

use super::names::Name;
use super::target_plan::TargetPlan;

/// Measures a target until the watch is cancelled.
pub fn run(
    (target, name): (&TargetPlan, &Name),
    index: usize,
    window: Duration,
    events: &Sender<(usize, WindowEvent)>,
    watch: &Arc<Watch>,
) {
    let windows = Windows {
        length: window,
        session: LONGEST_SESSION,
        load: target.load,
        target: index,
        moved: name.moved(),
        events: events.clone(),
    };
    sessions::repeat(index, events, watch, || open(target, name, &windows));
}

/// Opens the sockets of the next session.
fn open(target: &TargetPlan, name: &Name, windows: &Windows) -> Result<Measure, String> {
    let mut timed = target.timed.clone();
    timed.windows = Some(windows.clone());
    let first = |mistakes: Problems| mistakes.0.into_iter().next().map_or_else(String::new, |problem| problem.message);
    timed.key = target.key().map_err(first)?;
    let mut there = target.target.clone();
    if name.is_followed() {
        let address = address(&there, timed.marking.bind).map_err(first)?;
        there = there.at(address);
        name.begins_at(address);
        // without a receiver nothing is left to report to
        let _ = windows.events.send((windows.target, WindowEvent::Address(address)));
    }
    target.transport.measure(&there, Measurement::timed(timed)).map_err(first)
}

/// The address of a name to measure: of the version of the address that requests are sent from, else IPv4 if it has one.
fn address(target: &Target, bind: Option<IpAddr>) -> Result<IpAddr, Problems> {
    let addresses = target.addresses()?;
    let fits = addresses.iter().find(|address| bind.is_none_or(|own| own.is_ipv4() == address.is_ipv4()));
    Ok(*fits.unwrap_or(&addresses[0]))
}
