//! TCP Prague: the share of marks as in DCTCP, with a growth that does not depend on RTTs below a reference
//! (draft-briscoe-iccrg-prague-congestion-control, section 2.4).

use sojourn_core::{Duration, Time};

use super::dctcp::MarkedShare;

/// R_virt: an RTT below it counts as this much, in growth, estimate and reduction (`prague_rtt_target`).
const REFERENCE_RTT: Duration = Duration::from_millis(25);

/// State of Prague.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prague {
    pub share: MarkedShare,
    /// When a window was last reduced.
    reduced: Option<Time>,
}

impl Prague {
    pub fn new() -> Self {
        Prague { share: MarkedShare::new(REFERENCE_RTT), reduced: None }
    }

    /// Whether marks reduce the window again: once in a round trip, that of the reference at least.
    pub fn may_reduce(&mut self, now: Time) -> bool {
        let may = self.reduced.is_none_or(|reduced| now.since(reduced) >= REFERENCE_RTT);
        if may {
            self.reduced = Some(now);
        }
        may
    }

    /// Share of a segment by which the window grows in a round trip of `rtt`, so that rates grow as with the reference.
    pub fn pace_of_growth(rtt: Duration) -> f64 {
        let ratio = rtt.seconds() / REFERENCE_RTT.seconds();
        (ratio * ratio).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_short_round_trips_grow_by_as_much_in_a_second_as_those_of_the_reference() {
        let growth = |rtt_ms| {
            let rtt = Duration::from_millis(rtt_ms);
            // segments per RTT, in each RTT
            Prague::pace_of_growth(rtt) / rtt.seconds() / rtt.seconds()
        };
        for rtt_ms in [1, 5, 12] {
            assert!((growth(rtt_ms) / growth(25) - 1.0).abs() < 1e-9);
        }
        assert_eq!(Prague::pace_of_growth(Duration::from_millis(100)), 1.0);
    }

    #[test]
    fn a_window_is_reduced_once_in_the_reference_round_trip() {
        let mut prague = Prague::new();
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let reduced = (0..100).filter(|ms| prague.may_reduce(at(*ms))).count();
        assert_eq!(reduced, 4);
    }
}
