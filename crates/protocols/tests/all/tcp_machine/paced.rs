//! Pacing: the gaps between segments, and what it spares a short queue.

use sojourn_core::Duration;
use sojourn_protocols::tcp::machine::{Congestion, Settings};

use crate::tcp_machine::path::{Link, Pair, at, delay, unimpaired};

fn paced(pacing: bool) -> Settings {
    Settings { congestion: Congestion::NewReno, pacing, timestamps: false, ..Settings::modern(1460) }
}

#[test]
fn segments_leave_at_twice_the_window_in_a_round_trip_of_slow_start() {
    let mut pair = Pair::connected([paced(true), paced(true)], delay(50), unimpaired);
    pair.saturate(at(0.29));
    let times: Vec<f64> =
        pair.hosts[0].sent.iter().map(|(time, _)| time.seconds()).filter(|time| *time > 0.2).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // the third round trip sends 40 segments, at 200 % of a window that grows from 20 to 40 in it
    assert!(times.len() > 25, "{}", times.len());
    assert!(gaps.iter().all(|gap| *gap > 0.1 / 80.0 - 1e-6), "{gaps:?}");
}

#[test]
fn a_short_queue_carries_more_of_a_paced_transfer() {
    let link = Link { rate: Some(10_000_000), delay: Duration::from_millis(50), queue: 4 };
    let [paced, bursts] = [true, false].map(|pacing| {
        let mut pair = Pair::connected([paced(pacing), paced(pacing)], link, unimpaired);
        pair.saturate(at(30.0));
        let before = pair.hosts[1].delivered;
        pair.saturate(at(130.0));
        8.0 * (pair.hosts[1].delivered - before) as f64 / 100.0 / (10e6 * 1460.0 / 1500.0)
    });
    assert!(paced >= 0.73 && paced > bursts, "{paced} and {bursts}");
}
