//! The ring against its closed forms and its acceptance list: Jain (SIGCOMM '90; Digital Technical Journal 3(3), 1991),
//! Sevcik and Johnson (IEEE TSE 13(3), 1987), X3.139.

use proptest::prelude::*;
use sojourn_core::{Duration, Streams, Time};
use sojourn_fddi::ring::*;
use sojourn_protocols::fddi::{TOKEN_TIME, wire_time};

const LONGEST: u32 = 4495;
const VOICE: u32 = 77;

/// Jain's four rings: MACs and metres of fibre.
const RINGS: [(&str, u32, f64); 4] = [
    ("16 stations on 20 km", 16, 20_000.0),
    ("typical, 20 stations on 4 km", 20, 4_000.0),
    ("big, 100 stations on 200 km", 100, 200_000.0),
    ("largest, 1000 MACs on 200 km", 1000, 200_000.0),
];

fn ring(macs: u32, metres: f64, ttrt: Duration) -> RingSettings {
    RingSettings::uniform(macs, metres, &MacSettings { requested_ttrt: ttrt, ..MacSettings::new(1) })
}

fn frame(tag: u32, length: u32) -> Outgoing {
    Outgoing { tag, length }
}

/// Handles all events before `end`; the frames that began.
fn run_before(ring: &mut Ring, end: Time) -> Vec<Carried> {
    let mut carried = Vec::new();
    while ring.next_event() < end {
        carried.extend(ring.handle(ring.next_event()));
    }
    carried
}

fn at(span: Duration) -> Time {
    Time::ZERO + span
}

/// Keeps a frame of every MAC waiting from `start` on until `end`, and returns each frame.
fn saturate(ring: &mut Ring, macs: u32, length: u32, start: Time, end: Time, mut each: impl FnMut(&Carried)) {
    run_before(ring, start);
    for mac in 0..macs {
        for _ in 0..2 {
            ring.offer(start, mac, Class::Asynchronous(0), frame(mac, length)).unwrap();
        }
    }
    while ring.next_event() < end {
        let now = ring.next_event();
        if let Some(carried) = ring.handle(now) {
            each(&carried);
            ring.offer(now, carried.mac, Class::Asynchronous(0), frame(carried.mac, length)).unwrap();
        }
    }
}

#[test]
fn a_token_takes_880_ns_and_the_shortest_frame_2240() {
    assert_eq!(TOKEN_TIME, Duration::from_nanos(880));
    // between frames of two neighbours lie the first one's frame, the token and the propagation time between them
    let settings = ring(2, 1_000.0, Duration::from_millis(8));
    let hop = settings.macs[0].hop + settings.macs[1].latency;
    let mut ring = Ring::new(settings);
    let start = at(Duration::from_millis(1));
    run_before(&mut ring, start);
    ring.offer(start, 0, Class::Asynchronous(0), frame(0, 17)).unwrap();
    ring.offer(start, 1, Class::Asynchronous(0), frame(1, 17)).unwrap();
    let mut carried = run_before(&mut ring, at(Duration::from_millis(2)));
    carried.sort_by_key(|carried| carried.mac);
    assert_eq!(carried[0].end - carried[0].start, Duration::from_nanos(2240));
    assert_eq!(carried[1].start - carried[0].end, TOKEN_TIME + hop);
}

/// Share of the time the ring carries frames once all MACs are backlogged, over whole cycles of service.
fn efficiency(macs: u32, metres: f64, ttrt: Duration, length: u32) -> (f64, f64) {
    let settings = ring(macs, metres, ttrt);
    let round = settings.latency().seconds();
    let mut ring = Ring::new(settings);
    let cycle = f64::from(macs) * ttrt.seconds() + round;
    let start = at(Duration::from_millis(100));
    let end = start + Duration::from_seconds((4.0 * cycle).min(40.0)).unwrap();
    let mut busy = Duration::ZERO;
    saturate(&mut ring, macs, length, start, end, |carried| busy += carried.end - carried.start);
    let formula = f64::from(macs) * (ttrt.seconds() - round) / (f64::from(macs) * ttrt.seconds() + round);
    (busy.seconds() / (end - start).seconds(), formula)
}

