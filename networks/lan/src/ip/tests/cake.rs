//! CAKE: its shaper, fairness between hosts, tins, and flows that do not share a queue.

use std::sync::Arc;

use super::super::cake::{CakeSettings, Carrier, Compensation, Headers, Isolation, Tins};
use super::*;

const PLAIN: Compensation = Compensation { overhead: Some(0), minimum: 0, carrier: Carrier::Plain };

/// CAKE at a tenth of the link's rate; flow `f` goes between these hosts and has this code point.
fn settings_of(isolation: Isolation, flows: &[([u32; 2], u8)]) -> CakeSettings {
    let both = |([source, destination], dscp): &([u32; 2], u8)| {
        [([*source, *destination], *dscp), ([*destination, *source], *dscp)]
    };
    let (hosts, dscps) = flows.iter().flat_map(both).unzip();
    CakeSettings {
        bandwidth: Some(RATE / 10),
        compensation: PLAIN,
        tins: Tins::BestEffort,
        isolation,
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        headers: Arc::new(Headers { dscps, hosts }),
    }
}

fn cake(flows: usize, settings: CakeSettings) -> Packets {
    link(flows, &queue(Discipline::Cake(settings)))
}

/// Octets that each flow has got by the end, all of them sending more than they get, 1250 octets every 125 µs.
fn shares(packets: &mut Packets, flows: usize, end: Time) -> Vec<u64> {
    let mut octets = vec![0; flows];
    let mut count = |event: FabricEvent| {
        if let FabricEvent::Delivered(delivered) = event {
            octets[delivered.frame.connection as usize / 2] += u64::from(delivered.frame.octets);
        }
    };
    let mut now = Time::ZERO;
    let mut number = 0;
    while now < end {
        std::iter::from_fn(|| packets.advance(now)).for_each(&mut count);
        // in turn, each flow as often as the others: every one offers the whole rate
        for flow in 0..flows as u32 {
            packets.send(now, frame(number, flow, 1250));
            number += 1;
        }
        now += Duration::from_millis(1);
    }
    octets
}

fn share(octets: &[u64], flows: std::ops::Range<usize>) -> f64 {
    octets[flows].iter().sum::<u64>() as f64 / octets.iter().sum::<u64>() as f64
}

/// Host 1 has one flow to host 10, host 2 has ten to hosts 11 to 20.
fn one_against_ten() -> Vec<([u32; 2], u8)> {
    let ten = (11..21).map(|destination| ([2, destination], 0));
    std::iter::once(([1, 10], 0)).chain(ten).collect()
}

#[test]
fn two_hosts_with_one_flow_and_with_ten_have_half_each_where_source_hosts_share() {
    for isolation in [Isolation::DualSourceHost, Isolation::TripleIsolate] {
        let octets = shares(&mut cake(11, settings_of(isolation, &one_against_ten())), 11, ms(20_000));
        let lone = share(&octets, 0..1);
        assert!((lone - 0.5).abs() < 0.02, "{isolation:?}: {lone}");
        let most = octets[1..].iter().max().zip(octets[1..].iter().min()).map(|(most, least)| most - least);
        assert!(most.is_some_and(|spread| spread < 60_000), "the ten alike: {octets:?}");
    }
}

#[test]
fn without_hosts_that_share_each_flow_has_an_eleventh_and_each_source_a_half_as_one_queue() {
    let octets = shares(&mut cake(11, settings_of(Isolation::Flows, &one_against_ten())), 11, ms(20_000));
    assert!((share(&octets, 0..1) - 1.0 / 11.0).abs() < 0.01, "{octets:?}");
    let octets = shares(&mut cake(11, settings_of(Isolation::DualDestinationHost, &one_against_ten())), 11, ms(20_000));
    assert!((share(&octets, 0..1) - 1.0 / 11.0).abs() < 0.01, "each destination has one flow: {octets:?}");
    let octets = shares(&mut cake(11, settings_of(Isolation::SourceHost, &one_against_ten())), 11, ms(20_000));
    assert!((share(&octets, 0..1) - 0.5).abs() < 0.02, "{octets:?}");
}

