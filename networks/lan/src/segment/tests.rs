//! Frames on shared wires: by arithmetic, by an independent simulation in slots, and turns against signals.

use std::collections::VecDeque;

use proptest::prelude::*;
use sojourn_core::Machine;
use sojourn_protocols::ethernet_bus::mac::{self, Mac};
use sojourn_protocols::ethernet_bus::plca;

use super::settings::NodeSettings;
use super::*;

const RATE: u64 = 10_000_000;

fn bits(number: u64) -> Duration {
    Duration::from_units(number, RATE)
}

fn at(number: u64) -> Time {
    Time::ZERO + bits(number)
}

/// A wire with nodes at these places in metres; with IDs of PLCA in this order.
fn wire(places: &[f64], plca: Option<&[u8]>, change: impl Fn(&mut plca::Settings)) -> SegmentSettings {
    let node = |number: usize| NodeSettings {
        name: format!("n{number}"),
        station: number as u32,
        port: 2 * number as u32,
        plca: plca.map(|ids| {
            let mut settings = plca::Settings::new(RATE, ids[number], places.len() as u8);
            change(&mut settings);
            settings
        }),
    };
    let along = |metres: &f64| (metres * 5000.0) as u64;
    let between = |one: &f64, other: &f64| Duration::from_picoseconds(along(one).abs_diff(along(other)));
    SegmentSettings {
        name: "wire".to_owned(),
        mac: mac::Settings::new(RATE),
        end_delimiter: u32::from(plca.is_some()),
        header: 18,
        minimum: 46,
        nodes: (0..places.len()).map(node).collect(),
        propagation: places.iter().flat_map(|one| places.iter().map(move |other| between(one, other))).collect(),
        changes: false,
    }
}

/// A frame that is to be sent: when, by which node, to which, with how many octets of its packet.
type Wanted = (Time, u32, u32, u32);

/// Frames that wait for each node's MAC in order, and all that happens until then.
fn drive(
    mut segment: Segment,
    settings: &SegmentSettings,
    wanted: &[Wanted],
    until: Time,
) -> (Vec<(Time, SegmentEvent)>, SegmentTally) {
    let mut queues = vec![VecDeque::new(); settings.nodes.len()];
    let mut free = vec![true; settings.nodes.len()];
    let (mut next, mut found, mut events) = (0, Vec::new(), Vec::new());
    loop {
        let offer = wanted.get(next).map_or(Time::NEVER, |wanted| wanted.0);
        let due = segment.next_time();
        let now = due.min(offer);
        if now > until || now == Time::NEVER {
            break;
        }
        if due <= offer {
            segment.advance(due, &mut events);
        } else {
            let (_, node, to, octets) = wanted[next];
            queues[node as usize].push_back(Offered {
                packet: next as u32,
                bits: settings.bits(octets),
                to,
                queued: offer,
            });
            next += 1;
        }
        let mut new = std::mem::take(&mut events);
        for event in new.drain(..) {
            if let SegmentEvent::Free(node) = event {
                free[node as usize] = true;
            } else {
                found.push((now, event));
            }
        }
        for node in 0..queues.len() {
            if free[node]
                && let Some(frame) = queues[node].pop_front()
            {
                free[node] = false;
                segment.offer(now, node as u32, frame, &mut events);
            }
        }
        for event in std::mem::take(&mut events) {
            found.push((now, event));
        }
    }
    let tally = segment.tally(until);
    (found, tally)
}

fn arrivals(found: &[(Time, SegmentEvent)]) -> Vec<(Time, Passage)> {
    let passage = |(at, event): &(Time, SegmentEvent)| match event {
        SegmentEvent::Arrived(passage) => Some((*at, *passage)),
        _ => None,
    };
    found.iter().filter_map(passage).collect()
}

/// This many frames at once for each node, each to the next one.
fn saturated(nodes: u32, frames: usize, octets: u32) -> Vec<Wanted> {
    (0..frames).flat_map(|_| (0..nodes).map(move |node| (at(1), node, (node + 1) % nodes, octets))).collect()
}

fn streams() -> Streams {
    Streams::new(7, 0)
}

#[test]
fn a_station_alone_sends_a_frame_every_672_or_12304_bits() {
    for (octets, period) in [(46, 672), (1500, 12_304)] {
        let settings = wire(&[0.0, 100.0], None, |_| {});
        let wanted: Vec<Wanted> = (0..1000).map(|_| (at(96), 0, 1, octets)).collect();
        let (found, tally) =
            drive(Segment::new(&settings, &streams()), &settings, &wanted, Time::ZERO + Duration::from_secs(2));
        let times: Vec<Time> = arrivals(&found).iter().map(|(at, _)| *at).collect();
        // 100 m are 5 bit times
        let expected: Vec<Time> = (1..=1000).map(|number| at(number * period + 5)).collect();
        assert_eq!(times, expected);
        assert_eq!((tally.collisions, tally.attempts[1]), (0, 1000));
    }
}

