//! A rate-limited log, one line for each event: a flood does not fill the disk.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::RateLimiter;

/// Lines per second of each kind of event.
const LINES_PER_SECOND: u64 = 1;
/// Burst of lines of a kind, as the seconds that they take at this rate.
const BURST: Duration = Duration::from_secs(9);

/// Decides which lines are written.
#[derive(Debug, Default)]
pub struct Log {
    kinds: BTreeMap<&'static str, Kind>,
}

#[derive(Debug)]
struct Kind {
    allowance: RateLimiter,
    suppressed: u64,
}

impl Log {
    /// The line to write, with the number of suppressed lines of its kind; `None` if it is suppressed.
    pub fn line(&mut self, now: Time, kind: &'static str, line: impl std::fmt::Display) -> Option<String> {
        let fresh = || Kind { allowance: RateLimiter::new(LINES_PER_SECOND, BURST), suppressed: 0 };
        let kind = self.kinds.entry(kind).or_insert_with(fresh);
        if !kind.allowance.take(now, 1) {
            kind.suppressed += 1;
            return None;
        }
        match std::mem::take(&mut kind.suppressed) {
            0 => Some(line.to_string()),
            suppressed => Some(format!("{line} suppressed={suppressed}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_kind_is_suppressed_and_counted_and_other_kinds_are_not() {
        let mut log = Log::default();
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let written: Vec<String> =
            (0..20_000).filter_map(|millisecond| log.line(at(millisecond), "stray", "event=stray")).collect();
        assert_eq!(written.len(), 29, "ten at once and one a second");
        assert_eq!(written[9], "event=stray");
        assert_eq!(written[12], "event=stray suppressed=999");
        assert_eq!(log.line(at(20_000), "opened", "event=opened").as_deref(), Some("event=opened"));
    }
}
