//! BBR: its share of a link, the queue that it builds, and how it probes.

use sojourn_core::Duration;
use sojourn_protocols::tcp::machine::{Congestion, Settings};

use crate::tcp_machine::path::{Impairment, Link, Pair, at, unimpaired};

/// Octets that a path of 20 Mbit/s and 40 ms holds.
const BDP: f64 = 20e6 * 0.04 / 8.0;

fn host() -> Settings {
    Settings { congestion: Congestion::Bbr, timestamps: false, ..Settings::modern(1460) }
}

fn link(queue: usize) -> Link {
    Link { rate: Some(20_000_000), delay: Duration::from_millis(20), queue }
}

/// Goodput as a share of the link's between two instants.
fn share(pair: &mut Pair, from: f64, to: f64) -> f64 {
    pair.saturate(at(from));
    let before = pair.hosts[1].delivered;
    pair.saturate(at(to));
    8.0 * (pair.hosts[1].delivered - before) as f64 / (to - from) / (20e6 * 1460.0 / 1500.0)
}

#[test]
fn a_flow_alone_fills_a_link_and_leaves_its_deep_queue_nearly_empty() {
    let mut pair = Pair::connected([host(), host()], link(1000), unimpaired);
    let share = share(&mut pair, 5.0, 35.0);
    assert!(share > 0.95, "{share}");
    assert_eq!(pair.dropped, 0);
    let mut flights = Vec::new();
    for step in 0..1000 {
        pair.saturate(at(35.0 + 0.01 * f64::from(step)));
        flights.push(pair.hosts[0].connection.flight_size() as f64);
    }
    flights.sort_by(f64::total_cmp);
    // in flight are one product of bandwidth and RTT, a quarter more while it probes, and never beyond the gain of cwnd
    let (median, most) = (flights[500] / BDP, flights[999] / BDP);
    assert!((0.85..=1.2).contains(&median), "{median}");
    assert!(most < 2.0, "{most}");
}

#[test]
fn the_least_rtt_is_probed_for_every_five_seconds_with_half_of_what_the_path_holds() {
    let mut pair = Pair::connected([host(), host()], link(1000), unimpaired);
    let mut dips = Vec::new();
    for step in 0..6000 {
        let now = 0.005 * f64::from(step);
        pair.saturate(at(now));
        let is_low = now > 2.0 && (pair.hosts[0].connection.flight_size() as f64) < 0.7 * BDP;
        if is_low && dips.last().is_none_or(|last| now - last > 1.0) {
            dips.push(now);
        }
    }
    assert!((4..=6).contains(&dips.len()), "{dips:?}");
    assert!(dips.windows(2).all(|pair| (4.9..=6.0).contains(&(pair[1] - pair[0]))), "{dips:?}");
}

/// Share of the link of a transfer that loses every `period`-th segment.
fn with_loss(settings: Settings, period: u64) -> f64 {
    let mut count = 0;
    let mut pair = Pair::connected([settings, host()], link(1000), move |from, segment| {
        count += u64::from(from == 0 && segment.length > 0);
        let lost = from == 0 && segment.length > 0 && count % period == 0;
        if lost { Impairment::Lost } else { Impairment::None }
    });
    share(&mut pair, 5.0, 35.0)
}

#[test]
fn a_loss_of_a_thousandth_hardly_slows_it_and_one_of_half_a_percent_less_than_cubic() {
    let few = with_loss(host(), 1000);
    assert!(few > 0.9, "{few}");
    // with fifty segments in flight one is 2 %, beyond which BBR lowers its bounds
    let many = with_loss(host(), 200);
    let cubic = with_loss(Settings { congestion: Congestion::Cubic, ..host() }, 200);
    assert!(many > 2.0 * cubic, "{many} and {cubic}");
}

#[test]
fn a_shallow_queue_is_used_with_few_losses() {
    let mut pair = Pair::connected([host(), host()], link(17), unimpaired);
    let share = share(&mut pair, 5.0, 35.0);
    let (lost, sent) = (pair.dropped as f64, pair.hosts[0].sent.len() as f64);
    assert!(share > 0.85, "{share}");
    assert!(lost / sent < 0.02, "{lost} of {sent}");
}