#[test]
fn two_stations_that_start_within_their_distance_collide_and_later_ones_defer() {
    let settings = wire(&[0.0, 200.0], None, |_| {});
    // 200 m are 10 bit times
    for (later, collides) in [(0, 1), (9, 1), (11, 0)] {
        let wanted = [(at(1000), 0, 1, 46), (at(1000 + later), 1, 0, 46)];
        let (found, tally) = drive(Segment::new(&settings, &streams()), &settings, &wanted, at(100_000));
        assert_eq!((tally.collisions, arrivals(&found).len()), (collides, 2), "{later} bit times later");
        if collides == 0 {
            // after the frame of 576 bits, the distance and the gap
            assert_eq!(arrivals(&found)[1].0, at(1000 + 576 + 10 + 96 + 576 + 10));
        }
    }
}

#[test]
fn turns_of_nodes_on_a_silent_wire_are_those_of_the_brief() {
    for (nodes, empty) in [(4usize, 148), (8, 276)] {
        let ids: Vec<u8> = (0..nodes as u8).collect();
        let settings = wire(&vec![0.0; nodes], Some(&ids), |_| {});
        assert!(settings.takes_turns());
        for segment in [Segment::new(&settings, &streams()), Segment::of_signals(&settings, &streams())] {
            let (_, tally) = drive(segment, &settings, &[], at(100_000));
            assert_eq!((tally.cycles.min(), tally.cycles.max()), (Some(bits(empty)), Some(bits(empty))));
        }
    }
}

#[test]
fn a_wire_where_all_have_frames_has_the_full_cycles_of_the_brief() {
    for (nodes, octets, full) in [(4usize, 46, 2_740), (8, 46, 5_460), (8, 1500, 98_516)] {
        let ids: Vec<u8> = (0..nodes as u8).collect();
        let settings = wire(&vec![0.0; nodes], Some(&ids), |_| {});
        for segment in [Segment::new(&settings, &streams()), Segment::of_signals(&settings, &streams())] {
            let (_, tally) = drive(segment, &settings, &saturated(nodes as u32, 60, octets), at(40 * full));
            assert_eq!(tally.cycles.max(), Some(bits(full)), "{nodes} nodes, {octets} octets");
            assert_eq!(tally.collisions, 0);
        }
    }
}

#[test]
fn the_slots_of_backoffs_are_uniform_for_each_attempt() {
    let mut random = streams().stream("backoff");
    let mut counts: Vec<Vec<u32>> = (1..=5).map(|attempt| vec![0; 1 << attempt]).collect();
    for frame in 0..4000u64 {
        let mut mac = Mac::new(mac::Settings::new(RATE));
        let mut now = at(1000 + frame);
        mac.handle(now, mac::Input::Frame(576));
        for counts in &mut counts {
            mac.handle(now, mac::Input::Collision);
            now = mac.next_wakeup().expect("a jam ends");
            mac.wake(now);
            let below = std::iter::from_fn(|| mac.poll_output()).find_map(|output| match output {
                mac::Output::BackOff(below) => Some(below),
                _ => None,
            });
            mac.handle(now, mac::Input::Slots(random.below(below.expect("it backs off"))));
            let then = mac.next_wakeup().expect("a backoff ends");
            let slots = (then - now).saturating_sub(bits(96)).picoseconds().div_ceil(51_200_000);
            counts[slots as usize] += 1;
            (now, _) = (then, mac.wake(then));
        }
    }
    for counts in counts {
        let expected = 4000.0 / counts.len() as f64;
        let chi: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        // five standard deviations above the mean of a chi-square of `freedom` degrees of freedom
        let freedom = (counts.len() - 1) as f64;
        assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{chi} of {freedom}: {counts:?}");
    }
}

