//! Worst cases: the sum of what may be ahead of a request.
//!
//! A line carries one transaction at a time, and its client (or gateway) takes requests in the order in which they came
//! (FCFS). Each flow of a client has one request there, each connection of TCP as many as it may have open. A request
//! therefore waits for at most one transaction of every other flow, or for as many of every other connection as that may
//! have open, each at its longest, and for the pause after its own flow's last one. Its response time is at most that sum
//! and its own transaction; a round is the sum over its requests. Without randomness and without other flows the sum is
//! exact.
//!
//! A transaction is at its longest the request, the longest delay of the server, the response and the silences; with bit
//! errors, or of a server that does not answer, all tries with the response timeout of each. The argument needs that no
//! response comes after its timeout, which is checked: a late response may be taken for the next one.

use sojourn_bounds::report::{END_TO_END, Report, Theorem, Worst};
use sojourn_core::Duration;

use super::site::{Arrivals, Site, SourceSettings};
use super::worst::{Bound, Case};

/// What is ahead of a request.
const SUM: Theorem = Theorem {
    name: "one transaction of each other flow, first come, first served",
    source: "Modbus over Serial Line V1.02, 2.1; derived in networks/modbus/src/bounds.rs",
};
/// The age of a value.
const AGE: Theorem = Theorem {
    name: "the time between two rounds, what their requests may differ by, and the time of the response",
    source: "derived in networks/modbus/src/bounds.rs",
};

/// The bounds of a site.
pub fn bounds(site: &Site) -> Report {
    let mut report = Report::default();
    let all = Case { site, dead: None };
    let has_errors = site.lines().any(|(_, line)| line.bit_error_rate > 0.0);
    if has_errors {
        report.assume("errors of a line are detected; a request that fails has no response time");
    } else {
        report.assume("no frame is damaged, and every server answers");
    }
    for (number, flow) in site.flows.iter().enumerate() {
        let sources: Vec<&SourceSettings> = site.sources.iter().filter(|source| source.flow == number).collect();
        let most = |bound: &dyn Fn(&SourceSettings) -> Bound| -> Bound {
            sources.iter().try_fold(Duration::ZERO, |most, source| Ok(most.max(bound(source)?)))
        };
        let response =
            most(&|source| all.responses(source)?.into_iter().try_fold(Duration::ZERO, |most, one| Ok(most.max(one))));
        let metric = |name: &str| format!("{name}/{}", flow.name);
        let observed = flow.probe.then(|| metric("response_time"));
        report.row(&flow.name, END_TO_END, observed.as_deref(), row(response, SUM));
        let Arrivals::Poll { cycle, .. } = flow.arrivals else { continue };
        let round = most(&|source| all.round(source));
        report.row(&flow.name, "round", Some(&metric("poll_cycle")), row(round, SUM));
        if flow.function.is_read() {
            let fresh = match has_errors {
                true => Err("a request that fails leaves an older value".to_owned()),
                false => most(&|source| all.age(source, cycle)),
            };
            report.row(&flow.name, "age of a value", Some(&metric("freshness")), row(fresh, AGE));
        }
        if !flow.broadcast {
            let hop = "round with one server that does not answer";
            report.row(&flow.name, hop, None, row(most(&|source| one_dead(site, source)), SUM));
        }
    }
    report
}

fn row(bound: Bound, theorem: Theorem) -> Result<(Worst, Theorem), String> {
    bound.map(|bound| (Worst::Delay(bound), theorem))
}

/// The longest round of a client while one of its servers, whichever costs most, does not answer.
fn one_dead(site: &Site, source: &SourceSettings) -> Bound {
    let mut servers: Vec<usize> = source.items.iter().map(|item| item.server).collect();
    servers.sort_unstable();
    servers.dedup();
    let with = |server| Case { site, dead: Some(server) }.round(source);
    servers.into_iter().try_fold(Duration::ZERO, |most, server| Ok(most.max(with(server)?)))
}
