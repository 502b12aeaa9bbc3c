//! Flows that share an output: deficit round robin, classes under a token bucket, one bucket for all.

use super::super::settings::Overflow;
use super::*;

fn round_robin(limit: Limit, flow_limit: Limit, overflow: Overflow) -> QueueSettings {
    QueueSettings { limit, ..queue(Discipline::Drr { quantum: 1500, flow_limit, overflow }) }
}

/// Flows 0 to 3 with packets of these octets, all handed over at once, much more than is looked at.
fn backlogged(packets: &mut Packets, sizes: [u32; 4], count: u32) {
    for (flow, octets) in (0..).zip(sizes) {
        (0..count).for_each(|packet| packets.send(Time::ZERO, frame(flow * 100_000 + packet, flow, octets)));
    }
}

/// Octets delivered of each flow between two instants.
fn octets(happened: &[FabricEvent], sizes: [u32; 4], from: Time, to: Time) -> [u64; 4] {
    let mut octets = [0; 4];
    for (_, packet) in delivered(happened).into_iter().filter(|(at, _)| *at > from && *at <= to) {
        let flow = (packet / 100_000) as usize;
        octets[flow] += u64::from(sizes[flow]);
    }
    octets
}

#[test]
fn in_any_interval_backlogged_flows_send_alike_within_the_bound_of_deficit_round_robin() {
    let sizes = [1500, 1333, 576, 64];
    let mut packets = link(4, &round_robin(Limit::NONE, Limit::NONE, Overflow::Arriving));
    backlogged(&mut packets, sizes, 8000);
    let happened = drain(&mut packets);
    for (from, to) in [(0, 10), (3, 7), (11, 90), (2, 150), (100, 101)] {
        let octets = octets(&happened, sizes, ms(from), ms(to));
        let spread = octets.iter().max().expect("four") - octets.iter().min().expect("four");
        // Shreedhar and Varghese, lemma 2: twice the longest packet and a quantum
        assert!(spread <= 2 * 1500 + 1500, "{octets:?} from {from} to {to} ms");
        assert!(octets[0] > 100 * (to - from), "each sends");
    }
}

#[test]
fn a_flow_keeps_what_it_could_not_use_for_its_next_turn() {
    let mut packets = link(2, &round_robin(Limit::NONE, Limit::NONE, Overflow::Arriving));
    (0..6).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1000)));
    (10..16).for_each(|packet| packets.send(Time::ZERO, frame(packet, 1, 1500)));
    let order: Vec<u32> = delivered(&drain(&mut packets)).iter().map(|(_, packet)| *packet).collect();
    // the first is sent alone; then turns of 1500: one of 1000 and 500 left over, two of 1000, ...
    assert_eq!(order, [0, 1, 10, 2, 3, 11, 4, 12, 5, 13, 14, 15]);
}

#[test]
fn the_longest_queue_makes_room_for_a_flow_that_comes_late() {
    let limit = Limit { packets: 20, octets: u64::MAX };
    let mut packets = link(2, &round_robin(limit, Limit::NONE, Overflow::Longest));
    (0..21).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1500)));
    (100..105).for_each(|packet| packets.send(Time::ZERO, frame(packet, 1, 1500)));
    let gone: Vec<u32> = lost(&drain(&mut packets)).iter().map(|(_, packet)| *packet).collect();
    assert_eq!(gone, [1, 2, 3, 4, 5], "the oldest that wait, of the flow that has most");
}

#[test]
fn a_flow_s_own_limit_leaves_the_others_their_room() {
    let flow_limit = Limit { packets: 3, octets: u64::MAX };
    let mut packets = link(2, &round_robin(Limit::NONE, flow_limit, Overflow::Arriving));
    (0..6).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1500)));
    (100..104).for_each(|packet| packets.send(Time::ZERO, frame(packet, 1, 1500)));
    let gone: Vec<u32> = lost(&drain(&mut packets)).iter().map(|(_, packet)| *packet).collect();
    assert_eq!(gone, [4, 5, 103]);
}

/// A virtual Ethernet pair behind classes of HTB at 100 Mbit/s: its rates are the buckets' alone.
fn classes(guaranteed: u64) -> Packets {
    let topology = chain(0, 4, 0, Duration::ZERO);
    let bucket = |rate, burst| Shaping { rate, burst };
    let discipline = Discipline::Htb { quantum: 1500, guaranteed: bucket(guaranteed, 3200), ceil: bucket(RATE, 3200) };
    let queue = QueueSettings { shaping: Some(bucket(RATE, 3200)), ..queue(discipline) };
    let mut settings = settings(&topology, &queue);
    settings.ports.iter_mut().for_each(|port| port.link.unlimited = true);
    packets(&topology, &settings)
}

