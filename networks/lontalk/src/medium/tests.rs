//! The medium against closed forms: slotted contention of n saturated stations, and the backlog's Markov chain.

use sojourn_core::{Duration, Streams};

use super::*;
use crate::channel::{Channel, CollisionAbort, Standard};

const LENGTH: u16 = 11;
const UNACKNOWLEDGED: Head = Head { length: LENGTH, delta: 0, priority: false };

fn xf78() -> Channel {
    Channel { priority_slots: 0, ..Channel::of(Standard::find("TP/XF-78").unwrap()) }
}

fn medium(channel: Channel, rule: BacklogRule, stations: u32, detection: bool, seed: u64) -> Medium {
    let streams = Streams::new(seed, 0);
    let mut medium = Medium::new(Arc::new(Parameters::new(channel, rule)), streams.stream("noise"));
    for station in 0..stations {
        let stream = streams.stream(&format!("station/{station}/backoff"));
        let settings = PortSettings {
            owner: station,
            priority_slot: 0,
            collision_detection: detection,
            stream,
            skew: Duration::ZERO,
        };
        medium.enter();
        medium.attach(settings);
    }
    medium
}

/// What a run of always-saturated stations yields.
struct Saturated {
    accesses: f64,
    collisions: f64,
    seconds: f64,
    /// Mean slots before the first fires.
    first_slot: f64,
    mean_backlog: f64,
}

impl Saturated {
    fn run(mut medium: Medium, accesses: u32) -> Self {
        let stations = medium.stations() as u32;
        let (beta1, beta2) = (medium.conditions.channel.beta1, medium.conditions.channel.beta2);
        for port in 0..stations {
            medium.offer(Time::ZERO, port, UNACKNOWLEDGED);
        }
        let (mut slots, mut opened, mut now) = (0, Time::ZERO, Time::ZERO);
        for access in 0..accesses {
            let start = medium.next_event();
            if access > 0 {
                slots += (start - (opened + beta1)).whole(beta2);
            }
            medium.start(start);
            now = medium.next_event();
            medium.end(now);
            opened = now;
            let sent: Vec<u32> =
                medium.ended().iter().filter(|t| t.result == TransmitResult::Sent).map(|t| t.port).collect();
            sent.iter().for_each(|&port| medium.offer(now, port, UNACKNOWLEDGED));
        }
        let seconds = (now - Time::ZERO).seconds();
        let counters = medium.counters();
        assert_eq!(counters.correct + counters.collisions, u64::from(accesses));
        Saturated {
            accesses: f64::from(accesses),
            collisions: counters.collisions as f64,
            seconds,
            first_slot: slots as f64 / f64::from(accesses - 1),
            mean_backlog: counters.backlog as f64 / 1e12 / seconds / f64::from(stations),
        }
    }

    fn collision_share(&self) -> f64 {
        self.collisions / self.accesses
    }

    fn correct_per_second(&self) -> f64 {
        (self.accesses - self.collisions) / self.seconds
    }
}

/// Chance that the earliest of n slots, each uniform on w, is held by one station alone.
fn success(n: i32, w: u32) -> f64 {
    let w = f64::from(w);
    f64::from(n) / w * (0..w as u32).map(|k| ((w - 1.0 - f64::from(k)) / w).powi(n - 1)).sum::<f64>()
}

/// Mean of the earliest of n slots, each uniform on w.
fn mean_first_slot(n: i32, w: u32) -> f64 {
    (1..w).map(|k| (f64::from(w - k) / f64::from(w)).powi(n)).sum()
}

/// Four standard errors of a share p among n accesses.
fn tolerance(p: f64, n: f64) -> f64 {
    4.0 * (p * (1.0 - p) / n).sqrt()
}

#[test]
fn the_closed_form_itself_gives_the_tabulated_collision_shares() {
    assert!((1.0 - success(34, 16) - 0.7191).abs() < 5e-5);
    assert!((1.0 - success(5, 64) - 0.0387).abs() < 5e-5);
    assert!((1.0 - success(100, 1008) - 0.0488).abs() < 5e-5);
    assert!((1.0 - success(2, 32) - 1.0 / 32.0).abs() < 1e-12);
}

