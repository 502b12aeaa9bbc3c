//! Worst cases of many flows through many servers.

use sojourn_bounds::network::{Analysis, Envelope, Flow, Limit, Server, Visit, analyse};
use sojourn_core::{Duration, Streams};

use crate::clock::timed;

/// Visits bounded in a second of CPU time: `flows` flows of different rates that all pass `hops` servers.
pub fn visits(flows: usize, hops: usize) -> f64 {
    let mut random = Streams::new(1, 0).stream("bounds");
    let declared: Vec<Flow> = (0..flows)
        .map(|_| {
            let cost = Duration::from_nanos(1_000 + u64::from(random.below(11_000)));
            // all flows together take about half of a server's time
            let interval = cost.times(2 * flows as u64) + Duration::from_picoseconds(random.below(1_000_000).into());
            let visit = |server| Visit { server, cost, least: cost, spacing: cost, ..Visit::default() };
            let limit = Limit::Envelope(Envelope { burst: 1, interval, jitter: Duration::ZERO });
            Flow { limit, returns: None, path: (0..hops).map(visit).collect() }
        })
        .collect();
    let servers = vec![Server::default(); hops];
    let (seconds, Analysis { delays, .. }) = timed(|| analyse(&servers, &declared));
    assert!(delays.iter().all(Option::is_some), "half of each server's time is free");
    (flows * hops) as f64 / seconds
}