#[test]
fn triple_isolation_divides_by_whichever_host_of_a_flow_has_more() {
    // source 1 has two flows, and destination 3 has two: each flow has a host with two
    let flows = [([1, 3], 0), ([1, 4], 0), ([2, 3], 0)];
    let octets = shares(&mut cake(3, settings_of(Isolation::TripleIsolate, &flows)), 3, ms(20_000));
    for flow in 0..3 {
        assert!((share(&octets, flow..flow + 1) - 1.0 / 3.0).abs() < 0.02, "{octets:?}");
    }
    // of four flows of one source, two go to a destination that has a third of another source
    let flows = [([1, 3], 0), ([1, 3], 0), ([1, 4], 0), ([1, 5], 0), ([2, 6], 0)];
    let octets = shares(&mut cake(5, settings_of(Isolation::TripleIsolate, &flows)), 5, ms(20_000));
    assert!((share(&octets, 4..5) - 0.5).abs() < 0.02, "source 1 has four, source 2 one: {octets:?}");
}

#[test]
fn the_shaper_lets_packets_go_at_its_rate_with_what_it_counts_of_each() {
    // 40 octets and 32 are two cells, 106 octets: at 10 Mbit/s 84.8 µs each
    let atm = Compensation { overhead: Some(32), minimum: 0, carrier: Carrier::Atm };
    let settings = CakeSettings { compensation: atm, ..settings_of(Isolation::Flows, &[([1, 2], 0)]) };
    let mut packets = cake(1, settings);
    (0..100).for_each(|packet| packets.send(ms(1), frame(packet, 0, 40)));
    let on_link = Duration::from_units(40 * 8, RATE);
    for (number, (at, _)) in (0..).zip(delivered(&drain(&mut packets))) {
        assert_eq!(at, ms(1) + Duration::from_nanos(84_800).times(number) + on_link, "packet {number}");
    }
}

#[test]
fn no_burst_is_saved_up_while_nothing_waits() {
    let mut packets = cake(1, settings_of(Isolation::Flows, &[([1, 2], 0)]));
    packets.send(ms(1), frame(0, 0, 1250));
    (1..5).for_each(|packet| packets.send(ms(500), frame(packet, 0, 1250)));
    let arrived = delivered(&drain(&mut packets));
    let at = |number: usize| arrived[number].0;
    // a packet of 1250 octets is 1 ms of the shaper
    assert_eq!([2, 3, 4].map(|number| at(number).since(at(number - 1))), [Duration::from_millis(1); 3]);
}

#[test]
fn tins_within_their_rates_go_first_and_beyond_them_the_lower_ones_have_the_rest() {
    // best effort, bulk (CS1), video (AF41), voice (EF): all offer the whole rate
    let flows = [([1, 9], 0), ([2, 9], 8), ([3, 9], 34), ([4, 9], 46)];
    let settings = CakeSettings { tins: Tins::DiffServ4, ..settings_of(Isolation::Flows, &flows) };
    let octets = shares(&mut cake(4, settings), 4, ms(20_000));
    let of = |flow: usize| share(&octets, flow..flow + 1);
    // thresholds of 1/16, 1/2 and 1/4 are kept, and best effort has what is left of its whole: 3/16
    for (flow, expected) in [(1, 1.0 / 16.0), (2, 0.5), (3, 0.25), (0, 3.0 / 16.0)] {
        assert!((of(flow) - expected).abs() < 0.02, "flow {flow}: {} for {expected}", of(flow));
    }
}

#[test]
fn a_tin_alone_has_all_of_the_rate_whatever_its_threshold() {
    let settings = CakeSettings { tins: Tins::DiffServ4, ..settings_of(Isolation::Flows, &[([1, 9], 46)]) };
    let octets = shares(&mut cake(1, settings), 1, ms(5000));
    assert!((octets[0] as f64 * 8.0 / 5.0 / 10e6 - 1.0).abs() < 0.01, "{octets:?}");
}

#[test]
fn without_a_shaper_tins_take_turns_by_their_quanta() {
    let flows = [([1, 9], 0), ([2, 9], 8), ([3, 9], 34), ([4, 9], 46)];
    let settings = CakeSettings { bandwidth: None, tins: Tins::DiffServ4, ..settings_of(Isolation::Flows, &flows) };
    let mut packets = cake(4, settings);
    let mut octets = [0_u64; 4];
    for number in 0..40_000 {
        packets.send(Time::ZERO, frame(number, number % 4, 1250));
    }
    for event in std::iter::from_fn(|| packets.advance(ms(500))) {
        if let FabricEvent::Delivered(delivered) = event {
            octets[delivered.frame.connection as usize / 2] += 1;
        }
    }
    let all: u64 = octets.iter().sum();
    // 1024 : 64 : 512 : 256
    for (flow, parts) in [1024.0, 64.0, 512.0, 256.0].into_iter().enumerate() {
        let share = octets[flow] as f64 / all as f64;
        assert!((share - parts / 1856.0).abs() < 0.02, "flow {flow}: {share}");
    }
}