#[test]
fn a_fixed_window_meets_the_collision_share_the_first_slot_and_the_throughput_of_the_closed_form() {
    let accesses = 30_000;
    for backlog in [1u8, 2, 4, 8, 16, 63] {
        let window = u32::from(backlog) * 16;
        for stations in [2u32, 3, 5, 10, 20, 34, 50, 100] {
            let channel = Channel { backlog_start: backlog, ..xf78() };
            let medium = medium(channel.clone(), BacklogRule::Fixed, stations, false, u64::from(stations));
            let run = Saturated::run(medium, accesses);
            let n = stations as i32;
            let (success, slots) = (success(n, window), mean_first_slot(n, window));
            let error = (run.collision_share() - (1.0 - success)).abs();
            assert!(error <= tolerance(success, run.accesses), "share, W={window} n={n}: {error}");
            // the minimum of n uniform draws has a standard deviation close to its mean, and never above w/sqrt(12)
            let deviation = (slots + 1.0).min(f64::from(window) / 12f64.sqrt());
            let error = (run.first_slot - slots).abs();
            assert!(error <= 4.0 * deviation / run.accesses.sqrt(), "slot, W={window} n={n}: {error}");
            let cycle = Duration::from_micros(1280) + channel.beta1;
            let rate = success / (cycle.seconds() + slots * channel.beta2.seconds());
            let relative = (run.correct_per_second() / rate - 1.0).abs();
            let allowed = tolerance(success, run.accesses) / success + 0.02;
            assert!(relative < allowed, "rate, W={window} n={n}: {relative}");
        }
    }
}

#[test]
fn without_detection_saturated_unacknowledged_stations_stay_at_backlog_one() {
    // n, mean first slot, accesses per second, correct packets per second
    let table = [
        (1, 7.50, 381.4, 381.4),
        (2, 4.84, 411.4, 385.7),
        (3, 3.52, 428.2, 388.9),
        (5, 2.19, 446.4, 379.6),
        (10, 1.01, 464.1, 332.6),
        (20, 0.36, 474.3, 235.4),
        (34, 0.12, 478.2, 134.3),
        (50, 0.04, 479.6, 65.6),
    ];
    for rule in [BacklogRule::PerStation, BacklogRule::Consistent] {
        for (stations, slots, attempts, correct) in table {
            let run = Saturated::run(medium(xf78(), rule, stations, false, 7), 40_000);
            assert!((run.mean_backlog - 1.0).abs() < 1e-9);
            assert!((run.first_slot - slots).abs() < 0.1, "{rule:?} n={stations}: {}", run.first_slot);
            assert!((run.accesses / run.seconds / attempts - 1.0).abs() < 0.01, "{rule:?} n={stations}");
            let rate = run.correct_per_second();
            let allowed = (tolerance(correct / attempts, 40_000.0) * attempts).max(0.01 * correct);
            assert!((rate - correct).abs() < allowed, "{rule:?} n={stations}: {rate}");
        }
    }
}

#[test]
fn with_detection_and_one_common_backlog_the_markov_chain_is_met() {
    // n, collision share, mean first slot, correct packets per second, mean backlog
    let table = [
        (1, 0.0, 7.50, 381.4, 1.00),
        (2, 0.0606, 5.17, 382.7, 1.06),
        (3, 0.0877, 3.89, 386.2, 1.09),
        (5, 0.1387, 2.61, 379.4, 1.16),
        (10, 0.2432, 1.48, 345.8, 1.33),
        (20, 0.3768, 0.87, 290.6, 1.70),
        (34, 0.4609, 0.63, 253.4, 2.27),
        (50, 0.4912, 0.54, 239.9, 2.98),
    ];
    for (stations, share, slots, correct, backlog) in table {
        let run = Saturated::run(medium(xf78(), BacklogRule::Consistent, stations, true, 3), 100_000);
        let seen = (run.collision_share(), run.first_slot, run.correct_per_second(), run.mean_backlog);
        // accesses are correlated through the backlog: allow twice the independent error
        let allowed = 2.0 * tolerance(share, run.accesses) + 1e-4;
        assert!((seen.0 - share).abs() < allowed, "n={stations}: {seen:?}");
        assert!((seen.1 - slots).abs() < 0.06, "n={stations}: {seen:?}");
        assert!((seen.2 / correct - 1.0).abs() < 0.015, "n={stations}: {seen:?}");
        assert!((seen.3 - backlog).abs() < 0.05, "n={stations}: {seen:?}");
    }
}

