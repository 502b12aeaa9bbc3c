//! Retransmission and delayed-ACK timers.

use sojourn_core::{Duration, Time};
use sojourn_protocols::tcp::machine::{Input, Purpose, Settings};

use crate::tcp_machine::path::{Impairment, Pair, at, bsd, delay, unimpaired};

/// A host whose ticks have these phases in milliseconds.
fn host(slow: u64, fast: u64) -> Settings {
    let after = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    Settings::bsd95(1460, after(slow), after(fast))
}

#[test]
fn a_single_segment_is_acknowledged_at_the_next_fast_tick() {
    for phase in [0, 30, 110, 190] {
        let mut pair = Pair::connected([bsd(), host(0, phase)], delay(5), unimpaired);
        pair.run(at(1.0));
        pair.input(0, Input::Write { octets: 100 });
        pair.run(at(3.0));
        let (sent, _) = pair.hosts[1].sent[0];
        let waited = sent - at(1.005);
        assert!(waited > Duration::ZERO && waited <= Duration::from_millis(200), "{waited}");
        assert_eq!((sent.picoseconds() / 1_000_000_000 + 200 - phase) % 200, 0, "at a tick");
    }
}

#[test]
fn every_second_full_segment_is_acknowledged_at_once() {
    let mut pair = Pair::connected([Settings { initial_cwnd: 4 * 1460, ..bsd() }, bsd()], delay(5), unimpaired);
    pair.input(0, Input::Write { octets: 2 * 1460 });
    pair.run(at(3.0));
    assert_eq!(pair.hosts[1].sent.len(), 1);
    assert_eq!(pair.hosts[1].sent[0].0, at(0.005));
}

#[test]
fn a_lost_last_segment_is_retransmitted_by_4_4bsd_after_1_to_1_5_seconds() {
    for phase in [20, 120, 333, 499] {
        let mut tries = 0;
        let window = 4 * 1460;
        let sender = Settings { initial_cwnd: window, restart_window: window, ..host(phase, 0) };
        let mut pair = Pair::connected([sender, bsd()], delay(1), move |from, segment| {
            tries += u32::from(from == 0 && segment.offset == 8 * 1460);
            if from == 0 && segment.offset == 8 * 1460 && tries == 1 { Impairment::Lost } else { Impairment::None }
        });
        // two at a time, which are acknowledged at once, not by a tick
        pair.run(at(0.51));
        for _ in 0..4 {
            pair.input(0, Input::Write { octets: 2 * 1460 });
            let until = pair.now + Duration::from_millis(2100);
            pair.run(until);
        }
        let sent = pair.now;
        pair.input(0, Input::Write { octets: 500 });
        pair.run(at(20.0));
        let retransmission =
            pair.hosts[0].sent.iter().find(|(_, segment)| segment.purpose == Purpose::Retransmission).unwrap();
        let waited = (retransmission.0 - sent).seconds();
        assert!((1.0..=1.5).contains(&waited), "{waited} s with phase {phase}");
        assert_eq!(pair.hosts[1].delivered, 8 * 1460 + 500);
    }
}

#[test]
fn the_modern_rto_is_200_ms_above_srtt_and_doubles() {
    let mut pair = Pair::connected([Settings::modern(1460), Settings::modern(1460)], delay(10), |from, segment| {
        if from == 0 && segment.offset >= 1448 * 20 { Impairment::Lost } else { Impairment::None }
    });
    pair.input(0, Input::Write { octets: 1448 * 20 });
    pair.run(at(2.0));
    pair.input(0, Input::Write { octets: 100 });
    pair.run(at(4.0));
    let tries: Vec<f64> = pair.hosts[0]
        .sent
        .iter()
        .filter(|(_, segment)| segment.offset >= 1448 * 20)
        .map(|(time, _)| time.seconds() - 2.0)
        .collect();
    let expected = [0.0, 0.22, 0.66, 1.54];
    assert_eq!(tries.len(), expected.len(), "{tries:?}");
    for (time, expected) in tries.iter().zip(expected) {
        assert!((time - expected).abs() < 0.001, "{tries:?}");
    }
}

