//! Packets to a clock of known offset and skew, over paths of known delay.

use super::*;
use sojourn_core::Duration;
use sojourn_core::random::Streams;

const AHEAD_NS: i128 = 1_700_000_000_123_456_789;

/// 2000 packets in 20 s over one-way delays of at least 300 and 100 µs with queueing, to a clock with this skew.
fn packets(skew: f64) -> Vec<Packet> {
    let mut stream = Streams::new(7, 0).stream("queues");
    let mut queue = || -libm::log(stream.unit()) * 200_000.0;
    let far = |ns: f64| (AHEAD_NS + (ns + skew * ns) as i128) as u64;
    let one = |index: u64| {
        let sent = (index * 10_000_000) as f64;
        let forward = sent + 300_000.0 + queue();
        let reverse = forward + 20_000.0;
        let received = reverse + 100_000.0 + queue();
        Packet {
            sent: Time::ZERO + Duration::from_nanos(sent as u64),
            received: Some(Time::ZERO + Duration::from_nanos(received as u64)),
            far_received: Some(far(forward)),
            far_sent: Some(far(reverse)),
            ..Packet::default()
        }
    };
    (0..2000).map(one).collect()
}

#[test]
fn the_offset_is_right_within_its_error_and_the_skew_to_a_part_in_a_million() {
    for skew in [0.0, 40e-6, -120e-6] {
        let found = ClockEstimate::of(&packets(skew)).unwrap();
        assert!((found.skew - skew).abs() < 2e-6, "{} for {skew}", found.skew);
        let wrong_ns = (found.base_ns - AHEAD_NS) as f64 + found.segments[0].offset_ns;
        assert!(wrong_ns.abs() <= found.error_ns(), "{wrong_ns} within {}", found.error_ns());
        assert!((150_000.0..300_000.0).contains(&found.error_ns()), "half of the least round trip and little more");
    }
}

#[test]
fn the_offset_to_the_wall_clock_is_right_within_its_error() {
    let skew = 40e-6;
    let found = ClockEstimate::of(&packets(skew)).unwrap();
    let (at, behind_ns) = (Duration::from_secs(30), 1_500_000);
    let far_ns = AHEAD_NS + (at.seconds() * 1e9 * (1.0 + skew)) as i128;
    let now = Pair { at: Time::ZERO + at, wall_ns: (far_ns - behind_ns) as i64, width: Duration::ZERO };
    // the skew is known to a part in a million, 30 µs after half a minute
    assert!((found.ahead_of_wall_s(now) - 1.5e-3).abs() <= found.error_ns() * 1e-9 + 60e-6);
}

#[test]
fn one_way_delays_add_up_to_the_round_trip_and_lie_within_the_error_of_the_truth() {
    let packets = packets(40e-6);
    let found = ClockEstimate::of(&packets).unwrap();
    for packet in &packets {
        let (forward, reverse) = found.one_way_ns(packet).unwrap();
        let round = packet.response().unwrap().seconds() * 1e9 - 20_000.0;
        assert!((forward + reverse - round).abs() < 100.0);
        assert!(forward >= 300_000.0 - found.error_ns() && reverse >= 100_000.0 - found.error_ns());
    }
}

#[test]
fn a_peer_without_timestamps_has_no_clock_estimate() {
    let mut silent = packets(0.0);
    silent.iter_mut().for_each(|packet| (packet.far_received, packet.far_sent) = (None, None));
    assert_eq!(ClockEstimate::of(&silent), None);
}

/// A path and clocks that change during 30 s of 100 packets/s: delays in each direction and the offset at a time, in
/// nanoseconds, with a jitter of up to 2 ms.
fn changing(of: impl Fn(f64) -> (f64, f64, f64)) -> Vec<Packet> {
    let mut stream = Streams::new(11, 0).stream("jitter");
    let mut jitter = || stream.unit() * 2e6;
    let one = |index: u64| {
        let sent = (index * 10_000_000) as f64;
        let (forward, reverse, offset) = of(sent * 1e-9);
        let there = sent + forward + jitter();
        let back = there + 20_000.0;
        let received = back + reverse + jitter();
        Packet {
            sent: Time::ZERO + Duration::from_nanos(sent as u64),
            received: Some(Time::ZERO + Duration::from_nanos(received as u64)),
            far_received: Some((AHEAD_NS + (there + offset) as i128) as u64),
            far_sent: Some((AHEAD_NS + (back + offset) as i128) as u64),
            ..Packet::default()
        }
    };
    (0..3000).map(one).collect()
}

