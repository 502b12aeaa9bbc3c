//! The channel compared with closed forms.
//!
//! Slotted p-persistent CSMA of n saturated stations that all hear each other (after Kleinrock and Tobagi, 1975). After each
//! carrier all share their slots, in each of which each station transmits with probability p. With q = 1 - (1 - p)^n the
//! first transmission comes after (1 - q) / q slots on average. When a carrier is detected k slots later, the others have
//! k more slots, so that a carrier does not collide with probability
//!
//! n p (1 - p)^((k + 1) (n - 1)) / q
//!
//! and the last carrier starts no later than j slots after the first with probability (A^n - (A - p)^n) / q, where
//! A = 1 - (1 - p)^(j + 1) + (1 - p)^(k + 1) is the probability that a station starts by then, or not at all.

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::sample;
use sojourn_protocols::ax25::hdlc::air_time::{UNITS_PER_BIT, mean_time, mean_units};

use super::*;

const BIT_RATE: u64 = 9600;
const OCTETS: u32 = 272;
const SLOT: Duration = Duration::from_millis(20);
const DELAY: Duration = Duration::from_millis(100);

fn frame_time() -> Duration {
    mean_time(1, u64::from(OCTETS), BIT_RATE)
}

fn members(count: u32, change: impl Fn(MemberSettings) -> MemberSettings) -> Vec<MemberSettings> {
    let streams = Streams::new(1, 0);
    let member = |number: u32| {
        let stream = |what: &str| streams.stream(&format!("station/{number}/{what}"));
        change(MemberSettings {
            txdelay: DELAY,
            slottime: SLOT,
            ..MemberSettings::new(stream("access"), stream("noise"))
        })
    };
    (0..count).map(member).collect()
}

/// Four standard errors of a share p among n.
fn tolerance(p: f64, n: f64) -> f64 {
    4.0 * (p * (1.0 - p) / n).sqrt()
}

/// Throughput of saturated stations at a listener that sends nothing.
struct Saturated {
    frames: Vec<u64>,
    good: Vec<u64>,
    tally: Tally,
    seconds: f64,
}

impl Saturated {
    fn run(persistence: f64, stations: u32, delay: Duration, frames: u64) -> Saturated {
        let change = |member| MemberSettings { persistence, dcd_delay: delay, ..member };
        let listener = stations;
        let all = members(stations + 1, change);
        let mut channel = Channel::new(ChannelSettings::new(BIT_RATE), all, Hearing::all(stations + 1));
        (0..stations).for_each(|member| channel.request(Time::ZERO, member));
        let (mut sent, mut good) = (vec![0; stations as usize], vec![0; stations as usize]);
        loop {
            let now = channel.next_event();
            match channel.handle(now).expect("nothing is internal to a channel without recovery times") {
                ChannelEvent::Load { member } => {
                    channel.load(now, member, [AirFrame { tag: 0, octets: OCTETS, translated: 0 }])
                }
                ChannelEvent::Ended { member, .. } => {
                    sent[member as usize] += 1;
                    good[member as usize] += u64::from(channel.receive(listener) == Received::Good);
                }
                ChannelEvent::Unkeyed { member } if channel.tally(now).frames < frames => channel.request(now, member),
                ChannelEvent::Unkeyed { .. } if channel.next_event() == Time::NEVER => {
                    return Saturated { frames: sent, good, tally: channel.tally(now), seconds: now.seconds() };
                }
                _ => {}
            }
        }
    }

    fn throughput(&self) -> f64 {
        self.tally.good as f64 * (DELAY + frame_time()).seconds() / self.seconds
    }
}

/// Carriers without collision per second, when each lasts `carrier` seconds and others detect it `k` slots later.
fn expected_rate(p: f64, n: i32, k: i32, slot: f64, carrier: f64) -> f64 {
    let some = 1.0 - (1.0 - p).powi(n);
    let alone = f64::from(n) * p * (1.0 - p).powi((k + 1) * (n - 1)) / some;
    let last_by = |j| {
        let by_then_or_never = 1.0 - (1.0 - p).powi(j + 1) + (1.0 - p).powi(k + 1);
        (by_then_or_never.powi(n) - (by_then_or_never - p).powi(n)) / some
    };
    let last_after_first: f64 = (0..k).map(|j| 1.0 - last_by(j)).sum();
    alone / (slot * (1.0 - some) / some + carrier + slot * last_after_first)
}

