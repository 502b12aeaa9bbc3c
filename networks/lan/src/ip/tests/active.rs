//! Queues that drop or mark at random, on a link: PIE, RED, DualPI2, and the threshold of CoDel.

use sojourn_metrics::Observation;
use sojourn_protocols::ip::Ecn;

use super::super::settings::{CeThreshold, ControlledDelay, DualPi2Settings, Measure, Overload, PieSettings};
use super::*;

const PIE: PieSettings = PieSettings {
    target: Duration::from_millis(15),
    update: Duration::from_millis(15),
    alpha: 0.125,
    beta: 1.25,
    burst: Duration::from_millis(150),
    ecn: false,
};

const DUALPI2: DualPi2Settings = DualPi2Settings {
    target: Duration::from_millis(15),
    update: Duration::from_millis(16),
    alpha: 0.16,
    beta: 3.2,
    coupling: 2,
    step: Duration::from_millis(1),
    step_length: 0,
    protection: 10,
    overload: Overload::Drop,
    at_enqueue: false,
    any_ect: false,
};

/// Time of a packet of 1250 octets on the link.
const SLOT: Duration = Duration::from_micros(100);

fn marked(packet: u32, flow: u32, ecn: Ecn) -> Frame {
    Frame { ecn, ..frame(packet, flow, 1250) }
}

/// Sends a packet of each code point, flow by flow, every `spacing` until `end` and lets all arrive.
fn streams(packets: &mut Packets, ecns: &[Ecn], spacing: Duration, end: Time) -> Vec<FabricEvent> {
    let (mut now, mut happened, mut number) = (Time::ZERO, Vec::new(), 0);
    while now < end {
        happened.extend(std::iter::from_fn(|| packets.advance(now)));
        for (flow, ecn) in (0..).zip(ecns) {
            packets.send(now, marked(number, flow, *ecn));
            number += 1;
        }
        now += spacing;
    }
    happened.extend(drain(packets));
    happened
}

/// Shares of the packets after `from` that are lost, and that arrive marked, of a flow.
fn signalled(events: &[FabricEvent], flow: u32, from: Time) -> [f64; 2] {
    let (mut all, mut lost, mut marks) = (0, 0, 0);
    for event in events {
        let (at, frame) = match event {
            FabricEvent::Delivered(delivered) => (delivered.at, delivered.frame),
            FabricEvent::Lost { at, frame, .. } => (*at, *frame),
            FabricEvent::RmCell { .. } => continue,
        };
        if at >= from && frame.connection == 2 * flow {
            all += 1;
            lost += u32::from(matches!(event, FabricEvent::Lost { .. }));
            marks += u32::from(matches!(event, FabricEvent::Delivered(_)) && frame.ecn == Ecn::Ce);
        }
    }
    [lost, marks].map(|count| f64::from(count) / f64::from(all))
}

/// Mean wait of a flow's packets that arrive within a time, seconds, of the last 50 ms before it.
fn waits(events: &[FabricEvent], spacing: Duration, from: Time, until: Time) -> f64 {
    let waits: Vec<f64> = events
        .iter()
        .filter_map(|event| match event {
            FabricEvent::Delivered(delivered) if delivered.at >= from && delivered.at < until => {
                let sent = Time::ZERO + spacing.times(delivered.frame.packet.into());
                Some(delivered.first_departure.since(sent).seconds())
            }
            _ => None,
        })
        .collect();
    waits.iter().sum::<f64>() / waits.len() as f64
}

#[test]
fn pie_holds_its_target_against_a_load_that_does_not_yield_by_losing_just_what_is_too_much() {
    let mut packets = link(1, &queue(Discipline::Pie(PIE)));
    // a tenth more than the link carries
    let spacing = SLOT.times(10).divided(11);
    let happened = streams(&mut packets, &[Ecn::NotEct], spacing, ms(60_000));
    let [lost, _] = signalled(&happened, 0, ms(20_000));
    assert!((lost - 1.0 / 11.0).abs() < 0.003, "{lost}");
    let wait = waits(&happened, spacing, ms(20_000), ms(60_000));
    assert!((wait - 0.015).abs() < 0.001, "{wait}");
}

