//! Merges metrics over time: each window is treated as a metric of its own.

use super::distribution;
use crate::interval;
use crate::record::Observation;
use crate::results::{Metric, TimelineSummary};
use crate::timeline::{Timeline, Windows};

/// A metric over time, of replications that have the same windows.
pub(super) fn timeline(unit: String, observations: &[&Observation]) -> Metric {
    let timelines: Vec<&Timeline> = observations
        .iter()
        .filter_map(|observation| match observation {
            Observation::Timeline(timeline) => Some(timeline),
            _ => None,
        })
        .collect();
    let seconds = |edges: &[u64]| edges.iter().map(|edge| *edge as f64 * 1e-12).collect::<Vec<f64>>();
    let edges = timelines.first().map_or(&[][..], |timeline| &timeline.edges);
    let [start, end] = match edges {
        [] => [Vec::new(), Vec::new()],
        _ => [seconds(&edges[..edges.len() - 1]), seconds(&edges[1..])],
    };
    let mut summary = TimelineSummary { unit: unit.clone(), start, end, ..Default::default() };
    for window in 0..summary.start.len() {
        add(&mut summary, &unit, window, &timelines);
    }
    Metric::Timeline(summary)
}

fn add(summary: &mut TimelineSummary, unit: &str, window: usize, timelines: &[&Timeline]) {
    let (mut responses, mut levels, mut sent) = (Vec::new(), Vec::new(), None);
    for timeline in timelines {
        match &timeline.windows {
            Windows::Requests(requests) => {
                let requests = &requests[window];
                *sent.get_or_insert(0) += requests.sent;
                responses.push(Observation::Distribution(requests.responses.clone()));
            }
            Windows::Level(means) => levels.push(means[window]),
        }
    }
    let Some(sent) = sent else {
        summary.mean.push(interval::mean(&levels));
        summary.ci95.push(interval::of_positive_mean(&levels));
        return;
    };
    let pooled = responses.iter().fold(crate::Distribution::new(), |mut pooled, observation| {
        if let Observation::Distribution(one) = observation {
            pooled.merge(one);
        }
        pooled
    });
    let each: Vec<&Observation> = responses.iter().collect();
    let Metric::Distribution(found) = distribution(unit.to_owned(), &pooled, &each) else {
        unreachable!("a distribution is merged to one")
    };
    summary.sent.push(sent);
    summary.delivered.push(found.count);
    summary.in_flight.push(sent.saturating_sub(pooled.sent()));
    summary.mean.push(found.mean);
    summary.ci95.push(found.ci95);
    summary.p50.push(found.p50);
    summary.p50_ci95.push(found.p50_ci95);
    summary.p95.push(found.p95);
    summary.p95_ci95.push(found.p95_ci95);
    summary.p99.push(found.p99);
    summary.p99_ci95.push(found.p99_ci95);
}