#[test]
fn the_efficiency_of_four_saturated_rings_is_within_a_percent_of_the_formula_at_4_8_and_20_ms() {
    for (name, macs, metres) in RINGS {
        for ttrt in [4, 8, 20] {
            // the formula has no token time: the longest frames leave few holds, and so few tokens, in a cycle
            let (simulated, formula) = efficiency(macs, metres, Duration::from_millis(ttrt), LONGEST);
            let error = (simulated / formula - 1.0).abs();
            assert!(error < 0.01, "{name} at {ttrt} ms: {simulated:.4} and not {formula:.4}");
        }
    }
}

#[test]
fn a_saturated_station_alone_on_the_ring_reaches_t_minus_d_over_t_plus_d() {
    // short frames: there is a hold in each second round, and the last frame overruns its timer
    let (simulated, formula) = efficiency(1, 50_000.0, Duration::from_millis(8), 100);
    let settings = ring(1, 50_000.0, Duration::from_millis(8));
    let (ttrt, round) = (0.008, settings.latency().seconds());
    assert!((formula - (ttrt - round) / (ttrt + round)).abs() < 1e-12);
    assert!((simulated / formula - 1.0).abs() < 0.01, "{simulated:.4} and not {formula:.4}");
}

/// Floods an idle ring of all its stations at once and gives the first holder's access delay: from the end of its hold
/// to the start of the next one.
fn access_delay(settings: RingSettings, length: u32, longest: Duration) -> Duration {
    let macs = settings.macs.len() as u32;
    let mut ring = Ring::new(settings);
    let start = at(Duration::from_millis(100));
    let (mut first, mut held_until, mut others, mut delay) = (None, start, false, None);
    saturate(&mut ring, macs, length, start, start + longest, |carried| {
        if *first.get_or_insert(carried.mac) != carried.mac {
            others = true;
        } else if !others {
            held_until = carried.end;
        } else if delay.is_none() {
            delay = Some(carried.start - held_until);
        }
    });
    delay.expect("a station is served again")
}

#[test]
fn the_access_delay_of_a_ring_that_all_stations_flood_at_once_is_within_a_frame_and_a_round_of_the_formula() {
    // the shortest frames: each hold overruns its timer by up to a frame, and the formula knows of no overrun. On the
    // largest ring at 4 ms overruns and tokens of 1000 holds come to what a hold has, so it has no such cycle.
    const SHORTEST: u32 = 17;
    for (name, macs, metres) in RINGS {
        for ttrt in [4, 8, 20].into_iter().filter(|&ttrt| macs < 1000 || ttrt > 4).map(Duration::from_millis) {
            let settings = ring(macs, metres, ttrt);
            let round = settings.latency();
            // every active station issues a token of its own
            let round_with_tokens = round + TOKEN_TIME.times(u64::from(macs));
            let formula = ttrt.times(u64::from(macs) - 1) + round_with_tokens.times(2);
            let delay = access_delay(settings, SHORTEST, formula + ttrt.times(4));
            let difference = delay.max(formula) - delay.min(formula);
            let slack = wire_time(SHORTEST as usize) + round;
            assert!(difference <= slack, "{name} at {ttrt}: {delay} and not {formula}");
        }
    }
}

#[test]
fn two_stations_that_claim_8_and_12_ms_agree_on_8() {
    let mut settings = ring(2, 100.0, Duration::from_millis(12));
    settings.macs[1].requested_ttrt = Duration::from_millis(8);
    assert_eq!(Ring::new(settings).ttrt(), Duration::from_millis(8));
}