#[test]
fn a_single_station_waits_slottime_times_one_minus_p_over_p() {
    for persistence in [0.05, 0.25, 0.63] {
        let all = members(1, |member| MemberSettings { persistence, txdelay: Duration::ZERO, ..member });
        let mut channel = Channel::new(ChannelSettings::new(BIT_RATE), all, Hearing::all(1));
        let (mut now, accesses) = (Time::ZERO, 40_000);
        for _ in 0..accesses {
            channel.request(now, 0);
            now = channel.next_event();
            assert_eq!(channel.handle(now), Some(ChannelEvent::Load { member: 0 }));
            channel.load(now, 0, []);
        }
        let expected = SLOT.seconds() * (1.0 - persistence) / persistence;
        let deviation = SLOT.seconds() * (1.0 - persistence).sqrt() / persistence;
        let mean = now.seconds() / f64::from(accesses);
        assert!(
            (mean - expected).abs() < 4.0 * deviation / f64::from(accesses).sqrt(),
            "{persistence}: {mean} {expected}"
        );
    }
}

fn compare_with_closed_form(stations: u32, persistence: f64, k: i32) {
    let delay = SLOT.times(k as u64);
    let found = Saturated::run(persistence, stations, delay, 60_000).throughput();
    let carrier = (DELAY + frame_time()).seconds();
    let expected = carrier * expected_rate(persistence, stations as i32, k, SLOT.seconds(), carrier);
    // successes of independent cycles; their idle periods add little
    assert!((found - expected).abs() < 0.015 * expected.max(0.1), "{stations} {persistence} {k}: {found} {expected}");
}

#[test]
fn saturated_stations_get_the_throughput_of_slotted_csma() {
    for (stations, persistence) in
        [(2, 0.25), (2, 0.7), (10, 0.02), (10, 0.1), (10, 0.25), (50, 0.02), (50, 64.0 / 256.0)]
    {
        compare_with_closed_form(stations, persistence, 0);
    }
}

#[test]
fn carriers_detected_slots_later_collide_as_in_the_closed_form() {
    for (stations, persistence, k) in
        [(2, 0.25, 1), (2, 0.7, 1), (10, 0.02, 1), (10, 0.1, 1), (50, 0.01, 1), (2, 0.25, 3), (10, 0.05, 3)]
    {
        compare_with_closed_form(stations, persistence, k);
    }
}

#[test]
fn the_table_of_throughputs_matches_the_closed_form() {
    let table = include_str!("../../../../../reference/slotted-csma/throughput.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let numbers = rows.iter().filter(|row| row[0] == "tnc+channel");
    let carrier = 0.12 + mean_time(1, 272, 9600).seconds();
    for row in numbers.clone() {
        let [stations, slot, persistence, value] = [1, 2, 3, 6].map(|column| row[column].parse::<f64>().unwrap());
        let k = (0.02 / slot) as i32;
        let expected = 8.0 * 256.0 * expected_rate(persistence, stations as i32, k, slot, carrier);
        assert!((value - expected).abs() <= 1e-5 * expected, "{row:?}: {expected}");
    }
    assert_eq!(numbers.count(), 30);
}

#[test]
fn saturated_stations_get_equal_shares() {
    let run = Saturated::run(0.05, 10, Duration::ZERO, 60_000);
    let total: u64 = run.good.iter().sum();
    for &good in &run.good {
        let share = good as f64 / total as f64;
        assert!((share - 0.1).abs() < tolerance(0.1, total as f64), "{:?}", run.good);
    }
}

#[test]
fn every_frame_loaded_ends_once_and_is_counted_once() {
    let run = Saturated::run(0.1, 10, SLOT, 20_000);
    assert_eq!(run.frames.iter().sum::<u64>(), run.tally.frames);
    assert_eq!(run.tally.frames, run.tally.key_ups);
    assert_eq!(run.tally.good + run.tally.collided, run.tally.frames);
    assert_eq!(run.tally.overlapped, run.tally.collided);
    assert_eq!(run.tally.octets, run.tally.frames * u64::from(OCTETS));
    assert_eq!(run.good.iter().sum::<u64>(), run.tally.good);
}

/// Share of the frames of a station that a third receives, which hears it and another station. Both have Poisson arrivals
/// of `rate` each; arrivals during a transmission are dropped.
fn poisson(hearing: Hearing, rate: f64, frames: u64) -> f64 {
    let all = members(3, |member| MemberSettings { persistence: 1.0, ..member });
    let mut channel = Channel::new(ChannelSettings::new(BIT_RATE), all, hearing);
    let mean = Duration::from_seconds(1.0 / rate).unwrap();
    let streams = Streams::new(1, 0);
    let mut arrivals: [(Stream, Time); 2] = [0, 1].map(|station| {
        let mut stream = streams.stream(&format!("arrivals/{station}"));
        let first = Time::ZERO + sample::exponential(&mut stream, mean);
        (stream, first)
    });
    let (mut sent, mut good) = (0, 0);
    while sent < frames {
        let now = channel.next_event();
        let station = usize::from(arrivals[1].1 < arrivals[0].1);
        let (stream, arrival) = &mut arrivals[station];
        if *arrival < now {
            if !channel.is_busy(*arrival, station as u32) {
                channel.request(*arrival, station as u32);
            }
            *arrival += sample::exponential(stream, mean);
            continue;
        }
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => {
                channel.load(now, member, [AirFrame { tag: 0, octets: OCTETS, translated: 0 }])
            }
            Some(ChannelEvent::Ended { member: 0, .. }) => {
                sent += 1;
                good += u64::from(channel.receive(2) == Received::Good);
            }
            _ => {}
        }
    }
    good as f64 / sent as f64
}

