//! Metrics over time: requests and levels in windows.
//!
//! A request belongs to the window in which it was sent: `sent` and `delivered` count the same requests. Windows
//! begin and end with events ([`edges`]), so that none mixes the time before and after an event.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sojourn_core::{Duration, Time};

use crate::distribution::Distribution;

/// Windows that a run without events at odd times has.
const WINDOWS: u64 = 120;
/// More marks than this are not aligned to: the windows between them would hold too little.
const MOST_MARKS: usize = 60;

/// The ends of windows from `from` to `to`: each of `marks` is one, and between two the windows are alike, none longer
/// than a 120th of the whole.
pub fn edges(from: Time, to: Time, marks: impl IntoIterator<Item = Time>) -> Arc<[Time]> {
    let mut fixed: Vec<Time> = marks.into_iter().filter(|mark| from < *mark && *mark < to).collect();
    fixed.sort_unstable();
    fixed.dedup();
    if fixed.len() > MOST_MARKS {
        fixed.clear();
    }
    fixed.push(to);
    let longest = to.since(from).picoseconds().div_ceil(WINDOWS).max(1);
    let (mut edges, mut begin) = (vec![from], from);
    for mark in fixed {
        let span = mark.since(begin).picoseconds();
        let count = span.div_ceil(longest);
        let inner = (1..=count).map(|number| {
            let part = u128::from(span) * u128::from(number) / u128::from(count.max(1));
            begin + Duration::from_picoseconds(part as u64)
        });
        edges.extend(inner);
        begin = mark;
    }
    edges.into()
}

/// What one replication saw in each window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The ends of the windows in picoseconds, one more than there are windows.
    pub edges: Vec<u64>,
    /// What was observed in them.
    pub windows: Windows,
}

/// What was observed in each window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Windows {
    /// Requests that were sent in it.
    Requests(Vec<Requests>),
    /// The time average of a level in it.
    Level(Vec<f64>),
}

/// The requests that were sent in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// All of them; those in flight at the end are neither delivered nor lost.
    pub sent: u64,
    /// The response times of those that were answered; those that were not are censored.
    pub responses: Distribution,
}

/// Requests by the window in which they were sent.
#[derive(Clone, Debug)]
pub struct RequestWindows {
    edges: Arc<[Time]>,
    windows: Vec<Requests>,
}

impl RequestWindows {
    /// Nothing seen yet.
    pub fn new(edges: Arc<[Time]>) -> Self {
        let windows = vec![Requests::default(); edges.len() - 1];
        RequestWindows { edges, windows }
    }

    /// A request is sent.
    #[inline]
    pub fn sent(&mut self, at: Time) {
        if let Some(window) = self.window(at) {
            window.sent += 1;
        }
    }

    /// The request that was sent at `sent` is answered, or not.
    #[inline]
    pub fn ended(&mut self, sent: Time, response: Option<Duration>) {
        if let Some(window) = self.window(sent) {
            match response {
                Some(response) => window.responses.record(response),
                None => window.responses.censor(1),
            }
        }
    }

    /// The same with other edges: those up to now are alike.
    pub fn set_edges(&mut self, edges: Arc<[Time]>) {
        self.windows.resize(edges.len() - 1, Requests::default());
        self.edges = edges;
    }

    fn window(&mut self, at: Time) -> Option<&mut Requests> {
        let number = self.edges.partition_point(|edge| *edge <= at).checked_sub(1)?;
        // what happens at the very end belongs to the last window
        let last = self.edges.last().is_some_and(|end| *end == at);
        self.windows.get_mut(if last { number - 1 } else { number })
    }

    /// The windows.
    pub fn finish(self) -> Timeline {
        Timeline { edges: picoseconds(&self.edges), windows: Windows::Requests(self.windows) }
    }
}

/// The mean of a level in each window.
#[derive(Clone, Debug)]
pub struct LevelWindows {
    edges: Arc<[Time]>,
    /// Level times picoseconds in each window.
    areas: Vec<f64>,
    value: f64,
    since: Time,
    /// The window of `since`.
    number: usize,
}

impl LevelWindows {
    /// A level of 0 from time 0 on.
    pub fn new(edges: Arc<[Time]>) -> Self {
        let areas = vec![0.0; edges.len() - 1];
        LevelWindows { edges, areas, value: 0.0, since: Time::ZERO, number: 0 }
    }

    /// The same with other edges: those up to now are alike.
    pub fn set_edges(&mut self, edges: Arc<[Time]>) {
        self.areas.resize(edges.len() - 1, 0.0);
        self.edges = edges;
    }

