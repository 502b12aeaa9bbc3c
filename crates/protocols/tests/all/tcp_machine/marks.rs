//! Explicit congestion notification: what is marked, and how fast a sender is that meets marks in place of losses.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ip::Ecn;
use sojourn_protocols::tcp::machine::{Congestion, Connection, EcnMode, Input, Purpose, Recovery, Settings};

use crate::tcp_machine::path::{Impairment, Link, Pair, at, delay, unimpaired};

fn sender(congestion: Congestion, ecn: EcnMode) -> Settings {
    Settings { congestion, ecn, timestamps: false, ..Settings::modern(1460) }
}

fn receiver() -> Settings {
    Settings { timestamps: false, ..Settings::modern(1460) }
}

/// Every `period`-th segment with data is marked.
fn every(period: u64) -> impl FnMut(usize, &crate::tcp_machine::path::Segment) -> Impairment {
    let mut count = 0;
    move |from, segment| {
        count += u64::from(from == 0 && segment.length > 0);
        let marked = from == 0 && segment.length > 0 && count % period == 0;
        if marked { Impairment::Marked } else { Impairment::None }
    }
}

/// Mean window, in segments, of a transfer of RTT 100 ms that meets a mark at every `period`-th segment.
fn window(settings: [Settings; 2], period: u64) -> f64 {
    let mut pair = Pair::connected(settings, delay(50), every(period));
    pair.saturate(at(30.0));
    let before = pair.hosts[1].delivered;
    pair.saturate(at(230.0));
    assert_eq!(pair.hosts[0].connection.retransmissions(), 0, "nothing was lost");
    (pair.hosts[1].delivered - before) as f64 / 1460.0 / 2000.0
}

#[test]
fn one_end_asks_and_data_alone_are_capable_of_marks() {
    for (ecn, expected) in [(EcnMode::Classic, 0b011), (EcnMode::Accurate, 0b111), (EcnMode::Passive, 0)] {
        let settings = [sender(Congestion::Cubic, ecn), receiver()];
        let mut lost = 0;
        let mut pair = Pair::new(settings.map(|settings| Connection::new(Arc::new(settings))), delay(5), {
            move |from, segment| {
                let is_lost = from == 0 && segment.offset == 7300 && segment.purpose == Purpose::Data;
                lost += u32::from(is_lost);
                if is_lost && lost == 1 { Impairment::Lost } else { Impairment::None }
            }
        });
        pair.input(1, Input::Listen);
        pair.input(0, Input::Connect);
        pair.run(at(1.0));
        pair.input(0, Input::Write { octets: 100_000 });
        pair.run(at(3.0));
        assert_eq!(pair.hosts[1].delivered, 100_000);
        assert_eq!(pair.hosts[0].sent[0].1.header.flags.ace(), expected);
        let capable = |host: usize, purpose: Purpose| {
            let mut of = pair.hosts[host].sent.iter().filter(|(_, segment)| segment.purpose == purpose).peekable();
            assert!(of.peek().is_some(), "{purpose:?} was sent");
            of.all(|(_, segment)| segment.ecn == Ecn::Ect0)
        };
        let [data, again] = [Purpose::Data, Purpose::Retransmission].map(|purpose| capable(0, purpose));
        assert_eq!((data, again), (expected != 0, false));
        assert!(!capable(1, Purpose::Acknowledgement));
    }
}

#[test]
fn marks_slow_a_sender_down_as_losses_do() {
    // Mathis, Semke, Mahdavi and Ott, 1997, whose derivation holds for any signal that halves the window; with octets counted
    for ecn in [EcnMode::Classic, EcnMode::Accurate] {
        for period in [100, 400, 1600] {
            let found = window([sender(Congestion::NewReno, ecn), receiver()], period);
            let expected = (1.5 * period as f64).sqrt();
            // in the round trip after a mark the window does not grow: one to two of a cycle
            let (share, cycle) = (found / expected, (2.0 / 3.0 * period as f64).sqrt());
            assert!((1.0 - 2.0 / cycle..=1.0).contains(&share), "1/{period}: {found} of {expected}");
        }
    }
}

#[test]
fn alternative_backoff_leaves_four_fifths_of_the_window() {
    let newreno = sender(Congestion::NewReno, EcnMode::Classic);
    let abe = Settings { abe: true, ..newreno.clone() };
    let [found, halved] = [abe, newreno].map(|settings| window([settings, receiver()], 1600));
    // a cycle from 0.8 W to W holds 0.18 W^2 segments, and 0.9 W on average
    let expected = 0.9 * (1600.0 / 0.18_f64).sqrt();
    assert!((found / expected - 1.0).abs() < 0.1, "{found} of {expected}, without it {halved}");
    let cubic = sender(Congestion::Cubic, EcnMode::Classic);
    let abe = Settings { abe: true, ..cubic.clone() };
    let [more, less] = [abe, cubic].map(|settings| window([settings, receiver()], 1600));
    assert!(more > 1.1 * less, "{more} and {less}");
}

#[test]
fn cubic_reaches_with_marks_the_window_that_it_reaches_with_losses() {
    let found = window([sender(Congestion::Cubic, EcnMode::Classic), receiver()], 4000);
    // RFC 9438, 5.1, with C 0.4 and beta 0.7
    let expected = 1.054 * libm::pow(0.1 * 4000.0, 0.75);
    assert!((found / expected - 1.0).abs() < 0.2, "{found} and {expected}");
}

