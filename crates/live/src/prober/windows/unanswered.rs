//! A window without a session: where none could be opened, its requests were due, and none was answered; where who measures
//! is away, none was sent.

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};

use super::event::{MONITORED, Window};
use crate::prober::outages::{NetworkErrors, Outage, RunOutages};
use crate::prober::packets::Packets;
use crate::prober::phase_metrics;
use crate::prober::plan::TimedTest;
use crate::prober::schedule::Departures;

/// The metrics of a window from `begin_ns` to `end_ns`, in nanoseconds since 1970, whose requests all were lost.
pub fn unanswered(plan: &TimedTest, begin_ns: u64, end_ns: u64) -> Window {
    let lasted = Duration::from_nanos(end_ns.saturating_sub(begin_ns));
    let end = Time::ZERO + lasted;
    let stream = Streams::new(plan.seed, 0).stream(&format!("departures/{MONITORED}"));
    let mut departures = Departures::new(plan.schedule, Time::ZERO, stream);
    let mut packets = Packets::default();
    while departures.next() < end {
        packets.sent(departures.next(), departures.next());
        departures.step();
    }
    let sent = packets.all().len();
    let mut record = phase_metrics::record(&packets, 0..sent, plan.timeout, None, lasted, None);
    let errors = NetworkErrors::default();
    let outage = Outage { begin: Time::ZERO, end: None, requests: sent };
    let outages = RunOutages::known(vec![outage], plan.timeout, (Time::ZERO, end), &errors);
    outages.of_phase(packets.all(), (Time::ZERO, end), &mut record);
    Window { begin_ns, end_ns, sent: sent as u64, record, ..Window::default() }
}

/// A window of requests that were due and not sent.
pub fn not_sent(plan: &TimedTest, begin_ns: u64, end_ns: u64) -> Window {
    let lasted = Duration::from_nanos(end_ns.saturating_sub(begin_ns));
    let not_sent = plan.schedule.rate().map_or(0, |rate| (rate * lasted.seconds()).round() as u64);
    let mut window = Window { begin_ns, end_ns, not_sent, ..Window::default() };
    window.record.count("not_sent", not_sent);
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prober::plan::Phase;
    use crate::prober::schedule::Schedule;
    use sojourn_metrics::record::Observation;

    #[test]
    fn the_requests_that_were_due_are_lost_and_the_window_is_one_outage() {
        let length = Duration::from_secs(10);
        let phase = Phase { name: MONITORED, duration: length, loaded: false, recorded: true };
        let plan = TimedTest::new(Schedule::Periodic { interval: Duration::from_millis(100) }, 64, vec![phase]);
        let window = unanswered(&plan, 5_000_000_000, 15_000_000_000);
        let metrics = &window.record.metrics;
        assert_eq!((window.sent, window.responses.len()), (100, 0));
        assert_eq!(metrics["loss"], Observation::Share { part: 100, of: 100 });
        assert_eq!(metrics["outages"], Observation::Count(1));
        assert_eq!(metrics["outage_time"], Observation::Scalar(10.0));
    }

    #[test]
    fn what_was_not_sent_is_not_lost() {
        let plan = TimedTest::new(Schedule::Periodic { interval: Duration::from_millis(100) }, 64, Vec::new());
        let window = not_sent(&plan, 5_000_000_000, 15_000_000_000);
        assert_eq!((window.sent, window.not_sent), (0, 100));
        assert!(!window.record.metrics.contains_key("loss"));
    }
}