/// The same clock at both ends of a path of 20 ms in each direction whose jitter is up to ±5 ms from `begin` to `end` of 12 s.
fn calming(seed: u64, begin: f64, end: f64) -> Vec<Packet> {
    let mut stream = Streams::new(seed, 0).stream("calming");
    let one = |index: u64| {
        let sent = (index * 10_000_000) as f64;
        let is_rough = (begin..end).contains(&(sent * 1e-9));
        let mut delay = || 20e6 + if is_rough { (stream.unit() - 0.5) * 10e6 } else { stream.unit() * 1e3 };
        let (forward, reverse) = (delay(), delay());
        let (there, received) = (sent + forward, sent + forward + 20_000.0 + reverse);
        Packet {
            sent: Time::ZERO + Duration::from_nanos(sent as u64),
            received: Some(Time::ZERO + Duration::from_nanos(received as u64)),
            far_received: Some((AHEAD_NS + there as i128) as u64),
            far_sent: Some((AHEAD_NS + (there + 20_000.0) as i128) as u64),
            ..Packet::default()
        }
    };
    (0..1200).map(one).collect()
}

#[test]
fn jitter_that_calms_or_begins_moves_no_clock() {
    for seed in 1..=4 {
        for (begin, end) in [(0.0, 4.0), (0.0, 8.0), (8.0, 12.0), (5.0, 7.0)] {
            let found = ClockEstimate::of(&calming(seed, begin, end)).unwrap();
            assert_eq!(found.clock_steps, [], "seed {seed}, jitter from {begin} to {end} s");
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn a_change_of_one_direction_is_no_skew_and_no_step_of_a_clock() {
    let step = |at_s: f64| move |t: f64| if t < at_s { (20e6, 20e6, 0.0) } else { (50e6, 20e6, 0.0) };
    for at_s in [6.5, 15.0, 25.0] {
        let packets = changing(step(at_s));
        let found = ClockEstimate::of(&packets).unwrap();
        let Skew { value, interval } = found.skew_interval.unwrap();
        assert!(value.abs() < 20e-6 && interval[0] <= 0.0 && interval[1] >= 0.0, "{value} {interval:?}");
        assert_eq!((&found.clock_steps[..], found.unusable), (&[][..], None));
        let [change] = found.path_changes[..] else { panic!("{:?}", found.path_changes) };
        assert!(change.is_forward && (change.by_ns - 30e6).abs() < 1e6, "{change:?}");
        assert!((change.at.since(Time::ZERO).seconds() - at_s).abs() < 0.6, "{change:?} at {at_s}");
        let delays: Vec<(f64, f64)> = packets.iter().map(|packet| found.one_way_ns(packet).unwrap()).collect();
        let cut = (at_s * 100.0) as usize;
        assert!((mean(delays[cut + 60..].iter().map(|delay| delay.0)) - 51e6).abs() < 1e6);
        assert!((mean(delays.iter().map(|delay| delay.1)) - 21e6).abs() < 1e6);
    }
}

#[test]
fn a_route_that_is_longer_in_both_directions_moves_no_clock() {
    let found = ClockEstimate::of(&changing(|t| if t < 10.0 { (20e6, 20e6, 0.0) } else { (30e6, 30e6, 0.0) })).unwrap();
    assert_eq!((found.clock_steps.len(), found.path_changes.len()), (0, 2), "{found:?}");
    assert!(found.skew.abs() < 20e-6);
}

#[test]
fn a_step_of_a_clock_is_found_with_its_time_and_size_and_delays_are_right_on_both_sides() {
    for by in [500e6, -40e6, 8e6] {
        let packets = changing(|t| (20e6, 20e6, if t < 12.3 { 0.0 } else { by }));
        let found = ClockEstimate::of(&packets).unwrap();
        let [step] = found.clock_steps[..] else { panic!("{by}: {found:?}") };
        assert!((step.at.since(Time::ZERO).seconds() - 12.3).abs() < 0.05, "{step:?}");
        assert!((step.by_ns - by).abs() < 0.5e6, "{step:?}");
        assert_eq!((found.path_changes.len(), found.unusable), (0, None), "{found:?}");
        let delays: Vec<(f64, f64)> = packets.iter().map(|packet| found.one_way_ns(packet).unwrap()).collect();
        assert!(delays.iter().filter(|(forward, _)| (forward - 21e6).abs() > 3e6).count() < 10);
        assert!(found.skew.abs() < 20e-6, "{}", found.skew);
    }
}

#[test]
fn a_step_beside_a_skew_hides_neither() {
    let packets = changing(|t| (20e6, 20e6, 80e-6 * t * 1e9 + if t < 20.0 { 0.0 } else { -15e6 }));
    let found = ClockEstimate::of(&packets).unwrap();
    assert!((found.skew - 80e-6).abs() < 15e-6, "{}", found.skew);
    assert_eq!(found.clock_steps.len(), 1, "{found:?}");
    let [low, high] = found.skew_interval.unwrap().interval;
    assert!((low..=high).contains(&80e-6), "{low} {high}");
}

#[test]
fn a_queue_that_fills_for_a_third_of_the_time_moves_no_clock() {
    let packets = changing(|t| (20e6 + if (10.0..20.0).contains(&t) { 80e6 } else { 0.0 }, 20e6, 0.0));
    let found = ClockEstimate::of(&packets).unwrap();
    assert_eq!((found.clock_steps.len(), found.path_changes.len()), (0, 2), "{found:?}");
    assert!(found.skew.abs() < 20e-6 && found.unusable.is_none());
}

#[test]
fn a_clock_that_runs_beyond_what_a_kernel_slews_yields_no_one_way_delays() {
    let found = ClockEstimate::of(&changing(|t| (20e6, 20e6, 2e-3 * t * 1e9))).unwrap();
    assert!(found.unusable.is_some_and(|why| why.contains("500 ppm")), "{found:?}");
    // steps every half a second, as by a clock that is set again and again
    let restless = ClockEstimate::of(&changing(|t| (20e6, 20e6, 300e6 * (2.0 * t).floor() % 7e8))).unwrap();
    assert!(restless.unusable.is_some(), "{restless:?}");
}

#[test]
fn a_steady_path_has_no_steps_with_any_jitter() {
    for seed in 0..20 {
        let mut stream = Streams::new(seed, 0).stream("steady");
        let mut packets = changing(|_| (20e6, 20e6, 0.0));
        for packet in &mut packets {
            // heavy tails: a queue that fills now and then
            let late = (0.2 / (stream.unit() + 1e-3)).powi(2) * 1e6;
            packet.far_received = packet.far_received.map(|at| at + late as u64);
            packet.far_sent = packet.far_sent.map(|at| at + late as u64);
            packet.received = packet.received.map(|at| at + Duration::from_nanos(late as u64));
        }
        let found = ClockEstimate::of(&packets).unwrap();
        assert_eq!(
            (found.clock_steps.len(), found.path_changes.len(), found.unusable),
            (0, 0, None),
            "{seed}: {found:?}"
        );
    }
}

/// Delays that a saturated host adds: now and then it is busy for up to a second and a half, during which each packet is
/// delayed by some milliseconds, some by much more.
fn busy_host(stream: &mut sojourn_core::Stream, packets: usize) -> Vec<f64> {
    let (mut delays, mut until) = (Vec::with_capacity(packets), 0.0);
    for packet in 0..packets {
        let now_s = packet as f64 * 0.01;
        if now_s > until && stream.unit() < 0.05 {
            until = now_s + (0.01 * (stream.unit() + 1e-4).powf(-0.8)).min(1.5);
        }
        let heavy = 2e6 * (stream.unit() + 1e-4).powf(-0.7);
        delays.push(if now_s < until { heavy } else { stream.unit() * 3e5 });
    }
    delays
}

#[test]
fn a_saturated_host_changes_no_path_and_steps_no_clock() {
    for seed in 0..200 {
        let mut stream = Streams::new(seed, 0).stream("busy");
        let mut packets = changing(|_| (20e6, 20e6, 0.0));
        let [there, back] = [0, 0].map(|_| busy_host(&mut stream, packets.len()));
        for ((packet, there), back) in packets.iter_mut().zip(there).zip(back) {
            packet.far_received = packet.far_received.map(|at| at + there as u64);
            packet.far_sent = packet.far_sent.map(|at| at + there as u64);
            packet.received = packet.received.map(|at| at + Duration::from_nanos((there + back) as u64));
        }
        // of any length
        for packets in [&packets[..], &packets[..600], &packets[..300]] {
            let found = ClockEstimate::of(packets).unwrap();
            assert_eq!((&found.clock_steps[..], &found.path_changes[..]), (&[][..], &[][..]), "{seed}");
        }
    }
}

#[test]
fn a_step_of_one_direction_is_found_on_a_saturated_host() {
    for seed in 0..20 {
        let mut stream = Streams::new(seed, 0).stream("busy");
        let mut packets = changing(|t| (if t < 12.0 { 20e6 } else { 50e6 }, 20e6, 0.0));
        for (packet, there) in packets.iter_mut().zip(busy_host(&mut stream, 3000)) {
            packet.far_received = packet.far_received.map(|at| at + there as u64);
            packet.far_sent = packet.far_sent.map(|at| at + there as u64);
            packet.received = packet.received.map(|at| at + Duration::from_nanos(there as u64));
        }
        let found = ClockEstimate::of(&packets).unwrap();
        let [change] = found.path_changes[..] else { panic!("{seed}: {:?}", found.path_changes) };
        assert!(change.is_forward && (change.by_ns - 30e6).abs() < 2e6, "{change:?}");
        assert!((change.at.since(Time::ZERO).seconds() - 12.0).abs() < 0.6, "{change:?}");
    }
}

#[test]
fn delays_that_drift_during_a_second_are_not_taken_for_a_skew_that_makes_others_negative() {
    // 100 packets in a second, the clocks are one: the forward delay grows from 30 to 630 µs while the return delay falls, as a
    // skew would have it, but one packet in twenty finds no queue
    let one = |index: u64, packet: Packet| {
        let (sent, drift) = (index as f64 * 1e7, index as f64 * 6e3);
        let (forward, reverse) = if index % 20 == 10 { (30e3, 30e3) } else { (30e3 + drift, 630e3 - drift) };
        let at = |ns: f64| Time::ZERO + Duration::from_nanos((sent + ns) as u64);
        let far = Some((AHEAD_NS + (sent + forward) as i128) as u64);
        Packet { sent: at(0.0), received: Some(at(forward + reverse)), far_received: far, far_sent: far, ..packet }
    };
    let packets: Vec<Packet> = (0..100).zip(packets(0.0)).map(|(index, packet)| one(index, packet)).collect();
    let found = ClockEstimate::of(&packets).unwrap();
    assert_eq!(found.unusable, None, "{found:?}");
    let [low, high] = found.skew_interval.unwrap().interval;
    assert!(low < 100e-6 && high < 100e-6, "no packet arrives before it was sent: {low} to {high}");
}

#[test]
fn delays_are_right_around_two_steps_of_a_clock_that_are_near_each_other() {
    for apart_s in [1.2, 1.8, 3.0] {
        let offset = |t: f64| {
            if t < 12.0 {
                0.0
            } else if t < 12.0 + apart_s {
                40e6
            } else {
                -25e6
            }
        };
        let packets = changing(|t| (20e6, 20e6, offset(t)));
        let found = ClockEstimate::of(&packets).unwrap();
        assert_eq!((found.clock_steps.len(), found.unusable), (2, None), "{apart_s}: {found:?}");
        assert!(found.clock_steps.is_sorted_by_key(|step| step.at), "{:?}", found.clock_steps);
        let delays = packets.iter().map(|packet| found.one_way_ns(packet).unwrap().0);
        assert!(delays.filter(|forward| (forward - 21e6).abs() > 3e6).count() < 10, "{apart_s}: {found:?}");
    }
}