#[test]
fn the_winner_of_a_claim_issues_the_token_and_of_equal_bids_the_higher_address_wins() {
    // the token comes first to the MAC behind the winner
    let first = |bids: [u64; 3]| {
        let mut settings = RingSettings { initial_rotations: false, ..ring(3, 100.0, Duration::from_millis(8)) };
        for (mac, bid) in settings.macs.iter_mut().zip(bids) {
            mac.requested_ttrt = Duration::from_millis(bid);
        }
        let mut ring = Ring::new(settings);
        (0..3).for_each(|mac| ring.offer(Time::ZERO, mac, Class::Asynchronous(0), frame(mac, VOICE)).unwrap());
        run_before(&mut ring, at(Duration::from_millis(1)))[0].mac
    };
    assert_eq!(first([8, 12, 12]), 1);
    assert_eq!(first([12, 8, 12]), 2);
    // as sent, the last octets 01, 02 and 03 are 80, 40 and c0
    assert_eq!(first([8, 8, 8]), 0);
    assert_eq!(first([8, 8, 12]), 1);
}

#[test]
fn after_a_lost_token_trt_runs_out_twice_a_claim_follows_and_traffic_resumes() {
    let mut settings = ring(3, 100.0, Duration::from_millis(8));
    settings.valid_transmission_timer = Duration::from_secs(1);
    let mut ring = Ring::new(settings);
    let lost = at(Duration::from_millis(100));
    run_before(&mut ring, lost);
    assert!(ring.lose_token(lost));
    ring.offer(lost, 1, Class::Asynchronous(0), frame(9, VOICE)).unwrap();
    let timer = |ring: &mut Ring, ms| ring.rotation_timer(0, lost + Duration::from_millis(ms));
    assert!(!timer(&mut ring, 7).1 && timer(&mut ring, 9).1, "Late_Ct is set after 8 ms");
    let recovery = ring.next_event() - lost;
    let round = ring.latency();
    assert!(recovery <= Duration::from_millis(16) && recovery + round > Duration::from_millis(16), "{recovery}");
    let carried = run_before(&mut ring, lost + Duration::from_millis(20));
    assert_eq!((carried.len(), carried[0].tag, ring.tally().claims), (1, 9, 2));
    assert!(!ring.rotation_timer(0, lost + Duration::from_millis(20)).1);
}

#[test]
fn a_lost_token_is_missed_when_no_valid_transmission_was_heard_for_2500_microseconds() {
    let mut ring = Ring::new(ring(3, 100.0, Duration::from_millis(8)));
    let lost = at(Duration::from_millis(100));
    run_before(&mut ring, lost);
    ring.lose_token(lost);
    let recovery = ring.next_event() - lost;
    let timer = Duration::from_micros(2500);
    assert!(recovery <= timer && recovery + ring.latency() > timer, "{recovery}");
    run_before(&mut ring, lost + Duration::from_millis(5));
    assert_eq!(ring.tally().tokens_lost, 1);
    assert_eq!(ring.next_event(), Time::NEVER, "the ring is idle again");
}

#[test]
fn a_station_that_never_lets_go_of_the_token_makes_the_others_claim_and_its_frame_is_cut_off() {
    let mut settings = ring(3, 100.0, Duration::from_millis(4));
    settings.macs[0].enforce_allocation = false;
    let mut ring = Ring::new(settings);
    let start = at(Duration::from_millis(10));
    run_before(&mut ring, start);
    (0..30).for_each(|tag| ring.offer(start, 0, Class::Synchronous, frame(tag, LONGEST)).unwrap());
    let carried = run_before(&mut ring, start + Duration::from_millis(30));
    let aborted: Vec<_> = carried.iter().filter(|carried| carried.outcome == Outcome::Aborted).collect();
    assert_eq!((carried.len(), aborted.len(), ring.tally().claims), (30, 1, 2));
    assert!(aborted[0].end - start < Duration::from_millis(8) + ring.latency());
    assert!(aborted[0].end - aborted[0].start < wire_time(LONGEST as usize));
}

