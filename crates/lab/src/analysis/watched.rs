//! Progress of a capture read from a pipe: its state once a second, and results so far.

use std::path::PathBuf;
use std::time::Duration;

use sojourn_capture::{Analysis, FlowId, Sink};

use crate::progress::Tracker;
use crate::running::{Running, RunningFlow};

/// Flows that are shown.
const FLOWS: usize = 10;
/// Time between two states.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two results of what was read so far.
const KEEP_INTERVAL: Duration = Duration::from_secs(30);

/// When the next state and the next results are due.
pub(super) struct Watched {
    /// Where results are kept; nowhere without.
    pub out: Option<PathBuf>,
    looked: Option<(f64, u64)>,
    kept_s: f64,
}

impl Watched {
    /// A pipe that begins now.
    pub fn new(out: Option<PathBuf>) -> Watched {
        Watched { out, looked: None, kept_s: 0.0 }
    }

    /// Gives the state to the watcher, if that is due.
    pub fn look(&mut self, now_s: f64, analysis: &Analysis, tracker: &Tracker) {
        if self.looked.is_some_and(|(looked_s, _)| now_s - looked_s < LOOK_INTERVAL.as_secs_f64()) {
            return;
        }
        let standing = analysis.standing();
        let since = self.looked.replace((now_s, standing.packets));
        let packet_rate =
            since.map_or(0.0, |(looked_s, packets)| (standing.packets - packets) as f64 / (now_s - looked_s).max(1e-9));
        let (flow_count, flows) = busiest(analysis.sink());
        tracker.set_running(Running {
            seconds: standing.time.seconds(),
            packets: standing.packets,
            packet_rate,
            transactions: standing.transactions,
            malformed: standing.malformed,
            evicted: analysis.sink().whole().counted("evicted"),
            flow_count,
            flows,
        });
    }

    /// Whether results of what was read so far are to be kept now.
    pub fn keeps(&mut self, now_s: f64) -> bool {
        let due = self.out.is_some() && now_s - self.kept_s >= KEEP_INTERVAL.as_secs_f64();
        if due {
            self.kept_s = now_s;
        }
        due
    }
}

/// How many flows have transactions, and those with the most.
fn busiest(sink: &Sink) -> (usize, Vec<RunningFlow>) {
    let transactions = |flow: FlowId| sink.flow_tally(flow).map_or(0, |found| found.tally.transactions);
    let mut flows: Vec<(u64, FlowId)> = sink.flows().iter().map(|(flow, _)| (transactions(flow), flow)).collect();
    flows.retain(|(transactions, _)| *transactions > 0);
    flows.sort_unstable_by_key(|&(transactions, flow)| (std::cmp::Reverse(transactions), flow));
    let shown = flows.iter().take(FLOWS).filter_map(|&(_, flow)| row(sink, flow));
    (flows.len(), shown.collect())
}

fn row(sink: &Sink, flow: FlowId) -> Option<RunningFlow> {
    let (key, tally) = (sink.flows().key(flow)?, &sink.flow_tally(flow)?.tally);
    let distribution = tally.response.distribution.as_ref().filter(|_| sink.is_separable(flow));
    let quantiles = distribution.and_then(|known| known.quantiles(&[0.5, 0.99])).unwrap_or_else(|| vec![None; 2]);
    let quantile = |place: usize| quantiles[place].map(|span| span.seconds());
    Some(RunningFlow {
        from: key.from.to_string(),
        to: key.to.to_string(),
        service: key.service.to_string(),
        requests: tally.transactions,
        p50_s: quantile(0),
        p99_s: quantile(1),
        retries: tally.retries + tally.counted("retries"),
        failures: tally.unanswered + tally.refused,
    })
}
