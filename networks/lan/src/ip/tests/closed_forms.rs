//! What can be worked out beforehand: times on links, M/D/1, limits, loss, counts.

use sojourn_core::Stream;
use sojourn_engine::sample;
use sojourn_metrics::Observation;

use super::*;
use crate::fabric::Watch;

#[test]
fn packets_back_to_back_end_where_the_exact_product_says() {
    let rate = 149_760_000;
    let topology = chain(0, 1, rate, Duration::from_nanos(50));
    let mut packets = packets(&topology, &settings(&topology, &fifo()));
    (0..1000).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1499)));
    for (k, (at, packet)) in (1..).zip(delivered(&drain(&mut packets))) {
        assert_eq!(at, Time::ZERO + Duration::from_units(k * 1499 * 8, rate) + Duration::from_nanos(50));
        assert_eq!(u64::from(packet) + 1, k);
    }
}

#[test]
fn framing_takes_time_and_short_packets_are_filled_up() {
    let topology = chain(0, 1, RATE, Duration::ZERO);
    let mut settings = settings(&topology, &fifo());
    settings.ports[0].link.framing = Framing { overhead: 38, minimum: 46, counted: 14 };
    let took = |octets| {
        let mut packets = packets(&topology, &settings);
        packets.send(Time::ZERO, frame(0, 0, octets));
        delivered(&drain(&mut packets))[0].0
    };
    // a full Ethernet frame takes 1538 octets of time, the shortest 84
    assert_eq!(took(1500), Time::ZERO + Duration::from_units(1538 * 8, RATE));
    assert_eq!(took(28), Time::ZERO + Duration::from_units(84 * 8, RATE));
}

#[test]
fn a_switch_takes_a_packet_in_whole_before_it_sends_it_on() {
    let topology = chain(2, 1, RATE, Duration::from_micros(3));
    let mut settings = settings(&topology, &fifo());
    settings.latencies = vec![Duration::from_micros(12); 4];
    let mut packets = packets(&topology, &settings);
    packets.send(us(7), frame(0, 0, 1250));
    // three times 100 us of bits, three links, two switches
    assert_eq!(delivered(&drain(&mut packets)), [(us(7 + 300 + 9 + 24), 0)]);
}

#[test]
fn a_datagram_in_fragments_arrives_with_its_last_one_and_passes_switches_piece_by_piece() {
    let topology = chain(1, 1, RATE, Duration::ZERO);
    let mut packets = packets(&topology, &settings(&topology, &fifo()));
    packets.send(Time::ZERO, frame(0, 0, 2076));
    let bits = |octets: u64| Duration::from_units(octets * 8, RATE);
    let FabricEvent::Delivered(delivered) = drain(&mut packets)[0] else { panic!("it arrives") };
    // 1500 and 596 octets: the second waits in the switch until the first has left
    assert_eq!(delivered.at, Time::ZERO + bits(1500) + bits(1500) + bits(596));
    assert_eq!((delivered.first_departure, delivered.last_departure), (Time::ZERO, Time::ZERO + bits(1500)));
}

#[test]
fn a_datagram_one_of_whose_fragments_finds_no_room_is_lost_once() {
    let limit = Limit { packets: 1, octets: u64::MAX };
    let mut packets = link(1, &QueueSettings { limit, ..fifo() });
    packets.send(Time::ZERO, frame(7, 0, 4000));
    let happened = drain(&mut packets);
    assert_eq!(lost(&happened).len(), 1);
    assert!(delivered(&happened).is_empty());
    assert_eq!(packets.tally(ms(1)).connections[0].lost, 1);
    assert_eq!(packets.tally(ms(1)).ports[0].dropped, 1, "one of three fragments found no room");
}

#[test]
fn between_the_ends_of_a_virtual_ethernet_pair_packets_take_no_time() {
    let topology = chain(1, 1, RATE, Duration::ZERO);
    let mut settings = settings(&topology, &fifo());
    settings.ports.iter_mut().for_each(|port| port.link.unlimited = true);
    let mut packets = packets(&topology, &settings);
    (0..50).for_each(|packet| packets.send(us(5), frame(packet, 0, 1500)));
    let arrived = delivered(&drain(&mut packets));
    assert_eq!(arrived, (0..50).map(|packet| (us(5), packet)).collect::<Vec<_>>());
}

/// Mean wait of packets of fixed length, in units of their time on the link, at load `rho`.
fn mean_wait(rho: f64, random: &mut Stream) -> f64 {
    const COUNT: u32 = 60_000;
    let mut packets = link(1, &fifo());
    let service = Duration::from_units(1250 * 8, RATE);
    let mean = Duration::from_seconds(service.seconds() / rho).expect("a span");
    let (mut now, mut handed, mut waited) = (Time::ZERO, Vec::new(), 0.0);
    let mut note = |event: FabricEvent, handed: &[Time]| {
        let FabricEvent::Delivered(delivered) = event else { panic!("nothing is lost") };
        waited += delivered.first_departure.since(handed[delivered.frame.packet as usize]).seconds();
    };
    for packet in 0..COUNT {
        now += sample::exponential(random, mean);
        while let Some(event) = packets.advance(now) {
            note(event, &handed);
        }
        handed.push(now);
        packets.send(now, frame(packet, 0, 1250));
    }
    drain(&mut packets).into_iter().for_each(|event| note(event, &handed));
    waited / f64::from(COUNT) / service.seconds()
}