#[test]
fn single_and_multiple_packets_per_token_send_that_many_frames_of_each_class() {
    let counts = |synchronous, asynchronous| {
        let mut settings = ring(3, 100.0, Duration::from_millis(8));
        let own = MacSettings {
            synchronous_allocation: Duration::from_millis(5),
            synchronous,
            asynchronous,
            ..settings.macs[1].clone()
        };
        settings.macs[1] = own;
        let mut ring = Ring::new(settings);
        let start = at(Duration::from_millis(1));
        run_before(&mut ring, start);
        for tag in 0..30 {
            ring.offer(start, 1, Class::Synchronous, frame(tag, 1000)).unwrap();
            ring.offer(start, 1, Class::Asynchronous(3), frame(tag, 1000)).unwrap();
        }
        let end = start + Duration::from_millis(100);
        assert_eq!(run_before(&mut ring, end).len(), 60);
        let tally = ring.mac_tally(1, end);
        (tally.most_synchronous_per_token, tally.most_asynchronous_per_token, tally.tokens_captured)
    };
    let (single, fifteen) = (Discipline::SinglePacketPerToken, Discipline::MultiplePacketsPerToken(15));
    assert_eq!(counts(single, single), (1, 1, 30));
    assert_eq!(counts(fifteen, single), (15, 1, 30));
    assert_eq!(counts(fifteen, fifteen), (15, 15, 2));
    assert_eq!(counts(Discipline::UNLIMITED, Discipline::UNLIMITED).2, 1);
}

#[test]
fn a_late_token_serves_synchronous_frames_and_no_asynchronous_ones() {
    let mut settings = ring(3, 100.0, Duration::from_millis(4));
    settings.macs[0].synchronous_allocation = Duration::from_micros(500);
    settings.macs[2].enforce_allocation = false;
    let mut ring = Ring::new(settings);
    let start = at(Duration::from_millis(10));
    run_before(&mut ring, start);
    // MAC 2 holds the token for 5 ms, so that it comes late to MAC 0
    (0..14).for_each(|tag| ring.offer(start, 2, Class::Synchronous, frame(tag, LONGEST)).unwrap());
    let held = start + Duration::from_millis(1);
    let mut carried = run_before(&mut ring, held);
    ring.offer(held, 0, Class::Synchronous, frame(100, VOICE)).unwrap();
    ring.offer(held, 0, Class::Asynchronous(7), frame(101, VOICE)).unwrap();
    carried.extend(run_before(&mut ring, held + Duration::from_millis(20)));
    let order: Vec<_> = carried.iter().skip(14).map(|carried| (carried.tag, carried.class)).collect();
    assert_eq!(order, [(100, Class::Synchronous), (101, Class::Asynchronous(7))]);
    let between = carried[15].start - carried[14].end;
    assert!(between > ring.latency(), "the asynchronous frame waits for the next token: {between}");
    assert_eq!(ring.mac_tally(0, held + Duration::from_millis(20)).late_tokens, 1);
}

#[test]
fn no_mac_sends_in_the_first_rotation_after_a_claim_and_only_synchronous_frames_go_in_the_second() {
    let rotations = |initial_rotations| {
        let mut settings = RingSettings { initial_rotations, ..ring(3, 10_000.0, Duration::from_millis(8)) };
        settings.macs[0].synchronous_allocation = Duration::from_micros(100);
        let round = settings.latency();
        let mut ring = Ring::new(settings);
        ring.offer(Time::ZERO, 0, Class::Synchronous, frame(0, VOICE)).unwrap();
        ring.offer(Time::ZERO, 0, Class::Asynchronous(0), frame(1, VOICE)).unwrap();
        let claimed = ring.next_event();
        let carried = run_before(&mut ring, at(Duration::from_millis(2)));
        [0, 1].map(|frame| (carried[frame].start - claimed).whole(round))
    };
    assert_eq!(rotations(true), [1, 2]);
    assert_eq!(rotations(false), [0, 0]);
}