/// Frames sent by each of two saturated stations: an independent simulation in bit times for stations at the same place but for one bit
/// time, with a geometry so small that a collision is two starts at the same time.
fn slotted(frames: u64, seed: u64) -> ([u64; 2], u64) {
    let mut random = Streams::new(seed, 0).stream("slots");
    let (mut now, mut ready, mut attempts, mut sent, mut collisions) = (0u64, [0u64; 2], [0u32; 2], [0u64; 2], 0);
    while sent[0] + sent[1] < frames {
        let starts = ready.map(|ready| ready.max(now + 96));
        let first = starts[0].min(starts[1]);
        if starts[0] == starts[1] {
            // both send the preamble and jam
            collisions += 1;
            now = first + 96;
            for station in 0..2 {
                attempts[station] += 1;
                if attempts[station] == 16 {
                    (attempts[station], ready[station]) = (0, now);
                    continue;
                }
                let slots = random.below(1 << attempts[station].min(10));
                ready[station] = now + 512 * u64::from(slots);
            }
        } else {
            let station = usize::from(starts[1] < starts[0]);
            sent[station] += 1;
            now = first + 576;
            (attempts[station], ready[station]) = (0, now);
        }
    }
    (sent, collisions)
}

#[test]
fn two_saturated_stations_are_as_an_independent_simulation_in_slots_has_them() {
    let settings = wire(&[0.0, 0.2], None, |_| {});
    let frames = 20_000;
    let (found, tally) = drive(
        Segment::new(&settings, &streams()),
        &settings,
        &saturated(2, frames, 46),
        Time::ZERO + Duration::from_secs(1),
    );
    let (last, sent) = (arrivals(&found).last().expect("frames arrive").0, arrivals(&found).len() as u64);
    let here = tally.collisions as f64 / sent as f64;
    let runs: Vec<f64> =
        (1..=5).map(|seed| slotted(sent, seed)).map(|(_, collisions)| collisions as f64 / sent as f64).collect();
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    assert!((here / mean - 1.0).abs() < 0.05, "{here} collisions a frame, in slots {runs:?}");
    assert!(last > Time::ZERO + Duration::from_millis(900));
}

#[test]
fn the_wire_is_shared_alike_in_the_long_run_and_not_over_two_thousand_frames() {
    let settings = wire(&[0.0, 10.0, 20.0], None, |_| {});
    let wanted = saturated(3, 60_000, 46);
    let (found, tally) =
        drive(Segment::new(&settings, &streams()), &settings, &wanted, Time::ZERO + Duration::from_secs(10));
    let long = tally.jain().expect("frames arrive");
    let jain = |passages: &[(Time, Passage)]| {
        let mut counts = [0.0f64; 3];
        passages.iter().for_each(|(_, passage)| counts[passage.node as usize] += 1.0);
        counts.iter().sum::<f64>().powi(2) / (3.0 * counts.iter().map(|count| count * count).sum::<f64>())
    };
    let all = arrivals(&found);
    let short = all.chunks(200).map(jain).fold(1.0, f64::min);
    assert!(long > 0.99 && short < 0.9, "{long} and {short}");
    assert!(tally.longest_run > 20, "the capture effect: {}", tally.longest_run);
}

#[test]
fn frames_are_given_up_after_as_many_attempts_as_are_allowed() {
    let places: Vec<f64> = (0..20).map(|number| f64::from(number) * 100.0).collect();
    let settings = wire(&places, None, |_| {});
    let settings = SegmentSettings { mac: mac::Settings { attempt_limit: 4, ..settings.mac }, ..settings };
    let (found, tally) = drive(
        Segment::new(&settings, &streams()),
        &settings,
        &saturated(20, 50, 46),
        Time::ZERO + Duration::from_secs(3),
    );
    let lost = found.iter().filter(|(_, event)| matches!(event, SegmentEvent::Lost { .. })).count() as u64;
    let excessive: u64 = tally.nodes.iter().map(|node| node.excessive).sum();
    assert!(lost > 0 && lost == excessive);
    assert_eq!(lost + arrivals(&found).len() as u64, 1000);
    assert_eq!(tally.attempts[5..], [0; 12]);
}

/// Places and IDs of nodes, frames by gap, sender, hops and octets, and max_bc.
type Drawn = (Vec<f64>, Vec<u8>, Vec<(u64, u8, u8, u16)>, u8);

fn random_wire() -> impl Strategy<Value = Drawn> {
    (2usize..7).prop_flat_map(|nodes| {
        let ids = Just((0..nodes as u8).collect::<Vec<u8>>()).prop_shuffle();
        let places = prop::collection::vec(0.0f64..25.0, nodes).prop_map(|mut places| {
            places.sort_by(f64::total_cmp);
            places
        });
        let frames = prop::collection::vec((0u64..4000, 0..nodes as u8, 1..nodes as u8, 46u16..600), 1..60);
        (places, ids, frames, 0u8..3)
    })
}

