//! Strict priority without preemption: the order of classes, the longest wait of the highest, and Cobham's mean waits.

use std::sync::Arc;

use sojourn_core::Stream;
use sojourn_engine::sample;

use super::*;

/// A link whose connection `2 f` has the class of flow `f`.
fn prioritised(classes: &[u8], limit: Limit) -> Packets {
    let classes: Arc<[u8]> = classes.iter().flat_map(|class| [*class; 2]).collect();
    let flows = classes.len() / 2;
    link(flows, &QueueSettings { limit, ..queue(Discipline::Priority { classes }) })
}

#[test]
fn the_highest_class_goes_next_and_each_class_in_order() {
    let mut packets = prioritised(&[0, 7, 3], Limit::NONE);
    for (packet, flow) in (0..).zip([0, 0, 2, 1, 2, 1, 0]) {
        packets.send(Time::ZERO, frame(packet, flow, 1250));
    }
    let order: Vec<u32> = delivered(&drain(&mut packets)).iter().map(|(_, packet)| *packet).collect();
    // the first is on the link before the others come
    assert_eq!(order, [0, 3, 5, 2, 4, 1, 6]);
}

#[test]
fn classes_that_are_all_alike_are_a_fifo() {
    let times = |mut packets: Packets| {
        (0..50)
            .for_each(|packet| packets.send(us(u64::from(packet) * 37), frame(packet, packet % 3, 200 + packet * 20)));
        delivered(&drain(&mut packets))
    };
    assert_eq!(times(prioritised(&[4, 4, 4], Limit::NONE)), times(link(3, &fifo())));
}

#[test]
fn a_full_class_loses_its_own_packets_only() {
    let mut packets = prioritised(&[0, 5], Limit { packets: 2, octets: u64::MAX });
    (0..10).for_each(|packet| packets.send(Time::ZERO, frame(packet, packet % 2, 500)));
    let happened = drain(&mut packets);
    let lost: Vec<u32> = lost(&happened).iter().map(|(_, packet)| *packet).collect();
    // 0 is sent; 1 and 3, 2 and 4 wait
    assert_eq!(lost, [5, 6, 7, 8, 9]);
    assert_eq!(delivered(&happened).iter().map(|(_, packet)| *packet).collect::<Vec<_>>(), [0, 1, 3, 2, 4]);
}

/// Sends packets of both flows as they come by chance, octets and mean intervals by flow; calls `note` with flow and wait.
fn by_chance(
    packets: &mut Packets,
    flows: [(u32, Duration); 2],
    until: Time,
    random: &mut Stream,
    mut note: impl FnMut(u32, Duration),
) {
    let mut next = flows.map(|(_, mean)| Time::ZERO + sample::exponential(random, mean));
    let mut handed: Vec<(u32, Time)> = Vec::new();
    let mut take = |event: FabricEvent, handed: &[(u32, Time)]| {
        let FabricEvent::Delivered(delivered) = event else { panic!("nothing is lost") };
        let (flow, at) = handed[delivered.frame.packet as usize];
        note(flow, delivered.first_departure.since(at));
    };
    while next[0].min(next[1]) < until {
        let flow = usize::from(next[1] < next[0]);
        let now = next[flow];
        while let Some(event) = packets.advance(now) {
            take(event, &handed);
        }
        packets.send(now, frame(handed.len() as u32, flow as u32, flows[flow].0));
        handed.push((flow as u32, now));
        next[flow] = now + sample::exponential(random, flows[flow].1);
    }
    drain(packets).into_iter().for_each(|event| take(event, &handed));
}

#[test]
fn a_packet_alone_in_the_highest_class_waits_for_one_maximum_frame_at_most() {
    let longest = Duration::from_units(1500 * 8, RATE);
    let mut packets = prioritised(&[0, 6], Limit::NONE);
    let mut random = Streams::new(5, 0).stream("arrivals");
    // the lower class offers more than the link carries; of the highest a packet each 20 ms, so that none meets another
    let (mut now, mut most) = (Time::ZERO, Duration::ZERO);
    let mut calls = Vec::new();
    for packet in 0..20_000u32 {
        now += sample::exponential(&mut random, Duration::from_micros(100));
        let is_call = packet % 200 == 0;
        if is_call {
            calls.push((packet, now));
        }
        while packets.advance(now).is_some_and(|event| {
            if let FabricEvent::Delivered(delivered) = event
                && let Some((_, at)) = calls.iter().find(|(call, _)| *call == delivered.frame.packet)
            {
                most = most.max(delivered.first_departure.since(*at));
            }
            true
        }) {}
        packets.send(now, frame(packet, u32::from(is_call), if is_call { 200 } else { 1500 }));
    }
    assert!(most <= longest, "{most:?}");
    assert!(most > longest.divided(2), "and often for part of one: {most:?}");
}

#[test]
fn mean_waits_of_two_classes_are_those_of_cobham() {
    // M/G/1 without preemption: W0 = sum of rate E[S^2] / 2; W1 = W0 / (1 - r1), W2 = W0 / ((1 - r1) (1 - r1 - r2))
    let sizes = [1500, 250];
    let services = sizes.map(|octets| Duration::from_units(octets * 8, RATE).seconds());
    let loads = [0.5, 0.25];
    let flows = [0, 1].map(|flow| {
        let mean = Duration::from_seconds(services[flow] / loads[flow]).expect("a span");
        (sizes[flow] as u32, mean)
    });
    let residual: f64 = (0..2).map(|flow| loads[flow] * services[flow] / 2.0).sum();
    let high = residual / (1.0 - loads[1]);
    let low = residual / ((1.0 - loads[1]) * (1.0 - loads[0] - loads[1]));
    const RUNS: usize = 12;
    let mut random = Streams::new(7, 0).stream("arrivals");
    let mut means = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let mut packets = prioritised(&[1, 5], Limit::NONE);
        let mut sums = [(0.0, 0u32); 2];
        by_chance(&mut packets, flows, ms(5000), &mut random, |flow, wait| {
            sums[flow as usize].0 += wait.seconds();
            sums[flow as usize].1 += 1;
        });
        for (means, (sum, count)) in means.iter_mut().zip(sums) {
            means.push(sum / f64::from(count));
        }
    }
    for (means, expected) in means.iter().zip([low, high]) {
        let mean = means.iter().sum::<f64>() / RUNS as f64;
        let variance = means.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / (RUNS - 1) as f64;
        let error = (variance / RUNS as f64).sqrt();
        assert!(error < 0.03 * expected, "{error} is too coarse to see anything of {expected}");
        assert!((mean - expected).abs() < 3.0 * error, "{mean} ± {error} for {expected}");
    }
}