#[test]
fn higher_priorities_go_first_and_a_threshold_keeps_a_priority_for_tokens_that_are_early_enough() {
    let mut settings = ring(2, 100.0, Duration::from_millis(8));
    settings.macs[0].thresholds[2] = Duration::from_millis(6);
    let mut ring = Ring::new(settings);
    let start = at(Duration::from_millis(10));
    run_before(&mut ring, start);
    for (tag, priority) in [(0, 0), (1, 2), (2, 7)] {
        for _ in 0..8 {
            ring.offer(start, 0, Class::Asynchronous(priority), frame(tag, LONGEST)).unwrap();
        }
    }
    let carried = run_before(&mut ring, start + Duration::from_millis(60));
    let order: Vec<_> = carried.iter().map(|carried| carried.tag).collect();
    // 8 frames of 0.36 ms use up the 2 ms beyond the threshold: priority 2 must wait for the next early token
    assert_eq!(order[..8], [2; 8]);
    assert_eq!(order[8..16], [0; 8]);
    assert_eq!(order[16..], [1; 8]);
}

#[test]
fn a_lost_frame_and_a_spoilt_one_take_their_time_and_only_the_next_one_is_hit() {
    let mut ring = Ring::new(ring(2, 100.0, Duration::from_millis(8)));
    let start = at(Duration::from_millis(1));
    run_before(&mut ring, start);
    (0..3).for_each(|tag| ring.offer(start, 0, Class::Asynchronous(0), frame(tag, VOICE)).unwrap());
    ring.lose_next_frame();
    let soon = ring.next_event() + Duration::from_picoseconds(1);
    let first = run_before(&mut ring, soon);
    ring.corrupt_next_frame();
    let others = run_before(&mut ring, at(Duration::from_millis(2)));
    let outcomes: Vec<_> = first.iter().chain(&others).map(|carried| carried.outcome).collect();
    assert_eq!(outcomes, [Outcome::Lost, Outcome::Corrupted, Outcome::Sent]);
    assert_eq!((ring.tally().damaged, ring.tally().busy), (2, wire_time(VOICE as usize).times(3)));
}

#[test]
fn a_frame_reaches_the_stations_in_ring_order_by_fibre_and_latency() {
    let settings = ring(3, 3_000.0, Duration::from_millis(8));
    let (hop, latency) = (settings.macs[0].hop, settings.macs[0].latency);
    let mut ring = Ring::new(settings);
    ring.offer(Time::ZERO, 1, Class::Asynchronous(0), frame(0, VOICE)).unwrap();
    let carried = run_before(&mut ring, at(Duration::from_millis(1)))[0];
    assert_eq!(ring.arrival(&carried, 2) - carried.end, hop);
    assert_eq!(ring.arrival(&carried, 0) - carried.end, hop + latency + hop);
    assert_eq!(ring.arrival(&carried, 1) - carried.end, hop.times(3) + latency.times(2));
}

#[test]
fn a_frame_on_an_idle_ring_waits_half_a_round_on_average() {
    let settings = ring(20, 4_000.0, Duration::from_millis(8));
    let round = settings.latency();
    let mut ring = Ring::new(settings);
    let mut stream = Streams::new(1, 0).stream("test");
    let (mut now, mut waited) = (at(Duration::from_millis(1)), Duration::ZERO);
    const FRAMES: u64 = 20_000;
    for _ in 0..FRAMES {
        now += Duration::from_picoseconds((1e9 * (0.1 + stream.unit())) as u64);
        run_before(&mut ring, now);
        ring.offer(now, stream.below(20), Class::Asynchronous(0), frame(0, VOICE)).unwrap();
        let carried = run_before(&mut ring, now + round.times(2));
        waited += carried[0].start - now;
    }
    let mean = waited.seconds() / FRAMES as f64;
    let expected = round.seconds() / 2.0 + 1e-6; // and the station's own latency
    assert!((mean / expected - 1.0).abs() < 0.02, "{mean} and not {expected}");
}