/// Frames after each other by these gaps, in nanoseconds so odd that no two things happen at once.
fn spaced(nodes: usize, frames: &[(u64, u8, u8, u16)]) -> Vec<Wanted> {
    let mut now = Time::ZERO + Duration::from_nanos(100_037);
    let wanted = frames.iter().map(|&(gap, node, hops, octets)| {
        now += Duration::from_picoseconds(gap * 61_003 + 7);
        (now, u32::from(node), (u32::from(node) + u32::from(hops)) % nodes as u32, u32::from(octets))
    });
    wanted.collect()
}

proptest! {
    #[test]
    fn turns_are_what_signals_between_machines_come_to((places, ids, frames, max_bc) in random_wire()) {
        let settings = wire(&places, Some(&ids), |plca| plca.max_bc = max_bc);
        let wanted = spaced(places.len(), &frames);
        let until = Time::ZERO + Duration::from_millis(60);
        let (turn_after_turn, turns) = drive(Segment::new(&settings, &streams()), &settings, &wanted, until);
        let (by_signals, signals) = drive(Segment::of_signals(&settings, &streams()), &settings, &wanted, until);
        prop_assert_eq!(arrivals(&turn_after_turn), arrivals(&by_signals));
        prop_assert_eq!(arrivals(&turn_after_turn).len(), wanted.len());
        prop_assert_eq!((signals.collisions, turns.attempts), (0, signals.attempts));
    }
}

/// Its time is that of three million frames: `cargo test -p sojourn-lan --release --lib forty -- --ignored`.
#[test]
#[ignore = "long"]
fn forty_nodes_with_plca_carry_three_million_frames_without_a_collision() {
    let places: Vec<f64> = (0..40).map(|number| f64::from(number) * 0.6).collect();
    let ids: Vec<u8> = (0..40).collect();
    let settings = wire(&places, Some(&ids), |_| {});
    let (mut segment, mut events, mut arrived) = (Segment::new(&settings, &streams()), Vec::new(), 0);
    let mut taken = Vec::new();
    let frame = |node: u32, queued| Offered { packet: node, bits: settings.bits(46), to: (node + 1) % 40, queued };
    (0..40).for_each(|node| segment.offer(at(1), node, frame(node, at(1)), &mut events));
    while arrived < 3_000_000 {
        let now = segment.advance(Time::NEVER, &mut events).expect("nodes always have frames");
        std::mem::swap(&mut taken, &mut events);
        for event in taken.drain(..) {
            match event {
                SegmentEvent::Free(node) => segment.offer(now, node, frame(node, now), &mut events),
                SegmentEvent::Arrived(_) => arrived += 1,
                SegmentEvent::Lost { .. } => panic!("no frame is lost"),
            }
        }
    }
    assert_eq!(segment.tally(at(1)).collisions, 0);
}

#[test]
#[ignore = "long"]
fn the_wire_is_shared_alike_over_a_hundred_seconds() {
    let settings = wire(&[0.0, 10.0, 20.0], None, |_| {});
    let (_, tally) = drive(
        Segment::new(&settings, &streams()),
        &settings,
        &saturated(3, 600_000, 46),
        Time::ZERO + Duration::from_secs(100),
    );
    assert!(tally.jain().expect("frames arrive") > 0.99);
}

/// Each frame's wait for the wire, at most two cycles in which all others send all they may.
fn waits_within_two_cycles(
    places: &[f64],
    ids: &[u8],
    frames: &[(u64, u8, u8, u16)],
    max_bc: u8,
) -> Result<(), TestCaseError> {
    let settings = wire(places, Some(ids), |plca| plca.max_bc = max_bc);
    let wanted = spaced(places.len(), frames);
    let (found, _) =
        drive(Segment::new(&settings, &streams()), &settings, &wanted, Time::ZERO + Duration::from_millis(500));
    let longest = |node: usize| wanted.iter().filter(|wanted| wanted.1 as usize == node).map(|wanted| wanted.3).max();
    let longest: Vec<Option<u32>> = (0..places.len()).map(longest).collect();
    let bound = crate::bounds::turns::longest_cycle(&settings, &longest).times(2);
    for (_, passage) in arrivals(&found) {
        let wait = passage.access + passage.collided;
        prop_assert!(wait <= bound, "{} above {}", wait, bound);
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_frame_waits_longer_for_the_wire_than_its_bound((places, ids, frames, max_bc) in random_wire()) {
        waits_within_two_cycles(&places, &ids, &frames, max_bc)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]
    #[test]
    #[ignore = "long"]
    fn no_frame_of_a_hundred_thousand_wires_waits_longer_than_its_bound((places, ids, frames, max_bc) in random_wire()) {
        waits_within_two_cycles(&places, &ids, &frames, max_bc)?;
    }
}
