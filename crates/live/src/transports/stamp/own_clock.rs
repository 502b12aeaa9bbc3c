//! The error estimate of this host's wall clock for test packets (RFC 8762, section 4.2.1).

use sojourn_core::{Duration, Time};
use sojourn_protocols::stamp::{ErrorEstimate, Format};

use crate::io::host_clock;

/// The error grows by 500 parts in a million: within this time by 0.5 ms.
const READ_EVERY: Duration = Duration::from_secs(1);

/// This host's wall clock, whose error is read once a second.
#[derive(Debug, Default)]
pub struct OwnClock {
    read: Option<(Time, ErrorEstimate)>,
}

impl OwnClock {
    /// Its error estimate at `now`: with the S bit if the kernel has a bound of its error.
    pub fn error(&mut self, now: Time) -> ErrorEstimate {
        match self.read {
            Some((at, estimate)) if now.since(at) < READ_EVERY => estimate,
            _ => {
                let estimate = estimate(host_clock::largest_error());
                self.read = Some((now, estimate));
                estimate
            }
        }
    }
}

fn estimate(largest_error: Option<Duration>) -> ErrorEstimate {
    // what the error grows by until it is read again is part of it
    let growth = READ_EVERY.divided(2000);
    largest_error
        .map_or(ErrorEstimate::UNKNOWN, |error| ErrorEstimate::of((error + growth).seconds(), true, Format::Ntp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synchronized_clock_sets_the_s_bit_and_states_at_least_its_error() {
        let stated = estimate(Some(Duration::from_micros(700)));
        assert!(stated.synchronized && (1.2e-3..1.22e-3).contains(&stated.seconds().unwrap()), "{stated:?}");
        assert_eq!(estimate(None), ErrorEstimate::UNKNOWN);
    }
}