#[test]
fn an_idle_ring_of_1000_stations_has_no_event_however_long_it_idles() {
    let mut ring = Ring::new(ring(1000, 200_000.0, Duration::from_millis(8)));
    ring.observe(500);
    let day = at(Duration::from_secs(24 * 3600));
    let mut events = 0;
    while ring.next_event() < day {
        ring.handle(ring.next_event());
        events += 1;
    }
    assert_eq!(events, 1, "the claim alone");
    ring.settle(day);
    let rotations = ring.rotations(500).unwrap();
    let rounds = (day - Time::ZERO).whole(ring.latency());
    assert!((rounds - 2..rounds).contains(&rotations.count()), "the claim and the first token take one");
    assert_eq!((rotations.min(), rotations.max()), (Some(ring.latency()), Some(ring.latency())));
}

#[test]
fn each_violation_of_the_rules_of_a_ring_is_named_with_its_measure() {
    let good = ring(3, 100.0, Duration::from_millis(8));
    assert_eq!(problems(&good), []);
    let change = |change: &dyn Fn(&mut RingSettings)| {
        let mut settings = good.clone();
        change(&mut settings);
        let found = problems(&settings);
        assert_eq!(found.len(), 1, "{found:?}");
        (found[0].to_string(), found[0].mac())
    };
    let ttrt = |ms| change(&|ring| ring.macs[1].requested_ttrt = Duration::from_millis(ms));
    assert_eq!(ttrt(3), ("a target token rotation time of 3 ms is outside 4 ms to 165 ms".into(), Some(1)));
    assert_eq!(ttrt(166).1, Some(1));
    let allocations = change(&|ring| {
        ring.macs.iter_mut().for_each(|mac| mac.synchronous_allocation = Duration::from_millis(3));
    });
    // 9 + 1.617 + 0.361 + 0.00088 - 8
    assert!(
        allocations.0.contains("are 2.97888 ms more than the target token rotation time of 8 ms"),
        "{allocations:?}"
    );
    let macs = change(&|ring| *ring = self::ring(1001, 100.0, Duration::from_millis(8)));
    assert_eq!(macs.0, "1001 MACs are more than the 1000 of a ring");
    let fibre = change(&|ring| *ring = self::ring(3, 200_001.0, Duration::from_millis(8)));
    assert!(fibre.0.contains("more than 1.017 ms, the delay of 200 km"), "{fibre:?}");
    let latency = change(&|ring| ring.macs[2].latency = Duration::ZERO);
    assert_eq!(latency.1, Some(2));
    let threshold = change(&|ring| ring.macs[0].thresholds[4] = Duration::from_millis(8));
    assert!(threshold.0.starts_with("priority 4 needs a token 8 ms early"), "{threshold:?}");
    let timer = change(&|ring| ring.valid_transmission_timer = Duration::from_micros(300));
    assert!(timer.0.contains("valid-transmission timer of 300 µs"), "{timer:?}");
    assert_eq!(problems(&RingSettings::new(vec![])), [Problem::NoMacs]);
}

#[test]
fn a_frame_that_could_never_be_sent_is_refused_when_it_is_offered() {
    let mut settings = ring(1, 100.0, Duration::from_millis(8));
    settings.macs[0].synchronous_allocation = Duration::from_micros(10);
    let mut ring = Ring::new(settings);
    let mut offer = |class, length| ring.offer(Time::ZERO, 0, class, frame(0, length)).map_err(|p| p.to_string());
    assert_eq!(
        offer(Class::Asynchronous(0), 4496).unwrap_err(),
        "4496 bytes are longer than the longest frame of 4495 bytes"
    );
    assert_eq!(
        offer(Class::Asynchronous(0), 16).unwrap_err(),
        "16 bytes are shorter than the shortest frame of 17 bytes"
    );
    assert_eq!(offer(Class::Asynchronous(8), 100).unwrap_err(), "priority 8 is beyond 7");
    let beyond = "a synchronous frame takes 10.08 µs on the ring and the station's allocation is 10 µs";
    assert_eq!(offer(Class::Synchronous, 115).unwrap_err(), beyond);
    assert_eq!(offer(Class::Synchronous, 114), Ok(()));
}

