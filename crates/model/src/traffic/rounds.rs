//! Rounds of polls over their receivers, as metrics.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use super::Arrivals;

/// What a round takes more than was asked for before it is noted.
const SLOWER: f64 = 1.05;

/// A poll and its rounds.
#[derive(Clone, Debug)]
pub struct FlowRounds<'a> {
    /// The flow's name.
    pub name: &'a str,
    /// Its arrivals.
    pub arrivals: &'a Arrivals,
    /// Receivers of a round.
    pub points: usize,
    /// Rounds that were complete.
    pub complete: &'a Distribution,
    /// When the rounds began that are not complete, of those that are observed.
    pub open: Vec<Time>,
}

/// Records the rounds of polls at the end of a run; a pending one that is older than all others counts as longer than any.
pub fn record_rounds<'a>(flows: impl Iterator<Item = FlowRounds<'a>>, end: Time, record: &mut Record) {
    let mut all: Option<Distribution> = None;
    for flow in flows {
        let mut rounds = flow.complete.clone();
        rounds.censor_open(flow.open.iter().map(|begun| end.since(*begun)));
        if let Some(note) = flow.slower_than_asked(&rounds) {
            record.note(note);
        }
        all.get_or_insert_default().merge(&rounds);
        record.observe(format!("poll_cycle/{}", flow.name), Observation::Distribution(rounds));
    }
    if let Some(all) = all {
        record.observe("poll_cycle", Observation::Distribution(all));
    }
}

impl FlowRounds<'_> {
    /// That rounds take longer than they were to: a poll waits for the response to the last one.
    fn slower_than_asked(&self, rounds: &Distribution) -> Option<String> {
        let Arrivals::Poll { interval, cycle } = *self.arrivals else { return None };
        let (name, count) = (self.name, self.points);
        let asked: Duration = interval.times(count as u64).max(cycle);
        (rounds.mean()? > SLOWER * asked.seconds()).then(|| {
            format!(
                "polls of {name}: a round over {count} receivers takes longer on average than the {asked} that were asked for, \
                 since each waits for the response to the last one"
            )
        })
    }
}