#[test]
fn with_detection_and_a_backlog_per_station_the_independent_monte_carlo_is_met() {
    // n, collision share, correct packets per second
    for (stations, share, correct) in [(2, 0.060, 382.7), (5, 0.145, 380.0), (10, 0.272, 337.0), (34, 0.681, 152.0)] {
        let run = Saturated::run(medium(xf78(), BacklogRule::PerStation, stations, true, 5), 100_000);
        let seen = (run.collision_share(), run.correct_per_second());
        assert!((seen.0 - share).abs() < 0.012, "n={stations}: {seen:?}");
        assert!((seen.1 / correct - 1.0).abs() < 0.03, "n={stations}: {seen:?}");
    }
}

#[test]
fn listeners_share_one_estimate_and_agree_after_every_packet_without_collisions() {
    let mut medium = medium(xf78(), BacklogRule::PerStation, 1000, false, 1);
    let mut now = Time::ZERO;
    for round in 0..2000u32 {
        let head = Head { delta: [1, 0, 3, 0, 0, 7, 1][round as usize % 7], ..UNACKNOWLEDGED };
        medium.offer(now, round % 11, head);
        medium.start(medium.next_event());
        now = medium.next_event();
        assert_eq!(medium.end(now), Some(0));
        let backlogs: Vec<u8> = (0..1000).map(|port| medium.backlog(port)).collect();
        assert!(backlogs[11..].iter().all(|&b| b == backlogs[11]), "round {round}");
        assert!(medium.listeners.own_count() <= 11, "round {round}");
        now += Duration::from_millis(u64::from(round % 5) * 3);
    }
}

#[test]
fn two_stations_whose_slots_end_within_the_carrier_sense_latency_collide_and_others_do_not() {
    let latency = xf78().carrier_sense_latency;
    for (own_count, overlaps) in [(Duration::ZERO, true), (latency - Duration::from_nanos(1), true), (latency, false)] {
        // both draw slot 0 for some seed: look for it
        let medium = (0..10_000).find_map(|seed| {
            let mut medium = medium(xf78(), BacklogRule::PerStation, 2, false, seed);
            let now = Time::ZERO + Duration::from_secs(1);
            medium.offer(now, 0, UNACKNOWLEDGED);
            if medium.next_event() != now {
                return None;
            }
            medium.start(now);
            medium.offer(now + own_count, 1, UNACKNOWLEDGED);
            (overlaps == (medium.transmissions.len() == 2) && (overlaps || seed > 500)).then_some(medium)
        });
        let mut medium = medium.expect("a seed that draws slot 0 twice");
        let received = medium.end(medium.next_event());
        assert_eq!(received.is_none(), overlaps);
        assert_eq!(medium.counters().collisions, u64::from(overlaps), "one, of two frames");
        assert_eq!(medium.counters().overlapped, 2 * u64::from(overlaps));
    }
}

/// A medium of stations with these priority slots, 0 for none.
fn medium_with_priority(channel: &Channel, slots: &[u8], seed: u64) -> Medium {
    let streams = Streams::new(seed, 0);
    let conditions = Parameters::new(channel.clone(), BacklogRule::PerStation);
    let mut medium = Medium::new(Arc::new(conditions), streams.stream("noise"));
    for (station, &priority_slot) in slots.iter().enumerate() {
        let stream = streams.stream(&format!("{station}"));
        medium.enter();
        medium.attach(PortSettings {
            owner: 0,
            priority_slot,
            collision_detection: false,
            stream,
            skew: Duration::ZERO,
        });
    }
    medium
}