/// Nanoseconds since the one before, MAC, whether synchronous, length, frames.
type Burst = (u64, u32, bool, u32, u32);

/// Allocations within the rule, and frames of both classes at random instants.
fn lawful_load() -> impl Strategy<Value = (RingSettings, Vec<Burst>)> {
    let shares = prop::collection::vec(0.0f64..1.0, 2..12);
    let rings = (shares, 0.0f64..150_000.0, 4_000u64..20_000, 0.2f64..1.0).prop_map(|(shares, metres, ttrt, part)| {
        let mut ring = ring(shares.len() as u32, metres, Duration::from_micros(ttrt));
        let reserved = ring.largest_latency.max(ring.latency()) + LARGEST_FRAME_TIME + TOKEN_TIME;
        let free = ring.ttrt().unwrap().saturating_sub(reserved).seconds() * part;
        let sum: f64 = shares.iter().sum::<f64>().max(1e-9);
        for (mac, share) in ring.macs.iter_mut().zip(&shares) {
            mac.synchronous_allocation = Duration::from_seconds(free * share / sum * 0.999).unwrap();
        }
        ring
    });
    let act = (0u64..1_500_000, 0u32..12, any::<bool>(), 17u32..=4495, 1u32..25);
    (rings, prop::collection::vec(act, 50..300))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_rotation_takes_less_than_2_ttrt_and_the_mean_at_most_ttrt_under_any_load_that_keeps_the_synchronous_rule(
        (settings, acts) in lawful_load(),
    ) {
        prop_assert_eq!(problems(&settings), vec![]);
        let (macs, ttrt) = (settings.macs.len() as u32, settings.ttrt().unwrap());
        let mut ring = Ring::new(settings);
        (0..macs).for_each(|mac| ring.observe(mac));
        let mut now = at(Duration::from_millis(5));
        for (pause_ns, mac, synchronous, length, count) in acts {
            now += Duration::from_nanos(pause_ns);
            run_before(&mut ring, now);
            let class = if synchronous { Class::Synchronous } else { Class::Asynchronous((length % 8) as u8) };
            for tag in 0..count {
                // a frame beyond the allocation is refused, which is the rule
                let _ = ring.offer(now, mac % macs, class, frame(tag, length));
            }
        }
        run_before(&mut ring, now);
        ring.settle(now);
        prop_assert_eq!(ring.tally().claims, 1);
        for mac in 0..macs {
            let rotations = ring.rotations(mac).unwrap();
            prop_assert!(rotations.max().unwrap() < ttrt.times(2), "{:?}", rotations.max());
            prop_assert!(rotations.mean().unwrap() <= ttrt.seconds());
            prop_assert!(rotations.count() > 0);
        }
    }
}

/// A ring of four whose second station has the lowest bid, and from the interruption's end to the first synchronous frame of
/// its third station, which waits.
fn recovery(interrupted: Duration, gap: u32) -> (RingSettings, Duration) {
    let mut settings = ring(4, 20_000.0, Duration::from_millis(8));
    settings.macs[1].requested_ttrt = Duration::from_millis(5);
    settings.macs.iter_mut().for_each(|mac| mac.synchronous_allocation = Duration::from_millis(1));
    let mut ring = Ring::new(settings.clone());
    let cut = at(Duration::from_millis(100));
    run_before(&mut ring, cut);
    ring.interrupt(cut);
    ring.offer(cut, 2, Class::Synchronous, frame(0, VOICE)).unwrap();
    assert!(run_before(&mut ring, cut + interrupted).is_empty(), "nothing passes");
    ring.mend(cut + interrupted, gap);
    let carried = run_before(&mut ring, cut + interrupted + Duration::from_millis(50));
    assert_eq!((carried.len(), ring.ttrt()), (1, Duration::from_millis(5)));
    (settings, carried[0].start.since(cut + interrupted))
}

