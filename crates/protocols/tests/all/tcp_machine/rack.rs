//! Loss recovery by times: what is repaired without a timeout, and what reordering costs.

use std::cell::RefCell;
use std::rc::Rc;

use sojourn_core::Duration;
use sojourn_protocols::tcp::machine::{Congestion, Input, Purpose, Recovery, Settings};

use crate::tcp_machine::path::{Impairment, Link, Pair, Segment, at, delay};

fn host(recovery: Recovery) -> Settings {
    Settings { congestion: Congestion::NewReno, recovery, timestamps: false, ..Settings::modern(1460) }
}

/// Loses the transmissions at these offsets, each as often as it is listed.
fn losing(offsets: &[u64]) -> impl FnMut(usize, &Segment) -> Impairment + 'static {
    let left = Rc::new(RefCell::new(offsets.to_vec()));
    move |from, segment| {
        let mut left = left.borrow_mut();
        let place = left.iter().position(|&offset| from == 0 && segment.length > 0 && offset == segment.offset);
        place.map_or(Impairment::None, |place| {
            left.swap_remove(place);
            Impairment::Lost
        })
    }
}

/// When the transfer of `segments` segments over 100 ms that loses these is delivered, seconds, and what was sent again.
fn delivered(recovery: Recovery, segments: u64, lost: &[u64]) -> (f64, u64) {
    let offsets: Vec<u64> = lost.iter().map(|segment| 1460 * segment).collect();
    let settings = Settings { initial_cwnd: 30 * 1460, restart_window: 30 * 1460, ..host(recovery) };
    let mut pair = Pair::connected([settings.clone(), settings], delay(50), losing(&offsets));
    // first, a round trip that measures it
    pair.input(0, Input::Write { octets: 10 * 1460 });
    pair.run(at(1.0));
    pair.input(0, Input::Write { octets: (segments - 10) * 1460 });
    while pair.hosts[1].delivered < segments * 1460 {
        assert!(pair.step(at(60.0)), "all is delivered");
    }
    (pair.now.seconds() - 1.0, pair.hosts[0].connection.retransmissions())
}

#[test]
fn a_lost_tail_is_probed_for_after_two_round_trips_and_not_after_a_timeout() {
    // of twenty segments the last two are lost: the others are acknowledged after 100 ms, the probe of the last leaves 2 SRTT
    // later, and its acknowledgement shows that the one before it is lost
    let (time, again) = delivered(Recovery::Rack, 30, &[28, 29]);
    assert_eq!(again, 2);
    assert!((time - 0.45).abs() < 0.005, "{time}");
    // a timeout of SRTT and 200 ms, and slow start from one segment, whose acknowledgement is delayed by 40 ms
    let (time, _) = delivered(Recovery::Sack, 30, &[28, 29]);
    assert!((time - 0.59).abs() < 0.005, "{time}");
}

#[test]
fn a_single_segment_in_flight_may_wait_for_a_delayed_acknowledgement_before_it_is_probed_for() {
    // 2 SRTT and 200 ms, after which the timeout was
    let times = [Recovery::Rack, Recovery::Sack].map(|recovery| delivered(recovery, 30, &[29]).0);
    assert_eq!(times[0], times[1]);
}

#[test]
fn a_lost_retransmission_is_sent_again_without_a_timeout() {
    let (time, again) = delivered(Recovery::Rack, 60, &[12, 12]);
    assert_eq!(again, 2);
    assert!(time < 0.41, "{time}");
    let (time, _) = delivered(Recovery::Sack, 60, &[12, 12]);
    assert!(time > 0.41, "a timeout: {time}");
}

#[test]
fn reordering_by_less_than_a_quarter_of_the_rtt_costs_but_the_first_retransmissions() {
    let found = [Recovery::Rack, Recovery::Sack].map(|recovery| {
        let mut count = 0;
        let mut pair =
            Pair::connected([host(recovery), host(recovery)], Link { rate: Some(20_000_000), ..delay(20) }, {
                move |from, segment| {
                    count += u32::from(from == 0 && segment.length > 0);
                    // past some ten segments
                    let late = from == 0 && segment.length > 0 && count % 50 == 0;
                    if late { Impairment::Delayed(Duration::from_millis(6)) } else { Impairment::None }
                }
            });
        pair.saturate(at(20.0));
        (pair.hosts[0].connection.retransmissions(), pair.hosts[1].delivered)
    });
    // the first ones, before one arrives that was not sent again
    assert!(found[0].0 <= 8, "{found:?}");
    assert!(found[1].0 > 40 && found[0].1 > 2 * found[1].1, "{found:?}");
}

#[test]
fn proportional_rate_reduction_sends_one_segment_for_two_that_arrive_until_the_window_is_halved() {
    let settings = Settings { initial_cwnd: 100 * 1460, ..host(Recovery::Rack) };
    let mut pair = Pair::connected([settings.clone(), settings], delay(50), losing(&[0]));
    pair.saturate(at(0.199));
    let sent = |purpose: Purpose| {
        pair.hosts[0].sent.iter().filter(|(time, segment)| *time > at(0.05) && segment.purpose == purpose).count()
    };
    assert_eq!(sent(Purpose::Retransmission), 1);
    // 99 segments arrive; half as many leave, with the retransmission
    let new = sent(Purpose::Data);
    assert!((46..=51).contains(&new), "{new}");
    pair.saturate(at(0.25));
    let cwnd = pair.hosts[0].connection.cwnd() / 1460;
    assert!((50..=51).contains(&cwnd), "{cwnd}");
}