#[test]
fn a_sparse_flow_waits_for_the_packet_on_the_wire_and_the_shaper_at_most() {
    let mut packets = cake(4, settings_of(Isolation::Flows, &[([1, 9], 0), ([2, 9], 0), ([3, 9], 0), ([4, 9], 0)]));
    for number in 0..1200 {
        packets.send(Time::ZERO, frame(number, 1 + number % 3, 1250));
    }
    for probe in 0..10 {
        let sent = us(300_017 + 17_000 * probe);
        while packets.advance(sent).is_some() {}
        packets.send(sent, frame(u32::MAX, 0, 64));
        let arrived = loop {
            match packets.advance(Time::NEVER) {
                Some(FabricEvent::Delivered(delivered)) if delivered.frame.packet == u32::MAX => break delivered,
                event => assert!(event.is_some(), "the probe arrives"),
            }
        };
        let wait = arrived.first_departure.since(sent);
        assert!(wait <= Duration::from_millis(1), "{wait}");
    }
}

#[test]
fn a_hundred_flows_hardly_ever_share_a_queue_of_a_set_and_often_one_of_a_plain_hash() {
    let flows: Vec<([u32; 2], u8)> = (0..100).map(|flow| ([flow, 1000], 0)).collect();
    let spread = |queue: QueueSettings| {
        let topology = chain(0, 100, RATE, Duration::ZERO);
        let all = settings(&topology, &queue);
        let mut alone = 0;
        for seed in 0..20 {
            let mut packets = Packets::new(&topology, &all, &Streams::new(seed, 0));
            for round in 0..40 {
                (0..100).for_each(|flow| packets.send(Time::ZERO, frame(100 * round + flow, flow, 1250)));
            }
            let mut count = vec![0_u32; 100];
            // after 1000 packets of 0.1 ms each flow alone has ten; two in a queue have five each
            for event in std::iter::from_fn(|| packets.advance(ms(100))) {
                if let FabricEvent::Delivered(delivered) = event {
                    count[delivered.frame.connection as usize / 2] += 1;
                }
            }
            alone += count.iter().filter(|count| **count >= 8).count();
        }
        alone as f64 / 2000.0
    };
    let cake = CakeSettings { bandwidth: None, ..settings_of(Isolation::Flows, &flows) };
    let associative = spread(queue(Discipline::Cake(cake)));
    let delay = ControlledDelay {
        target: Duration::from_millis(500),
        interval: Duration::from_millis(1000),
        ecn: false,
        ce_threshold: None,
    };
    let plain = spread(queue(Discipline::FqCodel { quantum: 1514, queues: Some(1024), delay }));
    // of a plain hash a flow is alone with (1 - 1/1024)^99 = 0.908
    assert!((plain - 0.908).abs() < 0.03, "{plain}");
    assert!(associative > 0.999, "{associative}");
}

#[test]
fn when_all_room_is_taken_the_longest_queue_loses_its_oldest_packets() {
    let settings = settings_of(Isolation::Flows, &[([1, 9], 0), ([2, 9], 0)]);
    let limit = Limit { packets: u32::MAX, octets: 100 * 1250 };
    let mut packets = link(2, &QueueSettings { limit, ..queue(Discipline::Cake(settings)) });
    (0..10).for_each(|packet| packets.send(Time::ZERO, frame(1000 + packet, 1, 1250)));
    (0..95).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
    // nothing has passed since the first: one of the ten is on the wire, and four are too many
    let gone: Vec<u32> = std::iter::from_fn(|| packets.advance(Time::ZERO)).collect::<Vec<_>>()[..]
        .iter()
        .filter_map(|event| match event {
            FabricEvent::Lost { frame, .. } => Some(frame.packet),
            _ => None,
        })
        .collect();
    assert_eq!(gone, [0, 1, 2, 3]);
}