    /// The level is `value` from `now` on.
    #[inline]
    pub fn set(&mut self, now: Time, value: f64) {
        self.advance(now);
        self.value = value;
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        while self.number < self.areas.len() {
            let [begin, end] = [self.edges[self.number], self.edges[self.number + 1]];
            let inside = now.min(end).since(self.since.max(begin));
            self.areas[self.number] += self.value * inside.picoseconds() as f64;
            if now < end {
                break;
            }
            self.number += 1;
        }
        self.since = now;
    }

    /// The means, of the level as it is until `end`.
    pub fn finish(mut self, end: Time) -> Timeline {
        self.advance(end);
        let spans = self.edges.windows(2).map(|pair| pair[1].since(pair[0]).picoseconds() as f64);
        let means = self.areas.iter().zip(spans).map(|(area, span)| if span > 0.0 { area / span } else { 0.0 });
        Timeline { windows: Windows::Level(means.collect()), edges: picoseconds(&self.edges) }
    }
}

/// The rate of what is counted, in each window.
#[derive(Clone, Debug)]
pub struct RateWindows {
    edges: Arc<[Time]>,
    counts: Vec<u64>,
}

impl RateWindows {
    /// Nothing counted yet.
    pub fn new(edges: Arc<[Time]>) -> Self {
        let counts = vec![0; edges.len() - 1];
        RateWindows { edges, counts }
    }

    /// The same with other edges: those up to now are alike.
    pub fn set_edges(&mut self, edges: Arc<[Time]>) {
        self.counts.resize(edges.len() - 1, 0);
        self.edges = edges;
    }

    /// Counts `count` more at `now`.
    pub fn add(&mut self, now: Time, count: u64) {
        let number = self.edges.partition_point(|edge| *edge <= now).checked_sub(1);
        if let Some(window) = number.and_then(|number| self.counts.get_mut(number)) {
            *window += count;
        }
    }

    /// Counts per second.
    pub fn finish(self) -> Timeline {
        let spans = self.edges.windows(2).map(|pair| pair[1].since(pair[0]).seconds());
        let rates = self.counts.iter().zip(spans).map(|(count, span)| *count as f64 / span);
        Timeline { windows: Windows::Level(rates.collect()), edges: picoseconds(&self.edges) }
    }
}

fn picoseconds(edges: &[Time]) -> Vec<u64> {
    edges.iter().map(|edge| edge.picoseconds()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    fn times(seconds: &[u64]) -> Arc<[Time]> {
        seconds.iter().map(|second| at(*second)).collect()
    }

    #[test]
    fn every_event_is_an_end_of_windows_and_none_is_longer_than_a_120th() {
        let edges = edges(at(10), at(610), [at(115), at(121), at(5), at(700)]);
        assert!(edges.contains(&at(115)) && edges.contains(&at(121)), "events are ends");
        assert_eq!((edges[0], edges[edges.len() - 1]), (at(10), at(610)));
        let lengths: Vec<f64> = edges.windows(2).map(|pair| pair[1].since(pair[0]).seconds()).collect();
        assert!(lengths.iter().all(|length| (2.5..=5.0).contains(length)), "{lengths:?}");
    }

    #[test]
    fn a_request_counts_where_it_was_sent() {
        let mut requests = RequestWindows::new(times(&[10, 20, 30]));
        for (sent, response) in [(9, Some(1)), (10, Some(1)), (19, Some(12)), (20, None), (30, Some(0)), (31, Some(1))]
        {
            requests.sent(at(sent));
            requests.ended(at(sent), response.map(Duration::from_secs));
        }
        requests.sent(at(29));
        let Windows::Requests(windows) = requests.finish().windows else { panic!("requests") };
        let counts: Vec<_> = windows.iter().map(|w| (w.sent, w.responses.count(), w.responses.sent())).collect();
        assert_eq!(counts, [(2, 2, 2), (3, 1, 2)]);
        assert_eq!(windows[0].responses.max(), Some(Duration::from_secs(12)));
    }

    #[test]
    fn a_rate_is_what_each_window_counted_by_its_length() {
        let mut bits = RateWindows::new(times(&[10, 20, 25]));
        [(9, 7), (10, 30), (19, 10), (24, 5), (25, 9)].iter().for_each(|&(second, count)| bits.add(at(second), count));
        assert_eq!(bits.finish().windows, Windows::Level(vec![4.0, 1.0]));
    }

    #[test]
    fn a_level_is_averaged_in_each_window() {
        let mut level = LevelWindows::new(times(&[10, 20, 30, 40]));
        level.set(at(4), 8.0);
        level.set(at(12), 3.0);
        level.set(at(25), 1.0);
        let Windows::Level(means) = level.finish(at(40)).windows else { panic!("a level") };
        // 8 for 2 s and 3 for 8 s; 3 for 5 s and 1 for 5 s; 1
        assert_eq!(means, [4.0, 2.0, 1.0]);
    }
}