/// The other station is idle when the frame begins, with probability 1 / (1 + rate x carrier), and stays idle until it ends:
/// a frame is vulnerable from one carrier before it begins until it ends, twice its length except for TXDELAY.
#[test]
fn hidden_stations_collide_as_often_as_a_frame_is_vulnerable() {
    let (frame, carrier) = (frame_time().seconds(), (DELAY + frame_time()).seconds());
    let mut hidden = Hearing::all(3);
    hidden.hide(0, 1);
    hidden.hide(1, 0);
    for load in [0.05, 0.5, 2.0] {
        let rate = load / carrier;
        let expected = libm::exp(-rate * frame) / (1.0 + rate * carrier);
        let found = poisson(hidden.clone(), rate, 60_000);
        assert!((found - expected).abs() < tolerance(expected, 60_000.0), "{load}: {found} {expected}");
        if load < 0.1 {
            assert!((found - (1.0 - rate * (carrier + frame))).abs() < 0.01, "{load}: {found}");
        }
    }
}

#[test]
fn stations_with_immediate_carrier_detection_collide_only_at_the_same_instant() {
    assert_eq!(poisson(Hearing::all(3), 2.0, 20_000), 1.0);
}

#[test]
fn a_frame_is_received_with_the_probability_that_all_its_bits_are_correct() {
    for bit_error_rate in [1e-5, 3e-4] {
        let settings = ChannelSettings { bit_error_rate, ..ChannelSettings::new(BIT_RATE) };
        let mut channel = Channel::new(settings, members(4, |member| member), Hearing::all(4));
        channel.request(Time::ZERO, 0);
        let frames = 30_000;
        loop {
            let now = channel.next_event();
            match channel.handle(now) {
                Some(ChannelEvent::Load { member }) => {
                    channel.load(now, member, [AirFrame { tag: 0, octets: OCTETS, translated: 0 }; 7])
                }
                Some(ChannelEvent::Ended { .. }) => (1..4).for_each(|listener| {
                    channel.receive(listener);
                }),
                Some(ChannelEvent::Unkeyed { .. }) if channel.tally(now).frames >= frames => break,
                Some(ChannelEvent::Unkeyed { member }) => channel.request(now, member),
                _ => {}
            }
        }
        let tally = channel.tally(channel.next_event());
        let receptions = 3 * tally.frames;
        assert_eq!(tally.good + tally.corrupted, receptions);
        let bits = mean_units(1, u64::from(OCTETS)) as f64 / UNITS_PER_BIT as f64;
        let (found, expected) = (tally.good as f64 / receptions as f64, libm::pow(1.0 - bit_error_rate, bits));
        assert!(
            (found - expected).abs() < tolerance(expected, receptions as f64),
            "{bit_error_rate}: {found} {expected}"
        );
    }
}