#[test]
fn the_round_trip_of_a_retransmitted_segment_does_not_lengthen_the_next_timeout() {
    let (first, second) = (20 * 1460, 20 * 1460 + 100);
    let mut tries = 0;
    let settings = Settings { timestamps: false, ..Settings::modern(1460) };
    let mut pair = Pair::connected([settings.clone(), settings], delay(10), move |from, segment| {
        tries += u32::from(from == 0 && segment.offset == first);
        let is_lost = from == 0 && (segment.offset == first && tries == 1 || segment.offset == second);
        if is_lost { Impairment::Lost } else { Impairment::None }
    });
    pair.input(0, Input::Write { octets: first });
    pair.run(at(2.0));
    for (begin, end) in [(2.0, 4.0), (4.0, 4.5)] {
        pair.run(at(begin));
        pair.input(0, Input::Write { octets: 100 });
        pair.run(at(end));
    }
    let sent = |offset| pair.hosts[0].sent.iter().filter(move |(_, segment)| segment.offset == offset);
    assert_eq!(sent(first).count(), 2, "sent again after 220 ms, and acknowledged");
    // its round trip from the first copy on would take SRTT from 20 to 52 ms
    let times: Vec<f64> = sent(second).map(|(time, _)| time.seconds() - 4.0).collect();
    assert!(times.len() == 2 && (times[1] - 0.22).abs() < 0.001, "{times:?}");
}

/// Writes 40 segments and lets `first_window` happen to the ten of the initial window; returns the pair ten seconds later.
fn after_the_first_window(settings: Settings, first_window: Impairment) -> Pair {
    let window = 10 * settings.mss as u64;
    let settings = Settings { initial_cwnd: window, ..settings };
    let mut pair = Pair::connected([settings.clone(), settings], delay(10), move |from, segment| {
        match (from, segment.purpose) {
            (0, Purpose::Data) if segment.offset < window - 1460 => first_window,
            // the path is first in, first out: what is sent again arrives after the originals
            (0, Purpose::Retransmission) if first_window != Impairment::Lost => {
                Impairment::Delayed(Duration::from_millis(600))
            }
            _ => Impairment::None,
        }
    });
    pair.input(0, Input::Write { octets: 40 * 1400 });
    pair.run(at(10.0));
    pair
}

#[test]
fn a_delayed_window_costs_one_retransmission_and_no_cwnd() {
    for (timestamps, sack) in [(false, false), (false, true), (true, false), (true, true)] {
        let settings = Settings { timestamps, sack, ..Settings::modern(1460) };
        let pair = after_the_first_window(settings, Impairment::Delayed(Duration::from_millis(1500)));
        assert_eq!(pair.hosts[1].delivered, 40 * 1400);
        let sender = &pair.hosts[0].connection;
        assert_eq!(sender.retransmissions(), 1, "timestamps {timestamps}, SACK {sack}");
        assert!(sender.cwnd() > 10 * 1448, "{} with timestamps {timestamps}, SACK {sack}", sender.cwnd());
    }
    let bsd = after_the_first_window(bsd(), Impairment::Delayed(Duration::from_millis(7000)));
    assert!(bsd.hosts[0].connection.retransmissions() >= 1, "4.4BSD takes it for a loss");
    assert!(bsd.hosts[0].connection.cwnd() < 10 * 1448);
}

#[test]
fn a_lost_window_is_not_taken_for_a_delayed_one() {
    for (timestamps, sack) in [(false, false), (false, true), (true, false), (true, true)] {
        let settings = Settings { timestamps, sack, ..Settings::modern(1460) };
        let pair = after_the_first_window(settings, Impairment::Lost);
        assert_eq!(pair.hosts[1].delivered, 40 * 1400, "timestamps {timestamps}, SACK {sack}");
        let again = pair.hosts[0].connection.retransmissions();
        assert!((9..=12).contains(&again), "{again} with timestamps {timestamps}, SACK {sack}");
    }
}