/// From a symbol's arrival at MAC `from` to its arrival at `to`.
fn along(settings: &RingSettings, from: usize, to: usize) -> Duration {
    settings.macs[from..to].iter().map(|mac| mac.hop + mac.latency).sum()
}

/// From the end of the claim, which the second station has won, to the first frame of the third: the token, no frames in its
/// first rotation, and synchronous ones in the second.
fn until_the_second_token(settings: &RingSettings) -> Duration {
    TOKEN_TIME + settings.macs[1].hop + settings.latency() + settings.macs[2].latency
}

#[test]
fn a_ring_that_was_interrupted_recovers_with_the_winners_claim_frame_that_waits_at_the_gap() {
    // X3.139: all have claimed since TVX ran out, and T_Max has not
    let claim_frame = wire_time(17 + 4);
    for (gap, passed) in [(0, 0..1), (1, 1..1)] {
        let (settings, found) = recovery(Duration::from_millis(25), gap);
        let along = along(&settings, passed.start, passed.end);
        let expected = claim_frame + along + settings.macs[1].latency + until_the_second_token(&settings);
        assert_eq!(found, expected, "before station {gap}");
    }
}

#[test]
fn after_t_max_the_station_behind_the_gap_hears_its_beacon_and_claims_until_the_lowest_bid_has_gone_round() {
    // X3.139: T_Max is 165 ms, TVX 2.5 ms; claim and beacon frames carry four octets
    let (settings, found) = recovery(Duration::from_millis(168), 0);
    let [beacon, claim] = [wire_time(17 + 4); 2];
    // the first station's claim reaches the second, which sends its own instead, and that goes round
    let first = claim + settings.macs[0].hop + settings.macs[1].latency;
    let second = claim + settings.latency();
    assert_eq!(found, beacon + first + second + until_the_second_token(&settings));
    let (_, sooner) = recovery(Duration::from_millis(167), 0);
    assert!(sooner < found, "at 167 ms they still claim");
}

#[test]
fn a_ring_that_was_interrupted_for_less_than_its_timers_recovers_as_from_a_lost_token() {
    let (settings, found) = recovery(Duration::from_millis(1), 0);
    let timer = Duration::from_micros(2500);
    let silent = found + Duration::from_millis(1);
    assert!(silent > timer && silent < timer + settings.latency().times(5), "{silent}");
}

#[test]
fn a_station_without_power_adds_no_latency_and_its_bid_does_not_count() {
    let mut settings = ring(3, 100.0, Duration::from_millis(8));
    settings.macs[1].requested_ttrt = Duration::from_millis(4);
    let round = settings.latency();
    let mut ring = Ring::new(settings);
    let cut = at(Duration::from_millis(100));
    run_before(&mut ring, cut);
    assert_eq!((ring.ttrt(), ring.latency()), (Duration::from_millis(4), round));
    let switch = |ring: &mut Ring, now: Time, on| {
        ring.interrupt(now);
        ring.set_power(1, on);
        ring.mend(now + Duration::from_millis(25), 1);
        run_before(ring, now + Duration::from_millis(50));
    };
    switch(&mut ring, cut, false);
    assert_eq!((ring.ttrt(), ring.latency()), (Duration::from_millis(8), round - Duration::from_micros(1)));
    switch(&mut ring, cut + Duration::from_millis(100), true);
    assert_eq!((ring.ttrt(), ring.latency()), (Duration::from_millis(4), round));
}
