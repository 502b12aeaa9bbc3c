//! Each law is recovered, with its parameters, from send times drawn by it.

use sojourn_core::{Duration, Stream, Streams, Time};

use super::*;

fn stream(name: &str) -> Stream {
    Streams::new(11, 0).stream(name)
}

fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    -mean * libm::log(stream.unit())
}

/// The send times at these seconds, ascending.
fn at(seconds: impl IntoIterator<Item = f64>) -> SendTimes {
    let mut times = SendTimes::default();
    for second in seconds {
        times.sent(Time::ZERO + Duration::from_seconds(second).unwrap());
    }
    times
}

/// The instants of these gaps, from 1 s on.
fn after(gaps: impl IntoIterator<Item = f64>) -> SendTimes {
    let mut now = 1.0;
    at(gaps.into_iter().map(|gap| {
        now += gap;
        now
    }))
}

fn near(found: f64, stated: f64, share: f64) -> bool {
    (found / stated - 1.0).abs() < share
}

#[test]
fn exponential_gaps_are_a_poisson_process() {
    let mut stream = stream("poisson");
    let fit = fit(&after((0..5_000).map(|_| exponential(&mut stream, 1.5))), 0.005).unwrap();
    let Law::Poisson { interval } = fit.law else { panic!("{fit:?}") };
    assert!(near(interval, 1.5, 0.05) && fit.is_good(), "{fit:?}");
}

#[test]
fn a_period_is_found_to_the_microsecond() {
    let fit = fit(&at((0..100).map(|n| 3.0 * f64::from(n))), 0.0).unwrap();
    let Law::Periodic { interval, jitter } = fit.law else { panic!("{fit:?}") };
    assert!((interval - 3.0).abs() < 1e-6 && jitter == 0.0 && fit.is_good(), "{fit:?}");
}

#[test]
fn a_period_with_jitter_is_distinguished_from_independent_gaps() {
    let mut stream = stream("jitter");
    let late = at((0..1_000).map(|n| 2.0 * f64::from(n) + 0.8 * stream.unit()));
    let fit = fit(&late, 0.002).unwrap();
    let Law::Periodic { interval, jitter } = fit.law else { panic!("{fit:?}") };
    assert!(near(interval, 2.0, 0.01) && near(jitter, 0.8, 0.1) && fit.is_good(), "{fit:?}");
}

#[test]
fn independent_gaps_around_a_mean_are_normal() {
    let mut stream = stream("normal");
    // the sum of twelve uniform values has the variance 1
    let mut draw = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
    let fit = fit(&after((0..1_000).map(|_| 10.0 + draw())), 0.01).unwrap();
    let Law::Normal { interval, deviation } = fit.law else { panic!("{fit:?}") };
    assert!(near(interval, 10.0, 0.02) && near(deviation, 1.0, 0.1) && fit.is_good(), "{fit:?}");
}

#[test]
fn messages_on_change_of_value_show_throttle_heartbeat_and_the_rate_of_changes() {
    let mut stream = stream("heartbeat");
    let gaps = (0..2_000).map(|_| exponential(&mut stream, 20.0).clamp(5.0, 60.0) + 0.01 * stream.unit());
    let fit = fit(&after(gaps), 0.01).unwrap();
    let Law::Heartbeat { max_interval, max_seen, min_interval, change_interval } = fit.law else { panic!("{fit:?}") };
    assert!(near(max_interval, 60.0, 0.01) && near(min_interval, 5.0, 0.01) && max_seen, "{fit:?}");
    assert!(near(change_interval, 20.0, 0.1) && fit.is_good(), "{fit:?}");
}

#[test]
fn a_heartbeat_that_changes_always_outrun_is_a_lower_bound() {
    let mut stream = stream("fast changes");
    let gaps = (0..200).map(|_| exponential(&mut stream, 10.0).max(5.0));
    let fit = fit(&after(gaps), 0.01).unwrap();
    let Law::Heartbeat { max_seen, min_interval, change_interval, .. } = fit.law else { panic!("{fit:?}") };
    assert!(!max_seen && near(min_interval, 5.0, 0.01) && near(change_interval, 10.0, 0.3), "{fit:?}");
}

