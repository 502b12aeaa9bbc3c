//! What happens to this host, which is an event of no target: pauses, and its wall clock being set.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_live::io::clock::Clock;
use sojourn_live::io::wall_clock::{ClockStepDetector, Pair, Step};
use sojourn_live::prober::host_pauses::suspended;

use super::line::{Line, now_ns, rfc3339};

/// The smallest step of the wall clock that is reported, in seconds: what a client of NTP corrects daily is none.
const SMALLEST_STEP_S: f64 = 0.1;

/// What happened to this host.
#[derive(Debug)]
pub struct HostEvents {
    clock: Clock,
    steps: ClockStepDetector,
    /// How many steps are reported.
    reported: usize,
    /// When the last pause of this host and of each agent ended, in nanoseconds since 1970.
    paused_until: BTreeMap<Option<String>, u64>,
}

impl HostEvents {
    /// From now on.
    pub fn start() -> HostEvents {
        HostEvents {
            clock: Clock::start(),
            steps: ClockStepDetector::default(),
            reported: 0,
            paused_until: BTreeMap::new(),
        }
    }

    /// A session found that this host was paused, or that of an agent, as those with other targets do; the line of the first.
    pub fn paused(&mut self, from: Option<&str>, begin_ns: u64, end_ns: u64) -> Option<String> {
        let until = self.paused_until.entry(from.map(str::to_owned)).or_default();
        if begin_ns < *until {
            return None;
        }
        *until = end_ns;
        let line = Line::Host {
            time: rfc3339(now_ns()),
            from,
            event: "paused",
            begin: rfc3339(begin_ns),
            end: rfc3339(end_ns),
            duration_s: end_ns.saturating_sub(begin_ns) as f64 * 1e-9,
        };
        Some(line.text())
    }

    /// Looks at the wall clock; the lines of its being set.
    pub fn look(&mut self) -> Vec<String> {
        self.compare(Pair::read(&self.clock), suspended())
    }

    /// Compares the clocks after this host was suspended for so long in all, which the monotonic clock does not count.
    fn compare(&mut self, pair: Pair, suspended: Duration) -> Vec<String> {
        self.steps.look(Pair { at: pair.at + suspended, ..pair });
        let found: Vec<Step> = self.steps.steps()[self.reported..].to_vec();
        self.reported += found.len();
        if !found.is_empty() {
            // the end of a pause may lie in the future now
            self.paused_until.remove(&None);
        }
        let is_set = |step: &&Step| step.by_s.abs() >= SMALLEST_STEP_S;
        found.iter().filter(is_set).map(|step| clock_set(step.by_s, pair.wall_ns)).collect()
    }
}

/// The line of the wall clock being set by `by_s` seconds, to `wall_ns` nanoseconds since 1970.
fn clock_set(by_s: f64, wall_ns: i64) -> String {
    let before = wall_ns.saturating_sub((by_s * 1e9).round() as i64);
    let [begin, end] = [before, wall_ns].map(|ns| rfc3339(ns.max(0) as u64));
    let (time, from, event, duration_s) = (rfc3339(now_ns()), None, "clock set", by_s);
    Line::Host { time, from, event, begin, end, duration_s }.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Time;

    const S: i64 = 1_000_000_000;

    fn pair(at_s: u64, wall_s: i64) -> Pair {
        let width = Duration::from_nanos(40);
        Pair { at: Time::ZERO + Duration::from_secs(at_s), wall_ns: wall_s * S, width }
    }

    #[test]
    fn a_wall_clock_that_is_set_is_a_line_with_how_far() {
        let mut host = HostEvents::start();
        assert!(host.compare(pair(10, 1_000_000), Duration::ZERO).is_empty());
        assert!(host.compare(pair(11, 1_000_001), Duration::ZERO).is_empty());
        let lines = host.compare(pair(12, 996_402), Duration::ZERO);
        let line: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((line["type"].as_str(), line["event"].as_str()), (Some("host"), Some("clock set")));
        assert!((line["duration_s"].as_f64().unwrap() + 3600.0).abs() < 1e-6, "{line}");
        assert_eq!(
            (line["begin"].as_str(), line["end"].as_str()),
            (Some("1970-01-12T13:46:42.000Z"), Some("1970-01-12T12:46:42.000Z"),)
        );
        assert!(host.compare(pair(13, 996_403), Duration::ZERO).is_empty(), "once");
    }

    #[test]
    fn a_suspension_sets_no_clock() {
        let mut host = HostEvents::start();
        host.compare(pair(10, 1_000_000), Duration::ZERO);
        assert!(host.compare(pair(11, 1_003_601), Duration::from_secs(3600)).is_empty());
    }

    #[test]
    fn sessions_that_find_the_same_pause_give_one_line() {
        let mut host = HostEvents::start();
        let line: serde_json::Value =
            serde_json::from_str(&host.paused(None, 9_000_000_000, 29_000_000_000).unwrap()).unwrap();
        assert_eq!((line["event"].as_str(), line["duration_s"].as_f64()), (Some("paused"), Some(20.0)));
        assert_eq!(host.paused(None, 9_100_000_000, 29_100_000_000), None);
        assert!(host.paused(None, 40_000_000_000, 42_000_000_000).is_some());
    }
}