#[test]
fn the_window_of_scalable_senders_is_twice_the_inverse_of_the_share_of_marks() {
    // growth of a segment in a round trip, and of half of the share of the window less: balanced at 2 / p (RFC 9332, 1.2)
    for period in [10, 20, 50] {
        let expected = 2.0 * period as f64;
        let dctcp = sender(Congestion::Dctcp, EcnMode::Classic);
        let exact = window([dctcp.clone(), Settings { timestamps: false, ..dctcp }], period);
        let accurate = window([sender(Congestion::Dctcp, EcnMode::Accurate), receiver()], period);
        let prague = window([sender(Congestion::Prague, EcnMode::Accurate), receiver()], period);
        for found in [exact, accurate, prague] {
            assert!((found / expected - 1.0).abs() < 0.17, "1/{period}: {found} of {expected}");
        }
    }
}

/// Goodput as a share of the link's, and the least and greatest cwnd in segments, of DCTCP over 100 Mbit/s and 10 ms through a
/// queue that marks above `threshold` segments.
fn dctcp(threshold: usize) -> (f64, [f64; 2]) {
    let link = Link { rate: Some(100_000_000), delay: Duration::from_millis(5), queue: 1000 };
    let mut pair = Pair::connected([sender(Congestion::Dctcp, EcnMode::Accurate), receiver()], link, unimpaired);
    pair.marks_above = threshold;
    pair.saturate(at(5.0));
    let before = pair.hosts[1].delivered;
    let mut windows = [f64::MAX, 0.0_f64];
    for step in 0..1000 {
        pair.saturate(at(5.0 + 0.002 * f64::from(step)));
        let cwnd = pair.hosts[0].connection.cwnd() as f64 / 1460.0;
        windows = [windows[0].min(cwnd), windows[1].max(cwnd)];
    }
    assert_eq!(pair.dropped, 0);
    let octets = (pair.hosts[1].delivered - before) as f64;
    (octets * 8.0 * 1500.0 / 1460.0 / 1.998 / 100e6, windows)
}

#[test]
fn dctcp_keeps_a_link_busy_with_a_threshold_above_a_seventh_of_what_the_path_holds() {
    // Alizadeh and others, Data center TCP, SIGCOMM 2010, equation 13: K > C x RTT / 7, here 12 segments
    let holds: f64 = 100e6 * 0.01 / 8.0 / 1500.0;
    let (share, [least, most]) = dctcp((holds / 7.0 * 1.6) as usize);
    assert!(share > 0.995, "{share}");
    // equations 4 and 6 to 8: the window swings by (W + 1) alpha / 2, with alpha the root of 2 / W
    let swing = ((holds + holds / 7.0 * 1.6) / 2.0).sqrt();
    assert!(((most - least) / swing - 1.0).abs() < 0.4, "{least} to {most}, expected {swing}");
    let (share, _) = dctcp(1);
    assert!(share < 0.98, "{share}");
}

#[test]
fn a_scalable_sender_whose_peer_refuses_ecn_halves_its_window_at_losses() {
    let prague = sender(Congestion::Prague, EcnMode::Accurate);
    let refusing = Settings { ecn: EcnMode::Off, ..receiver() };
    let mut count = 0;
    let mut pair = Pair::connected([prague, refusing], delay(50), move |from, segment| {
        count += u32::from(from == 0 && segment.length > 0);
        let lost = from == 0 && segment.length > 0 && count % 400 == 0;
        if lost { Impairment::Lost } else { Impairment::None }
    });
    pair.saturate(at(230.0));
    assert!(pair.hosts[0].sent.iter().all(|(_, segment)| segment.ecn == Ecn::NotEct));
    let mean = pair.hosts[1].delivered as f64 / 1460.0 / 2300.0;
    // Reno's window, less a fast recovery of one to two round trips in each of its cycles
    let expected = (1.5_f64 * 400.0).sqrt();
    assert!((0.8..=1.05).contains(&(mean / expected)), "{mean} of {expected}");
}

#[test]
fn with_proportional_rate_reduction_a_mark_slows_the_sender_down_and_does_not_silence_it() {
    let gap_and_window = |recovery| {
        let settings = Settings { initial_cwnd: 100 * 1460, recovery, ..sender(Congestion::NewReno, EcnMode::Classic) };
        // a path that holds 83 segments, so that the link is never idle
        let mut pair = Pair::connected([settings, receiver()], Link { rate: Some(10_000_000), ..delay(50) }, {
            move |from, segment| {
                let marked = from == 0 && segment.offset == 150 * 1460;
                if marked { Impairment::Marked } else { Impairment::None }
            }
        });
        pair.saturate(at(0.8));
        let times: Vec<f64> = pair.hosts[0].sent.iter().map(|(time, _)| time.seconds()).collect();
        let window = pair.hosts[0].connection.cwnd() / 1460;
        let from_second = times.iter().position(|time| *time > 0.2).unwrap();
        (times[from_second..].windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max), window)
    };
    let [sudden, gradual] = [Recovery::Sack, Recovery::Rack].map(gap_and_window);
    assert!(gradual.0 < 0.5 * sudden.0, "{gradual:?} and {sudden:?}");
    assert!(gradual.1.abs_diff(sudden.1) <= 3, "{gradual:?} and {sudden:?}");
}