#[test]
fn messages_lost_before_the_capture_do_not_hide_the_heartbeat() {
    let mut stream = stream("lost");
    let mut gaps = Vec::new();
    for _ in 0..600 {
        let gap = exponential(&mut stream, 30.0).clamp(5.0, 60.0) + 0.01 * stream.unit();
        match gaps.last_mut() {
            // one message in fifty is missing: its gap and the next are one
            Some(last) if stream.below(50) == 0 => *last += gap,
            _ => gaps.push(gap),
        }
    }
    let fit = fit(&after(gaps), 0.01).unwrap();
    let Law::Heartbeat { max_interval, max_seen, change_interval, .. } = fit.law else { panic!("{fit:?}") };
    assert!(max_seen && near(max_interval, 60.0, 0.01) && near(change_interval, 30.0, 0.15), "{fit:?}");
    assert!(fit.is_good(), "{fit:?}");
}

#[test]
fn a_source_that_is_on_and_off_shows_both_periods() {
    let mut stream = stream("on-off");
    let (mut now, mut seconds) = (0.0, Vec::new());
    for _ in 0..120 {
        let end = now + exponential(&mut stream, 2.0);
        let mut next = now;
        while next <= end {
            seconds.push(next);
            next += 0.1;
        }
        now = end + exponential(&mut stream, 30.0);
    }
    let fit = fit(&at(seconds), 0.002).unwrap();
    let Law::OnOff { interval, on, off } = fit.law else { panic!("{fit:?}") };
    assert!(near(interval, 0.1, 0.01) && near(on, 2.0, 0.3) && near(off, 30.0, 0.3) && fit.is_good(), "{fit:?}");
}

#[test]
fn groups_of_one_size_are_bursts() {
    let mut stream = stream("burst");
    let (mut now, mut seconds) = (0.0, Vec::new());
    for _ in 0..200 {
        now += 1.0 + exponential(&mut stream, 19.0);
        seconds.extend((0..4).map(|n| now + 0.02 * f64::from(n)));
    }
    let fit = fit(&at(seconds), 0.002).unwrap();
    let Law::Burst { size, gap, interval } = fit.law else { panic!("{fit:?}") };
    assert!(size == 4 && near(gap, 0.02, 0.05) && near(interval, 20.0, 0.2), "{fit:?}");
}

#[test]
fn a_closed_loop_sends_after_the_completion_of_the_last_message() {
    let mut stream = stream("closed");
    let (mut now, mut times) = (Time::ZERO, SendTimes::default());
    let mut span = |mean: f64| Duration::from_seconds(mean * (0.5 + stream.unit())).unwrap();
    for _ in 0..200 {
        times.sent(now);
        now += span(0.4);
        times.completed(now);
        now += Duration::from_millis(20);
    }
    let fit = fit(&times, 0.001).unwrap();
    let Law::Saturating { think, spread } = fit.law else { panic!("{fit:?}") };
    assert!(near(think, 0.02, 0.01) && spread == 0.0 && fit.is_good(), "{fit:?}");
}

#[test]
fn gaps_that_follow_no_law_are_a_bad_fit() {
    // three clusters of gaps
    let mut stream = stream("clusters");
    let gaps = (0..900).map(|_| [0.3, 4.0, 40.0][stream.below(3) as usize] * (1.0 + 0.2 * stream.unit()));
    let fit = fit(&after(gaps), 0.001).unwrap();
    assert!(!fit.is_good(), "{fit:?}");
}

#[test]
fn a_few_gaps_are_not_fitted() {
    assert_eq!(fit(&at((0..8).map(f64::from)), 0.0), None);
}

#[test]
fn merged_senders_keep_the_gaps_of_each() {
    let mut all = SendTimes::default();
    (0..50).for_each(|sender| all.merge(&at((0..40).map(|n| 0.7 * f64::from(sender) + 30.0 * f64::from(n)))));
    let fit = fit(&all, 0.001).unwrap();
    let Law::Periodic { interval, .. } = fit.law else { panic!("{fit:?}") };
    assert!(near(interval, 30.0, 1e-6) && all.count() == 2_000, "{fit:?}");
}

#[test]
fn memory_is_bounded_whatever_the_length() {
    let times = at((0..20_000).map(|n| 0.01 * f64::from(n)));
    assert_eq!((times.in_order().len(), times.gaps().values().len()), (2048, 1024));
    assert!(!times.is_complete() && near(times.mean_gap(), 0.01, 1e-6));
}
