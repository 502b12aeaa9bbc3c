//! Start and length of T1, and T1 during a long burst.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;
use super::radio::*;
use super::transcript::{Bytes, address};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A sends four frames of 256 octets, 0.95 s of air time, with T1 of one second.
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
fn t1_expires_in_a_long_burst_from_hand_over_but_not_from_its_end_or_paused() {
    let enquiries = |t1_start| burst(t1_start).stations[0].counters().get(Counter::Enquiries);
    assert!(enquiries(TimerStart::HandOver) > 0);
    assert_eq!(enquiries(TimerStart::TransmitEnd), 0);
    assert_eq!(enquiries(TimerStart::PausedWhileBusy), 0);
}

#[test]
fn two_digipeaters_make_the_first_t1_five_times_as_long() {
    for (path, expected) in [(vec![], 1000), (vec!["D1"], 3000), (vec!["D1", "D2"], 5000)] {
        let mut radio = Radio::new([Settings { frack: ms(1000), ..v2_0() }, v2_0()]);
        radio.lose = (0..50).collect();
        radio.connect(0, 1, &path);
        radio.settle_until(Time::ZERO + ms(50));
        let keyed = Time::ZERO + ms(5);
        assert_eq!(radio.stations[0].next_wakeup(), Some(keyed + ms(expected)));
    }
}

#[test]
fn t1_follows_the_rtt_of_frames_sent_once() {
    let mut lone = Lone::connected(Settings { t1_adaptation: T1Adaptation::Linux(Backoff::None), ..v2_0() });
    lone.send("a");
    lone.advance(ms(500));
    lone.receive(response(rr(1)));
    lone.send("b");
    // (9 * 1.5 s + 0.5 s) / 10, twice
    assert_eq!(lone.next_wakeup(), Some(lone.now + ms(2800)));
    lone.expire();
    lone.receive(response_f(rr(1)));
    lone.advance(ms(100));
    lone.receive(response(rr(2)));
    lone.send("c");
    assert_eq!(lone.next_wakeup(), Some(lone.now + ms(2800)), "a retransmitted frame gives no RTT sample");
}

#[test]
fn each_failed_try_lengthens_t1_if_the_adaptation_backs_off() {
    let spans = |round_trip| {
        let mut lone = Lone::connected(Settings { t1_adaptation: round_trip, ..v2_0() });
        lone.send("a");
        let mut before = lone.now;
        [0; 4].map(|_| {
            lone.expire();
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
fn channel_busy_time_does_not_count_where_t1_and_t2_pause() {
    let settings = Settings { t1_start: TimerStart::PausedWhileBusy, t2: ms(400), t2_pauses: true, ..v2_0() };
    let mut lone = Lone::connected(settings);
    lone.send("a");
    lone.receive(command(i(0, 0, "x")));
    let start = lone.now;
    lone.advance(ms(300));
    lone.give(Input::ChannelBusy { busy: true });
    assert_eq!(lone.next_wakeup(), None);
    lone.advance(ms(5000));
    lone.give(Input::ChannelBusy { busy: false });
    assert_eq!(lone.expire(), ["RR 1"]);
    assert_eq!(lone.now - start, ms(5400));
    assert_eq!(lone.expire(), ["RR 1 P"]);
    assert_eq!(lone.now - start, ms(8000));
}

#[test]
fn frames_are_built_when_the_channel_is_seized_with_the_latest_n_r() {
    let mut station: Station<Bytes> = Station::new([address("OWN")], Arc::new(v2_0())).unwrap();
    let mut give = |input| {
        station.handle(Time::ZERO, input);
        let mut outputs = Vec::new();
        while let Some(output) = station.poll_output() {
            outputs.push(match output {
                Output::SeizeRequest => "seize request".to_string(),
                Output::Transmit { frame, purpose, .. } => {
                    format!("{} ({purpose:?})", super::transcript::of_frame(&frame))
                }
                other => super::transcript::of_event(&other).unwrap_or_default(),
            });
        }
        outputs
    };
    let free = || Input::SeizeConfirm { information_frames: 7 };
    give(Input::Receive { frame: command_p(Body::Sabm) });
    assert_eq!(give(free()), ["UA F (Control)"]);
    assert_eq!(give(Input::Receive { frame: command(i(0, 0, "a")) }), ["delivers a", "seize request"]);
    assert_eq!(give(Input::Receive { frame: command(i(1, 0, "b")) }), ["delivers b"]);
    assert_eq!(give(free()), ["RR 2 (Acknowledgement)"]);
    assert_eq!(give(free()), Vec::<String>::new());
}
