//! Shaping and marking at the senders, and queues that drop by precedence.

use super::*;

/// A link of 100 Mbit/s whose two flows have these conditioners, and queues of this kind.
fn conditioned(queue: &QueueSettings, conditioners: Vec<ConditionerSettings>) -> Packets {
    let topology = chain(0, 2, RATE, Duration::ZERO);
    let settings = Settings { precedences: vec![1; 4], conditioners, ..settings(&topology, queue) };
    packets(&topology, &settings)
}

fn conditioner(flow: u32, shaper: Option<(Shaping, u32)>, meter: Option<(MeterSettings, bool)>) -> ConditionerSettings {
    ConditionerSettings { name: format!("flow-{flow}/host"), connections: vec![2 * flow], shaper, meter }
}

const SHAPER: Shaping = Shaping { rate: 8_000_000, burst: 3000 };

#[test]
fn a_shaper_lets_its_burst_go_at_once_and_the_rest_at_its_rate() {
    let mut packets = conditioned(&fifo(), vec![conditioner(0, Some((SHAPER, 100)), None)]);
    (0..5).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1500)));
    let left = |event: &FabricEvent| match event {
        FabricEvent::Delivered(delivered) => delivered.first_departure,
        event => panic!("{event:?}"),
    };
    let left: Vec<Time> = drain(&mut packets).iter().map(left).collect();
    // 1500 octets at 8 Mbit/s last 1.5 ms; on the link a packet takes 120 us
    assert_eq!(left, [us(0), us(120), us(1500), us(3000), us(4500)]);
    let tally = packets.tally(ms(10));
    let (name, counted) = &tally.conditioners[0];
    let waits = counted.waits.as_ref().expect("a shaper");
    assert_eq!((name.as_str(), waits.count(), waits.max()), ("flow-0/host", 5, Some(Duration::from_micros(4500))));
}

#[test]
fn other_flows_are_not_shaped_and_a_full_shaper_drops_its_own_packets() {
    let mut packets = conditioned(&fifo(), vec![conditioner(0, Some((SHAPER, 2)), None)]);
    (0..6).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1500)));
    (6..9).for_each(|packet| packets.send(Time::ZERO, frame(packet, 1, 1500)));
    let happened = drain(&mut packets);
    assert_eq!(lost(&happened), [(Time::ZERO, 4), (Time::ZERO, 5)]);
    let order: Vec<u32> = delivered(&happened).iter().map(|(_, packet)| *packet).collect();
    assert_eq!(order, [0, 1, 6, 7, 8, 2, 3]);
    assert_eq!(packets.tally(ms(10)).conditioners[0].1.dropped, 2);
    assert_eq!(packets.in_flight(), 0);
}

#[test]
fn whatever_is_offered_no_interval_sees_more_than_rate_times_time_and_the_burst() {
    let shaper = Shaping { rate: 5_000_000, burst: 4000 };
    let mut packets = conditioned(&fifo(), vec![conditioner(0, Some((shaper, 10_000)), None)]);
    let mut random = Streams::new(3, 0).stream("offered");
    let mut now = Time::ZERO;
    let mut entered: Vec<(Time, u64)> = Vec::new();
    let mut sizes = Vec::new();
    let mut note = |event: FabricEvent, sizes: &[u32]| {
        let FabricEvent::Delivered(delivered) = event else { panic!("nothing is lost") };
        entered.push((delivered.first_departure, sizes[delivered.frame.packet as usize].into()));
    };
    for packet in 0..3000 {
        now += Duration::from_micros(random.below(3000).into());
        while let Some(event) = packets.advance(now) {
            note(event, &sizes);
        }
        sizes.push(40 + random.below(1460));
        packets.send(now, frame(packet, 0, sizes[packet as usize]));
    }
    drain(&mut packets).into_iter().for_each(|event| note(event, &sizes));
    assert_eq!(entered.len(), 3000);
    for first in 0..entered.len() {
        let mut octets = 0;
        for (at, size) in &entered[first..entered.len().min(first + 200)] {
            octets += size;
            // the line may delay a first packet by one that is on it, 120 us
            let span = at.since(entered[first].0) + Duration::from_micros(120);
            assert!(octets as f64 * 8.0 <= span.seconds() * 5e6 + 4000.0 * 8.0 + 1.0);
        }
    }
}