#[test]
fn a_priority_slot_wins_against_all_random_slots_and_a_sender_sits_out_sixteen_slots() {
    let channel = Channel { priority_slots: 2, ..xf78() };
    let mut medium = medium_with_priority(&channel, &[2, 0, 0], 1);
    let end_of_one = |medium: &mut Medium| {
        medium.start(medium.next_event());
        let end = medium.next_event();
        medium.end(end);
        end
    };
    medium.offer(Time::ZERO, 1, UNACKNOWLEDGED);
    let end = end_of_one(&mut medium);
    medium.offer(end, 0, Head { priority: true, ..UNACKNOWLEDGED });
    medium.offer(end, 2, UNACKNOWLEDGED);
    assert_eq!(medium.next_event(), end + channel.beta1 + channel.beta2);
    let end = end_of_one(&mut medium);
    assert_eq!(medium.ended()[0].port, 0);
    // the sender may not use its slot again at once, and waits 2 + 16 slots before its random ones
    medium.offer(end, 0, Head { priority: true, ..UNACKNOWLEDGED });
    medium.withdraw(end, 2);
    assert!(medium.next_event() >= end + channel.beta1 + channel.beta2.times(18));
}

#[test]
fn a_priority_packet_that_overtakes_takes_the_slot_drawn_already_and_a_priority_slot_after_the_next_packet() {
    let channel = Channel { priority_slots: 2, ..xf78() };
    let (mut took_the_slot, mut waited) = (0, 0);
    for seed in 0..40 {
        let mut medium = medium_with_priority(&channel, &[2, 0], seed);
        (0..2).for_each(|port| medium.offer(Time::ZERO, port, UNACKNOWLEDGED));
        let first = medium.next_event();
        medium.offer(Time::ZERO, 0, Head { priority: true, ..UNACKNOWLEDGED });
        assert_eq!(medium.next_event(), first);
        medium.start(first);
        let end = medium.next_event();
        medium.end(end);
        match *medium.ended() {
            [Transmission { port: 0, head, .. }] => {
                assert!(head.priority);
                took_the_slot += 1;
            }
            [_] => {
                assert_eq!(medium.next_event(), end + channel.beta1 + channel.beta2);
                waited += 1;
            }
            _ => {}
        }
    }
    assert!(took_the_slot > 0 && waited > 0, "{took_the_slot} {waited}");
}

#[test]
fn a_station_that_detects_collisions_keeps_the_packet_and_drops_it_after_255() {
    let mut medium = medium(Channel { backlog_cap: 1, ..xf78() }, BacklogRule::PerStation, 60, true, 1);
    (0..60).for_each(|port| medium.offer(Time::ZERO, port, UNACKNOWLEDGED));
    let mut dropped = 0;
    for _ in 0..20_000 {
        medium.start(medium.next_event());
        let now = medium.next_event();
        medium.end(now);
        let ended: Vec<Transmission> = medium.ended().to_vec();
        for t in ended {
            match t.result {
                TransmitResult::Collided => {
                    assert!(medium.ports[t.port as usize].backlog_state == BacklogState::Contending)
                }
                _ => {
                    dropped += u64::from(t.result == TransmitResult::Dropped);
                    medium.offer(now, t.port, UNACKNOWLEDGED);
                }
            }
        }
    }
    assert!(dropped > 0);
    assert_eq!(dropped, medium.counters().dropped);
}

#[test]
fn an_abort_frees_the_channel_sooner() {
    let busy = |abort| {
        let medium = medium(Channel { collision_abort: abort, ..xf78() }, BacklogRule::PerStation, 34, true, 1);
        let run = Saturated::run(medium, 5_000);
        run.seconds
    };
    let (never, preamble, immediate) =
        (busy(CollisionAbort::Never), busy(CollisionAbort::EndOfPreamble), busy(CollisionAbort::Immediate));
    assert!(never > preamble && preamble > immediate, "{never} {preamble} {immediate}");
}

#[test]
fn bit_errors_spoil_the_share_of_packets_their_length_says() {
    let channel = Channel { bit_error_rate: 1e-3, ..xf78() };
    let mut medium = medium(channel, BacklogRule::PerStation, 1, false, 1);
    let mut now = Time::ZERO;
    for _ in 0..20_000 {
        medium.offer(now, 0, UNACKNOWLEDGED);
        medium.start(medium.next_event());
        now = medium.next_event();
        medium.end(now);
    }
    let share = medium.counters().corrupted as f64 / 20_000.0;
    let expected = 1.0 - (1.0f64 - 1e-3).powi(100);
    assert!((share - expected).abs() < tolerance(expected, 20_000.0), "{share} against {expected}");
}
