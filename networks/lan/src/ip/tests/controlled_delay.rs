//! CoDel (RFC 8289) and FQ-CoDel (RFC 8290): the law of drops, and who goes first.

use super::super::settings::ControlledDelay;
use super::*;

const DELAY: ControlledDelay = ControlledDelay {
    target: Duration::from_millis(5),
    interval: Duration::from_millis(100),
    ecn: false,
    ce_threshold: None,
};

/// Time of a packet of 1250 octets on the link.
const SLOT: Duration = Duration::from_micros(100);

fn fq_codel(limit: Limit) -> QueueSettings {
    QueueSettings { limit, ..queue(Discipline::FqCodel { quantum: 1514, queues: None, delay: DELAY }) }
}

/// Sends a packet of 1250 octets every `spacing` until `end` and lets all arrive.
fn stream(packets: &mut Packets, spacing: Duration, end: Time) -> Vec<FabricEvent> {
    let (mut now, mut happened) = (Time::ZERO, Vec::new());
    for packet in 0.. {
        if now >= end {
            break;
        }
        happened.extend(std::iter::from_fn(|| packets.advance(now)));
        packets.send(now, frame(packet, 0, 1250));
        now += spacing;
    }
    happened.extend(drain(packets));
    happened
}

#[test]
fn drops_under_a_load_that_does_not_yield_come_at_sums_of_the_interval_over_roots() {
    let mut packets = link(1, &queue(Discipline::Codel(DELAY)));
    let dropped = lost(&stream(&mut packets, SLOT.divided(2), ms(2000)));
    // with two packets for every one that goes, the wait passes 5 ms after 10 ms: the first drop an interval later
    let first = dropped[0].0;
    assert!(first >= ms(110) && first < ms(110) + SLOT.times(2), "{first}");
    let mut due = first;
    for (count, (at, _)) in (1..).zip(&dropped[1..40]) {
        due += Duration::from_picoseconds((DELAY.interval.picoseconds() as f64 / f64::from(count).sqrt()) as u64);
        assert!(*at >= due && *at < due + SLOT, "drop {count}: {at} for {due}");
    }
}

#[test]
fn a_load_that_the_link_carries_loses_nothing_however_long_it_lasts() {
    let mut packets = link(1, &queue(Discipline::Codel(DELAY)));
    let happened = stream(&mut packets, SLOT, ms(3000));
    assert_eq!(delivered(&happened).len(), 30_000);
}

#[test]
fn a_burst_that_drains_within_the_interval_loses_nothing_and_one_that_takes_longer_does() {
    let losses = |count| {
        let mut packets = link(1, &queue(Discipline::Codel(DELAY)));
        (0..count).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
        lost(&drain(&mut packets)).len()
    };
    // the wait is above the target from the 50th packet on
    assert_eq!(losses(1000), 0);
    assert!(losses(1200) > 0);
}

#[test]
fn dropping_that_begins_again_soon_goes_on_where_it_left_off() {
    let mut packets = link(1, &queue(Discipline::Codel(DELAY)));
    let mut dropped = Vec::new();
    let mut packet = 0;
    // half a second of twice the load, a pause of 300 ms, and twice the load again
    for begin in [0, 1500] {
        let mut now = ms(begin);
        while now < ms(begin + 500) {
            dropped.extend(lost(&std::iter::from_fn(|| packets.advance(now)).collect::<Vec<_>>()));
            packets.send(now, frame(packet, 0, 1250));
            packet += 1;
            now += SLOT.divided(2);
        }
        dropped.extend(lost(&std::iter::from_fn(|| packets.advance(ms(begin + 1500))).collect::<Vec<_>>()));
    }
    let again = dropped.iter().position(|(at, _)| *at >= ms(1500)).expect("it drops again");
    let spacing = |place: usize| dropped[place + 1].0.since(dropped[place].0);
    assert!(spacing(0) > Duration::from_millis(95), "from the beginning: an interval");
    assert!(spacing(again) < Duration::from_millis(50), "{}", spacing(again));
}

#[test]
fn a_sparse_flow_waits_for_the_packet_on_the_wire_at_most_however_long_the_queues_of_others() {
    let mut packets = link(4, &fq_codel(Limit::NONE));
    let mut number = 0;
    for flow in 1..4 {
        for _ in 0..400 {
            packets.send(Time::ZERO, frame(number, flow, 1250));
            number += 1;
        }
    }
    for probe in 0..10 {
        let sent = us(3017 + 7000 * probe);
        while packets.advance(sent).is_some() {}
        packets.send(sent, frame(u32::MAX, 0, 64));
        let arrived = loop {
            match packets.advance(Time::NEVER) {
                Some(FabricEvent::Delivered(delivered)) if delivered.frame.packet == u32::MAX => break delivered,
                event => assert!(event.is_some(), "the probe arrives"),
            }
        };
        assert!(arrived.first_departure.since(sent) <= SLOT, "{}", arrived.first_departure.since(sent));
    }
}

#[test]
fn a_flow_cannot_stay_new_by_sending_more_than_its_quantum() {
    let mut packets = link(2, &fq_codel(Limit::NONE));
    (0..100).for_each(|packet| packets.send(Time::ZERO, frame(packet, 1, 1250)));
    (100..200).for_each(|packet| packets.send(us(150), frame(packet, 0, 1250)));
    let order: Vec<bool> = delivered(&drain(&mut packets)).iter().map(|(_, packet)| *packet >= 100).collect();
    // two packets spend the quantum of 1514 octets; from then on both take turns
    let of_new = order[..40].iter().filter(|is_new| **is_new).count();
    assert!((18..=22).contains(&of_new), "{of_new}");
}

#[test]
fn a_new_flow_that_empties_its_queue_waits_for_its_turn_among_the_old_ones() {
    let mut packets = link(4, &fq_codel(Limit::NONE));
    for flow in 1..4 {
        (0..400).for_each(|packet| packets.send(Time::ZERO, frame(flow * 1000 + packet, flow, 1250)));
    }
    // 40 Mbit/s of a fourth flow: were it new with each packet, all of them would go before the others
    let mut happened = Vec::new();
    for packet in 0..200 {
        let now = us(1017 + 250 * u64::from(packet));
        happened.extend(std::iter::from_fn(|| packets.advance(now)));
        packets.send(now, frame(packet, 0, 1250));
    }
    happened.extend(drain(&mut packets));
    let within = |(at, packet): &&(Time, u32)| *packet < 1000 && *at <= ms(40);
    let of_new = delivered(&happened).iter().filter(within).count();
    // RFC 8290, 4.2: a quarter of 390 slots, with what the first packets were ahead
    assert!((90..=108).contains(&of_new), "{of_new}");
}

#[test]
fn when_all_room_is_taken_the_longest_queue_loses_half_from_its_head_and_the_others_nothing() {
    let mut packets = link(3, &fq_codel(Limit { packets: 100, octets: u64::MAX }));
    (0..10).for_each(|packet| packets.send(Time::ZERO, frame(1000 + packet, 1, 1250)));
    (0..92).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
    let happened: Vec<FabricEvent> = drain(&mut packets);
    let gone: Vec<u32> = lost(&happened).iter().map(|(_, packet)| *packet).collect();
    // one of the ten is on the wire, so the 92nd finds 100 waiting: half of 92 go
    assert_eq!(gone.len(), 46);
    assert!(gone.iter().all(|packet| *packet < 46), "{gone:?}");
}