#[test]
fn policing_drops_what_is_red_and_a_meter_s_colours_arrive() {
    let committed = Shaping { rate: 8_000, burst: 1000 };
    let meter = MeterSettings::SingleRate { committed, excess: 500 };
    let colors = |polices| {
        let mut packets = conditioned(&fifo(), vec![conditioner(0, None, Some((meter, polices)))]);
        (0..4).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 500)));
        packets.send(Time::ZERO, frame(4, 1, 500));
        let happened = drain(&mut packets);
        let color = |event: &FabricEvent| match event {
            FabricEvent::Delivered(delivered) => delivered.precedence,
            _ => 0,
        };
        (happened.iter().map(color).collect::<Vec<_>>(), packets.tally(ms(1)).conditioners[0].1.clone())
    };
    let (marked, tally) = colors(false);
    // the other flow keeps the precedence of its code point
    assert_eq!(marked, [1, 1, 2, 3, 1]);
    assert_eq!((tally.offered, tally.policed), ([2, 1, 1], 0));
    let (policed, tally) = colors(true);
    assert_eq!(policed, [0, 1, 1, 2, 1], "the red packet is lost at once");
    assert_eq!((tally.offered, tally.policed, tally.dropped, tally.lost), ([2, 1, 1], 1, 1, [0; 3]));
}

#[test]
fn what_conforms_is_protected_from_what_does_not_at_a_queue_that_drops_by_precedence() {
    // two flows of 80 Mbit/s each on a link of 100, with committed rates of 40 and 20 Mbit/s
    let committed = |rate| Shaping { rate, burst: 15_000 };
    let meter = |rate| Some((MeterSettings::SingleRate { committed: committed(rate), excess: 0 }, false));
    let early = EarlyDetection {
        weight: 0.002,
        mean_packet: 1000,
        measure: Measure::Packets,
        thresholds: [[80, 160], [40, 80], [20, 60]],
        probability: 0.1,
        ecn: false,
        hard_drop: false,
    };
    let queue = QueueSettings { limit: Limit { packets: 400, octets: u64::MAX }, early: Some(early), ..fifo() };
    let conditioners = vec![conditioner(0, None, meter(40_000_000)), conditioner(1, None, meter(20_000_000))];
    let mut packets = conditioned(&queue, conditioners);
    let mut random = Streams::new(4, 0).stream("offered");
    let mut next = [Time::ZERO; 2];
    let mut packet = 0;
    while next[0].min(next[1]) < ms(20_000) {
        let flow = usize::from(next[1] < next[0]);
        let now = next[flow];
        while packets.advance(now).is_some() {}
        if packet == 40_000 {
            packets.reset_tally(now);
        }
        packets.send(now, frame(packet, flow as u32, 1000));
        next[flow] = now + sojourn_engine::sample::exponential(&mut random, Duration::from_micros(100));
        packet += 1;
    }
    let tally = packets.tally(ms(20_000));
    let [one, other] = &tally.conditioners[..] else { panic!("two conditioners") };
    for (counted, green) in [(&one.1, 0.5), (&other.1, 0.25)] {
        let all: u64 = counted.offered.iter().sum();
        assert!((counted.offered[0] as f64 / all as f64 - green).abs() < 0.005, "{counted:?}");
        assert_eq!(counted.lost[0], 0, "60 Mbit/s of green packets find room");
        // 100 Mbit/s of red packets share the other 40
        let lost = counted.lost[2] as f64 / counted.offered[2] as f64;
        assert!((lost - 0.6).abs() < 0.03, "{lost}");
    }
}