/// How long a packet of 64 octets of a fourth flow waits while three others borrow, each time it is sent.
fn waits_beside_borrowers(guaranteed: u64) -> Vec<Duration> {
    let mut packets = classes(guaranteed);
    for flow in 1..4 {
        (0..4000).for_each(|packet| packets.send(Time::ZERO, frame(flow * 100_000 + packet, flow, 1500)));
    }
    let probe = |probe: u64| {
        let sent = us(100_000 + 3137 * probe);
        while packets.advance(sent).is_some() {}
        packets.send(sent, frame(7, 0, 64));
        loop {
            match packets.advance(Time::NEVER) {
                Some(FabricEvent::Delivered(delivered)) if delivered.frame.packet == 7 => {
                    return delivered.at.since(sent);
                }
                event => assert!(event.is_some(), "the probe arrives"),
            }
        }
    };
    (0..250).map(probe).collect()
}

#[test]
fn a_flow_below_its_guaranteed_rate_goes_at_once_although_the_bucket_of_all_is_in_debt() {
    assert!(waits_beside_borrowers(25_000_000).iter().all(|wait| *wait == Duration::ZERO));
}

#[test]
fn a_flow_beyond_its_guaranteed_rate_borrows_in_turn_with_the_others() {
    // 64 octets every 3 ms are 163 kbit/s: once the bucket is empty, most have to borrow
    let waits = waits_beside_borrowers(64_000);
    let turn = Duration::from_units(3 * 1500 * 8, RATE);
    assert!(waits.iter().all(|wait| *wait <= turn), "{waits:?}");
    let waiting = waits[100..].iter().filter(|wait| **wait > Duration::ZERO).count();
    assert!(waiting > 75, "{waiting} of 150 waited");
}

#[test]
fn borrowers_share_what_the_bucket_of_all_has_left() {
    let mut packets = classes(64_000);
    let sizes = [1500; 4];
    backlogged(&mut packets, sizes, 4000);
    let sent = octets(&drain(&mut packets), sizes, ms(100), ms(1100));
    let all: u64 = sent.iter().sum();
    assert!((all as f64 * 8.0 / RATE as f64 - 1.0).abs() < 1e-3, "{all}");
    assert!(sent.iter().all(|flow| flow.abs_diff(all / 4) <= 1500), "{sent:?}");
}

#[test]
fn what_a_class_borrowed_is_not_taken_from_its_guaranteed_rate() {
    let mut packets = classes(25_000_000);
    (0..3000).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1500)));
    // for 100 ms flow 0 is alone and borrows three quarters of the link
    let mut happened: Vec<FabricEvent> = std::iter::from_fn(|| packets.advance(ms(100))).collect();
    for flow in 1..4 {
        (0..2000).for_each(|packet| packets.send(ms(100), frame(flow * 100_000 + packet, flow, 1500)));
    }
    happened.extend(drain(&mut packets));
    let sent = octets(&happened, [1500; 4], ms(100), ms(150));
    assert!((sent[0] as f64 * 8.0 / 0.05 / 25e6 - 1.0).abs() < 0.06, "{sent:?}");
}

#[test]
fn guaranteed_rates_are_kept_in_proportion_when_together_they_are_all_there_is() {
    let mut packets = classes(25_000_000);
    // long and short packets: turns of borrowers would favour neither, guaranteed rates neither as well
    let sizes = [1500, 1500, 500, 100];
    backlogged(&mut packets, sizes, 40_000);
    let sent = octets(&drain(&mut packets), sizes, ms(20), ms(120));
    for flow in sent {
        assert!((flow as f64 * 8.0 / 0.1 / 25e6 - 1.0).abs() < 0.06, "{sent:?}");
    }
}

#[test]
fn a_token_bucket_before_a_fast_link_sets_the_rate_and_adds_no_time_to_a_lone_packet() {
    let topology = chain(0, 1, 10 * RATE, Duration::ZERO);
    let queue = QueueSettings { shaping: Some(Shaping { rate: RATE, burst: 3000 }), ..fifo() };
    let mut packets = packets(&topology, &settings(&topology, &queue));
    (0..1000).for_each(|packet| packets.send(ms(1), frame(packet, 0, 1500)));
    let arrived = delivered(&drain(&mut packets));
    let bits = |count: u64, rate| Duration::from_units(count * 1500 * 8, rate);
    assert_eq!(arrived[0].0, ms(1) + bits(1, 10 * RATE));
    // the bucket pays for two and lends the third its length; from then on one goes as the debt is paid
    assert_eq!(arrived[2].0, ms(1) + bits(3, 10 * RATE));
    for (k, (at, _)) in (1..).zip(&arrived[3..]) {
        assert_eq!(*at, ms(1) + bits(k, RATE) + bits(1, 10 * RATE));
    }
}