#[test]
fn pie_marks_while_its_probability_is_a_tenth_at_most_and_drops_beyond() {
    let mut packets = link(1, &queue(Discipline::Pie(PieSettings { ecn: true, ..PIE })));
    let happened = streams(&mut packets, &[Ecn::Ect0], SLOT.times(10).divided(13), ms(60_000));
    let [lost, marks] = signalled(&happened, 0, ms(20_000));
    // a sender that does not react has drops in the end: three of thirteen are too many
    assert!((lost - 3.0 / 13.0).abs() < 0.005, "{lost}");
    assert!(marks < 0.01, "{marks}");
    let mut packets = link(1, &queue(Discipline::Pie(PieSettings { ecn: true, ..PIE })));
    let happened = streams(&mut packets, &[Ecn::Ect0], SLOT.times(10).divided(11), ms(2000));
    let is_marked = |event: &FabricEvent| match event {
        FabricEvent::Delivered(delivered) if delivered.frame.ecn == Ecn::Ce => Some(delivered.frame.packet),
        _ => None,
    };
    let marks: Vec<u32> = happened.iter().filter_map(is_marked).collect();
    let first_lost = super::lost(&happened)[0].1;
    assert!(marks.len() > 50 && marks[..50].iter().all(|packet| *packet < first_lost), "at first it marks only");
}

#[test]
fn pie_lets_a_burst_pass() {
    let mut packets = link(1, &queue(Discipline::Pie(PIE)));
    (0..1400).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
    assert_eq!(delivered(&drain(&mut packets)).len(), 1400, "140 ms are within the allowance of 150 ms");
}

#[test]
fn red_loses_half_of_twice_the_load_and_marks_in_place_of_drops_below_its_upper_threshold() {
    let early = EarlyDetection {
        weight: 1.0 / 512.0,
        mean_packet: 1000,
        measure: Measure::Octets,
        thresholds: [[30_000, 90_000]; 3],
        probability: 0.02,
        ecn: true,
        hard_drop: true,
    };
    let outcomes = |early| {
        let limit = Limit { packets: 1000, octets: u64::MAX };
        let mut packets = link(1, &QueueSettings { early: Some(early), limit, ..fifo() });
        let happened = streams(&mut packets, &[Ecn::Ect0], SLOT.divided(2), ms(5000));
        let Observation::TimeWeighted { max, .. } = packets.tally(ms(6000)).ports[0].queue else { panic!("a level") };
        (signalled(&happened, 0, ms(1000)), max)
    };
    let ([lost, marks], _) = outcomes(early);
    // the average settles at the upper threshold, where drops are hard
    assert!((lost - 0.5).abs() < 0.01, "{lost}");
    assert!(marks > 0.0 && marks < 0.02, "{marks}");
    let ([lost, marks], length) = outcomes(EarlyDetection { hard_drop: false, ..early });
    // marks alone do not hold the queue: it is full, half is lost, and all others are marked
    assert!((lost - 0.5).abs() < 0.01 && (marks - 0.5).abs() < 0.01, "{lost} {marks}");
    assert_eq!(length, 1000.0);
}

#[test]
fn red_drops_at_random_between_its_thresholds_whatever_the_precedence() {
    let early = |probability| EarlyDetection {
        weight: 1.0,
        mean_packet: 1000,
        measure: Measure::Octets,
        thresholds: [[20_000, 40_000]; 3],
        probability,
        ecn: false,
        hard_drop: false,
    };
    let lost = |probability| {
        let mut packets = link(1, &QueueSettings { early: Some(early(probability)), ..fifo() });
        // 24 packets of 1250 octets wait whenever one comes: midway
        (0..25).for_each(|packet| packets.send(Time::ZERO, frame(packet, 0, 1250)));
        let (mut now, mut happened) = (Time::ZERO + SLOT.divided(2), Vec::new());
        for packet in 25..40_000 {
            happened.extend(std::iter::from_fn(|| packets.advance(now)));
            packets.send(now, frame(packet, 0, 1250));
            now += SLOT;
        }
        lost(&happened).len()
    };
    // each one lost is one less from then on: until 16 wait, 20 000 octets
    assert_eq!(lost(0.02), 8);
    assert_eq!(lost(1e-9), 0, "hardly any without a probability");
}