#[test]
fn waits_of_packets_that_come_by_chance_are_those_of_m_d_1() {
    for (rho, expected) in [(0.5, 0.5), (0.7, 1.166_667), (0.8, 2.0)] {
        const RUNS: usize = 12;
        let mut random = Streams::new(3, 0).stream("arrivals");
        let means: Vec<f64> = (0..RUNS).map(|_| mean_wait(rho, &mut random)).collect();
        let mean = means.iter().sum::<f64>() / RUNS as f64;
        let variance = means.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / (RUNS - 1) as f64;
        let error = (variance / RUNS as f64).sqrt();
        assert!(error < 0.02 * expected, "{error} is too coarse to see anything at {rho}");
        assert!((mean - expected).abs() < 3.0 * error, "{mean} ± {error} for {expected} at {rho}");
    }
}

#[test]
fn a_limit_counts_those_that_wait_not_the_one_that_is_sent() {
    let limited = |packets, octets| {
        let mut link = link(1, &QueueSettings { limit: Limit { packets, octets }, ..fifo() });
        (0..10).for_each(|packet| link.send(Time::ZERO, frame(packet, 0, 500)));
        let happened = drain(&mut link);
        (delivered(&happened).len(), lost(&happened).iter().map(|(_, packet)| *packet).collect::<Vec<_>>())
    };
    assert_eq!(limited(4, u64::MAX), (5, vec![5, 6, 7, 8, 9]));
    assert_eq!(limited(u32::MAX, 1999), (4, vec![4, 5, 6, 7, 8, 9]));
    assert_eq!(limited(u32::MAX, 2000), (5, vec![5, 6, 7, 8, 9]));
}

#[test]
fn chance_takes_its_share_of_the_packets_on_the_link_it_is_said_of() {
    let topology = chain(1, 1, RATE, Duration::ZERO);
    let mut settings = settings(&topology, &fifo());
    settings.ports[2].link.loss = 0.1;
    let mut packets = packets(&topology, &settings);
    (0..20_000).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 100)));
    let happened = drain(&mut packets);
    let lost = lost(&happened).len() as f64;
    // three deviations of a binomial draw of 20 000 with 0.1
    assert!((lost - 2000.0).abs() < 3.0 * (20_000.0f64 * 0.1 * 0.9).sqrt(), "{lost}");
    assert!(happened.iter().all(|event| !matches!(event, FabricEvent::Lost { port, .. } if *port != 2)));
}

#[test]
fn jitter_delays_each_packet_and_overtaking_is_a_choice() {
    let arrivals = |reorders| {
        let topology = chain(0, 1, RATE, Duration::from_millis(1));
        let mut settings = settings(&topology, &fifo());
        let jitter = RandomTime::Uniform(Duration::ZERO, Duration::from_millis(2));
        (settings.ports[0].link.jitter, settings.ports[0].link.reorders) = (jitter, reorders);
        let mut packets = packets(&topology, &settings);
        (0..2000).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
        delivered(&drain(&mut packets))
    };
    let (kept, free) = (arrivals(false), arrivals(true));
    assert!(kept.is_sorted_by_key(|(_, packet)| *packet));
    assert!(!free.is_sorted_by_key(|(_, packet)| *packet));
    let late: Vec<Duration> =
        free.iter().map(|(at, packet)| at.since(us(1000 + 100 * (u64::from(*packet) + 1)))).collect();
    assert!(late.iter().all(|late| *late < Duration::from_millis(2)));
    let mean = late.iter().copied().sum::<Duration>().seconds() / late.len() as f64;
    assert!((mean - 1e-3).abs() < 3.0 * 2e-3 / (12.0f64 * 2000.0).sqrt(), "{mean}");
}

#[test]
fn counts_begin_again_in_the_middle_of_a_packet() {
    let mut packets = link(1, &fifo());
    packets.watch(&Watch { mean_from: us(150), queue_trace: Some(0), ..Watch::default() });
    (0..4).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
    let _first = packets.advance(us(150));
    packets.reset_tally(us(150));
    drain(&mut packets);
    let tally = packets.tally(us(550));
    let port = &tally.ports[0];
    assert_eq!((port.busy, port.sent, port.dropped), (Duration::from_micros(250), 3, 0));
    // two wait until 200 us, one until 300 us
    assert_eq!(port.queue, Observation::TimeWeighted { mean: (2.0 * 50.0 + 100.0) / 400.0, max: 3.0 });
    assert_eq!(tally.queue_trace.iter().map(|(_, length)| *length).fold(0.0, f64::max), 3.0);
}
