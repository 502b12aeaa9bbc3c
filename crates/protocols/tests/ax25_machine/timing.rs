//! From when T1 runs, how long it is, and what a long burst does to it.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;
use super::radio::*;
use super::words::{Bytes, address};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A sends four frames of 256 octets, 0.95 s on the air, with T1 of one second.
fn burst(t1_start: TimerStart) -> Radio {
    let settings = Settings { t1_start, frack: ms(1000), k: 4, ..v2_0() };
    let mut radio = Radio::new(vec![settings; 2]);
    radio.connect(0, 1, &[]);
    radio.settle();
    let link = radio.link(0, 1, &[]).unwrap();
    for _ in 0..4 {
        radio.give(0, Input::Send { link, pid: Pid::NONE, data: vec![b'x'; 256] });
    }
    radio.settle();
    assert_eq!(radio.delivered[1].len(), 4);
    radio
}

#[test]
fn a_long_burst_trips_t1_from_hand_over_and_not_from_the_end_nor_paused() {
    let enquiries = |t1_start| burst(t1_start).stations[0].counters().get(Counter::Enquiries);
    assert!(enquiries(TimerStart::HandOver) > 0);
    assert_eq!(enquiries(TimerStart::TransmitEnd), 0);
    assert_eq!(enquiries(TimerStart::PausedWhileBusy), 0);
}

#[test]
fn two_digipeaters_make_the_first_t1_five_times_as_long() {
    for (way, expected) in [(vec![], 1000), (vec!["D1"], 3000), (vec!["D1", "D2"], 5000)] {
        let mut radio = Radio::new([Settings { frack: ms(1000), ..v2_0() }, v2_0()]);
        radio.lose = (0..50).collect();
        radio.connect(0, 1, &way);
        radio.settle_until(Time::ZERO + ms(50));
        let keyed = Time::ZERO + ms(5);
        assert_eq!(radio.stations[0].next_wakeup(), Some(keyed + ms(expected)));
    }
}

#[test]
fn t1_follows_the_round_trips_of_frames_sent_once() {
    let mut lone = Lone::connected(Settings { t1_adaptation: T1Adaptation::Linux(Backoff::None), ..v2_0() });
    lone.send("a");
    lone.pass(ms(500));
    lone.hear(response(rr(1)));
    lone.send("b");
    // (9 * 1.5 s + 0.5 s) / 10, twice
    assert_eq!(lone.next_wakeup(), Some(lone.now + ms(2800)));
    lone.wait();
    lone.hear(finals(rr(1)));
    lone.pass(ms(100));
    lone.hear(response(rr(2)));
    lone.send("c");
    assert_eq!(lone.next_wakeup(), Some(lone.now + ms(2800)), "the frame sent twice tells nothing");
}

#[test]
fn each_try_that_fails_makes_t1_longer_where_the_rule_says_so() {
    let spans = |round_trip| {
        let mut lone = Lone::connected(Settings { t1_adaptation: round_trip, ..v2_0() });
        lone.send("a");
        let mut before = lone.now;
        [0; 4].map(|_| {
            lone.wait();
            let span = (lone.now - before).picoseconds() / 1_000_000_000;
            before = lone.now;
            span
        })
    };
    assert_eq!(spans(T1Adaptation::Fixed), [3000; 4]);
    assert_eq!(spans(T1Adaptation::DireWolf), [3000, 3250, 3500, 3750]);
    assert_eq!(spans(T1Adaptation::Linux(Backoff::Exponential)), [3000, 6000, 12_000, 12_000]);
}

#[test]
fn time_that_the_channel_is_busy_does_not_count_where_t1_and_t2_stand_still() {
    let settings = Settings { t1_start: TimerStart::PausedWhileBusy, t2: ms(400), t2_pauses: true, ..v2_0() };
    let mut lone = Lone::connected(settings);
    lone.send("a");
    lone.hear(command(i(0, 0, "x")));
    let start = lone.now;
    lone.pass(ms(300));
    lone.give(Input::ChannelBusy { busy: true });
    assert_eq!(lone.next_wakeup(), None);
    lone.pass(ms(5000));
    lone.give(Input::ChannelBusy { busy: false });
    assert_eq!(lone.wait(), ["RR 1"]);
    assert_eq!(lone.now - start, ms(5400));
    assert_eq!(lone.wait(), ["RR 1 P"]);
    assert_eq!(lone.now - start, ms(8000));
}

#[test]
fn frames_are_built_when_the_channel_is_free_and_acknowledge_all_that_came_until_then() {
    let mut station: Station<Bytes> = Station::new([address("OWN")], Arc::new(v2_0())).unwrap();
    let mut give = |input| {
        station.handle(Time::ZERO, input);
        let mut outputs = Vec::new();
        while let Some(output) = station.poll_output() {
            outputs.push(match output {
                Output::SeizeRequest => "wants the channel".to_string(),
                Output::Transmit { frame, purpose, .. } => format!("{} ({purpose:?})", super::words::of_frame(&frame)),
                other => super::words::of_event(&other).unwrap_or_default(),
            });
        }
        outputs
    };
    let free = || Input::SeizeConfirm { information_frames: 7 };
    give(Input::Receive { frame: polls(Body::Sabm) });
    assert_eq!(give(free()), ["UA F (Control)"]);
    assert_eq!(give(Input::Receive { frame: command(i(0, 0, "a")) }), ["delivers a", "wants the channel"]);
    assert_eq!(give(Input::Receive { frame: command(i(1, 0, "b")) }), ["delivers b"]);
    assert_eq!(give(free()), ["RR 2 (Acknowledgement)"]);
    assert_eq!(give(free()), Vec::<String>::new());
}