#[test]
fn the_threshold_of_codel_marks_each_packet_that_has_waited_longer() {
    for (selects, ecn, expected) in
        [(false, Ecn::Ect0, 189), (false, Ecn::Ect1, 189), (true, Ecn::Ect1, 189), (true, Ecn::Ect0, 0)]
    {
        let threshold = CeThreshold { wait: Duration::from_millis(1), ect1_only: selects };
        let delay = ControlledDelay {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: false,
            ce_threshold: Some(threshold),
        };
        let mut packets = link(1, &queue(Discipline::Codel(delay)));
        // the n-th waits for n slots of 0.1 ms: from the eleventh on longer than 1 ms
        (0..200).for_each(|packet| packets.send(Time::ZERO, marked(packet, 0, ecn)));
        let happened = drain(&mut packets);
        let marks =
            happened.iter().filter(|event| matches!(event, FabricEvent::Delivered(of) if of.frame.ecn == Ecn::Ce));
        assert_eq!(marks.count(), expected, "{selects} {ecn:?}");
        assert_eq!(packets.tally(ms(30)).ports[0].marked, expected as u64);
    }
}

#[test]
fn the_threshold_leaves_alone_packets_of_senders_that_do_not_understand_marks() {
    let threshold = CeThreshold { wait: Duration::from_millis(1), ect1_only: false };
    let delay = ControlledDelay {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        ecn: true,
        ce_threshold: Some(threshold),
    };
    let mut packets = link(1, &queue(Discipline::FqCodel { quantum: 1514, queues: None, delay }));
    (0..200).for_each(|packet| packets.send(Time::ZERO, marked(packet, 0, Ecn::NotEct)));
    assert_eq!(delivered(&drain(&mut packets)).len(), 200);
}

#[test]
fn dualpi2_couples_the_marks_of_both_queues_by_the_square() {
    let mut packets = link(2, &queue(Discipline::DualPi2(DUALPI2)));
    // two loads that do not yield and are together a fiftieth more than the link carries; the step is out of reach
    let happened = {
        let settings = DualPi2Settings { step: Duration::from_secs(10), ..DUALPI2 };
        let mut packets = link(2, &queue(Discipline::DualPi2(settings)));
        streams(&mut packets, &[Ecn::Ect1, Ecn::NotEct], SLOT.times(200).divided(102), ms(60_000))
    };
    let [lost, _] = signalled(&happened, 1, ms(20_000));
    let [dropped, marks] = signalled(&happened, 0, ms(20_000));
    // of C one in 25.5 is too many: p'^2 = 0.0392, p' = 0.198 and L marks with 2 p'
    assert!((lost - 1.0 / 25.5).abs() < 0.004, "{lost}");
    assert!((marks - 2.0 * lost.sqrt()).abs() < 0.04, "{marks} for {}", 2.0 * lost.sqrt());
    assert_eq!(dropped, 0.0);
    // and with the step, all that wait longer than 1 ms are marked, none lost
    let happened = streams(&mut packets, &[Ecn::Ect1, Ecn::NotEct], SLOT.times(200).divided(102), ms(20_000));
    assert_eq!(signalled(&happened, 0, Time::ZERO)[0], 0.0);
}

#[test]
fn dualpi2_drops_of_both_queues_once_marks_are_not_enough() {
    let mut packets = link(2, &queue(Discipline::DualPi2(DUALPI2)));
    // one and a half times what the link carries: p'^2 = 1/3 is beyond (1/2)^2
    let happened = streams(&mut packets, &[Ecn::Ect1, Ecn::Ect0], SLOT.times(4).divided(3), ms(60_000));
    for flow in 0..2 {
        let [lost, _] = signalled(&happened, flow, ms(20_000));
        assert!((lost - 1.0 / 3.0).abs() < 0.02, "{flow}: {lost}");
    }
}
