//! Whether every message meets its deadline in the worst case, up to which rates all do, and which then misses first.

use sojourn_core::Duration;

use super::system::{Found, System};
use crate::site::{Service, Site};

/// More streams than this are judged as they are, without a search for the rates at which they miss.
const MOST_STREAMS: usize = 150;
/// Halvings of the search.
const STEPS: usize = 12;
/// Rates that are looked at, relative to those of the scenario.
const HIGHEST: f64 = 64.0;

/// What there is to say, in sentences.
pub fn lines(site: &Site, system: &System<'_>, found: &Found) -> Vec<String> {
    if system.streams.is_empty() || site.flows.iter().any(|flow| flow.service != Service::Broadcast) {
        return Vec::new();
    }
    if let Some((flow, why)) = missing(site, system, found) {
        return vec![format!(
            "not every message meets its deadline (else its period): {} {why}",
            site.flows[flow].name
        )];
    }
    let mut lines = vec!["every message meets its deadline (else its period) in the worst case".to_owned()];
    if system.streams.len() <= MOST_STREAMS {
        lines.extend(search(site));
    }
    lines
}

/// A flow that misses its deadline, and how; of several the one of the highest priority.
pub fn missing(site: &Site, system: &System<'_>, found: &Found) -> Option<(usize, String)> {
    let mut missed: Vec<(u32, usize, String)> = Vec::new();
    for (number, stream) in system.streams.iter().enumerate() {
        let limit = limit(site, system, number);
        for station in system.deliveries(number) {
            match (found.end(number, station), limit) {
                (Ok(end), Some(limit)) if end > limit => {
                    missed.push((stream.priority, stream.flow, format!("takes up to {end}, and has {limit}")));
                }
                (Err(why), _) => missed.push((stream.priority, stream.flow, format!("has no worst case: {why}"))),
                _ => {}
            }
        }
    }
    missed.into_iter().min().map(|(_, flow, why)| (flow, why))
}

/// The deadline of a stream's messages, else their period.
pub fn limit(site: &Site, system: &System<'_>, stream: usize) -> Option<Duration> {
    site.flows[system.streams[stream].flow].deadline.or_else(|| system.period(stream))
}

/// Up to how many times these rates all messages meet their deadlines, and who then misses.
fn search(site: &Site) -> Option<String> {
    let judge = |times: f64| {
        let mut system = System::of(site);
        system.scale = 1.0 / times;
        let found = system.solve();
        missing(site, &system, &found)
    };
    let (mut low, mut high) = (1.0, 2.0);
    while judge(high).is_none() {
        (low, high) = (high, 2.0 * high);
        if high > HIGHEST {
            return Some(format!("they still do at {low} times these rates"));
        }
    }
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if judge(middle).is_none() { low = middle } else { high = middle }
    }
    let (flow, why) = judge(high)?;
    Some(format!(
        "they do up to {:.3} times these rates; then {} is the first to miss: it {why}",
        low, site.flows[flow].name
    ))
}
